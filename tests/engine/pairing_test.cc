// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/pairing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace vmafx {
namespace {

constexpr int64_t kMissing = INT64_MIN;

struct Stream {
  std::vector<int64_t> values;
  int32_t num = 1;
  int32_t den = 1000;
  int32_t rate_num = 0;
  int32_t rate_den = 1;
};

struct Decision {
  vmafx_pairing_kind kind;
  uint64_t distorted, reference;
  bool operator==(const Decision&) const = default;
};

struct Outcome {
  std::vector<Decision> decisions;
  vmafx_pairing_stats stats = {};
  bool rates_differed = false;  // at any time, as who asks says it at once
};

// Pushes both streams through the C interface. `next` gives the side whose frame (or end) comes next of those not
// ended; it may be asked for a side that is not wanted.
template <class NextSide>
Outcome PairUp(const Stream (&streams)[2], vmafx_sync sync, NextSide&& next_side) {
  vmafx_pairer* pairer = vmafx_pairer_create(sync);
  size_t position[2] = {0, 0};
  bool ended[2] = {false, false};
  Outcome outcome;
  outcome.stats.struct_size = sizeof outcome.stats;
  for (int s = 0; s < 2; ++s)
    vmafx_pairer_set_rate(pairer, static_cast<vmafx_side>(s), streams[s].rate_num, streams[s].rate_den);
  for (;;) {
    vmafx_pairing pairing;
    const int result = vmafx_pairer_next(pairer, &pairing);
    if (result == VMAFX_OK) {
      outcome.decisions.push_back({pairing.kind, pairing.distorted, pairing.reference});
      vmafx_pairer_stats(pairer, &outcome.stats);
      outcome.rates_differed |= outcome.stats.rates_differ != 0;
      continue;
    }
    if (result == VMAFX_END) break;
    EXPECT_EQ(result, VMAFX_AGAIN);
    const bool wants[] = {vmafx_pairer_wants(pairer, VMAFX_DISTORTED) == 1, vmafx_pairer_wants(pairer, VMAFX_REFERENCE) == 1};
    EXPECT_TRUE(wants[0] || wants[1]);
    EXPECT_FALSE((wants[0] && ended[0]) || (wants[1] && ended[1]));
    if (testing::Test::HasFailure()) break;
    const int s = next_side(wants, ended);
    const auto side = static_cast<vmafx_side>(s);
    if (position[s] == streams[s].values.size()) {
      vmafx_pairer_end(pairer, side);
      ended[s] = true;
    } else {
      const vmafx_time time = {streams[s].values[position[s]++], streams[s].num, streams[s].den};
      EXPECT_EQ(vmafx_pairer_push(pairer, side, time, nullptr), VMAFX_OK);
    }
  }
  vmafx_pairer_stats(pairer, &outcome.stats);
  outcome.rates_differed |= outcome.stats.rates_differ != 0;
  vmafx_pairer_destroy(pairer);
  return outcome;
}

Outcome PairUp(const Stream& distorted, const Stream& reference, vmafx_sync sync = VMAFX_SYNC_TIME) {
  const Stream streams[] = {distorted, reference};
  return PairUp(streams, sync, [](const bool (&wants)[2], const bool (&)[2]) { return wants[0] ? 0 : 1; });
}

Stream Regular(int frames, int64_t step, int32_t num, int32_t den, int64_t first = 0) {
  Stream stream = {{}, num, den};
  for (int i = 0; i < frames; ++i) stream.values.push_back(first + i * step);
  return stream;
}

// The rule itself, over whole streams, in fractions of one common denominator small enough for 64 bits.
class Oracle {
 public:
  Oracle(const Stream& distorted, const Stream& reference) : streams_{&distorted, &reference} {
    for (int s = 0; s < 2; ++s) {
      // Units of 1 / (2 * den0 * den1 * rate_num0 * rate_num1): medians of even count and rate intervals are whole.
      const int64_t unit = 2 * int64_t{distorted.den} * reference.den * std::max(distorted.rate_num, 1) * std::max(reference.rate_num, 1);
      std::optional<int64_t> last;
      for (size_t i = 0; i < streams_[s]->values.size(); ++i) {
        if (streams_[s]->values[i] == kMissing) continue;
        const int64_t time = streams_[s]->values[i] * streams_[s]->num * (unit / streams_[s]->den);
        if (last && time == *last) repeats_[s].back().push_back(i);
        if (last && time <= *last) continue;
        last = time;
        repeats_[s].emplace_back();
        usable_[s].push_back(i);
        times_[s].push_back(time);
      }
      if (streams_[s]->rate_num > 0) rate_[s] = unit / streams_[s]->rate_num * streams_[s]->rate_den;
    }
  }

