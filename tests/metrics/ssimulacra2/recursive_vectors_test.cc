// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2, profile recursive, against the values of the reference: sums and weighted sum bit for bit, scores too
// but for the last bit of the reference's pow().
#include <gtest/gtest.h>

#include <cmath>

#include "core/engine/workers.h"
#include "core/metrics/ssimulacra2/recursive/cpu.h"
#include "core/metrics/ssimulacra2/recursive/plain.h"
#include "core/numeric/exact_math.h"
#include "tests/vectors.h"

namespace vmafx::ssimulacra2::recursive {
namespace {

using test::Clip;
using test::ParseDouble;

// The score if the correctly rounded power were moved by `ulps`.
double ScoreWithPowerMoved(double weighted_sum, int ulps) {
  const double s = Stretch(weighted_sum);
  if (!(s > 0.0)) return 100.0;
  const double power = ExactPow(s, kScoreExponent);
  return 100.0 - 10.0 * (ulps == 0 ? power : std::nextafter(power, ulps > 0 ? HUGE_VAL : 0.0));
}

bool EqualButForPow(const Sums& sums, double expected) {
  double score = 0.0;
  if (!ScoreOf(sums, &score).ok()) return false;
  const double weighted = WeightedSumOf(sums);
  EXPECT_EQ(score, ScoreWithPowerMoved(weighted, 0));
  return expected == score || expected == ScoreWithPowerMoved(weighted, 1) ||
         expected == ScoreWithPowerMoved(weighted, -1);
}

// The option of the reference that the expected values are listed by.
PairFormat WithMatrix(PairFormat format, int option) {
  for (Format* f : {&format.distorted, &format.reference}) {
    f->matrix = (option & 1) != 0 ? 6 : 1;
    f->range = (option & 2) != 0 ? VMAFX_RANGE_FULL : VMAFX_RANGE_LIMITED;
  }
  return format;
}

class RecursiveVector : public testing::TestWithParam<std::string> {
 protected:
  // Compares every frame with the lists of `expected`, by matrix.
  void Compare(const Clip& clip, PairView (Clip::*pair)(int) const, const char* expected) {
    const auto& lists = clip.json().at(expected).at("ssimulacra2");
    ASSERT_FALSE(lists.empty());
    Workers workers(1);
    for (const auto& [matrix, scores] : lists.items()) {
      ASSERT_EQ(scores.size(), static_cast<size_t>(clip.frames()));
      CpuFrame frame(WithMatrix(clip.format(), std::stoi(matrix)), workers.threads());
      for (int i = 0; i < clip.frames(); ++i) {
        EXPECT_TRUE(EqualButForPow(frame.Measure((clip.*pair)(i), workers), ParseDouble(scores[i])))
            << expected << " matrix " << matrix << " frame " << i << " expected " << scores[i];
      }
    }
  }
};

TEST_P(RecursiveVector, Scores) {
  const Clip clip(GetParam());
  Compare(clip, &Clip::Pair, "expected");
  Compare(clip, &Clip::Swapped, "expected_swapped_inputs");
  Compare(clip, &Clip::Identical, "expected_identical_inputs_ref_ref");
}

// Whatever the host, and for both forms: the sums and what they are weighted to.
TEST_P(RecursiveVector, SumsOfFirstFrame) {
  const Clip clip(GetParam());
  const auto& wanted = clip.json().at("intermediate_frame0_matrix0");
  Workers workers(1);
  const Sums simd = CpuFrame(clip.format(), workers.threads()).Measure(clip.Pair(0), workers);
  const Sums plain = PlainSums(clip.Pair(0), clip.format());
  const auto& rows = wanted.at("ssimulacra2_sums");
  for (const Sums& sums : {plain, simd}) {
    ASSERT_EQ(rows.size(), static_cast<size_t>(sums.scales * kChannels));
    for (const auto& row : rows) {
      const int channel = static_cast<int>(std::string("XYB").find(row.at("channel").get<std::string>()));
      const int scale = row.at("scale");
      for (int sum = 0; sum < kSums; ++sum) {
        EXPECT_EQ(sums.value[channel][scale][sum], ParseDouble(row.at("d_d4_art_art4_det_det4")[sum]))
            << "channel " << channel << " scale " << scale << " sum " << sum;
      }
    }
    EXPECT_EQ(WeightedSumOf(sums), ParseDouble(wanted.at("ssimulacra2_weighted_sum")));
    double score = 0.0;
    ASSERT_TRUE(ScoreOf(sums, &score).ok());
    // On these frames the reference's pow() happened to be correctly rounded.
    EXPECT_EQ(score, ParseDouble(clip.json().at("expected").at("ssimulacra2").at("0")[0]));
  }
}

INSTANTIATE_TEST_SUITE_P(, RecursiveVector, testing::ValuesIn(test::ClipNames()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace vmafx::ssimulacra2::recursive
