// SPDX-License-Identifier: BSD-2-Clause-Patent
// The bits of the sequential loop `s = 0; for each x: s = s + x` over non-negative doubles, formed in parallel.
//
// Let 2^e <= s < 2^(e+1) (s is in binade e), u = 2^(e-52), s = m*u. As long as the result stays within 2^(e+1),
//   fl(s + x) = (m + increment)*u,   increment = x/u rounded to the nearest integer, a tie so that the sum is even,
// because the doubles of [2^e, 2^(e+1)] are exactly the multiples of u and s is one of them. So inside a binade the
// loop adds integers, which depend on s only through the parity of m at a tie. A run of terms is then a pair of
// increments, one for each parity of m at its start, and adjacent runs compose, in any grouping but in loop order.
//
// Terms are cut into chunks. A plan names the binade that the running sum is expected to be in throughout a chunk;
// chunks reduce to pairs in parallel; a short walk over the chunks adds the pairs to the exact running sum, checks
// that the plan held and otherwise adds that chunk's terms one by one. A wrong plan costs time and never changes the
// sum.
//
// Requires terms >= +0 or NaN (a negative term other than -0 sends its chunk to the one-by-one addition).
#ifndef VMAFX_NUMERIC_ORDERED_SUM_H_
#define VMAFX_NUMERIC_ORDERED_SUM_H_

#include "core/numeric/portable.h"