  std::vector<Decision> Pairs() const {
    std::vector<Decision> pairs;
    for (size_t d = 0; d < times_[0].size(); ++d) {
      const auto r = Nearest(times_[1], times_[0][d]);
      if (!r || Nearest(times_[0], times_[1][*r]) != d) continue;
      const int64_t distance = std::abs(times_[0][d] - times_[1][*r]);
      const auto a = TwiceInterval(0, d), b = TwiceInterval(1, *r);
      const bool near = distance == 0 || ((a || b) && 4 * distance < std::min(a.value_or(INT64_MAX), b.value_or(INT64_MAX)));
      if (!near) continue;
      pairs.push_back({VMAFX_PAIRED, usable_[0][d], usable_[1][*r]});
      for (size_t n = 0; n < std::min(repeats_[0][d].size(), repeats_[1][*r].size()); ++n)
        pairs.push_back({VMAFX_PAIRED, repeats_[0][d][n], repeats_[1][*r][n]});
    }
    return pairs;
  }

 private:
  static std::optional<size_t> Nearest(const std::vector<int64_t>& times, int64_t time) {
    std::optional<size_t> best;
    for (size_t i = 0; i < times.size(); ++i)
      if (!best || std::abs(times[i] - time) < std::abs(times[*best] - time)) best = i;
    return best;
  }

  std::optional<int64_t> TwiceInterval(int s, size_t i) const {
    if (i == 0) {
      if (rate_[s]) return 2 * *rate_[s];
      if (times_[s].size() > 1) return 2 * (times_[s][1] - times_[s][0]);
      return std::nullopt;
    }
    std::vector<int64_t> intervals;
    for (size_t k = i >= 15 ? i - 15 : 0; k < i; ++k) intervals.push_back(times_[s][k + 1] - times_[s][k]);
    std::sort(intervals.begin(), intervals.end());
    return intervals[(intervals.size() - 1) / 2] + intervals[intervals.size() / 2];
  }

