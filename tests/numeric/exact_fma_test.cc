// SPDX-License-Identifier: BSD-2-Clause-Patent
// EmulatedFma and FusedMulAdd against std::fma, on every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/numeric/exact_fma_test.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "core/numeric/exact_fma-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx {
namespace HWY_NAMESPACE {
namespace {

constexpr size_t kBlock = 64;

// a, b, c: kBlock values each.
void Evaluate(const float* a, const float* b, const float* c, float* emulated, float* fused) {
  const hn::CappedTag<float, kBlock> d;
  for (size_t i = 0; i < kBlock; i += hn::Lanes(d)) {
    const auto va = hn::LoadU(d, a + i), vb = hn::LoadU(d, b + i), vc = hn::LoadU(d, c + i);
    hn::StoreU(EmulatedFma(d, va, vb, vc), d, emulated + i);
    hn::StoreU(FusedMulAdd(d, va, vb, vc), d, fused + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace vmafx
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "tests/simd_targets.h"

namespace vmafx {
namespace {

HWY_EXPORT(Evaluate);

// Collects operands and checks them block by block.
class Operands {
 public:
  void Add(float a, float b, float c) {
    a_.push_back(a);
    b_.push_back(b);
    c_.push_back(c);
  }

  void Check() {
    while (a_.size() % kBlock_ != 0) Add(1, 1, 1);
    test::ForEachTarget([&] {
      float emulated[kBlock_], fused[kBlock_];
      for (size_t i = 0; i < a_.size(); i += kBlock_) {
        HWY_DYNAMIC_DISPATCH(Evaluate)(&a_[i], &b_[i], &c_[i], emulated, fused);
        for (size_t k = 0; k < kBlock_; ++k) {
          const float expected = std::fma(a_[i + k], b_[i + k], c_[i + k]);
          if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(emulated[k]) && std::isnan(fused[k]));
            continue;
          }
          ASSERT_EQ(std::bit_cast<uint32_t>(emulated[k]), std::bit_cast<uint32_t>(expected)) << Text(i + k);
          ASSERT_EQ(std::bit_cast<uint32_t>(fused[k]), std::bit_cast<uint32_t>(expected)) << Text(i + k);
        }
      }
    });
  }

 private:
  static constexpr size_t kBlock_ = 64;

  std::string Text(size_t i) const {
    char text[128];
    std::snprintf(text, sizeof text, "fma(%a, %a, %a)", static_cast<double>(a_[i]), static_cast<double>(b_[i]),
                  static_cast<double>(c_[i]));
    return text;
  }

  std::vector<float> a_, b_, c_;
};

TEST(ExactFma, RandomBits) {
  std::mt19937 random(1);
  Operands operands;
  for (int i = 0; i < 400000; ++i)
    operands.Add(std::bit_cast<float>(static_cast<uint32_t>(random())),
                 std::bit_cast<float>(static_cast<uint32_t>(random())),
                 std::bit_cast<float>(static_cast<uint32_t>(random())));
  operands.Check();
}

// Exponents close enough for the addend to matter, cancellation included.
TEST(ExactFma, SimilarMagnitudes) {
  std::mt19937 random(2);
  Operands operands;
  for (int i = 0; i < 400000; ++i) {
    const auto value = [&](int spread) {
      const float fraction = 1 + std::ldexp(static_cast<float>(random() & 0x7FFFFF), -23);
      const float magnitude = std::ldexp(fraction, static_cast<int>(random() % (2 * spread + 1)) - spread);
      return (random() & 1) != 0 ? magnitude : -magnitude;
    };
    const float a = value(2), b = value(2);
    operands.Add(a, b, value(60));
    operands.Add(a, b, -(a * b));
  }
  operands.Check();
}

// Products of half an ulp of the addend, exactly and with a tail that binary64 cannot hold beside the addend: a sum
// rounded to binary64 first would look like a tie and be rounded to the even side.
TEST(ExactFma, Ties) {
  std::mt19937 random(3);
  Operands operands;
  for (int i = 0; i < 20000; ++i) {
    const float c = 1 + std::ldexp(static_cast<float>(random() & 0x7FFFFF), -23);
    for (const float half_ulp : {0x1p-24f, -0x1p-24f}) {
      operands.Add(1.0f, half_ulp, c);
      for (int k = 10; k <= 23; ++k) {
        const float tail = std::ldexp(1.0f, -k);
        operands.Add(1 + tail, half_ulp * (1 - tail), c);
        operands.Add(1 + tail, half_ulp * (1 - tail), -c);
      }
    }
  }
  operands.Check();
}

// A product of 1 +- 2^-k at all distances below the addend: the tail that rounding to odd must keep.
TEST(ExactFma, FarTails) {
  Operands operands;
  for (const float c : {1.0f, 0x1.000002p0f, 0x1.800002p0f, 0x1.fffffep0f})
    for (int k = -149; k <= 4; ++k)
      for (const float x : {1.0f, 0x1.000002p0f, 0x1.fffffep-1f})
        for (const float sign : {1.0f, -1.0f})
          for (const float tie : {0.0f, 0x1p-24f}) {
            operands.Add(x, sign * std::ldexp(1.0f, k), c);
            operands.Add(x, sign * (std::ldexp(1.0f, k) + tie), c);
          }
  operands.Check();
}

TEST(ExactFma, SubnormalResultsAndOperands) {
  std::mt19937 random(4);
  Operands operands;
  for (int i = 0; i < 200000; ++i) {
    const auto fraction = [&] { return 1 + std::ldexp(static_cast<float>(random() & 0x7FFFFF), -23); };
    const auto subnormal = [&] { return std::bit_cast<float>(static_cast<uint32_t>(random()) & 0x807FFFFFu); };
    const int exponent = -70 - static_cast<int>(random() % 24);
    operands.Add(std::ldexp(fraction(), -60), std::ldexp(fraction(), exponent), subnormal());
    operands.Add(subnormal(), fraction(), subnormal());
    operands.Add(subnormal(), subnormal(), subnormal());
    operands.Add(std::ldexp(fraction(), -75), std::ldexp(fraction(), -75), 0.0f);
  }
  operands.Check();
}

TEST(ExactFma, OverflowAndSpecialValues) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 0x1p-149f, -0x1p-149f, 0x1.fffffep-1f, 0x1.000002p0f,
                          0x1p103f, -0x1p103f, 0x1.fffffep102f, kMax, -kMax, kInfinity, -kInfinity,
                          std::numeric_limits<float>::quiet_NaN()};
  Operands operands;
  for (const float a : values)
    for (const float b : values)
      for (const float c : values) operands.Add(a, b, c);
  operands.Check();
}

}  // namespace
}  // namespace vmafx
#endif  // HWY_ONCE