namespace vmafx::ordered_sum {

// What a run of terms adds to m, when m is even and when it is odd before the run.
struct Increment {
  int64_t even, odd;
};

// No increment of this size is ever accepted: m + increment <= 2^53 fails. Also the cap of long runs, so that the sum
// of two increments does not overflow.
constexpr int64_t kUnfit = int64_t{1} << 54;

// A plan is a binade of [kMinBinade, kMaxBinade] or one of two special values. The range keeps subnormal terms far
// below u/2 and 2^(e+1) finite.
constexpr int16_t kMinBinade = -900;
constexpr int16_t kMaxBinade = 900;
constexpr int16_t kAllZero = 32767;    // every term of the chunk is zero
constexpr int16_t kOneByOne = -32768;  // add the chunk's terms one by one

VMAFX_FN bool IsNan(double x) { return x != x; }
VMAFX_FN bool IsInfinite(double x) { return (Bits(x) & 0x7fffffffffffffffu) == 0x7ff0000000000000u; }

// The binade of a running sum; kOneByOne for what has none that a plan may name (zero, negative, not finite, outside
// the range).
VMAFX_FN int16_t BinadeOf(double sum) {
  const uint64_t bits = Bits(sum);
  const int exponent = static_cast<int>(bits >> 52) - 1023;  // with the sign bit set: above the range
  return exponent < kMinBinade || exponent > kMaxBinade ? kOneByOne : static_cast<int16_t>(exponent);
}

// One term added in binade `binade`.
VMAFX_FN Increment IncrementOf(double x, int binade) {
  const uint64_t bits = Bits(x);
  const int field = static_cast<int>(bits >> 52) & 0x7ff;
  const bool negative = (bits >> 63) != 0;
  if (field == 0x7ff || (negative && (bits << 1) != 0)) return {kUnfit, kUnfit};
  if (field == 0) return {0, 0};
  const int shift = binade - (field - 1023);
  if (shift < 0) return {kUnfit, kUnfit};
  if (shift > 53) return {0, 0};
  const int64_t significand = static_cast<int64_t>((bits & 0xfffffffffffffu) | 0x10000000000000u);
  if (shift == 0) return {significand, significand};
  const int64_t whole = significand >> shift;
  const int64_t rest = significand & ((int64_t{1} << shift) - 1);
  const int64_t half = int64_t{1} << (shift - 1);
  if (rest < half) return {whole, whole};
  if (rest > half) return {whole + 1, whole + 1};
  const int64_t parity = whole & 1;
  return {whole + parity, whole + 1 - parity};
}

// One term of a chunk with the given plan.
VMAFX_FN Increment IncrementUnderPlan(double x, int16_t plan) {
  if (plan == kOneByOne) return {0, 0};
  if (plan == kAllZero) return x == 0.0 ? Increment{0, 0} : Increment{kUnfit, kUnfit};
  return IncrementOf(x, plan);
}

// Run a followed by run b. Associative, not commutative; {0, 0} is neutral.
VMAFX_FN Increment Compose(Increment a, Increment b) {
  const int64_t even = a.even + ((a.even & 1) != 0 ? b.odd : b.even);
  const int64_t odd = a.odd + ((a.odd & 1) != 0 ? b.even : b.odd);
  return {even > kUnfit ? kUnfit : even, odd > kUnfit ? kUnfit : odd};
}

// Any sum of a binade may stand in for the running sum: the loop adds the same number of units to all whose m has the
// same parity. So a chunk's pair also comes of the loop itself, run from one stand-in of each parity: two additions a
// term, for several chunks side by side where there are vectors. The stand-ins are the smallest of the binade, which
// leaves room for every increment that the walk may accept.
VMAFX_FN double StandIn(int16_t plan, bool odd) {
  if (plan == kAllZero || plan == kOneByOne) return 0.0;
  return DoubleOf((static_cast<uint64_t>(plan + 1023) << 52) + (odd ? 1 : 0));
}

// The pair of a chunk from what its terms, none of them negative, made of the stand-ins of its plan.
//
// A stand-in that reaches the next binade's first value before the chunk's end goes on with that binade's unit. The
// walk accepts that increment only for the sum that equals the stand-in, and for that sum it is the loop.
VMAFX_FN Increment IncrementOfStandIns(double even, double odd, int16_t plan) {
  if (plan == kOneByOne) return {0, 0};
  if (plan == kAllZero) return even == 0.0 ? Increment{0, 0} : Increment{kUnfit, kUnfit};
  const uint64_t first = Bits(StandIn(plan, false));
  const double last = DoubleOf(first + (uint64_t{1} << 52));
  return {even <= last ? static_cast<int64_t>(Bits(even) - first) : kUnfit,
          odd <= last ? static_cast<int64_t>(Bits(odd) - first - 1) : kUnfit};
}

// The plan of a chunk from an approximate sum of all terms before it and of its own terms.
VMAFX_FN int16_t PlanOf(double before, double chunk) {
  if (chunk == 0.0) return kAllZero;
  if (IsNan(before) || IsInfinite(before)) return IsNan(chunk) || IsInfinite(chunk) ? kOneByOne : kMaxBinade;
  const int16_t binade = BinadeOf(before);
  return BinadeOf(before + chunk) == binade ? binade : kOneByOne;
}

// Adds a chunk to the running sum by its increment. False: the plan did not hold and `sum` is as before; the terms are
// to be added one by one.
//
// A total of at most 2^53 means that no sum within the chunk was larger (increments are not negative). A sum that
// reached 2^53, the next binade, before the chunk's end was followed by zero increments only: terms of at most u/2, a
// quarter of the new unit, which add nothing there either.
VMAFX_FN bool AddIncrement(double* sum, int16_t plan, Increment increment) {
  const double s = *sum;
  if (IsNan(s)) return true;
  if (plan == kOneByOne) return false;
  if (plan == kAllZero) return increment.even == 0;
  if (IsInfinite(s) && s > 0.0) return increment.even < kUnfit;
  if (BinadeOf(s) != plan) return false;
  const int64_t m = static_cast<int64_t>((Bits(s) & 0xfffffffffffffu) | 0x10000000000000u);
  const int64_t total = m + ((m & 1) != 0 ? increment.odd : increment.even);
  if (total > (int64_t{1} << 53)) return false;
  // 2^53 carries into the exponent: the first value of the next binade.
  const uint64_t exponent = static_cast<uint64_t>(plan + 1022) << 52;
  *sum = DoubleOf(exponent + static_cast<uint64_t>(total));
  return true;
}

// The sequential loop itself, from a running sum on.
VMAFX_FN double AddOneByOne(double sum, const double* terms, int64_t count) {
  for (int64_t i = 0; i < count; ++i) sum = sum + terms[i];
  return sum;
}

// The pair of `count` consecutive terms.
VMAFX_FN Increment IncrementOfRun(const double* terms, int64_t count, int16_t plan) {
  Increment run = {0, 0};
  if (plan == kOneByOne) return run;
  for (int64_t i = 0; i < count; ++i) run = Compose(run, IncrementUnderPlan(terms[i], plan));
  return run;
}

// The sum of `count` terms cut into chunks of `chunk`, from one plan and one increment for each chunk.
VMAFX_FN double Walk(const double* terms, int64_t count, int64_t chunk, const int16_t* plans,
                     const Increment* increments) {
  double sum = 0.0;
  for (int64_t c = 0, first = 0; first < count; ++c, first += chunk) {
    if (AddIncrement(&sum, plans[c], increments[c])) continue;
    sum = AddOneByOne(sum, terms + first, count - first < chunk ? count - first : chunk);
  }
  return sum;
}

}  // namespace vmafx::ordered_sum
#endif  // VMAFX_NUMERIC_ORDERED_SUM_H_