  const Stream* streams_[2];
  std::vector<size_t> usable_[2];
  std::vector<std::vector<size_t>> repeats_[2];  // of the time of each usable frame
  std::vector<int64_t> times_[2];
  std::optional<int64_t> rate_[2];
};

std::vector<Decision> PairsOf(const std::vector<Decision>& decisions) {
  std::vector<Decision> pairs;
  for (const Decision& decision : decisions)
    if (decision.kind == VMAFX_PAIRED) pairs.push_back(decision);
  return pairs;
}

// Each frame is decided once, in order.
void ExpectComplete(const Outcome& outcome, const Stream& distorted, const Stream& reference) {
  uint64_t next[2] = {0, 0}, pairs = 0;
  for (const Decision& decision : outcome.decisions) {
    if (decision.kind != VMAFX_UNPAIRED_REFERENCE) {
      EXPECT_EQ(decision.distorted, next[0]++);
    }
    if (decision.kind != VMAFX_UNPAIRED_DISTORTED) {
      EXPECT_EQ(decision.reference, next[1]++);
    }
    pairs += decision.kind == VMAFX_PAIRED;
  }
  EXPECT_EQ(next[0], distorted.values.size());
  EXPECT_EQ(next[1], reference.values.size());
  EXPECT_EQ(outcome.stats.frames[0], next[0]);
  EXPECT_EQ(outcome.stats.frames[1], next[1]);
  EXPECT_EQ(outcome.stats.pairs, pairs);
  EXPECT_EQ(outcome.stats.unpaired[0], next[0] - pairs);
  EXPECT_EQ(outcome.stats.unpaired[1], next[1] - pairs);
  EXPECT_EQ(outcome.stats.undecided[0], 0u);
  EXPECT_EQ(outcome.stats.undecided[1], 0u);
}

TEST(Pairing, SameFramesInMp4AndMatroska) {
  const Stream mp4 = Regular(240, 1001, 1, 24000);
  Stream mkv = {{}, 1, 1000};
  for (int i = 0; i < 240; ++i) mkv.values.push_back((i * 1001 * 1000 + 12000) / 24000);
  for (const auto& [d, r] : {std::pair(mp4, mkv), std::pair(mkv, mp4)}) {
    const Outcome outcome = PairUp(d, r);
    ExpectComplete(outcome, d, r);
    EXPECT_EQ(outcome.stats.pairs, 240u);
    EXPECT_LE(outcome.stats.largest_distance, 0.0005);
    EXPECT_GT(outcome.stats.largest_distance, 0.0004);
  }
}

TEST(Pairing, ADroppedFrameWithRightTimesLeavesItsPartnerUnpaired) {
  const Stream reference = Regular(24, 1, 1, 24);
  Stream distorted = reference;
  distorted.values.erase(distorted.values.begin() + 11);
  const Outcome outcome = PairUp(distorted, reference);
  ExpectComplete(outcome, distorted, reference);
  EXPECT_EQ(outcome.stats.pairs, 23u);
  EXPECT_EQ(outcome.stats.unpaired[VMAFX_DISTORTED], 0u);
  ASSERT_EQ(outcome.stats.first_unpaired_count[VMAFX_REFERENCE], 1u);
  EXPECT_EQ(outcome.stats.first_unpaired[VMAFX_REFERENCE][0], 11u);
}

TEST(Pairing, TheLastFrameMissing) {
  const Outcome outcome = PairUp(Regular(23, 1, 1, 24), Regular(24, 1, 1, 24));
  EXPECT_EQ(outcome.stats.pairs, 23u);
  EXPECT_EQ(outcome.stats.first_unpaired[VMAFX_REFERENCE][0], 23u);
}

TEST(Pairing, TwiceTheRateUsesNoFrameTwice) {
  const Outcome outcome = PairUp(Regular(60, 1, 1, 60), Regular(30, 1, 1, 30));
  EXPECT_EQ(outcome.stats.pairs, 30u);
  EXPECT_EQ(outcome.stats.unpaired[VMAFX_DISTORTED], 30u);
  EXPECT_EQ(outcome.stats.first_unpaired_count[VMAFX_DISTORTED], 8u);
  for (uint64_t i = 0; i < 8; ++i) EXPECT_EQ(outcome.stats.first_unpaired[VMAFX_DISTORTED][i], 2 * i + 1);
}

TEST(Pairing, AStartOffsetIsReported) {
  const Outcome outcome = PairUp(Regular(24, 1, 1, 24), Regular(24, 1, 1, 24, 240));
  EXPECT_EQ(outcome.stats.pairs, 0u);
  EXPECT_EQ(outcome.stats.start_offset_known, 1);
  EXPECT_EQ(outcome.stats.start_offset, 10);
  EXPECT_EQ(PairUp(Regular(24, 1, 1, 24), Stream()).stats.start_offset_known, 0);
}

TEST(Pairing, VariableFrameRate) {
  Stream phone = {{0, 3012, 6001, 9007, 18011, 18950, 21033, 30000}, 1, 90000}, mkv = {{}, 1, 1000};
  for (const int64_t value : phone.values) mkv.values.push_back((value + 45) / 90);
  const Outcome outcome = PairUp(phone, mkv);
  EXPECT_EQ(outcome.stats.pairs, phone.values.size());
}

TEST(Pairing, MissingRepeatedAndDecreasingTimesStayUnpaired) {
  const Stream distorted = {{0, kMissing, 80, 80, 40, 120, 160}, 1, 1000}, reference = Regular(5, 40, 1, 1000);
  const Outcome outcome = PairUp(distorted, reference);
  ExpectComplete(outcome, distorted, reference);
  EXPECT_EQ(PairsOf(outcome.decisions), (std::vector<Decision>{{VMAFX_PAIRED, 0, 0}, {VMAFX_PAIRED, 2, 2}, {VMAFX_PAIRED, 5, 3}, {VMAFX_PAIRED, 6, 4}}));
}

TEST(Pairing, RepeatedTimesPairTheNthWithTheNth) {
  const Stream stream = {{0, 40, 40, 40, 80, 120, 120}, 1, 1000};
  const Outcome same = PairUp(stream, stream);
  ExpectComplete(same, stream, stream);
  EXPECT_EQ(same.stats.pairs, stream.values.size());
  EXPECT_EQ(same.stats.largest_distance, 0);
  const Stream fewer = {{1, 41, 41, 81, 121, 121, 121}, 1, 1000};
  const Outcome outcome = PairUp(stream, fewer);
  ExpectComplete(outcome, stream, fewer);
  EXPECT_EQ(PairsOf(outcome.decisions), (std::vector<Decision>{{VMAFX_PAIRED, 0, 0}, {VMAFX_PAIRED, 1, 1}, {VMAFX_PAIRED, 2, 2}, {VMAFX_PAIRED, 4, 3}, {VMAFX_PAIRED, 5, 4}, {VMAFX_PAIRED, 6, 5}}));
  // Without a partner for the first of them there is none for the others.
  const Stream later = {{0, 60, 60, 80, 120, 120}, 1, 1000};
  EXPECT_EQ(PairsOf(PairUp(stream, later).decisions),
            (std::vector<Decision>{{VMAFX_PAIRED, 0, 0}, {VMAFX_PAIRED, 4, 3}, {VMAFX_PAIRED, 5, 4}, {VMAFX_PAIRED, 6, 5}}));
}

TEST(Pairing, SingleFramesNeedEqualTimesOrARate) {
  EXPECT_EQ(PairUp(Regular(1, 1, 1, 25), Regular(1, 1, 1, 1000)).stats.pairs, 1u);
  Stream one = {{1}, 1, 1000}, zero = {{0}, 1, 1000};
  EXPECT_EQ(PairUp(one, zero).stats.pairs, 0u);
  one.rate_num = 25;
  EXPECT_EQ(PairUp(one, zero).stats.pairs, 1u);
  one.values[0] = 20;  // half an interval is too far
  EXPECT_EQ(PairUp(one, zero).stats.pairs, 0u);
  one.values[0] = 19;
  EXPECT_EQ(PairUp(one, zero).stats.pairs, 1u);
}

TEST(Pairing, ByIndex) {
  const Stream distorted = {{kMissing, 5, 5}, 1, 1000}, reference = Regular(5, 40, 1, 1000);
  const Outcome outcome = PairUp(distorted, reference, VMAFX_SYNC_INDEX);
  ExpectComplete(outcome, distorted, reference);
  EXPECT_EQ(outcome.stats.pairs, 3u);
  EXPECT_EQ(outcome.stats.first_unpaired[VMAFX_REFERENCE][0], 3u);
  EXPECT_EQ(outcome.stats.largest_distance, 0.075);
  EXPECT_TRUE(std::isnan(PairUp({{kMissing}}, reference, VMAFX_SYNC_INDEX).stats.largest_distance));
}

TEST(Pairing, ExactWhereDoublesAndInt64AreNot) {
  // Seconds around 2^60, where doubles are 256 s apart, and thirds of seconds, whose products with the other
  // denominator pass 64 bits.
  const int64_t far = int64_t{1} << 60;
  const Stream seconds = {{far, far + 1, far + 2}, 1, 1};
  const Stream third_late = {{3 * far + 1, 3 * far + 4, 3 * far + 7}, 1, 3};
  const Stream third_early = {{3 * far + 2, 3 * far + 5, 3 * far + 8}, 1, 3};
  const Outcome late = PairUp(seconds, third_late);
  EXPECT_EQ(late.stats.pairs, 3u);
  EXPECT_EQ(late.stats.largest_distance, 1.0 / 3);
  EXPECT_EQ(PairUp(seconds, third_early).decisions,
            (std::vector<Decision>{{VMAFX_UNPAIRED_DISTORTED, 0, 0}, {VMAFX_PAIRED, 1, 0}, {VMAFX_PAIRED, 2, 1}, {VMAFX_UNPAIRED_REFERENCE, 0, 2}}));
  // The largest numbers that a time stamp can have.
  const Stream largest = {{INT64_MIN + 1, 0, INT64_MAX}, INT32_MAX, INT32_MAX - 1};
  Stream shifted = largest;
  shifted.num = INT32_MAX - 1, shifted.den = INT32_MAX;
  EXPECT_EQ(PairUp(largest, largest).stats.pairs, 3u);
  EXPECT_EQ(PairUp(largest, shifted).stats.pairs, 3u);
  EXPECT_GT(PairUp(largest, shifted).stats.largest_distance, 1e9);
}

TEST(Pairing, WhatAnUnusableRunHoldsIsBounded) {
  // Reference 20 ms late: to decide frame 0 the next usable distorted frame is looked for, but not without end.
  vmafx_pairer* pairer = vmafx_pairer_create(VMAFX_SYNC_TIME);
  vmafx_pairer_set_rate(pairer, VMAFX_DISTORTED, 10, 1);
  vmafx_pairer_set_rate(pairer, VMAFX_REFERENCE, 10, 1);
  vmafx_pairing pairing;
  EXPECT_EQ(vmafx_pairer_push(pairer, VMAFX_DISTORTED, {0, 1, 1000}, nullptr), VMAFX_OK);
  EXPECT_EQ(vmafx_pairer_push(pairer, VMAFX_REFERENCE, {20, 1, 1000}, nullptr), VMAFX_OK);
  size_t pushed = 0;
  while (vmafx_pairer_next(pairer, &pairing) == VMAFX_AGAIN && pushed < 100) {
    EXPECT_EQ(vmafx_pairer_wants(pairer, VMAFX_DISTORTED), 1);
    EXPECT_EQ(vmafx_pairer_wants(pairer, VMAFX_REFERENCE), 0);
    EXPECT_EQ(vmafx_pairer_push(pairer, VMAFX_DISTORTED, {kMissing, 0, 0}, nullptr), VMAFX_OK);
    ++pushed;
  }
  EXPECT_EQ(pushed, Pairer::kLookahead);
  EXPECT_EQ(pairing.kind, VMAFX_PAIRED);
  EXPECT_EQ(pairing.distance, 0.02);
  vmafx_pairer_destroy(pairer);
}

TEST(Pairing, WhatIsNotDecidedYetIsCountedApart) {
  vmafx_pairer* pairer = vmafx_pairer_create(VMAFX_SYNC_TIME);
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(vmafx_pairer_push(pairer, VMAFX_DISTORTED, {i, 1, 25}, nullptr), VMAFX_OK);
    if (i < 3) {
      EXPECT_EQ(vmafx_pairer_push(pairer, VMAFX_REFERENCE, {i, 1, 25}, nullptr), VMAFX_OK);
    }
  }
  vmafx_pairing pairing;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(vmafx_pairer_next(pairer, &pairing), VMAFX_OK);
  EXPECT_EQ(vmafx_pairer_next(pairer, &pairing), VMAFX_AGAIN);
  vmafx_pairing_stats stats = {};
  stats.struct_size = sizeof stats;
  vmafx_pairer_stats(pairer, &stats);
  EXPECT_EQ(stats.pairs, 3u);
  EXPECT_EQ(stats.unpaired[VMAFX_DISTORTED], 0u);
  EXPECT_EQ(stats.undecided[VMAFX_DISTORTED], 2u);
  EXPECT_EQ(stats.undecided[VMAFX_REFERENCE], 0u);
  vmafx_pairer_destroy(pairer);
}

