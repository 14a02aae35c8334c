// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIMULACRA 2, profile "recursive": the score of the VMAFx CPU extractor, bit for bit. The arithmetic of one sample,
// of one step of the blur and of one pixel's terms. Shared with the other profile: ../definition.h.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_DEFINITION_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_DEFINITION_H_

#include "core/metrics/ssimulacra2/definition.h"

namespace vmafx::ssimulacra2::recursive {

// ---- Samples to R'G'B'

// What turns samples of one depth, matrix and range into R'G'B'.
struct Conversion {
  float unit;  // 1 / peak
  float luma_offset, luma_scale, chroma_scale;
  float cr_r, cb_g, cr_g, cb_b;
};

// At every depth and range, so that neutral grey gets a slight tint: part of the profile.
constexpr float kChromaCenter = 0.5f;

VMAFX_FN Conversion MakeConversion(int depth, bool bt601, bool full_range) {
  Conversion c;
  c.unit = 1.0f / static_cast<float>((1 << depth) - 1);
  c.luma_offset = full_range ? 0.0f : 0x1.010102p-4f;  // 16/255, also above 8 bits
  c.luma_scale = full_range ? 1.0f : 0x1.2a150ap+0f;   // 255/219
  c.chroma_scale = full_range ? 1.0f : 0x1.236db6p+0f;  // 255/224
  // From Kr and Kb of ITU-R BT.601 and BT.709, in binary32 arithmetic.
  c.cr_r = bt601 ? 0x1.66e978p+0f : 0x1.932618p+0f;    // 2 (1 - Kr)
  c.cb_g = bt601 ? -0x1.606542p-2f : -0x1.7fa3dcp-3f;  // -2 Kb (1 - Kb) / Kg
  c.cr_g = bt601 ? -0x1.6da344p-1f : -0x1.df5bf8p-2f;  // -2 Kr (1 - Kr) / Kg
  c.cb_b = bt601 ? 0x1.c5a1cap+0f : 0x1.db089ap+0f;    // 2 (1 - Kb)
  return c;
}

struct Rgb {
  float r, g, b;
};

// Encoded components, not clamped: LinearOfEncoded clamps.
VMAFX_FN Rgb EncodedOfSamples(const Conversion& c, uint32_t luma, uint32_t cb, uint32_t cr) {
  const float y = (static_cast<float>(luma) * c.unit - c.luma_offset) * c.luma_scale;
  const float u = (static_cast<float>(cb) * c.unit - kChromaCenter) * c.chroma_scale;
  const float v = (static_cast<float>(cr) * c.unit - kChromaCenter) * c.chroma_scale;
  return {Fma(c.cr_r, v, y), Fma(c.cr_g, v, Fma(c.cb_g, u, y)), Fma(c.cb_b, u, y)};
}

// ---- Scales

// Scales of a w x h frame: each is measured only when itself has both sides of at least kMinSide.
VMAFX_FN int ScaleCount(int w, int h) {
  int scales = 0;
  for (; scales < kMaxScales && w >= kMinSide && h >= kMinSide; ++scales) {
    w = (w + 1) / 2;
    h = (h + 1) / 2;
  }
  return scales;
}

// ---- Blur

// The recursive Gaussian of D. Charalampidis, "Recursive Implementation of the Gaussian Filter Using Truncated Cosine
// Functions" (IEEE Transactions on Signal Processing 64, 2016): sigma 1.5, three terms, zero outside the plane. Its
// poles lie on the unit circle: rounding errors are carried along the whole line, so the order of operations and the
// start show in the result.

constexpr int kBlurRadius = 5;
constexpr int kBlurTerms = 3;
constexpr int kBlurLead = kBlurRadius - 1;   // the newest input of output n is n + 4; a line starts at n = -4
constexpr int kBlurSpan = 2 * kBlurRadius;   // the oldest is n - 6, this much before the newest

constexpr float kBlurIn0 = 0x1.c4fa84p-5f, kBlurBack0 = -0x1.e6f0e2p+0f;
constexpr float kBlurIn1 = -0x1.e1fd7ap-5f, kBlurBack1 = -0x1.2cf23p+0f;
constexpr float kBlurIn2 = 0x1.a8894ap-7f, kBlurBack2 = -0x1.1a6264p-53f;  // what is left of -2 cos(pi/2) in binary64

// The newest and the second newest value of one term.
struct BlurTerm {
  float last, before;
};

// `sum` is the oldest input plus the newest.
VMAFX_FN float BlurTermStep(BlurTerm& term, float in, float back, float sum) {
  const float out = (in * sum - back * term.last) - term.before;
  term.before = term.last;
  term.last = out;
  return out;
}

VMAFX_FN float BlurStep(BlurTerm state[kBlurTerms], float sum) {
  const float o0 = BlurTermStep(state[0], kBlurIn0, kBlurBack0, sum);
  const float o1 = BlurTermStep(state[1], kBlurIn1, kBlurBack1, sum);
  const float o2 = BlurTermStep(state[2], kBlurIn2, kBlurBack2, sum);
  return (o0 + o1) + o2;
}

// ---- Terms

// The five blurred planes of a channel, in this order everywhere.
enum BlurredPlane { kSquareReference, kSquareDistorted, kProduct, kReference, kDistorted, kBlurredPlanes };

constexpr float kC2 = 0x1.d7dbf4p-11f;  // 0.0009

// What is added up at one pixel. Of `edge` the positive part is the artifact term, the negative part the detail loss.
struct Terms {
  double ssim, edge;
};

VMAFX_FN Terms TermsOf(float reference, float distorted, const float blurred[kBlurredPlanes]) {
  const float m1 = blurred[kReference], m2 = blurred[kDistorted];
  const float q11 = m1 * m1, q22 = m2 * m2, q12 = m1 * m2;
  const float luminance = 1.0f - (m1 - m2) * (m1 - m2);
  const float structure = 2.0f * (blurred[kProduct] - q12) + kC2;
  const float contrast = ((blurred[kSquareReference] - q11) + (blurred[kSquareDistorted] - q22)) + kC2;
  const double similarity =
      (static_cast<double>(luminance) * static_cast<double>(structure)) / static_cast<double>(contrast);
  const double d = 1.0 - similarity;
  const double difference1 = static_cast<double>(reference) - static_cast<double>(m1);
  const double difference2 = static_cast<double>(distorted) - static_cast<double>(m2);
  const double edge1 = difference1 < 0.0 ? -difference1 : difference1;
  const double edge2 = difference2 < 0.0 ? -difference2 : difference2;
  return {d < 0.0 ? 0.0 : d, (1.0 + edge2) / (1.0 + edge1) - 1.0};
}

VMAFX_FN double FourthPower(double x) {
  const double square = x * x;
  return square * square;
}

// Adds one pixel's terms to the six sums (order of ../definition.h). The order of pixels is part of the result: raster.
VMAFX_FN void AddTerms(double sums[kSums], const Terms& terms) {
  const double artifact = terms.edge > 0.0 ? terms.edge : 0.0;
  const double loss = terms.edge < 0.0 ? -terms.edge : 0.0;
  sums[0] += terms.ssim;
  sums[1] += FourthPower(terms.ssim);
  sums[2] += artifact;
  sums[3] += FourthPower(artifact);
  sums[4] += loss;
  sums[5] += FourthPower(loss);
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_DEFINITION_H_
