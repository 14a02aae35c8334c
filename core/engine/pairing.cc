// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/pairing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

namespace vmafx {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Nominal rates are equal where they differ by less than this part of them: 30000/1001 is often written as 29.97.
constexpr double kSameRate = 1e-4;
// Rates that are further apart than this are told from the intervals. Rounding to 1 ms does less to 240 frames/s.
constexpr double kMultipleRate = 1.4;
// Two measures of one drift differ by no more than this factor: of offsets with much jitter those near the jumps are missing.
constexpr double kSameDrift = 3;
// Streams of the same frames have numbers of them that differ by no more than this part of the larger.
constexpr double kSameFrames = 0.02;
// A longer gap is left out of the mean interval, as the number of frames that it lacks is uncertain.
constexpr double kLostFrames = 3;
constexpr const char* kSideNames[] = {"distorted", "reference"};

vmafx_side Other(vmafx_side side) { return side == VMAFX_DISTORTED ? VMAFX_REFERENCE : VMAFX_DISTORTED; }

vmafx_pairing_kind Unpaired(vmafx_side side) {
  return side == VMAFX_DISTORTED ? VMAFX_UNPAIRED_DISTORTED : VMAFX_UNPAIRED_REFERENCE;
}

// Of less than kMedianFrames intervals.
Rational Median(std::span<const Rational> intervals) {
  std::array<Rational, Pairer::kMedianFrames> sorted;
  std::sort(sorted.begin(), std::copy(intervals.begin(), intervals.end(), sorted.begin()));
  const size_t middle = intervals.size() / 2;
  return intervals.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]).Half();
}

double RatioAboveOne(double a, double b) { return std::max(a / b, b / a); }

}  // namespace

void Pairer::Extent::Add(const Rational& value) {
  if (!least || value < *least) least = value;
  if (!greatest || value > *greatest) greatest = value;
}

void Pairer::Drift::Add(const Rational& pair_time, const Rational& pair_offset, const Rational& interval, bool next) {
  if (offset) {
    const Rational change = pair_offset - *offset, size = std::max(change, *offset - pair_offset);
    if (next) jitter = std::max(jitter, size);
    // Half an interval or more is a jump to another partner, unless the next frames' jitter alone does as much.
    if (size < interval.Half() || size <= jitter) {
      sum += change.ToDouble();
      elapsed += (pair_time - *time).ToDouble();
    } else {
      ++jumps;
    }
  }
  time = pair_time;
  offset = pair_offset;
}

void Pairer::SetRate(vmafx_side side, int32_t num, int32_t den) {
  sides_[side].rate_interval = num > 0 && den > 0 ? std::optional(Rational(den, num)) : std::nullopt;
}

Status Pairer::Push(vmafx_side side_index, const vmafx_time& given) {
  Side& side = sides_[side_index];
  const auto name = [&] { return std::string(kSideNames[side_index]) + " frame " + std::to_string(side.pushed); };
  if (side.ended) return Status::Invalid(name() + " comes after the end of its stream");
  const bool missing = given.value == INT64_MIN;
  if (!missing && (given.num <= 0 || given.den <= 0))
    return Status::Invalid("the time base of " + name() + " is " + std::to_string(given.num) + "/" + std::to_string(given.den) +
                           ", both must be above 0");
  Frame& frame = side.waiting.emplace_back();  // nothing has changed where memory is short, and nothing after it needs any
  ++side.pushed;
  if (!missing) {
    const Rational time(Rational::Integer(given.value) * given.num, given.den);
    side.tick = Rational(given.num, given.den);
    if (sync_ == VMAFX_SYNC_INDEX) {
      if (!side.first) side.first = time;
      frame.time = time;
    } else if (side.last && time == *side.last) {
      frame.time = time;
      frame.repeated = true;
    } else if (!side.last || time > *side.last) {
      if (side.last) {
        side.intervals.push_back(time - *side.last);
        if (side.intervals.size() == kMedianFrames) side.intervals.erase(side.intervals.begin());
        frame.interval = Median(side.intervals);
      } else {
        side.first = time;
        frame.interval = side.rate_interval;
      }
      frame.time = side.last = time;
    }
  }
  return {};
}

Pairer::Ahead Pairer::NextUsable(vmafx_side index) const {
  const Side& side = sides_[index];
  for (size_t i = 1; i <= kLookahead; ++i) {
    if (i >= side.waiting.size()) return {side.ended, nullptr};
    if (side.waiting[i].time && !side.waiting[i].repeated) return {true, &side.waiting[i]};
  }
  return {true, nullptr};
}

// The interval of the oldest frame. False: it needs the next frame. True and none: there is nothing to take it from.
bool Pairer::IntervalOf(vmafx_side side, std::optional<Rational>* interval) const {
  const Frame& frame = sides_[side].waiting.front();
  *interval = frame.interval;
  if (frame.interval) return true;
  const Ahead next = NextUsable(side);
  if (next.frame) *interval = *next.frame->time - *frame.time;
  return next.known;
}