TEST(Pairing, RefusesWhatIsNoTime) {
  vmafx_pairer* pairer = vmafx_pairer_create(VMAFX_SYNC_TIME);
  vmafx_error error = {};
  EXPECT_EQ(vmafx_pairer_push(pairer, VMAFX_DISTORTED, {0, 1, 0}, &error), VMAFX_ERROR_INVALID);
  EXPECT_STREQ(error.text, "the time base of distorted frame 0 is 1/0, both must be above 0");
  vmafx_pairer_end(pairer, VMAFX_REFERENCE);
  EXPECT_EQ(vmafx_pairer_push(pairer, VMAFX_REFERENCE, {0, 1, 1}, &error), VMAFX_ERROR_INVALID);
  EXPECT_STREQ(error.text, "reference frame 0 comes after the end of its stream");
  vmafx_pairer_destroy(pairer);
}

// The time stamps of frames at a rate, in ms, up to `jitter` ms late.
Stream InMs(int frames, double rate, std::mt19937* random = nullptr, uint32_t jitter = 0) {
  Stream stream = {{}, 1, 1000};
  for (int i = 0; i < frames; ++i)
    stream.values.push_back(std::llround(i * 1000 / rate) + (jitter ? static_cast<int64_t>((*random)() % (jitter + 1)) : 0));
  return stream;
}

