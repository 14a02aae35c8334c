// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/numeric/exact_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace vmafx {
namespace {

namespace mp = boost::multiprecision;
using Wide = mp::number<mp::cpp_bin_float<600, mp::digit_base_2>, mp::et_off>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

// Whether `value` is nearest to `exact` among the doubles: both neighbours are at least as far.
testing::AssertionResult Nearest(double value, const Wide& exact) {
  const Wide distance = mp::abs(exact - value);
  for (const double other : {std::nextafter(value, kInfinity), std::nextafter(value, -kInfinity)}) {
    if (std::isfinite(other) && mp::abs(exact - other) < distance)
      return testing::AssertionFailure() << value << " is farther than " << other;
  }
  return testing::AssertionSuccess();
}

// Distance of two doubles of one sign, in units of the last place.
int64_t Ulps(double a, double b) { return std::abs(std::bit_cast<int64_t>(a) - std::bit_cast<int64_t>(b)); }

TEST(ExactLog10, PowersOfTenAreWhole) {
  double power = 1;
  for (int k = 0; k <= 22; ++k, power *= 10) EXPECT_EQ(ExactLog10(power), k);
}

TEST(ExactLog10, NearestOverTheWholeRange) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1500; ++i) {
    const double x = std::bit_cast<double>(random() % 0x7ff0000000000000u);
    if (x == 0) continue;
    const double value = ExactLog10(x);
    EXPECT_TRUE(Nearest(value, mp::log10(Wide(x)))) << x;
    EXPECT_LE(Ulps(value, std::log10(x)), 1) << x;
  }
}

TEST(ExactLog10, NearestBesideOneAndAtTheEnds) {
  double above = 1, below = 1;
  for (int i = 0; i < 20; ++i) {
    above = std::nextafter(above, 2.0), below = std::nextafter(below, 0.0);
    EXPECT_TRUE(Nearest(ExactLog10(above), mp::log10(Wide(above))));
    EXPECT_TRUE(Nearest(ExactLog10(below), mp::log10(Wide(below))));
  }
  for (const double x : {kLeast, 3 * kLeast, std::numeric_limits<double>::min(), std::numeric_limits<double>::max()})
    EXPECT_TRUE(Nearest(ExactLog10(x), mp::log10(Wide(x)))) << x;
}

TEST(ExactLog10, RatiosOfPsnr) {
  // Peak squared over a mean squared error of whole numbers.
  std::mt19937_64 random(2);
  for (const double peak : {255.0, 1023.0, 4095.0, 65535.0}) {
    for (int i = 0; i < 200; ++i) {
      const double ratio = peak * peak / (static_cast<double>(random() % 1000000 + 1) / (1920.0 * 1080.0));
      EXPECT_TRUE(Nearest(ExactLog10(ratio), mp::log10(Wide(ratio)))) << ratio;
    }
  }
}

TEST(ExactPow, ExactResults) {
  EXPECT_EQ(ExactPow(0, 0.5), 0);
  EXPECT_EQ(ExactPow(1, 1e300), 1);
  EXPECT_EQ(ExactPow(7.25, 0), 1);
  EXPECT_EQ(ExactPow(7.25, 1), 7.25);
  EXPECT_EQ(ExactPow(7.25, -0.0), 1);
  EXPECT_EQ(ExactPow(3, 33), 5559060566555523);
  EXPECT_EQ(ExactPow(9, 0.5), 3);
  EXPECT_EQ(ExactPow(2.25, 1.5), 3.375);
  EXPECT_EQ(ExactPow(0x1p-4, 0.25), 0.5);
  EXPECT_EQ(ExactPow(81.0 / 16, 0.75), 27.0 / 8);
  EXPECT_EQ(ExactPow(10, 22), 1e22);
  EXPECT_EQ(ExactPow(0.5, 1074), kLeast);
  EXPECT_EQ(ExactPow(2, -1022), std::numeric_limits<double>::min());
}

TEST(ExactPow, TiesGoToEven) {
  // Squares of 27-bit numbers have up to 54 bits, one more than a double: many are midpoints.
  EXPECT_EQ(ExactPow(134217727, 2), 134217727.0 * 134217727.0);
  std::mt19937_64 random(3);
  int midpoints = 0;
  for (int i = 0; i < 2000; ++i) {
    const uint64_t root = ((uint64_t{1} << 26) + random() % (uint64_t{1} << 26)) | 1;
    const double x = static_cast<double>(root);
    midpoints += root * root >> 53 != 0;
    EXPECT_EQ(ExactPow(x, 2), x * x) << x;  // IEEE 754 multiplication is correctly rounded
  }
  EXPECT_GT(midpoints, 500);
}

TEST(ExactPow, SubnormalResultsAreRoundedOnce) {
  EXPECT_EQ(ExactPow(0.5, 1075), 0);  // the midpoint of 0 and the least double
  EXPECT_EQ(ExactPow(0.5, 1075.5), 0);
  EXPECT_EQ(ExactPow(0.5, 1074.5), kLeast);
  EXPECT_EQ(ExactPow(3 * 0x1p-538, 2), 2 * kLeast);  // 2.25: down
  EXPECT_EQ(ExactPow(5 * 0x1p-538, 2), 6 * kLeast);  // 6.25: down
  EXPECT_EQ(ExactPow(0x1.8p-358, 3), 3 * kLeast);    // 3.375: down
  EXPECT_EQ(ExactPow(9, -338), ExactPow(3, -676));
}

TEST(ExactPow, BeyondTheRange) {
  EXPECT_EQ(ExactPow(10, 309), kInfinity);
  EXPECT_EQ(ExactPow(10, -330), 0);
  EXPECT_EQ(ExactPow(2, 1024), kInfinity);
  EXPECT_EQ(ExactPow(2, 1e300), kInfinity);
  EXPECT_EQ(ExactPow(0.5, 1e300), 0);
  EXPECT_EQ(ExactPow(3, 1e300), kInfinity);
  EXPECT_EQ(ExactPow(1.5, 1e-300), 1);
  EXPECT_EQ(ExactPow(0.75, 1e-300), 1);
}

TEST(ExactPow, NearestOnTheScoreOfSsimulacra2) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> exponent(-20, 9);
  for (int i = 0; i < 1500; ++i) {
    const double x = std::exp2(exponent(random)), value = ExactPow(x, 0.6276336467831387);
    EXPECT_TRUE(Nearest(value, mp::pow(Wide(x), Wide(0.6276336467831387)))) << x;
    EXPECT_LE(Ulps(value, std::pow(x, 0.6276336467831387)), 1) << x;
  }
}

TEST(ExactPow, NearestOnRandomArguments) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> log_x(-1074, 1023), log_result(-1075, 1024);
  for (int i = 0; i < 1000; ++i) {
    const double lx = log_x(random), x = std::exp2(lx), y = log_result(random) / lx, value = ExactPow(x, y);
    if (x == 0 || std::isinf(value)) continue;
    EXPECT_TRUE(Nearest(value, mp::pow(Wide(x), Wide(y)))) << x << ' ' << y;
  }
}

TEST(ExactPow, NearestWhereTheLogarithmIsTiny) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 300; ++i) {
    const double x = 1 + std::ldexp(static_cast<double>(random() % 64 + 1), -52);
    const double y = std::ldexp(static_cast<double>(random() % (1u << 20)), static_cast<int>(random() % 40));
    const double value = ExactPow(x, y);
    if (std::isinf(value)) continue;
    EXPECT_TRUE(Nearest(value, mp::pow(Wide(x), Wide(y)))) << x << ' ' << y;
  }
}

}  // namespace
}  // namespace vmafx
