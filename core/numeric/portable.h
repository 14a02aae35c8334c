// SPDX-License-Identifier: BSD-2-Clause-Patent
// What definition.h files may use, so that the host compiler and device compilers read the same text.
// A device build defines VMAFX_FN (and Fma, Bits) in its own portability header, included before this one.
#ifndef VMAFX_NUMERIC_PORTABLE_H_
#define VMAFX_NUMERIC_PORTABLE_H_

#ifndef VMAFX_FN
#include <bit>
#include <cmath>
#include <cstdint>
// Marks a function that every processor compiles. Such a function uses fixed-width integers, float and double,
// + - * / and the helpers below; no library, no statics, no exceptions.
#define VMAFX_FN inline

namespace vmafx {
// a*b + c with one rounding. The only fused operation of the library: what does not call it is not fused.
VMAFX_FN float Fma(float a, float b, float c) { return std::fma(a, b, c); }
// a / b for |b| of 2^-30 .. 2^30 and an a that is 0 or |a| of 2^-99 .. 2^60: a device does without the checks of a division
// that must also be right near the limits of the exponent.
VMAFX_FN float Quotient(float a, float b) { return a / b; }
// a / b in the cube root of core/metrics/ssimulacra2/definition.h and nowhere else: a device makes it of fewer steps.
VMAFX_FN float RootQuotient(float a, float b) { return a / b; }
// x limited to [0, 1]; +0 for -0. Not for NaN.
VMAFX_FN float Saturate(float x) { return x <= 0.0f ? 0.0f : x >= 1.0f ? 1.0f : x; }
VMAFX_FN uint32_t Bits(float x) { return std::bit_cast<uint32_t>(x); }
VMAFX_FN uint64_t Bits(double x) { return std::bit_cast<uint64_t>(x); }
VMAFX_FN float FloatOf(uint32_t bits) { return std::bit_cast<float>(bits); }
VMAFX_FN double DoubleOf(uint64_t bits) { return std::bit_cast<double>(bits); }
// Position of the highest set bit, x != 0.
VMAFX_FN int HighBit(uint64_t x) { return 63 - std::countl_zero(x); }
// Number of bits set.
VMAFX_FN int BitCount(uint32_t x) { return std::popcount(x); }
}  // namespace vmafx
#endif

#endif  // VMAFX_NUMERIC_PORTABLE_H_
