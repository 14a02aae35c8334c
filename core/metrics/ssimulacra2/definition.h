// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIMULACRA 2 (J. Sneyers, Cloudinary; "ssimulacra2" of libjxl): what its two profiles share, from linear light to XYB
// and from the norms of a frame to its score. The profiles differ in how samples become RGB, in the blur, in the terms
// and in how terms are summed: standard/definition.h and recursive/definition.h.
//
// All arithmetic is IEEE 754, round to nearest, subnormals kept, each operation rounded on its own, left to right.
#ifndef VMAFX_METRICS_SSIMULACRA2_DEFINITION_H_
#define VMAFX_METRICS_SSIMULACRA2_DEFINITION_H_

#include "core/numeric/portable.h"

namespace vmafx::ssimulacra2 {

constexpr int kChannels = 3;   // X, Y, B
constexpr int kMaxScales = 6;  // full size, then halved up to five times
constexpr int kMinSide = 8;    // a scale of a smaller side is not measured

// Sums over the plane of one channel at one scale. Sum 2*kind + norm: kinds ssim, artifact, detail loss; norm 0 adds
// the terms, norm 1 their fourth powers.
constexpr int kKinds = 3;
constexpr int kNorms = 2;
constexpr int kSums = kKinds * kNorms;

// ---- Linear light

constexpr int kTransferSize = 1024;

// Linear light of one sRGB-encoded component: linear interpolation in kTransferTable (passed, for a device has its own
// copy). The index needs no clamp: the largest float below 1 times 1023 is below 1023.
VMAFX_FN float LinearOfEncoded(const float* table, float x) {
  if (x <= 0.0f) return 0.0f;
  if (x >= 1.0f) return 1.0f;
  const float q = x * 1023.0f;
  const int32_t i = static_cast<int32_t>(q);
  const float t = q - static_cast<float>(i);
  return table[i] + (table[i + 1] - table[i]) * t;
}

// One sample of the next scale from 2x2 of this one; past the last column or row that column or row again.
VMAFX_FN float Downsample(float top_left, float top_right, float bottom_left, float bottom_right) {
  return (((top_left + top_right) + bottom_left) + bottom_right) * 0.25f;
}

// ---- XYB: the opsin of JPEG XL (ISO/IEC 18181-1), scaled so that X, Y and B are positive and alike in size

constexpr float kOpsin00 = 0x1.333334p-2f;  // 0.30
constexpr float kOpsin01 = 0x1.3e76c8p-1f;  // (1 - 0.30) - 0.078
constexpr float kOpsin02 = 0x1.3f7ceep-4f;  // 0.078
constexpr float kOpsin10 = 0x1.d70a3ep-3f;  // 0.23
constexpr float kOpsin11 = 0x1.624dd2p-1f;  // (1 - 0.23) - 0.078
constexpr float kOpsin12 = 0x1.3f7ceep-4f;  // 0.078
constexpr float kOpsin20 = 0x1.f28798p-3f;  // 0.24342268924547819
constexpr float kOpsin21 = 0x1.a35d1ep-3f;  // 0.20476744424496821
constexpr float kOpsin22 = 0x1.1a86d2p-1f;  // (1 - 0.2434...) - 0.2047...
constexpr float kOpsinBias = 0x1.f12a6cp-9f;      // 0.0037930732552754493
constexpr float kOpsinBiasRoot = 0x1.3f64f6p-3f;  // CubeRoot(kOpsinBias)
constexpr float kXScale = 14.0f;
constexpr float kXOffset = 0x1.ae147ap-2f;  // 0.42
constexpr float kYOffset = 0x1.47ae14p-7f;  // 0.01
constexpr float kBOffset = 0x1.19999ap-1f;  // 0.55

// Cube root: a third of the exponent (and of the fraction), then two Newton steps.
constexpr uint32_t kCubeRootSeed = 0x2a5137a0;
constexpr float kThird = 0x1.555556p-2f;

// x is kOpsinBias to kLargestMix and y within a few per cent of its root. Doubling is exact, so the sum rounds once in
// either form.
constexpr float kLargestMix = 0x1.02p+0f;
VMAFX_FN float CubeRootStep(float x, float y) { return Fma(2.0f, y, RootQuotient(x, y * y)) * kThird; }

VMAFX_FN float CubeRootOfPositive(float x) {
  float y = FloatOf(Bits(x) / 3u + kCubeRootSeed);
  y = CubeRootStep(x, y);
  return CubeRootStep(x, y);
}

VMAFX_FN float CubeRoot(float x) { return x <= 0.0f ? 0.0f : CubeRootOfPositive(x); }

struct Xyb {
  float x, y, b;
};

// Linear light is not negative, so the sum is at least kOpsinBias.
VMAFX_FN float OpsinRoot(float m0, float m1, float m2, float r, float g, float b) {
  return CubeRootOfPositive(((m0 * r + m1 * g) + m2 * b) + kOpsinBias) - kOpsinBiasRoot;
}

VMAFX_FN Xyb XybOfLinear(float r, float g, float b) {
  const float l = OpsinRoot(kOpsin00, kOpsin01, kOpsin02, r, g, b);
  const float m = OpsinRoot(kOpsin10, kOpsin11, kOpsin12, r, g, b);
  const float s = OpsinRoot(kOpsin20, kOpsin21, kOpsin22, r, g, b);
  const float x = 0.5f * (l - m);
  const float y = 0.5f * (l + m);
  return {x * kXScale + kXOffset, y + kYOffset, (s - y) + kBOffset};
}

}  // namespace vmafx::ssimulacra2
#endif  // VMAFX_METRICS_SSIMULACRA2_DEFINITION_H_
