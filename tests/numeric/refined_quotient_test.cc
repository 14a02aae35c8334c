// SPDX-License-Identifier: BSD-2-Clause-Patent
// Devices divide by refining an approximate reciprocal: every one within the error that is allowed must give the bits
// of a division.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "core/numeric/portable.h"
//
#include "core/metrics/ssimulacra2/definition.h"
#include "core/numeric/refined_quotient.h"

namespace vmafx {
namespace {

// 1.0 .. 2.0, often near the ends, where quotients come closest to ties.
float Significand(std::mt19937& random) {
  const uint32_t bits = random();
  const uint32_t few = random() % 16;
  const uint32_t fraction = bits % 4 == 0 ? few : bits % 4 == 1 ? 0x7fffff - few : bits >> 9;
  return std::bit_cast<float>(0x3f800000u + fraction);
}

void ExpectQuotient(float a, float b) {
  const uint32_t nearest = std::bit_cast<uint32_t>(1.0f / b);
  for (int ulps = -4; ulps <= 4; ++ulps) {
    const float reciprocal = std::bit_cast<float>(nearest + static_cast<uint32_t>(ulps));
    if (std::fabs(static_cast<double>(b) * reciprocal - 1.0) > 0x1p-22) continue;
    ASSERT_EQ(std::bit_cast<uint32_t>(RefinedQuotient(a, b, reciprocal)), std::bit_cast<uint32_t>(a / b))
        << std::hexfloat << a << " / " << b << " from " << reciprocal;
  }
}

TEST(RefinedQuotient, EqualsDivision) {
  std::mt19937 random(1);
  for (int i = 0; i < 2'000'000; ++i) {
    const int exponent_a = static_cast<int>(random() % 160) - 99, exponent_b = static_cast<int>(random() % 61) - 30;
    const float a = std::ldexp(Significand(random), exponent_a), b = std::ldexp(Significand(random), exponent_b);
    ExpectQuotient(random() % 2 != 0 ? a : -a, b);
  }
}

TEST(RefinedQuotient, Limits) {
  std::mt19937 random(2);
  for (int i = 0; i < 200'000; ++i)
    for (const int exponent_b : {-30, 0, 29})
      for (const int exponent_a : {-99, 59}) {
        ExpectQuotient(std::ldexp(Significand(random), exponent_a), std::ldexp(Significand(random), exponent_b));
        ExpectQuotient(0.0f, std::ldexp(Significand(random), exponent_b));
      }
}

// Every 61st argument; with a step of 1 it takes a minute and finds none either.
TEST(RefinedQuotient, EqualsDivisionInCubeRoots) {
  using namespace ssimulacra2;
  const uint32_t last = std::bit_cast<uint32_t>(kLargestMix);
  for (uint32_t bits = std::bit_cast<uint32_t>(kOpsinBias); bits <= last; bits += 61) {
    const float x = std::bit_cast<float>(bits);
    float y = std::bit_cast<float>(bits / 3u + kCubeRootSeed);
    for (int step = 0; step < 2; ++step) {
      const float square = y * y, quotient = x / square;
      const uint32_t nearest = std::bit_cast<uint32_t>(1.0f / square);
      for (int ulps = -4; ulps <= 4; ++ulps) {
        const float reciprocal = std::bit_cast<float>(nearest + static_cast<uint32_t>(ulps));
        ASSERT_EQ(std::bit_cast<uint32_t>(RefinedRootQuotient(x, square, reciprocal)),
                  std::bit_cast<uint32_t>(quotient))
            << std::hexfloat << x << ", step " << step << " from " << reciprocal;
      }
      y = CubeRootStep(x, y);
    }
  }
}

}  // namespace
}  // namespace vmafx