Pairer::Step Pairer::Decide() const {
  for (const vmafx_side side : {VMAFX_DISTORTED, VMAFX_REFERENCE}) {
    if (sides_[side].waiting.empty() && !sides_[side].ended) return {{}, side};
    if (sync_ == VMAFX_SYNC_TIME && !sides_[side].waiting.empty() && !sides_[side].waiting.front().time)
      return {Unpaired(side), {}};
  }
  const bool exhausted[] = {sides_[0].exhausted(), sides_[1].exhausted()};
  if (exhausted[0] && exhausted[1]) return {};
  if (exhausted[0]) return {VMAFX_UNPAIRED_REFERENCE, {}};
  if (exhausted[1]) return {VMAFX_UNPAIRED_DISTORTED, {}};
  return sync_ == VMAFX_SYNC_INDEX ? Step{VMAFX_PAIRED, {}} : DecideByTime();
}

Pairer::Step Pairer::DecideByTime() const {
  const Frame &distorted = sides_[VMAFX_DISTORTED].waiting.front(), &reference = sides_[VMAFX_REFERENCE].waiting.front();
  if (distorted.repeated && reference.repeated && partners_) return {VMAFX_PAIRED, {}};
  if (distorted.repeated) return {VMAFX_UNPAIRED_DISTORTED, {}};
  if (reference.repeated) return {VMAFX_UNPAIRED_REFERENCE, {}};
  const auto order = *distorted.time <=> *reference.time;
  if (order == 0) return {VMAFX_PAIRED, {}};
  return DecideEarlier(order < 0 ? VMAFX_DISTORTED : VMAFX_REFERENCE);
}

// The oldest frame of `early` is before the oldest of the other side: it pairs with that one or with none.
Pairer::Step Pairer::DecideEarlier(vmafx_side early) const {
  const vmafx_side late = Other(early);
  const Rational& time = *sides_[early].waiting.front().time;
  const Rational& late_time = *sides_[late].waiting.front().time;
  const Rational distance = late_time - time;
  const Step unpaired = {Unpaired(early), {}};
  if (sides_[late].before && time - *sides_[late].before <= distance) return unpaired;  // that one is nearer

  std::optional<Rational> intervals[2];
  const bool known[] = {IntervalOf(VMAFX_DISTORTED, &intervals[0]), IntervalOf(VMAFX_REFERENCE, &intervals[1])};
  if (known[0] && known[1]) {
    if (!intervals[0] || (intervals[1] && *intervals[1] < *intervals[0])) std::swap(intervals[0], intervals[1]);
    if (!intervals[0] || distance >= intervals[0]->Half()) return unpaired;
  }
  const Ahead next = NextUsable(early);
  if (!next.known) return {{}, early};
  if (next.frame && (*next.frame->time <= late_time || *next.frame->time - late_time < distance)) return unpaired;
  if (!known[late]) return {{}, late};
  return {VMAFX_PAIRED, {}};
}

void Pairer::Side::Decided() {
  const Frame& frame = waiting.front();
  if (frame.time && !frame.repeated) {
    if (before) {
      const Rational passed = *frame.time - *before;
      step.Add(passed);
      ++steps;
      if (frame.interval) {
        const double frames = std::round(passed.ToDouble() / frame.interval->ToDouble());
        if (frames <= kLostFrames + 1) {
          regular_steps += static_cast<uint64_t>(std::max(frames, 1.0));
          regular_span += passed.ToDouble();
        }
      }
      interval = frame.interval;
    }
    before = frame.time;
  }
  waiting.pop_front();
  ++decided;
}

// By how much rounding moved time stamps: what the intervals show, and a tick, unless it is nearly as long as a frame, as in
// streams that count frames.
Rational Pairer::Side::Rounding() const {
  return interval && tick <= interval->Half() ? std::max(step.Width(), tick) : step.Width();
}

// One measure alone does not tell: intervals that change on one side only (every other frame of the end left out) do not
// move the offsets, and jitter of nearly half an interval makes jumps that do not cancel out.
bool Pairer::OffsetsDrift() const {
  const Side &distorted = sides_[VMAFX_DISTORTED], &reference = sides_[VMAFX_REFERENCE];
  const double interval = std::min(distorted.interval->ToDouble(), reference.interval->ToDouble());
  const double offsets = drift_.sum / drift_.elapsed;
  const double intervals = reference.MeanInterval() / distorted.MeanInterval() - 1;
  return std::abs(drift_.sum) >= interval && std::abs(offsets) >= kSameRate &&
         std::abs(intervals) * drift_.elapsed >= interval * std::sqrt(1 + static_cast<double>(drift_.jumps)) &&
         offsets * intervals > 0 && RatioAboveOne(offsets, intervals) <= kSameDrift;
}

