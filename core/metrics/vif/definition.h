// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif: visual information fidelity of luma (Sheikh and Bovik, "Image information and visual quality", IEEE Transactions
// on Image Processing 15(2), 2006) in the integer arithmetic of libvmaf's `vif` feature: four scales, each half the
// size of the one before; local means, variances and the covariance under a Gaussian window; per pixel the information
// that the distorted picture keeps, in units of 1/2048 bit, from a table of logarithms. All sums are
// 64-bit integers, so their order is free.
#ifndef VMAFX_METRICS_VIF_DEFINITION_H_
#define VMAFX_METRICS_VIF_DEFINITION_H_

#include "core/numeric/portable.h"

namespace vmafx::vif {

inline constexpr int kScales = 4;
inline constexpr int kMinSize = 16;  // below it a window at the smallest scale would be larger than the picture

// The window of each scale: unsigned taps that add up to 2^16. Tap i applies to offset i - kHalf[scale].
// Scale k is measured with window k and reduced to scale k + 1 with window k + 1.
inline constexpr int kHalf[kScales] = {8, 4, 2, 1};
inline constexpr uint32_t kTaps[kScales][17] = {
    {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489},
    {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244},
    {3571, 16004, 26386, 16004, 3571},
    {10904, 43728, 10904},
};

// Index `i` mirrored into [0, size): the edge sample is not repeated. |overshoot| < size.
VMAFX_FN int Mirror(int i, int size) { return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i; }

// Shifts that follow the vertical filter: means come out in 16 bits, products of two samples in 32. Every shift
// rounds: half of the divisor is added before (nothing when the shift is 0).
struct Shifts {
  int mean;
  int product;
};
VMAFX_FN Shifts VerticalShifts(int scale, int depth) {
  if (scale > 0) return {16, 16};  // samples of the reduced scales have 16 bits whatever the depth
  return {depth, 2 * (depth - 8)};
}
VMAFX_FN uint64_t RoundShift(uint64_t value, int shift) {
  return shift == 0 ? value : (value + (uint64_t{1} << (shift - 1))) >> shift;
}

// The filtered values of one pixel. Means are not shifted after the horizontal filter (16 fractional bits); products
// are, to 32 bits.
struct Moments {
  uint32_t mean_r, mean_d;
  uint32_t rr, dd, rd;
};

// Variances and covariance of one pixel.
struct Variances {
  int32_t s1;   // of the reference; rounding may leave it slightly negative
  int32_t s2;   // of the distorted picture, at least 0
  int32_t s12;
};

VMAFX_FN uint32_t MeanProduct(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((uint64_t{a} * b + 0x80000000u) >> 32);
}

VMAFX_FN Variances VariancesOf(const Moments& m) {
  Variances v;
  v.s1 = static_cast<int32_t>(m.rr - MeanProduct(m.mean_r, m.mean_r));
  v.s2 = static_cast<int32_t>(m.dd - MeanProduct(m.mean_d, m.mean_d));
  v.s12 = static_cast<int32_t>(m.rd - MeanProduct(m.mean_r, m.mean_d));
  if (v.s2 < 0) v.s2 = 0;
  return v;
}

// What a processor gives back for one scale of a pair.
struct Sums {
  int64_t numlog;
  int64_t denlog;
  int64_t numnon;
  int64_t dennon;
};

inline constexpr int32_t kNoise = 131072;            // variance of the visual noise, 2 in units of 2^-16
inline constexpr int32_t kLogNoise = 34816;          // Lg(kNoise) = 2048 * 17
inline constexpr double kEpsilon = 65536 * 1.0e-10;  // keeps the gain finite

// 2048 log2(v) for v >= 2^16, from the table of core/numeric/log2_table.h, in whatever form: table[i] is entry i. Bits
// below the highest 16 are dropped.
template <class Table>
VMAFX_FN int32_t Lg(uint64_t v, const Table& table) {
  const int shift = HighBit(v) - 15;
  return static_cast<int32_t>(table[(v >> shift) - 32768]) + 2048 * shift;
}

// Adds one pixel. Products are rounded before they are added or subtracted: nothing here may be fused.
template <class Table>
VMAFX_FN void AddPixel(const Variances& v, double gain_limit, const Table& table, Sums* sums) {
  if (v.s1 < kNoise) {
    sums->numnon += v.s2;
    sums->dennon += 1;
    return;
  }
  sums->denlog += Lg(static_cast<uint64_t>(kNoise) + static_cast<uint64_t>(v.s1), table) - kLogNoise;
  if (v.s12 <= 0 || v.s2 <= 0) return;
  const double s1 = v.s1, s2 = v.s2, s12 = v.s12;
  const double gain = s12 / (s1 + kEpsilon);
  const double explained = gain * s12;
  int32_t rest = static_cast<int32_t>(s2 - explained);
  if (rest < 0) rest = 0;
  const double limited = gain < gain_limit ? gain : gain_limit;
  const uint64_t n1 = static_cast<uint64_t>(rest) + static_cast<uint64_t>(kNoise);
  const double signal = limited * limited * s1;
  const uint64_t n2 = static_cast<uint64_t>(static_cast<int64_t>(signal)) + n1;
  sums->numlog += Lg(n2, table) - Lg(n1, table);
}

}  // namespace vmafx::vif
#endif  // VMAFX_METRICS_VIF_DEFINITION_H_
