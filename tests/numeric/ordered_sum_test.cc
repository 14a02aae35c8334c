// SPDX-License-Identifier: BSD-2-Clause-Patent
// The ordered sum has the bits of the sequential loop, and these tests see each of the planted faults.
#include "core/numeric/ordered_sum.h"

#include <gtest/gtest.h>

#include "ordered_sum_faults.inc"  // written by ordered_sum_faults.py when building
#include "tests/numeric/ordered_sum_checks.h"

namespace vmafx::test {
namespace {

VMAFX_ORDERED_SUM_FORM(Right, ordered_sum);
using Checks = OrderedSumChecks<Right>;

class OrderedSum : public testing::Test {
 protected:
  Workers workers{2};
};

TEST_F(OrderedSum, IncrementsOfTerms) { EXPECT_TRUE(Checks::IncrementsOfTerms()); }
TEST_F(OrderedSum, Composition) { EXPECT_TRUE(Checks::Composition()); }
TEST_F(OrderedSum, Groupings) { EXPECT_TRUE(Checks::Groupings()); }
TEST_F(OrderedSum, StandIns) { EXPECT_TRUE(Checks::StandIns()); }
TEST_F(OrderedSum, SmallSums) { EXPECT_TRUE(Checks::SmallSums(workers)); }
TEST_F(OrderedSum, CrossingABinade) { EXPECT_TRUE(Checks::CrossingABinade(workers)); }
TEST_F(OrderedSum, UnfitRun) { EXPECT_TRUE(Checks::UnfitRun(workers)); }
TEST_F(OrderedSum, SpecialValues) { EXPECT_TRUE(Checks::SpecialValues(workers)); }
TEST_F(OrderedSum, RandomSums) { EXPECT_TRUE(Checks::RandomSums(1000000, workers)); }

TEST_F(OrderedSum, FewChunksAreAddedOneByOne) {
  const std::vector<double> terms = Checks::RandomTerms(1000000, 1);
  const auto plans = Checks::PlansByRule(terms, 1024);
  // A fallback happens where the plan says so or does not hold; here the rule's plans hold but for a few.
  double sum = 0.0;
  int one_by_one = 0;
  for (size_t c = 0; c < plans.size(); ++c) {
    const size_t first = c * 1024, count = std::min(size_t{1024}, terms.size() - first);
    const auto run = ordered_sum::IncrementOfRun(&terms[first], static_cast<int64_t>(count), plans[c]);
    if (ordered_sum::AddIncrement(&sum, plans[c], run)) continue;
    sum = ordered_sum::AddOneByOne(sum, &terms[first], static_cast<int64_t>(count));
    ++one_by_one;
  }
  EXPECT_TRUE(SameBits(sum, SequentialSum(terms)));
  EXPECT_LE(one_by_one, 20);
}

TEST_F(OrderedSum, OrderMatters) {
  const std::vector<double> terms = Checks::RandomTerms(1000, 1);
  EXPECT_FALSE(SameBits(SequentialSum(terms), SequentialSum({terms.rbegin(), terms.rend()})));
}

// All checks, the random ones on fewer terms.
template <class Form>
bool AllHold(Workers& workers) {
  using Tested = OrderedSumChecks<Form>;
  return Tested::IncrementsOfTerms() && Tested::Composition() && Tested::Groupings() && Tested::StandIns() &&
         Tested::SmallSums(workers) && Tested::CrossingABinade(workers) && Tested::UnfitRun(workers) &&
         Tested::SpecialValues(workers) && Tested::RandomSums(20000, workers);
}

TEST_F(OrderedSum, RightFormHolds) { EXPECT_TRUE(AllHold<Right>(workers)); }

namespace faulty {
#define VMAFX_FAULTY_FORM(fault) VMAFX_ORDERED_SUM_FORM(fault, ordered_sum_##fault);
VMAFX_ORDERED_SUM_FAULTS(VMAFX_FAULTY_FORM)
}  // namespace faulty

#define VMAFX_EXPECT_CAUGHT(fault) \
  TEST_F(OrderedSum, Catches_##fault) { EXPECT_FALSE(AllHold<faulty::fault>(workers)); }
VMAFX_ORDERED_SUM_FAULTS(VMAFX_EXPECT_CAUGHT)

// These show in sums alone, which is all that a test of a device compares.
TEST_F(OrderedSum, SumsCatchFaults) {
  EXPECT_TRUE(Checks::RandomSums(20000, workers));
  EXPECT_FALSE(OrderedSumChecks<faulty::tie_to_odd>::RandomSums(20000, workers));
  EXPECT_FALSE(OrderedSumChecks<faulty::parity_dropped>::RandomSums(20000, workers));
  EXPECT_FALSE(OrderedSumChecks<faulty::binade_off_by_one>::RandomSums(20000, workers));
  EXPECT_FALSE(OrderedSumChecks<faulty::fallback_skipped>::RandomSums(20000, workers));
  EXPECT_FALSE(OrderedSumChecks<faulty::reordered>::RandomSums(20000, workers));
  EXPECT_FALSE(OrderedSumChecks<faulty::chunks_reordered>::RandomSums(20000, workers));
  EXPECT_FALSE(OrderedSumChecks<faulty::plan_trusted>::RandomSums(20000, workers));
}

}  // namespace
}  // namespace vmafx::test