Stream Without(Stream stream, const std::vector<int>& frames) {  // in rising order
  for (size_t i = frames.size(); i-- > 0;) stream.values.erase(stream.values.begin() + frames[i]);
  return stream;
}

Stream Tagged(Stream stream, int32_t num, int32_t den = 1) {
  stream.rate_num = num, stream.rate_den = den;
  return stream;
}

bool RatesDiffer(const Stream& distorted, const Stream& reference) {
  const Outcome outcome = PairUp(distorted, reference), other = PairUp(reference, distorted);
  EXPECT_EQ(outcome.rates_differed, other.rates_differed);
  return outcome.rates_differed;
}

TEST(PairingRates, LostFramesHideNoDifference) {
  for (const bool tags : {false, true}) {
    const Stream d = Tagged(InMs(96, 24), tags ? 24 : 0), r = Tagged(InMs(100, 25), tags ? 25 : 0);
    EXPECT_TRUE(RatesDiffer(Without(d, {3}), r));
    EXPECT_TRUE(RatesDiffer(d, Without(r, {3})));
    EXPECT_TRUE(RatesDiffer(Without(d, {3, 40, 41, 42}), Without(r, {20, 70})));
  }
}

TEST(PairingRates, JitterHidesNoDifference) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const Stream d = InMs(240, 24, &random, 12), r = InMs(250, 25, &random, 12);
    EXPECT_TRUE(RatesDiffer(d, r)) << seed;
    EXPECT_TRUE(RatesDiffer(Tagged(Without(d, {3}), 24), Tagged(r, 25))) << seed;
  }
}

