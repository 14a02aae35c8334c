// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which frames of two streams belong together.
//
// By time: d and r pair if each is the other's nearest (of two equally near ones the earlier) and their distance is less
// than half of the smaller of their intervals. The interval of a frame is the median of those between the last 16 frames
// of its stream up to it, the mean of the middle two where their number is even. The first frame of a stream has none: it
// takes the one of the nominal frame rate, without a rate that to the next frame, and without a next frame any distance
// but 0 is too large. Frames without a time stamp, or with one that is earlier than one before, are unpaired and count for
// nothing else. Frames that repeat the time stamp before them count as one, and where that one has a partner, the n-th of
// its repetitions pairs with the n-th of the partner's.
//
// The decisions, and their order, depend on the two sequences of time stamps only, not on how the pushes of the two sides
// interleave. A decision is about the two oldest undecided frames and needs, where their times differ, the next one
// of the earlier frame's side (to see whether it is nearer); at most kLookahead frames without a usable time stamp
// are passed over to find it, so that what a caller must hold is bounded.
//
// Whether the two streams have different frame rates is told from the frames decided so far, because a nominal rate says
// little: that of a recording with a variable rate is a mean, and a lost frame changes it. The distance between partners
// (with its sign) varies by no more than the intervals of both streams do, unless the rates differ. Intervals that vary
// much, be it for one gap, hide that: then it is a difference of the rates where the distance drifts by a whole interval,
// jumps to other partners apart, as fast as the mean intervals, gaps filled or left out, say. Where one rate is a multiple
// of the other the distance does not vary at all, but the intervals show it. Equal nominal rates say that frames were left
// out of one stream rather than that, unless it ends with as many frames as the other. Nor are small changes of the
// distance then told before the end: as long as they are below half an interval, no frame has a wrong partner.
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
  static constexpr uint64_t kRateFrames = 8;  // of each side, before a word is said about rates

  explicit Pairer(vmafx_sync sync) : sync_(sync) {}

  void SetRate(vmafx_side side, int32_t num, int32_t den);
  Status Push(vmafx_side side, const vmafx_time& time);
  void End(vmafx_side side) { sides_[side].ended = true; }
  // VMAFX_OK, VMAFX_AGAIN or VMAFX_END.
  vmafx_result Next(vmafx_pairing* pairing);
  bool Wants(vmafx_side side) const;
  vmafx_pairing_stats Stats() const;

 private:
  // Least and greatest of some values.
  struct Extent {
    std::optional<Rational> least, greatest;
    void Add(const Rational& value);
    Rational Width() const { return least ? *greatest - *least : Rational(); }
  };

  struct Frame {
    std::optional<Rational> time;      // none: unusable; by index: of no consequence but for the distance
    bool repeated = false;             // the time of the last usable frame before
    std::optional<Rational> interval;  // none: the first of its stream, without a rate
  };

  struct Side {
    std::deque<Frame> waiting;  // undecided, oldest first
    bool ended = false;
    uint64_t pushed = 0;
    uint64_t decided = 0;
    std::optional<Rational> rate_interval;
    Rational tick;                       // of the time stamps: the last time base
    std::optional<Rational> first;       // first usable time
    std::optional<Rational> last;        // last usable time pushed
    std::optional<Rational> before;      // last usable time decided
    uint64_t steps = 0;                  // intervals up to there
    Extent step;                         // and what they are
    uint64_t regular_steps = 0;          // long gaps apart, and with the frames that short ones lack
    double regular_span = 0;             // their sum, seconds
    std::optional<Rational> interval;    // of the last usable frame decided
    std::vector<Rational> intervals;     // between the last kMedianFrames usable frames
    uint64_t unpaired = 0;
    std::array<uint64_t, 8> first_unpaired = {};

    Side() { intervals.reserve(kMedianFrames); }
    bool exhausted() const { return waiting.empty() && ended; }
    Rational Rounding() const;
    double MeanInterval() const { return regular_span / static_cast<double>(regular_steps); }  // NaN: unknown
    void Decided();
  };

  // How the offset changes from pair to pair, without the jumps to other partners.
  struct Drift {
    std::optional<Rational> time, offset;  // of the last pair
    Rational jitter;                       // the largest change without an unpaired frame in between
    double sum = 0, elapsed = 0;           // seconds
    uint64_t jumps = 0;
    // `next`: no frame of either side is between this pair and the last one.
    void Add(const Rational& pair_time, const Rational& pair_offset, const Rational& interval, bool next);
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
  bool OffsetsDrift() const;
  bool SameFramesTakeLonger() const;
  bool RatesDiffer() const;

  const vmafx_sync sync_;
  Side sides_[2];
  uint64_t pairs_ = 0;
  bool partners_ = false;  // the last decided frames of both sides, repetitions apart, are a pair
  std::optional<Rational> largest_distance_;
  Extent offset_;          // of the reference's times from those of their partners
  Drift drift_;            // of the same
};

}  // namespace vmafx
#endif  // VMAFX_ENGINE_PAIRING_H_
