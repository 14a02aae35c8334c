// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/pairing.h"

#include <algorithm>
#include <span>
#include <string>

namespace vmafx {
namespace {

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

}  // namespace

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
    if (!side.last || time > *side.last) {
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
    if (side.waiting[i].time) return {true, &side.waiting[i]};
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
  const auto order = *sides_[VMAFX_DISTORTED].waiting.front().time <=> *sides_[VMAFX_REFERENCE].waiting.front().time;
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
  if (waiting.front().time) before = waiting.front().time;
  waiting.pop_front();
  ++decided;
}

void Pairer::Unpair(vmafx_side index) {
  Side& side = sides_[index];
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
  if (sync_ == VMAFX_SYNC_TIME) {
    const Rational &a = *distorted.waiting.front().time, &b = *reference.waiting.front().time;
    const Rational distance = a < b ? b - a : a - b;
    largest_distance_ = std::max(largest_distance_, distance);
    pairing->distance = distance.ToDouble();
  }
  ++pairs_;
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
    stats.first_unpaired_count[i] = static_cast<uint32_t>(std::min<uint64_t>(side.unpaired, side.first_unpaired.size()));
    std::copy(side.first_unpaired.begin(), side.first_unpaired.end(), stats.first_unpaired[i]);
  }
  stats.largest_distance = largest_distance_.ToDouble();
  if (sides_[0].first && sides_[1].first) {
    stats.start_offset = (*sides_[VMAFX_REFERENCE].first - *sides_[VMAFX_DISTORTED].first).ToDouble();
    stats.start_offset_known = 1;
  }
  return stats;
}

}  // namespace vmafx
    stats.undecided[i] = side.waiting.size();
