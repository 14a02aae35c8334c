// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2, profile recursive: a plane's terms, added block by block, give the sums of the loop over all of them,
// whatever the plans of the increments are.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "core/metrics/ssimulacra2/recursive/block_sums.h"
#include "tests/simd_targets.h"

namespace vmafx::ssimulacra2::recursive {
namespace {

using test::ForEachTarget;

// Terms of one plane.
struct Plane {
  Plane(int width, int height) : geometry(width, height), term(static_cast<size_t>(width) * height) {}
  Terms& at(int x, int y) { return term[static_cast<size_t>(y) * geometry.width + x]; }

  ScaleGeometry geometry;
  std::vector<Terms> term;
};

// Calls generate(random) for each term in raster order.
template <class Generate>
Plane MakePlane(int width, int height, const Generate& generate) {
  Plane plane(width, height);
  std::mt19937_64 random(static_cast<uint64_t>(width));
  for (Terms& term : plane.term) term = generate(random);
  return plane;
}

// A term as measured: any bits, smaller than 2^exponent.
double Fraction(std::mt19937_64& random, int exponent) {
  return std::ldexp(static_cast<double>(random() >> 11), exponent - 53);
}

Terms Ordinary(std::mt19937_64& random) {
  const double edge = Fraction(random, -3);
  return {Fraction(random, 0), random() % 2 == 0 ? edge : -edge};
}

// Magnitudes from 2^-60 on and few bits: ties and changes of the binade are frequent.
Terms Wild(std::mt19937_64& random) {
  const auto value = [&] {
    const int exponent = static_cast<int>(random() % 70) - 60;
    return std::ldexp(static_cast<double>(random() % 16), exponent);
  };
  const double edge = value();
  return {value(), random() % 2 == 0 ? edge : -edge};
}

Terms MostlyZero(std::mt19937_64& random) { return random() % 4000 == 0 ? Ordinary(random) : Terms{0.0, -0.0}; }

Terms Tiny(std::mt19937_64& random) { return {Fraction(random, -1040), -Fraction(random, -880)}; }

struct SixSums {
  double value[kSums] = {};
};

testing::AssertionResult Same(const SixSums& a, const SixSums& b) {
  for (int sum = 0; sum < kSums; ++sum)
    if (Bits(a.value[sum]) != Bits(b.value[sum]) && !(std::isnan(a.value[sum]) && std::isnan(b.value[sum])))
      return testing::AssertionFailure() << "sum " << sum << ": " << a.value[sum] << ", not " << b.value[sum];
  return testing::AssertionSuccess();
}

SixSums PlainSumsOf(const Plane& plane) {
  SixSums sums;
  for (const Terms& term : plane.term) AddTerms(sums.value, term);
  return sums;
}

// Calls body(job, scratch) for each block, its terms in place. Rows and columns outside the plane are as BlurTile
// leaves them: rows unspecified, columns zero.
template <class Body>
void ForEachBlock(Plane& plane, const Body& body) {
  const ScaleGeometry& g = plane.geometry;
  BlockScratch scratch(g);
  for (int row = 0; row < kBlockRows; ++row) {
    std::fill_n(scratch.ssim(row), g.columns, 1e3);
    std::fill_n(scratch.edge(row), g.columns, std::nan(""));
  }
  BlockJob job;
  job.geometry = g;
  for (job.block = 0; job.block < g.blocks; ++job.block) {
    for (int row = job.first_row(); row < job.end_row(); ++row) {
      std::fill_n(scratch.ssim(row), g.columns, 0.0);
      std::fill_n(scratch.edge(row), g.columns, 0.0);
      for (int x = 0; x < g.width; ++x) {
        const Terms& term = plane.at(x, job.block * kBlockRows + row - kBlurLead);
        scratch.ssim(row)[x + kBlurLead] = term.ssim;
        scratch.edge(row)[x + kBlurLead] = term.edge;
      }
    }
    body(job, scratch);
  }
}

// Sums by increments and how often terms were added one by one. replan(chunk sum) may spoil each plan; estimates of the
// sums before a block are multiplied by `bias`.
template <class Replan>
std::pair<SixSums, int> SumsByIncrements(Plane& plane, double bias, const Replan& replan) {
  SixSums sums;
  int one_by_one = 0;
  double before[kSums] = {};
  ForEachBlock(plane, [&](const BlockJob& job, BlockScratch& scratch) {
    double estimate[kSums];
    EstimateChunks(job, scratch, estimate);
    PlanChunks(job, before, scratch);
    for (int row = job.first_row(); row < job.end_row(); ++row)
      for (int index = 0; index < plane.geometry.chunks(); ++index)
        for (int sum = 0; sum < kSums; ++sum) replan(scratch.chunk(row, index)[sum]);
    FormIncrements(job, scratch);
    one_by_one += AddIncrements(job, scratch, sums.value);
    for (int sum = 0; sum < kSums; ++sum) before[sum] = (before[sum] + estimate[sum]) * bias;
  });
  return {sums, one_by_one};
}

constexpr auto kAsPlanned = [](ChunkSum&) {};

// Sizes with one and several chunks to a row, the last of them short, long or empty of pixels, and odd blocks.
constexpr std::pair<int, int> kSizes[] = {{8, 8}, {61, 47}, {508, 13}, {509, 28}, {1100, 40}};
constexpr Terms (*kContent[])(std::mt19937_64&) = {Ordinary, Wild, MostlyZero, Tiny};

TEST(RecursiveSums, SumsAreThoseOfTheLoop) {
  for (const auto& [width, height] : kSizes) {
    for (const auto content : kContent) {
      Plane plane = MakePlane(width, height, content);
      const SixSums wanted = PlainSumsOf(plane);
      ForEachTarget([&] { EXPECT_TRUE(Same(SumsByIncrements(plane, 1.0, kAsPlanned).first, wanted)); });
    }
  }
}

TEST(RecursiveSums, WrongPlansDoNotShow) {
  for (const auto& [width, height] : kSizes) {
    for (const auto content : kContent) {
      Plane plane = MakePlane(width, height, content);
      const SixSums wanted = PlainSumsOf(plane);
      ForEachTarget([&] {
        for (const double bias : {0.0, 0.7, 1.5, 1e-200, HUGE_VAL})
          EXPECT_TRUE(Same(SumsByIncrements(plane, bias, kAsPlanned).first, wanted)) << bias;
        std::mt19937 random(1);
        const auto near = [&](ChunkSum& chunk) {
          if (chunk.plan != ordered_sum::kAllZero && chunk.plan != ordered_sum::kOneByOne)
            chunk.plan = static_cast<int16_t>(chunk.plan + static_cast<int>(random() % 3) - 1);
        };
        EXPECT_TRUE(Same(SumsByIncrements(plane, 1.0, near).first, wanted));
        const auto any = [&](ChunkSum& chunk) {
          const int16_t plans[] = {ordered_sum::kAllZero, ordered_sum::kOneByOne, ordered_sum::kMinBinade,
                                   ordered_sum::kMaxBinade, static_cast<int16_t>(random() % 40)};
          chunk.plan = plans[random() % std::size(plans)];
        };
        EXPECT_TRUE(Same(SumsByIncrements(plane, 1.0, any).first, wanted));
      });
    }
  }
}

TEST(RecursiveSums, TermsThatAreNotFinite) {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    Plane plane = MakePlane(600, 60, Ordinary);
    plane.at(300, 30).ssim = bad;
    const SixSums wanted = PlainSumsOf(plane);
    ForEachTarget([&] { EXPECT_TRUE(Same(SumsByIncrements(plane, 1.0, kAsPlanned).first, wanted)); });
  }
}

// What makes increments worth it: but for a few chunks at each change of a binade their plans hold.
TEST(RecursiveSums, MostPlansHold) {
  Plane plane = MakePlane(1100, 200, Ordinary);
  ForEachTarget([&] {
    const int one_by_one = SumsByIncrements(plane, 1.0, kAsPlanned).second;
    EXPECT_GT(one_by_one, 0);
    EXPECT_LE(one_by_one, kSums * 14);  // of 6 * 600
  });
  Plane zeros = MakePlane(1100, 200, [](std::mt19937_64&) { return Terms{0.0, 0.0}; });
  EXPECT_EQ(SumsByIncrements(zeros, 1.0, kAsPlanned).second, 0);
}

}  // namespace
}  // namespace vmafx::ssimulacra2::recursive
