// SPDX-License-Identifier: BSD-2-Clause-Patent
// Ziv's strategy (A. Ziv, Fast evaluation of elementary mathematical functions with correctly rounded last bit, ACM TOMS
// 17, 1991): evaluate with a known error; where a midpoint of two doubles lies inside the error, evaluate again with
// twice the precision. It ends for every result that is not itself a midpoint. log10 has none: a rational log10 of a
// double is a whole number. Powers have some, so results that are short dyadic fractions are found first, in integers.
#include "core/numeric/exact_math.h"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace vmafx {
namespace {

namespace mp = boost::multiprecision;

template <unsigned kBits>
using Extended = mp::number<mp::cpp_bin_float<kBits, mp::digit_base_2>, mp::et_off>;

// Bits of an extended result that are not relied upon. log and exp of Boost are good to a few units in the last place;
// a power multiplies the error of its logarithm by at most 1100.
constexpr int kGuardBits = 24;

constexpr int kLeastExponent = -1074;  // of a subnormal's last bit

// The double nearest to v > 0, or nothing when v is too near to a midpoint to tell the side.
template <unsigned kBits>
std::optional<double> Round(const Extended<kBits>& v) {
  const int last_bit = std::max<int>(static_cast<int>(mp::ilogb(v)) - 52, kLeastExponent);
  const Extended<kBits> scaled = mp::ldexp(v, -last_bit);
  const Extended<kBits> whole = mp::floor(scaled);
  const Extended<kBits> past_midpoint = scaled - whole - 0.5;
  const Extended<kBits> error = mp::ldexp(scaled, kGuardBits - static_cast<int>(kBits));
  if (mp::abs(past_midpoint) <= error) return std::nullopt;
  const uint64_t mantissa = static_cast<uint64_t>(whole) + (past_midpoint > 0 ? 1 : 0);
  return std::ldexp(static_cast<double>(mantissa), last_bit);  // exact, or infinite past the greatest double
}

// odd * 2^exponent, odd < 2^63, rounded to nearest, ties to even.
double RoundExact(uint64_t odd, int64_t exponent) {
  const int64_t top = exponent + 63 - std::countl_zero(odd);
  if (top > 1023) return std::numeric_limits<double>::infinity();
  if (top < kLeastExponent - 1) return 0;
  const int64_t last_bit = std::max<int64_t>(top - 52, kLeastExponent);
  if (last_bit > exponent) {
    const int dropped = static_cast<int>(last_bit - exponent);  // at most 63
    const uint64_t rest = odd & ((uint64_t{1} << dropped) - 1), midpoint = uint64_t{1} << (dropped - 1);
    odd >>= dropped;
    if (rest > midpoint || (rest == midpoint && (odd & 1))) ++odd;
    exponent = last_bit;
  }
  return std::ldexp(static_cast<double>(odd), static_cast<int>(exponent));
}

struct Dyadic {
  uint64_t odd;
  int exponent;
};

Dyadic Split(double x) {  // x > 0, finite
  int exponent = 0;
  auto odd = static_cast<uint64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  const int zeros = std::countr_zero(odd);
  return {odd >> zeros, exponent - 53 + zeros};
}

// The odd root of an odd square, or nothing.
std::optional<uint64_t> SquareRoot(uint64_t odd) {
  const auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(odd)));  // odd < 2^53
  if (root * root != odd) return std::nullopt;
  return root;
}

// x^y when it is a double or a midpoint of two; nothing when it is not (or has more bits than either).
std::optional<double> ShortPower(double x, double y) {
  Dyadic base = Split(x);
  if (base.odd == 1) {  // 2^(exponent*y): exact when that is whole, irrational otherwise
    const double power = base.exponent * y;  // exact where it matters: |power| < 2^11 and whole
    if (power >= 1024) return std::numeric_limits<double>::infinity();
    if (power < kLeastExponent - 1) return 0.0;
    if (std::fma(base.exponent, y, -power) != 0 || power != std::trunc(power)) return std::nullopt;
    return RoundExact(1, static_cast<int64_t>(power));
  }
  if (y < 0) return std::nullopt;  // an odd number in the denominator
  Dyadic exponent = Split(y);
  for (; exponent.exponent < 0; ++exponent.exponent) {
    const auto root = SquareRoot(base.odd);
    if (!root || base.exponent % 2 != 0) return std::nullopt;
    base = {*root, base.exponent / 2};
  }
  if (exponent.exponent > 5 || exponent.odd > 34) return std::nullopt;  // 3^35 > 2^54
  const uint64_t power = exponent.odd << exponent.exponent;
  uint64_t product = 1;
  for (uint64_t i = 0; i < power; ++i) {
    if (__builtin_mul_overflow(product, base.odd, &product) || product >> 54) return std::nullopt;
  }
  return RoundExact(product, static_cast<int64_t>(base.exponent) * static_cast<int64_t>(power));
}

template <unsigned kBits>
std::optional<double> PowerAt(double x, double y) {
  using Number = Extended<kBits>;
  const Number exponent = Number(y) * mp::log(Number(x));
  if (exponent > 710) return std::numeric_limits<double>::infinity();  // e^709.79 = 2^1024
  if (exponent < -746) return 0.0;                                     // e^-745.14 = 2^-1075
  return Round<kBits>(mp::exp(exponent));
}

template <unsigned kBits>
std::optional<double> Log10At(double x) {
  using Number = Extended<kBits>;
  static const Number kLogTen = mp::log(Number(10));
  const Number value = mp::log(Number(x)) / kLogTen;
  const auto magnitude = Round<kBits>(mp::abs(value));
  if (!magnitude) return std::nullopt;
  return value < 0 ? -*magnitude : *magnitude;
}

}  // namespace

double ExactPow(double x, double y) {
  if (x == 0 && y > 0) return 0;
  if (!(x > 0) || !std::isfinite(x) || !std::isfinite(y)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 1 || y == 0) return 1;
  if (const auto result = ShortPower(x, y)) return *result;
  if (const auto result = PowerAt<128>(x, y)) return *result;
  if (const auto result = PowerAt<256>(x, y)) return *result;
  if (const auto result = PowerAt<512>(x, y)) return *result;
  return PowerAt<2048>(x, y).value_or(std::numeric_limits<double>::quiet_NaN());
}

double ExactLog10(double x) {
  if (!(x > 0) || !std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 1) return 0;
  if (const auto result = Log10At<128>(x)) return *result;
  if (const auto result = Log10At<256>(x)) return *result;
  if (const auto result = Log10At<512>(x)) return *result;
  return Log10At<2048>(x).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace vmafx
