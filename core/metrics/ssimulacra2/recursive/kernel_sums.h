// SPDX-License-Identifier: BSD-2-Clause-Patent
// The sums of the sequential loops over all terms of a plane, formed in parallel (core/numeric/ordered_sum.h):
//  - terms: approximate sums of chunks, in any order (kernel_terms.h)
//  - plans: the binade of the running sum in each chunk, from a scan over these
//  - increments: each chunk's increment under its plan, composed in loop order
//  - walk: the exact sum. A block takes as many chunks at a time as it has threads, composes them in a scan and goes
//    on to the first one that its plan did not hold for; that one's terms are added in the same way, term runs taking
//    the place of chunks and the binade that of the exact running sum, and a run where the binade changes term by
//    term.
// Plans and approximate sums only decide how much of that has to be done.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_SUMS_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_SUMS_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/ssimulacra2/recursive/kernel_arguments.h"
#include "core/metrics/ssimulacra2/recursive/kernel_terms.h"
#include "core/numeric/ordered_sum.h"

namespace vmafx::ssimulacra2::recursive {

using ordered_sum::Compose;
using ordered_sum::Increment;

// The stored term at an index of a plane in loop order.
VMAFX_FN double StoredTerm(const TermPlane& plane, int64_t index) {
  return DoubleOf(static_cast<uint64_t>(Load(Memory<const uint32_t>(plane.high) + index)) << 32 |
                  Load(Memory<const uint32_t>(plane.low) + index));
}

// The chunk that a group of 32 lanes works on. The groups of a block work on one plane.
struct GroupChunk {
  int plane;
  int chunk;
  int64_t first;
  int count;  // 0: none
};

VMAFX_FN GroupChunk FindChunk(const SumArguments& arguments) {
  GroupChunk found;
  found.plane = 0;
  while (found.plane + 1 < arguments.planes && BlockX() >= arguments.plane[found.plane + 1].first_block) ++found.plane;
  const TermPlane& plane = arguments.plane[found.plane];
  found.chunk = (BlockX() - plane.first_block) * kChunkGroups + ThreadX() / kGroup;
  found.first = static_cast<int64_t>(found.chunk) * kChunk;
  const int64_t left = plane.count - found.first;
  found.count = left <= 0 ? 0 : left < kChunk ? static_cast<int>(left) : kChunk;
  return found;
}

// The sum of the values of all threads before.
VMAFX_FN double SumBefore(double own, double* shared) {
  const int thread = ThreadX(), group = thread / kGroup, lane = GroupLane();
  double inclusive = own;
  VMAFX_UNROLL
  for (int delta = 1; delta < kGroup; delta *= 2) {
    const double before = ShuffleIndex(inclusive, lane >= delta ? lane - delta : lane, kGroup);
    if (lane >= delta) inclusive += before;
  }
  if (lane == kGroup - 1) shared[group] = inclusive;
  BlockBarrier();
  double before = inclusive - own;
  for (int i = 0; i < group; ++i) before += shared[i];
  return before;
}

VMAFX_FN void PlanChunks(const WalkArguments& arguments) {
  VMAFX_SHARED(double, groups, [kMaxWalkThreads / kGroup]);
  const PlaneSum& sum = arguments.sum[BlockX()];
  const int chunks = arguments.terms.plane[sum.plane].chunks;
  const double* chunk_sums = Memory<const double>(arguments.terms.chunk_sums) + sum.first_chunk;
  int16_t* plans = Memory<int16_t>(arguments.terms.plans) + sum.first_chunk;
  const int each = (chunks + BlockSizeX() - 1) / BlockSizeX();
  const int first = ThreadX() * each;
  const int last = first + each < chunks ? first + each : chunks;
  double own = 0.0;
  for (int i = first; i < last; ++i) own += Load(chunk_sums + i);
  double before = SumBefore(own, groups);
  for (int i = first; i < last; ++i) {
    const double chunk = Load(chunk_sums + i);
    plans[i] = ordered_sum::PlanOf(before, chunk);
    before += chunk;
  }
}

constexpr int kLaneTerms = kChunk / kGroup;
constexpr int kLanePitch = kLaneTerms + 1;

// Increments of a run of terms as IncrementOf() has them, composed. Terms far below the running sum are rounded to
// its last place in fp64: (x + 1.5 * 2^e) - 1.5 * 2^e, whose sums are exact; a tie, which depends on parity, or any
// other term takes the general way.
VMAFX_FN Increment IncrementOfRun(const double* stored, int sum, int16_t plan) {
  if (plan == ordered_sum::kOneByOne) return {0, 0};
  if (plan != ordered_sum::kAllZero) {
    const auto power = [&](int exponent) { return DoubleOf(static_cast<uint64_t>(exponent + 1023) << 52); };
    const double shifter = 1.5 * power(plan), largest = power(plan - 5), half = power(plan - 53);
    double total = 0.0;
    bool simple = true;
    VMAFX_UNROLL
    for (int i = 0; i < kLaneTerms; ++i) {
      const double x = Summand(stored[i], sum);
      const double rounded = (x + shifter) - shifter;
      simple = simple && x >= 0.0 && x <= largest && x - rounded != half && rounded - x != half;
      total += rounded;
    }
    if (simple) {
      const int64_t increment = static_cast<int64_t>(total * power(52 - plan));
      return {increment, increment};
    }
  }
  Increment run = {0, 0};
  for (int i = 0; i < kLaneTerms; ++i)
    run = Compose(run, ordered_sum::IncrementUnderPlan(Summand(stored[i], sum), plan));
  return run;
}

VMAFX_FN void IncrementChunks(const SumArguments& arguments) {
  VMAFX_SHARED(double, stored, [kChunkGroups][kGroup * kLanePitch]);
  const GroupChunk own = FindChunk(arguments);
  const TermPlane& plane = arguments.plane[own.plane];
  double* terms = stored[ThreadX() / kGroup];
  const int lane = GroupLane();
  for (int i = lane; i < kChunk; i += kGroup)
    terms[i / kLaneTerms * kLanePitch + i % kLaneTerms] = i < own.count ? StoredTerm(plane, own.first + i) : 0.0;
  WaveBarrier();
  int chunk = plane.first_chunk + own.chunk;
  VMAFX_UNROLL
  for (int sum = 0; sum < kSums; ++sum) {
    if ((plane.needed >> sum & 1) == 0) continue;
    const int16_t plan =
        own.count > 0 ? Load(Memory<const int16_t>(arguments.plans) + chunk) : ordered_sum::kOneByOne;
    Increment run = IncrementOfRun(terms + lane * kLanePitch, sum, plan);
    VMAFX_UNROLL
    for (int delta = 1; delta < kGroup; delta *= 2) {
      const Increment after = {ShuffleDown(run.even, delta, kGroup), ShuffleDown(run.odd, delta, kGroup)};
      if (lane % (2 * delta) == 0) run = Compose(run, after);
    }
    if (lane == 0 && own.count > 0) Memory<Increment>(arguments.increments)[chunk] = run;
    chunk += plane.chunks;
  }
}

struct WalkShared {
  double terms[kChunk];
  Increment group[kMaxWalkThreads / kGroup];
  int64_t total[kMaxWalkThreads];
  uint32_t failed[kMaxWalkThreads / kGroup];
};

// Adds the threads' increments in thread order, up to the first thread that does not fit or would take the sum out of
// its binade; returns that thread, or the number of threads. All threads hold the same `sum`; in a sum without a
// binade (0, NaN, infinite) fit only those that add zeros. `own` is {0, 0} where nothing is added.
VMAFX_FN int AddInOrder(double* sum, bool fits, Increment own, WalkShared& shared) {
  const int thread = ThreadX(), group = thread / kGroup, lane = GroupLane();
  const int16_t binade = ordered_sum::BinadeOf(*sum);
  Increment run = own;
  VMAFX_UNROLL
  for (int delta = 1; delta < kGroup; delta *= 2) {
    const int source = lane >= delta ? lane - delta : lane;
    const Increment before = {ShuffleIndex(run.even, source, kGroup), ShuffleIndex(run.odd, source, kGroup)};
    if (lane >= delta) run = Compose(before, run);
  }
  if (lane == kGroup - 1) shared.group[group] = run;
  BlockBarrier();
  Increment before = {0, 0};
  for (int i = 0; i < group; ++i) before = Compose(before, shared.group[i]);
  run = Compose(before, run);
  const bool none = binade == ordered_sum::kOneByOne;
  const int64_t m = none ? 0 : static_cast<int64_t>((Bits(*sum) & 0xfffffffffffffu) | 0x10000000000000u);
  const int64_t total = m + ((m & 1) != 0 ? run.odd : run.even);
  shared.total[thread] = total;
  const uint32_t failed = GroupBallot(!fits || total > (int64_t{1} << 53));
  if (lane == 0) shared.failed[group] = failed;
  BlockBarrier();
  int first = BlockSizeX();
  for (int i = BlockSizeX() / kGroup - 1; i >= 0; --i) {
    const uint32_t bits = shared.failed[i];
    if (bits != 0) first = i * kGroup + HighBit(bits & (0u - bits));
  }
  if (first > 0 && !none)
    *sum = DoubleOf((static_cast<uint64_t>(binade + 1022) << 52) + static_cast<uint64_t>(shared.total[first - 1]));
  BlockBarrier();
  return first;
}

// Adds the terms of one chunk.
VMAFX_FN void AddChunk(double* sum, const TermPlane& plane, int kind, int chunk, WalkShared& shared) {
  const int64_t base = static_cast<int64_t>(chunk) * kChunk;
  const int count = plane.count - base < kChunk ? static_cast<int>(plane.count - base) : kChunk;
  for (int i = ThreadX(); i < count; i += BlockSizeX()) shared.terms[i] = Summand(StoredTerm(plane, base + i), kind);
  BlockBarrier();
  const int each = kChunk / BlockSizeX();
  for (int start = 0; start < count;) {
    const int16_t binade = ordered_sum::BinadeOf(*sum);
    const int first = ThreadX() * each > start ? ThreadX() * each : start;
    const int last = (ThreadX() + 1) * each < count ? (ThreadX() + 1) * each : count;
    bool fits = true;
    Increment own = {0, 0};
    for (int i = first; i < last; ++i) {
      if (binade == ordered_sum::kOneByOne)
        fits = fits && shared.terms[i] == 0.0;
      else
        own = Compose(own, ordered_sum::IncrementOf(shared.terms[i], binade));
    }
    const int stopped = AddInOrder(sum, fits, own, shared);
    const int end = (stopped + 1) * each < count ? (stopped + 1) * each : count;
    for (int i = stopped * each > start ? stopped * each : start; i < end; ++i) *sum = *sum + shared.terms[i];
    start = end;
  }
}

VMAFX_FN void WalkChunks(const WalkArguments& arguments) {
  VMAFX_SHARED(WalkShared, shared, );
  const PlaneSum& own = arguments.sum[BlockX()];
  const TermPlane& plane = arguments.terms.plane[own.plane];
  const int16_t* plans = Memory<const int16_t>(arguments.terms.plans) + own.first_chunk;
  const Increment* increments = Memory<const Increment>(arguments.terms.increments) + own.first_chunk;
  double sum = 0.0;
  for (int first = 0; first < plane.chunks;) {
    const int16_t binade = ordered_sum::BinadeOf(sum);
    const int chunk = first + ThreadX();
    bool fits = true;
    Increment increment = {0, 0};
    if (chunk < plane.chunks) {
      const int16_t plan = Load(plans + chunk);
      const Increment planned = Load(increments + chunk);
      if (plan == ordered_sum::kAllZero)
        fits = planned.even == 0;
      else if (plan == binade && binade != ordered_sum::kOneByOne)
        increment = planned;
      else
        fits = false;
    }
    const int added = AddInOrder(&sum, fits, increment, shared);
    first += added;
    if (added < BlockSizeX()) {
      AddChunk(&sum, plane, own.sum, first, shared);
      ++first;
    }
  }
  if (ThreadX() == 0) *Memory<double>(own.result) = sum;
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_SUMS_H_
