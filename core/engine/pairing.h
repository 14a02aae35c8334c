// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which frames of two streams belong together.
//
// By time: d and r pair if each is the other's nearest (of two equally near ones the earlier) and their distance is less
// than half of the smaller of their intervals. The interval of a frame is the median of those between the last 16 frames
// of its stream up to it, the mean of the middle two where their number is even. The first frame of a stream has none: it
// takes the one of the nominal frame rate, without a rate that to the next frame, and without a next frame any distance
// but 0 is too large. Frames without a time stamp, or with one that is not later than all before, are unpaired and count
// for nothing else.
//
// The decisions, and their order, depend on the two sequences of time stamps only, not on how the pushes of the two sides
// interleave. A decision is about the two oldest undecided frames and needs, where their times differ, the next one
// of the earlier frame's side (to see whether it is nearer); at most kLookahead frames without a usable time stamp
// are passed over to find it, so that what a caller must hold is bounded.
#ifndef VMAFX_ENGINE_PAIRING_H_
#define VMAFX_ENGINE_PAIRING_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/engine/rational.h"
#include "core/engine/status.h"
#include "vmafx/vmafx.h"

namespace vmafx {

class Pairer {
 public:
  static constexpr size_t kMedianFrames = 16;
  static constexpr size_t kLookahead = 16;

  explicit Pairer(vmafx_sync sync) : sync_(sync) {}

  void SetRate(vmafx_side side, int32_t num, int32_t den);
  Status Push(vmafx_side side, const vmafx_time& time);
  void End(vmafx_side side) { sides_[side].ended = true; }
  // VMAFX_OK, VMAFX_AGAIN or VMAFX_END.
  vmafx_result Next(vmafx_pairing* pairing);
  bool Wants(vmafx_side side) const;
  vmafx_pairing_stats Stats() const;

 private:
  struct Frame {
    std::optional<Rational> time;      // none: unusable
    std::optional<Rational> interval;  // none: the first of its stream, without a rate
  };

  struct Side {
    std::deque<Frame> waiting;  // undecided, oldest first
    bool ended = false;
    uint64_t pushed = 0;
    uint64_t decided = 0;
    std::optional<Rational> rate_interval;
    std::optional<Rational> first;       // first usable time
    std::optional<Rational> last;        // last usable time pushed
    std::optional<Rational> before;      // last usable time decided
    std::vector<Rational> intervals;     // between the last kMedianFrames usable frames
    uint64_t unpaired = 0;
    std::array<uint64_t, 8> first_unpaired = {};

    Side() { intervals.reserve(kMedianFrames); }
    bool exhausted() const { return waiting.empty() && ended; }
    void Decided();
  };

  // A decision, or the side whose next frame is needed for one, or neither at the end.
  struct Step {
    std::optional<vmafx_pairing_kind> decision;
    std::optional<vmafx_side> needs;
  };

  // What a frame of `side` after the oldest one is: nothing yet, none within reach, or one with a usable time.
  struct Ahead {
    bool known = false;
    const Frame* frame = nullptr;
  };

  Step Decide() const;
  Step DecideByTime() const;
  Step DecideEarlier(vmafx_side early) const;
  Ahead NextUsable(vmafx_side side) const;
  bool IntervalOf(vmafx_side side, std::optional<Rational>* interval) const;
  void Unpair(vmafx_side side);

  const vmafx_sync sync_;
  Side sides_[2];
  uint64_t pairs_ = 0;
  Rational largest_distance_;
};

}  // namespace vmafx
#endif  // VMAFX_ENGINE_PAIRING_H_
