// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIMULACRA 2, profile `standard`: the metric as its author defines it, in fp32 arithmetic that gives the same bits on
// every processor and whose rounding stays far below what a score shows. Steps of one pair of pictures:
//
//  1. samples -> R'G'B' (Conversion, ChromaTaps; conversion.h makes the constants)
//  2. linear light, and its 2x2 means down to five smaller scales (LinearOfEncoded, Downsample: ../definition.h)
//  3. XYB of each scale (XybOfLinear: ../definition.h)
//  4. four blurs for each channel: m1 = blur(a), m2 = blur(b), s = blur(a*a + b*b), v = blur((a-b)*(a-b)), where a is
//     the reference and b the distorted picture (Blur)
//  5. terms of each pixel: ssim, artifact, detail loss, and their fourth powers (SsimTerm, EdgeTerm, FourthPower)
//  6. sums of the terms over the plane, in the order below, and from them norms and the score (frame.h)
//
// Where it departs from the author's tool, and why. The tool blurs with a recursive Gaussian whose poles lie on the
// unit circle: in fp32 its rounding errors drift along rows and columns, and the small constant kC2 magnifies them to
// as much as a point of a high score. In real arithmetic that recursion is a 9-tap filter with zeros outside the plane:
// here it is computed as one. The tool's ssim term is 1 - num_m*num_s/den with den - num_s formed by cancellation;
// den - num_s is the variance of a - b, blurred directly here.
//
// Order of summation. A cell is 32 columns x 8 rows of the plane; cells start at multiples of 32 and of 8. Positions
// outside the plane contribute +0, which changes no sum, terms being >= 0.
//  - In a cell, fp32. Each column: its 8 terms are added top to bottom, starting from +0. Then the 32 column sums are
//    folded: s[i] += s[i + 16] for i < 16, then s[i] += s[i + 8] for i < 8, and so on with 4, 2 and 1; the cell's sum
//    is s[0].
//  - Cells, fp64. The cells of one row of cells are added left to right, starting from 0; these sums of rows top to
//    bottom, starting from 0.
// A term passes at most 7 + 5 fp32 roundings, so a sum is within 12 * 2^-24 = 7.2e-7, relatively, of the exact sum of
// its terms. Columns suit vectors of 4 to 32 lanes, the fold suits shuffles in groups of 32 lanes of a wave of 32 or
// 64.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_DEFINITION_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_DEFINITION_H_

#include "core/metrics/ssimulacra2/definition.h"