TEST(PairingRates, EqualNominalRatesHideNoDifference) {
  const Stream reference = Tagged(InMs(100, 25), 25);
  for (const double factor : {25.0 / 24, 24.0 / 25, 1.01, 1 / 1.01, 1.3, 1.5, 2.0, 0.5, 3.0}) {
    const Stream distorted = Tagged(InMs(100, 25 / factor), 25);
    EXPECT_TRUE(RatesDiffer(distorted, reference)) << factor;
    const Outcome outcome = PairUp(distorted, reference);
    EXPECT_NEAR(outcome.stats.rate[VMAFX_DISTORTED], 25 / factor, 0.02);
    EXPECT_NEAR(outcome.stats.rate[VMAFX_REFERENCE], 25, 1e-9);
  }
  EXPECT_TRUE(RatesDiffer(Tagged(Without(InMs(100, 24), {3}), 25), reference));
}

TEST(PairingRates, TheMeasuredRateLeavesGapsOut) {
  const Outcome outcome = PairUp(Without(Regular(50, 1, 1, 25), {3, 4, 5, 20}), Regular(50, 1, 1, 25));
  EXPECT_NEAR(outcome.stats.rate[VMAFX_DISTORTED], 25, 1e-9);
}

// Whether the nominal rates are known and equal, or not known.
TEST(PairingRates, WhatIsNoDifference) {
  struct Rate {
    int32_t num, den;
  };
  for (const auto& [num, den] : {Rate{24000, 1001}, Rate{24, 1}, Rate{25, 1}, Rate{30000, 1001}, Rate{60000, 1001}, Rate{240, 1}, Rate{480, 1}}) {
    const double rate = static_cast<double>(num) / den;
    SCOPED_TRACE(rate);
    const int frames = static_cast<int>(4 * rate);
    for (const bool known : {false, true}) {
      const auto tagged = [&](const Stream& stream) { return Tagged(stream, known ? num : 0, known ? den : 1); };
      const Stream exact = tagged(Regular(frames, den, 1, num)), ms = tagged(InMs(frames, rate));
      Stream fine = tagged({{}, 1, 90000}), floor = tagged({{}, 1, 1000}), half = exact;
      for (int64_t i = 0; i < frames; ++i) {
        fine.values.push_back((i * 90000 * den + num / 2) / num);
        floor.values.push_back(i * 1000 * den / num);
      }
      const Stream gone = Without(ms, {3}), many = Without(ms, {10, 11, 12, 13, 14, 15, 16, 17, 40, 44, 48});
      for (const Stream& d : {ms, fine, floor, gone, many, Without(exact, {3})})
        for (const Stream& r : {exact, ms, fine, floor, gone, Without(fine, {5, 60, 61})}) EXPECT_FALSE(RatesDiffer(d, r));
      if (!known) continue;
      half.values.clear();  // every other frame of the second half
      for (int i = 0; i < frames; i += i < frames / 2 ? 1 : 2) half.values.push_back(i * den);
      Stream every_third = exact, duplicates_gone = exact;
      std::erase_if(every_third.values, [&](int64_t value) { return value / den % 3 != 0; });
      std::mt19937 random(1);
      std::erase_if(duplicates_gone.values, [&](int64_t) { return random() % 3 == 0; });
      for (const Stream& d : {half, every_third, duplicates_gone}) {
        EXPECT_FALSE(RatesDiffer(d, exact));
        EXPECT_FALSE(RatesDiffer(d, ms));
      }
    }
  }
  EXPECT_FALSE(RatesDiffer(Tagged(Regular(20000, 100, 1, 2997), 2997, 100), Tagged(Regular(20000, 1001, 1, 30000), 30000, 1001)));
}

