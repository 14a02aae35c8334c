// SPDX-License-Identifier: BSD-2-Clause-Patent
// Checks of the ordered sum, written for any form of it: the right one must pass all, a faulty one must fail one.
#ifndef VMAFX_TESTS_NUMERIC_ORDERED_SUM_CHECKS_H_
#define VMAFX_TESTS_NUMERIC_ORDERED_SUM_CHECKS_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "core/engine/workers.h"

namespace vmafx::test {

inline bool SameBits(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

inline double SequentialSum(const std::vector<double>& terms) {
  double sum = 0.0;
  for (const double term : terms) sum += term;
  return sum;
}

// A form's functions under one name: the contents of core/numeric/ordered_sum.h, in whatever namespace.
#define VMAFX_ORDERED_SUM_FORM(form, space)                                                                     \
  struct form {                                                                                                 \
    using Increment = space::Increment;                                                                         \
    static constexpr int64_t kUnfit = space::kUnfit;                                                            \
    static constexpr int16_t kAllZero = space::kAllZero, kOneByOne = space::kOneByOne;                          \
    static Increment IncrementOf(double x, int binade) { return space::IncrementOf(x, binade); }                \
    static Increment Compose(Increment a, Increment b) { return space::Compose(a, b); }                         \
    static int16_t PlanOf(double before, double chunk) { return space::PlanOf(before, chunk); }                 \
    static bool AddIncrement(double* sum, int16_t plan, Increment increment) {                                  \
      return space::AddIncrement(sum, plan, increment);                                                         \
    }                                                                                                           \
    static Increment IncrementUnderPlan(double x, int16_t plan) { return space::IncrementUnderPlan(x, plan); }  \
    static Increment IncrementOfRun(const double* terms, int64_t count, int16_t plan) {                         \
      return space::IncrementOfRun(terms, count, plan);                                                         \
    }                                                                                                           \
    static double StandIn(int16_t plan, bool odd) { return space::StandIn(plan, odd); }                         \
    static Increment IncrementOfStandIns(double even, double odd, int16_t plan) {                               \
      return space::IncrementOfStandIns(even, odd, plan);                                                       \
    }                                                                                                           \
    static double Walk(const double* terms, int64_t count, int64_t chunk, const int16_t* plans,                 \
                       const Increment* increments) {                                                           \
      return space::Walk(terms, count, chunk, plans, increments);                                               \
    }                                                                                                           \
  }

template <class Form>
class OrderedSumChecks {
 public:
  using Increment = typename Form::Increment;
  using Plans = std::vector<int16_t>;

  // The plans of the rule, from sums of chunks formed each on its own.
  static Plans PlansByRule(const std::vector<double>& terms, size_t chunk) {
    Plans plans;
    double prefix = 0.0;
    for (size_t first = 0; first < terms.size(); first += chunk) {
      double sum = 0.0;
      for (size_t i = std::min(first + chunk, terms.size()); i-- > first;) sum += terms[i];  // any order does
      plans.push_back(Form::PlanOf(prefix, sum));
      prefix += sum;
    }
    return plans;
  }

  // The loop over a run, from both stand-ins.
  static Increment IncrementByStandIns(const double* terms, int64_t count, int16_t plan) {
    double even = Form::StandIn(plan, false), odd = Form::StandIn(plan, true);
    for (int64_t i = 0; i < count; ++i) {
      even += terms[i];
      odd += terms[i];
    }
    return Form::IncrementOfStandIns(even, odd, plan);
  }

  // Increments of all chunks by several threads, then the walk.
  static double Sum(const std::vector<double>& terms, size_t chunk, const Plans& plans, Workers& workers,
                    Increment (*increment_of_run)(const double*, int64_t, int16_t) = Form::IncrementOfRun) {
    std::vector<Increment> increments(plans.size());
    workers.Run(plans.size(), [&](size_t c, int) {
      const size_t first = c * chunk, count = std::min(chunk, terms.size() - first);
      increments[c] = increment_of_run(&terms[first], static_cast<int64_t>(count), plans[c]);
    });
    increments.push_back({0, 0});  // the walk of a faulty form may look one too far
    return Form::Walk(terms.data(), static_cast<int64_t>(terms.size()), static_cast<int64_t>(chunk), plans.data(),
                      increments.data());
  }

  static bool SumIsSequential(const std::vector<double>& terms, size_t chunk, Workers& workers) {
    const double wanted = SequentialSum(terms);
    for (const auto increment_of_run : {Form::IncrementOfRun, IncrementByStandIns}) {
      const double sum = Sum(terms, chunk, PlansByRule(terms, chunk), workers, increment_of_run);
      if (!SameBits(sum, wanted) && !(std::isnan(sum) && std::isnan(wanted))) return false;
    }
    return true;
  }

  static bool Is(Increment increment, int64_t even, int64_t odd) {
    return increment.even == even && increment.odd == odd;
  }

  // In binade 0 the unit is 2^-52.
  static bool IncrementsOfTerms() {
    const auto is = [](double x, int64_t even, int64_t odd) { return Is(Form::IncrementOf(x, 0), even, odd); };
    constexpr int64_t kOne = int64_t{1} << 52, kUnfit = int64_t{1} << 54;
    const double infinity = std::numeric_limits<double>::infinity();
    return is(0.0, 0, 0) && is(-0.0, 0, 0) && is(0x1p-1074, 0, 0) && is(0x1p-1022, 0, 0) && is(0x1p-54, 0, 0) &&
           is(0x1p-53, 0, 1) && is(0x1.0000000000001p-53, 1, 1) && is(0x1p-52, 1, 1) && is(0x1.8p-52, 2, 1) &&
           is(0x1.4p-51, 2, 3) && is(0x1p-1, kOne / 2, kOne / 2) && is(1.0, kOne, kOne) &&
           is(0x1.fffffffffffffp+0, 2 * kOne - 1, 2 * kOne - 1) && is(2.0, kUnfit, kUnfit) &&
           is(infinity, kUnfit, kUnfit) && is(std::nan(""), kUnfit, kUnfit) && is(-1.0, kUnfit, kUnfit) &&
           is(-0x1p-1074, kUnfit, kUnfit);
  }

  static bool Composition() {
    constexpr int64_t kUnfit = int64_t{1} << 54;
    return Is(Form::Compose({0, 1}, {0, 1}), 0, 1) && Is(Form::Compose({2, 1}, {0, 1}), 2, 1) &&
           Is(Form::Compose({1, 1}, {0, 1}), 2, 1) && Is(Form::Compose({0, 1}, {1, 1}), 1, 2) &&
           Is(Form::Compose({kUnfit, kUnfit}, {1, 1}), kUnfit, kUnfit);
  }

  // Both ways to a pair agree in every increment that the walk may accept: at most 2^52 from even m, less from odd m.
  static bool StandIns() {
    constexpr int64_t kMost = int64_t{1} << 52;
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
    const double above = 0x1.0000000000001p+1;
    if (!Is(Form::IncrementOfStandIns(2.0, 2.0, 0), kMost, kMost - 1) ||
        !Is(Form::IncrementOfStandIns(above, above, 0), Form::kUnfit, Form::kUnfit) ||
        !Is(Form::IncrementOfStandIns(infinity, infinity, 0), Form::kUnfit, Form::kUnfit) ||
        !Is(Form::IncrementOfStandIns(nan, -nan, 0), Form::kUnfit, Form::kUnfit) ||
        !Is(Form::IncrementOfStandIns(-nan, nan, Form::kAllZero), Form::kUnfit, Form::kUnfit)) {
      return false;
    }
    const auto same = [](int64_t a, int64_t b, int64_t most) { return a == b || (a > most && b > most); };
    std::mt19937 random(5);
    for (int round = 0; round < 2000; ++round) {
      std::vector<double> terms = RandomTerms(1 + random() % 20, static_cast<uint32_t>(round));
      if (round % 4 == 0) std::fill(terms.begin(), terms.end(), round % 8 == 0 ? 0.0 : -0.0);
      const int64_t count = static_cast<int64_t>(terms.size());
      const int16_t binade = static_cast<int16_t>(static_cast<int>(random() % 80) - 65);
      for (const int16_t plan : {binade, Form::kAllZero, Form::kOneByOne, int16_t{-900}, int16_t{900}}) {
        const Increment run = Form::IncrementOfRun(terms.data(), count, plan);
        const Increment loop = IncrementByStandIns(terms.data(), count, plan);
        if (!same(loop.even, run.even, kMost) || !same(loop.odd, run.odd, kMost - 1)) return false;
      }
    }
    return true;
  }

  // Sums that show order and parity, one chunk for each term and one for all.
  static bool SmallSums(Workers& workers) {
    const std::vector<std::vector<double>> cases = {
        {1.0, 0x1p-53, 0x1p-53},
        {0x1.0000000000001p+0, 0x1p-53, 0x1p-53},
        {0x1p-53, 0x1p-53, 1.0},
        {0x1.0000000000001p+0, 0x1p-53, 0x1p-52, 0x1p-53, 0x1p-53, 0x1.8p-52},
    };
    const double wanted[] = {1.0, 0x1.0000000000002p+0, 0x1.0000000000001p+0};
    for (size_t i = 0; i < std::size(wanted); ++i)
      if (!SameBits(SequentialSum(cases[i]), wanted[i])) return false;
    for (const auto& terms : cases)
      for (const size_t chunk : {1, 2, 3})
        if (!SumIsSequential(terms, chunk, workers)) return false;
    return true;
  }

  static bool CrossingABinade(Workers& workers) {
    // From the last value of binade 0: one tie more reaches 2 exactly and is accepted.
    double sum = 0x1.fffffffffffffp+0;
    if (!Form::AddIncrement(&sum, 0, Form::IncrementOf(0x1p-53, 0)) || !SameBits(sum, 2.0)) return false;
    // Two units more overshoot: refused, the sum unchanged.
    sum = 0x1.fffffffffffffp+0;
    const Increment unit = Form::IncrementOf(0x1p-52, 0);
    if (Form::AddIncrement(&sum, 0, Form::Compose(unit, unit)) || !SameBits(sum, 0x1.fffffffffffffp+0)) return false;
    const std::vector<double> terms = {0x1.fffffffffffffp+0, 0x1p-52, 0x1p-52};
    const Plans plans = {Form::kOneByOne, 0, 0};
    return SameBits(Sum(terms, 1, plans, workers), SequentialSum(terms));
  }

  // A million terms that no chunk may take: the cap keeps their increment from wrapping round to a small one.
  static bool UnfitRun(Workers& workers) {
    constexpr size_t kTerms = size_t{1} << 20;
    std::vector<double> terms(kTerms + 1, 4.0);
    terms[0] = 1.0;
    Plans plans(1 + terms.size() / kTerms, 0);
    if (Form::IncrementOfRun(terms.data() + 1, kTerms, 0).even != Form::kUnfit) return false;
    plans[0] = Form::kOneByOne;
    return SameBits(Sum(terms, kTerms, plans, workers), SequentialSum(terms));
  }

  static bool SpecialValues(Workers& workers) {
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
    const double huge = std::numeric_limits<double>::max();
    const std::vector<std::vector<double>> cases = {
        {},
        {0.0, 0.0, -0.0, 0.0},
        {-0.0, -0.0},
        {0x1p-1074, 0x1p-1074, 0x1p-1060, 0x1p-1022, 0x1p-950, 0x1p-900, 0x1p-899, 1.0},
        {1.0, 0x1p-30, 5.0, 0x1p-52, 0x1p-52, 1e300, 1.0},
        {1.0, 1.0, nan, 1.0, 0.0, infinity, 2.0},
        {1.0, infinity, 1.0, 1.0, 1.0},
        {1.0, infinity, 1.0, nan, 1.0, 1.0},
        {infinity, 0.0, 0.0, 1.0},
        {huge, huge, 1.0, 1.0},
        {huge / 2, huge / 2, 1.0, 1.0, 1.0},
        {0x1p900, 0x1p901, 0x1p847, 0x1p848, 0x1p902},
    };
    for (const auto& terms : cases)
      for (const size_t chunk : {1, 2, 3, 100})
        if (!SumIsSequential(terms, chunk, workers)) return false;
    // Plans that are wrong about zeros, infinity and not-a-number.
    const double wanted[] = {3.0, infinity, nan};
    const std::vector<double> last[] = {{1.0, 2.0}, {infinity, 2.0}, {infinity, nan}};
    for (size_t i = 0; i < std::size(wanted); ++i) {
      for (const int16_t plan : {Form::kAllZero, int16_t{0}, int16_t{900}}) {
        const double sum = Sum(last[i], 1, {Form::kOneByOne, plan}, workers);
        if (!SameBits(sum, wanted[i]) && !(std::isnan(sum) && std::isnan(wanted[i]))) return false;
      }
    }
    return true;
  }

  // Terms of magnitudes 2^-60 to 2^10, half of them with few significant bits, so that ties are frequent.
  static std::vector<double> RandomTerms(size_t count, uint32_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> terms(count);
    for (double& term : terms) {
      uint64_t fraction = random() >> 12;
      if ((random() & 1) != 0) fraction &= ~uint64_t{0} << (random() % 53);
      term = std::ldexp(1.0 + static_cast<double>(fraction) * 0x1p-52, static_cast<int>(random() % 71) - 60);
      if (random() % 16 == 0) term = 0.0;
    }
    return terms;
  }

  // For every size of chunks and every plan, right or wrong.
  static bool RandomSums(size_t count, Workers& workers) {
    std::mt19937 random(7);
    for (const uint32_t seed : {1u, 2u}) {
      const std::vector<double> terms = RandomTerms(count, seed);
      const double wanted = SequentialSum(terms);
      for (const size_t chunk : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{64}, size_t{1024}, count}) {
        const Plans by_rule = PlansByRule(terms, chunk);
        Plans near = by_rule, any = by_rule;
        for (int16_t& plan : near) {
          if (plan == Form::kAllZero || plan == Form::kOneByOne) continue;
          plan = static_cast<int16_t>(plan + static_cast<int>(random() % 3) - 1);
        }
        for (int16_t& plan : any) plan = static_cast<int16_t>(random());
        const auto all = [&](int16_t plan) { return Plans(by_rule.size(), plan); };
        for (const Plans& plans :
             {by_rule, near, any, all(Form::kOneByOne), all(Form::kAllZero), all(900), all(-900), all(10)}) {
          if (!SameBits(Sum(terms, chunk, plans, workers), wanted)) return false;
          if (chunk == 64 && !SameBits(Sum(terms, chunk, plans, workers, IncrementByStandIns), wanted)) return false;
        }
      }
    }
    return true;
  }

  // Adjacent runs combined in any grouping give the pair of the loop.
  static bool Groupings() {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
      const std::vector<double> terms = RandomTerms(100, static_cast<uint32_t>(round));
      const int16_t binade = static_cast<int16_t>(random() % 20);
      std::vector<Increment> runs;
      for (const double term : terms) runs.push_back(Form::IncrementUnderPlan(term, binade));
      while (runs.size() > 1) {
        const size_t i = random() % (runs.size() - 1);
        runs[i] = Form::Compose(runs[i], runs[i + 1]);
        runs.erase(runs.begin() + static_cast<ptrdiff_t>(i) + 1);
      }
      const Increment loop = Form::IncrementOfRun(terms.data(), static_cast<int64_t>(terms.size()), binade);
      if (!Is(runs[0], loop.even, loop.odd)) return false;
    }
    return true;
  }
};

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_NUMERIC_ORDERED_SUM_CHECKS_H_