namespace vmafx::ssimulacra2::standard {

// ---- 1. Samples to R'G'B'

// Where chroma samples lie on one axis of the luma grid.
enum Siting : int32_t {
  kNotSubsampled = 0,
  kOnEven = 1,   // at even luma positions
  kBetween = 2,  // halfway between an even position and the next
  kOnOdd = 3,    // at odd luma positions
};

// The chroma value at a luma position, along one axis: first_weight * c[first] + second_weight * c[second], divided by
// the weights' sum, which is WeightSum(siting). Bilinear, edges replicated.
struct ChromaTaps {
  int32_t first, second;
  int32_t first_weight, second_weight;
};

VMAFX_FN int32_t WeightSum(int32_t siting) { return siting == kNotSubsampled ? 1 : siting == kBetween ? 4 : 2; }

// n: chroma samples on this axis.
VMAFX_FN ChromaTaps TapsAt(int32_t siting, int32_t position, int32_t n) {
  if (siting == kNotSubsampled) return {position, position, 1, 0};
  const int32_t k = position >> 1;
  const int32_t before = k > 0 ? k - 1 : 0;
  const int32_t after = k + 1 < n ? k + 1 : n - 1;
  const bool odd = (position & 1) != 0;
  if (siting == kOnEven) return odd ? ChromaTaps{k, after, 1, 1} : ChromaTaps{k, k, 2, 0};
  if (siting == kOnOdd) return odd ? ChromaTaps{k, k, 2, 0} : ChromaTaps{before, k, 1, 1};
  return odd ? ChromaTaps{k, after, 3, 1} : ChromaTaps{k, before, 3, 1};
}

// Constants of one picture, from its depth, range, matrix and chroma location. Offsets are integers. A weighted chroma
// sum is at most 4*4*65535, so it and its difference from the offset are exact in fp32, too.
struct Conversion {
  int32_t siting_x, siting_y;
  float luma_offset, luma_scale;      // Y' = (sample - offset) * scale; also R', G', B' of an RGB picture
  float chroma_offset, chroma_scale;  // the same for a weighted chroma sum, the weights' sum divided out
  float cr_r, cr_g, cb_g, cb_b;
};

VMAFX_FN float Normalised(int32_t sum, float offset, float scale) {
  return (static_cast<float>(sum) - offset) * scale;
}

struct Rgb {
  float r, g, b;
};

VMAFX_FN Rgb RgbOfYcc(const Conversion& c, float y, float cb, float cr) {
  return {Saturate(Fma(c.cr_r, cr, y)), Saturate(Fma(c.cr_g, cr, Fma(c.cb_g, cb, y))), Saturate(Fma(c.cb_b, cb, y))};
}

// ---- 4. Blur: the filter on either axis, first along rows, then along columns; zeros outside the plane

constexpr int kBlurRadius = 4;
constexpr float kTap0 = static_cast<float>(0.26462110548819856);
constexpr float kTap1 = static_cast<float>(0.21292859201042222);
constexpr float kTap2 = static_cast<float>(0.1093353727774603);
constexpr float kTap3 = static_cast<float>(0.03601111465836436);
constexpr float kTap4 = static_cast<float>(0.009414367809653691);

// m4 .. p4: the values at distances -4 .. 4.
VMAFX_FN float Blur(float m4, float m3, float m2, float m1, float centre, float p1, float p2, float p3, float p4) {
  float r = kTap0 * centre;
  r = Fma(kTap1, m1 + p1, r);
  r = Fma(kTap2, m2 + p2, r);
  r = Fma(kTap3, m3 + p3, r);
  return Fma(kTap4, m4 + p4, r);
}

VMAFX_FN float SquareSum(float a, float b) { return a * a + b * b; }
VMAFX_FN float SquareDifference(float a, float b) { return (a - b) * (a - b); }

// ---- 5. Terms

constexpr float kC2 = static_cast<float>(0.0009);

// Both divisions are within the limits of Quotient(). X, Y and B are multiples of 2^-30: their constants and the opsin's
// roots are. So (a-b)^2 is 0 or at least 2^-60, its blur v is 0 or at least kTap4^2 * 2^-60 > 2^-74, and v - q, where not 0,
// is at least v/2 or (q in v/2 .. v) a multiple of the last place of q, 2^-98. Likewise blurs, and e2 - e1, are multiples of
// 2^-90. Denominators are kC2 or 1 and more.

VMAFX_FN float Positive(float x) { return x > 0.0f ? x : 0.0f; }
VMAFX_FN float Magnitude(float x) { return x < 0.0f ? -x : x; }

VMAFX_FN float SsimTerm(float m1, float m2, float s, float v) {
  const float difference = m1 - m2;
  const float q = difference * difference;
  const float numerator = Positive(v - q);
  const float denominator = Positive((s - m1 * m1) - m2 * m2) + kC2;
  return q + (1.0f - q) * Quotient(numerator, denominator);
}

// Positive: an edge that only the distorted picture has (artifact); negative: one that it lost (detail loss).
VMAFX_FN float EdgeTerm(float a, float b, float m1, float m2) {
  const float e1 = Magnitude(a - m1);
  const float e2 = Magnitude(b - m2);
  return Quotient(e2 - e1, 1.0f + e1);
}

VMAFX_FN float FourthPower(float t) { return (t * t) * (t * t); }

// ---- 6. Sums

constexpr int kCellWidth = 32;
constexpr int kCellHeight = 8;

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_DEFINITION_H_