TEST(PairingRates, JitterIsNoDifference) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    for (const int rate : {24, 25, 30, 60}) {
      std::mt19937 random(seed);
      const Stream a = Tagged(InMs(600, rate, &random, 5), rate), b = Tagged(InMs(600, rate, &random, 5), rate);
      EXPECT_FALSE(RatesDiffer(a, b)) << rate << " " << seed;
      for (const size_t frames : {5, 10, 20, 50}) {
        Stream short_a = a, short_b = b;
        short_a.values.resize(frames), short_b.values.resize(frames);
        EXPECT_FALSE(RatesDiffer(short_a, short_b)) << rate << " " << seed << " " << frames;
      }
      EXPECT_FALSE(RatesDiffer(Without(a, {3, 90, 91, 300}), Without(b, {50, 200, 201, 202}))) << rate << " " << seed;
    }
  }
}

// At 60 frames/s two jitters of 5 ms change the distance by more than half an interval, which is no jump to other partners:
// not from frame to frame, nor where frames are lost.
TEST(PairingRates, JitterOfMoreThanHalfAnIntervalIsNoDifference) {
  for (uint32_t seed = 0; seed < 120; ++seed) {
    std::mt19937 random(seed);
    const Stream a = InMs(600, 60, &random, 5), b = InMs(600, 60, &random, 5);
    const auto lossy = [&](Stream stream) {
      for (int i = 0; i < 8; ++i) {
        const auto first = stream.values.begin() + random() % (stream.values.size() - 8);
        stream.values.erase(first, first + 1 + random() % 8);
      }
      return Tagged(stream, 60);
    };
    const Stream d = lossy(a), r = lossy(b);
    EXPECT_FALSE(RatesDiffer(d, r)) << seed;
  }
}