// Both streams have ended with about as many frames, and one has much longer intervals, and not for a few gaps.
bool Pairer::SameFramesTakeLonger() const {
  const Side &distorted = sides_[VMAFX_DISTORTED], &reference = sides_[VMAFX_REFERENCE];
  if (!distorted.exhausted() || !reference.exhausted()) return false;
  const auto [fewer, more] = std::minmax(distorted.steps, reference.steps);
  const auto span = [](const Side& side) { return (*side.before - *side.first).ToDouble(); };
  return static_cast<double>(more - fewer) <= kSameFrames * static_cast<double>(more) &&
         RatioAboveOne(span(distorted), span(reference)) >= kMultipleRate &&
         RatioAboveOne(distorted.MeanInterval(), reference.MeanInterval()) >= kMultipleRate;
}

bool Pairer::RatesDiffer() const {
  const Side &distorted = sides_[VMAFX_DISTORTED], &reference = sides_[VMAFX_REFERENCE];
  if (sync_ == VMAFX_SYNC_INDEX || !distorted.interval || !reference.interval) return false;
  const bool all = distorted.exhausted() && reference.exhausted();
  if (!all && std::min(distorted.steps, reference.steps) + 1 < kRateFrames) return false;
  const auto &a = distorted.rate_interval, &b = reference.rate_interval;
  const bool same_nominal = a && b && std::abs(a->ToDouble() / b->ToDouble() - 1) < kSameRate;
  if (OffsetsDrift()) return true;
  const Rational width = offset_.Width();
  const bool wide = width > distorted.Rounding() + reference.Rounding();
  if (same_nominal) {
    if (!all) return false;  // few frames show less jitter in the intervals than in the offsets
    return (wide && width >= std::min(*distorted.interval, *reference.interval).Half()) || SameFramesTakeLonger();
  }
  return wide || RatioAboveOne(distorted.interval->ToDouble(), reference.interval->ToDouble()) >= kMultipleRate;
}

void Pairer::Unpair(vmafx_side index) {
  Side& side = sides_[index];
  if (side.waiting.front().time && !side.waiting.front().repeated) partners_ = false;
  if (side.unpaired < side.first_unpaired.size()) side.first_unpaired[side.unpaired] = side.decided;
  ++side.unpaired;
  side.Decided();
}

vmafx_result Pairer::Next(vmafx_pairing* pairing) {
  const Step step = Decide();
  if (!step.decision) return step.needs ? VMAFX_AGAIN : VMAFX_END;
  Side &distorted = sides_[VMAFX_DISTORTED], &reference = sides_[VMAFX_REFERENCE];
  *pairing = {*step.decision, 0, 0, 0};
  if (*step.decision != VMAFX_UNPAIRED_REFERENCE) pairing->distorted = distorted.decided;
  if (*step.decision != VMAFX_UNPAIRED_DISTORTED) pairing->reference = reference.decided;
  if (*step.decision != VMAFX_PAIRED) {
    Unpair(*step.decision == VMAFX_UNPAIRED_DISTORTED ? VMAFX_DISTORTED : VMAFX_REFERENCE);
    return VMAFX_OK;
  }
  const std::optional<Rational> &a = distorted.waiting.front().time, &b = reference.waiting.front().time;
  pairing->distance = kNan;
  if (a && b) {
    const Rational distance = *a < *b ? *b - *a : *a - *b;
    largest_distance_ = std::max(largest_distance_, std::optional(distance));
    pairing->distance = distance.ToDouble();
    if (!distorted.waiting.front().repeated) {
      offset_.Add(*b - *a);
      const auto &d = distorted.waiting.front().interval, &r = reference.waiting.front().interval;
      if (d && r) drift_.Add(*a, *b - *a, std::min(*d, *r), partners_);
    }
  }
  ++pairs_;
  partners_ = true;
  distorted.Decided();
  reference.Decided();
  return VMAFX_OK;
}

bool Pairer::Wants(vmafx_side side) const {
  const Step step = Decide();
  return step.needs && !sides_[side].ended && (*step.needs == side || sides_[side].waiting.empty());
}

vmafx_pairing_stats Pairer::Stats() const {
  vmafx_pairing_stats stats = {};
  stats.struct_size = sizeof stats;
  stats.pairs = pairs_;
  for (int i = 0; i < 2; ++i) {
    const Side& side = sides_[i];
    stats.frames[i] = side.pushed;
    stats.unpaired[i] = side.unpaired;
    stats.undecided[i] = side.waiting.size();
    stats.first_unpaired_count[i] = static_cast<uint32_t>(std::min<uint64_t>(side.unpaired, side.first_unpaired.size()));
    std::copy(side.first_unpaired.begin(), side.first_unpaired.end(), stats.first_unpaired[i]);
  }
  stats.largest_distance = largest_distance_ ? largest_distance_->ToDouble() : kNan;
  stats.rates_differ = RatesDiffer();
  for (int i = 0; i < 2; ++i) {
    const Side& side = sides_[i];
    stats.rate[i] = sync_ == VMAFX_SYNC_TIME ? 1 / side.MeanInterval() : kNan;
  }
  if (sides_[0].first && sides_[1].first) {
    stats.start_offset = (*sides_[VMAFX_REFERENCE].first - *sides_[VMAFX_DISTORTED].first).ToDouble();
    stats.start_offset_known = 1;
  }
  return stats;
}

}  // namespace vmafx