TEST(PairingRates, VariableRatesAreNoDifference) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    Stream phone = Tagged({{}, 1, 90000}, 30), mkv = Tagged({{}, 1, 1000}, 30);
    int64_t time = 0;
    for (int i = 0; i < 300; ++i) {
      phone.values.push_back(time);
      mkv.values.push_back((time + 45) / 90);
      time += random() % 10 == 0 ? 6000 + random() % 9000 : 2700 + random() % 600;
    }
    EXPECT_FALSE(RatesDiffer(phone, mkv)) << seed;
    EXPECT_FALSE(RatesDiffer(phone, Without(mkv, {3, 50, 51, 120}))) << seed;
  }
}

// Streams that are hard to pair: jitter, drops, repeats, gaps, two time bases, other rates, offsets.
Stream RandomStream(std::mt19937& random, int32_t den, int64_t interval, int64_t offset) {
  Stream stream = {{}, 1, den};
  int64_t time = offset;
  const uint32_t jitter = random() % 4, mess = random() % 3;
  for (uint32_t i = 0, count = random() % 50; i < count; ++i) {
    const int64_t noise = jitter == 0 ? 0 : static_cast<int64_t>(random() % static_cast<uint32_t>(std::max<int64_t>(1, interval * jitter / 2)));
    if (!(mess && random() % 8 == 0)) stream.values.push_back(mess == 2 && random() % 6 == 0 ? kMissing : time + noise);
    if (mess == 1 && random() % 5 == 0) continue;
    time += mess == 2 && random() % 10 == 0 ? interval * 3 : interval;
  }
  if (random() % 3 == 0) {
    stream.rate_num = 24;
    stream.rate_den = 1;
  }
  return stream;
}

TEST(Pairing, EqualsTheRuleHoweverThePushesInterleave) {
  std::mt19937 random(1);
  uint64_t pairs = 0, unpaired = 0;
  for (int round = 0; round < 600; ++round) {
    const int32_t dens[] = {24, 30, 60, 1000, 600};
    const int32_t den0 = dens[random() % 5], den1 = dens[random() % 5];
    const int64_t fps = random() % 2 ? 24 : 12;
    const Stream streams[] = {RandomStream(random, den0, std::max<int64_t>(1, den0 / 24), 0),
                              RandomStream(random, den1, std::max<int64_t>(1, den1 / fps), static_cast<int64_t>(random() % 3))};
    const std::vector<Decision> expected = Oracle(streams[0], streams[1]).Pairs();
    const Outcome first = PairUp(streams[0], streams[1]);
    ExpectComplete(first, streams[0], streams[1]);
    ASSERT_EQ(PairsOf(first.decisions), expected) << "round " << round;
    pairs += expected.size();
    unpaired += first.stats.unpaired[0];
    for (int other = 0; other < 4; ++other) {
      const uint32_t bias = random() % 5;  // 0 and 4: all of one side first
      const Outcome outcome = PairUp(streams, VMAFX_SYNC_TIME, [&](const bool (&)[2], const bool (&ended)[2]) {
        const int side = random() % 4 < bias ? 1 : 0;
        return ended[side] ? 1 - side : side;
      });
      ASSERT_EQ(outcome.decisions, first.decisions) << "round " << round;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(pairs, 4000u);
  EXPECT_GT(unpaired, 2000u);
}

}  // namespace
}  // namespace vmafx
