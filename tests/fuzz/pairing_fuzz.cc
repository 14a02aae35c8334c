// SPDX-License-Identifier: BSD-2-Clause-Patent
// Two sequences of any time stamps, fed to one pairer in any order of calls and to another as it asks for them: each frame
// is decided once and in order, what waits is bounded, and the decisions are those of the sequences alone.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "core/engine/pairing.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/results.h"
#include "vmafx/vmafx.h"

namespace vmafx::fuzz {
namespace {

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

struct Case {
  vmafx_sync sync;
  std::vector<vmafx_time> times[2];
  int32_t rate[2][2];
};

class Run {
 public:
  explicit Run(const Case& of) : case_(of), pairer_(vmafx_pairer_create(of.sync)) {
    Require(pairer_);
    for (const vmafx_side side : {VMAFX_DISTORTED, VMAFX_REFERENCE})
      vmafx_pairer_set_rate(pairer_, side, of.rate[side][0], of.rate[side][1]);
  }
  ~Run() { vmafx_pairer_destroy(pairer_); }

  const std::vector<vmafx_pairing>& decisions() const { return decisions_; }
  bool Ended(vmafx_side side) const { return ended_[side]; }
  bool Wants(vmafx_side side) const { return vmafx_pairer_wants(pairer_, side) != 0; }
  uint64_t Waiting(vmafx_side side) const { return pushed_[side] - decided_[side]; }

  // The next frame of a side, or its end.
  void Feed(vmafx_side side) {
    if (given_[side] == case_.times[side].size()) {
      vmafx_pairer_end(pairer_, side);
      ended_[side] = true;
      return;
    }
    const vmafx_time& time = case_.times[side][given_[side]++];
    vmafx_error error = Unwritten();
    const int result = vmafx_pairer_push(pairer_, side, time, &error);
    RequireResult(result, {VMAFX_OK, VMAFX_ERROR_INVALID}, error);
    const bool valid = time.value == INT64_MIN || (time.num > 0 && time.den > 0);
    Require((result == VMAFX_OK) == (valid && !ended_[side]));
    pushed_[side] += result == VMAFX_OK;
  }

  // Takes one decision.
  int Next() {
    vmafx_pairing pairing = {};
    const int result = vmafx_pairer_next(pairer_, &pairing);
    Require(result == VMAFX_OK || result == VMAFX_AGAIN || result == VMAFX_END);
    if (result == VMAFX_AGAIN)
      Require((!ended_[0] && Wants(VMAFX_DISTORTED)) || (!ended_[1] && Wants(VMAFX_REFERENCE)));
    if (result == VMAFX_END)
      Require(ended_[0] && ended_[1] && Waiting(VMAFX_DISTORTED) == 0 && Waiting(VMAFX_REFERENCE) == 0);
    if (result != VMAFX_OK) return result;
    Require(pairing.distance >= 0 || (std::isnan(pairing.distance) && case_.sync == VMAFX_SYNC_INDEX));
    Require(!std::isinf(pairing.distance));
    if (pairing.kind != VMAFX_UNPAIRED_REFERENCE) Require(pairing.distorted == decided_[VMAFX_DISTORTED]++);
    if (pairing.kind != VMAFX_UNPAIRED_DISTORTED) Require(pairing.reference == decided_[VMAFX_REFERENCE]++);
    Require(decided_[0] <= pushed_[0] && decided_[1] <= pushed_[1]);
    decisions_.push_back(pairing);
    return result;
  }

  void CheckStats() const {
    vmafx_pairing_stats stats = {};
    stats.struct_size = sizeof stats;
    vmafx_pairer_stats(pairer_, &stats);
    double largest = std::numeric_limits<double>::quiet_NaN();
    for (const vmafx_pairing& pairing : decisions_)
      if (pairing.kind == VMAFX_PAIRED) largest = std::fmax(largest, pairing.distance);
    Require(Same(stats.largest_distance, largest) && std::isfinite(stats.start_offset));
    for (int side = 0; side < 2; ++side) {
      Require(stats.frames[side] == pushed_[side] && stats.pairs + stats.unpaired[side] == decided_[side]);
      Require(stats.undecided[side] == pushed_[side] - decided_[side]);
      Require(stats.first_unpaired_count[side] == std::min<uint64_t>(stats.unpaired[side], 8));
    }
  }

 private:
  const Case& case_;
  vmafx_pairer* pairer_;
  size_t given_[2] = {};
  uint64_t pushed_[2] = {}, decided_[2] = {};
  bool ended_[2] = {};
  std::vector<vmafx_pairing> decisions_;
};

// Regular time stamps, with whatever can happen to them.
void MakeTimes(Input& input, std::vector<vmafx_time>* times) {
  static constexpr int32_t kBases[][2] = {{1, 25}, {1, 1000}, {1, 90000}, {1001, 30000}, {1, INT32_MAX}, {INT32_MAX, 1}};
  static constexpr int64_t kIntervals[] = {1, 40, 3600, 2, 33, 1001};
  const int32_t* base = kBases[input.Byte() % std::size(kBases)];
  const int64_t interval = input.OneOf(kIntervals);
  const int frames = input.From(0, 63);
  uint64_t value = input.Byte();
  for (int i = 0; i < frames; ++i) {
    vmafx_time time = {static_cast<int64_t>(value), base[0], base[1]};
    value += static_cast<uint64_t>(interval);
    const uint8_t event = input.Byte();
    if (event >= 250) time = {static_cast<int64_t>(input.Word()), input.Int(), input.Int()};
    else if (event >= 240) time.value = input.OneOf({INT64_MIN, INT64_MIN + 1, INT64_MAX, int64_t{0}});
    else if (event >= 224) base = kBases[input.Byte() % std::size(kBases)];
    else if (event >= 192) value += input.Byte();
    else if (event >= 160) value -= static_cast<uint64_t>(interval);
    else if (event >= 128) time.value += input.From(-3, 3);
    times->push_back(time);
  }
}

}  // namespace
}  // namespace vmafx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vmafx::fuzz;
  Input input(data, size);
  Case one;
  one.sync = input.Byte() < 224 ? VMAFX_SYNC_TIME : VMAFX_SYNC_INDEX;
  for (int side = 0; side < 2; ++side) {
    static constexpr int32_t kRates[][2] = {{0, 1}, {25, 1}, {30000, 1001}, {-1, 1}, {1, INT32_MAX}};
    const int32_t* rate = kRates[input.Byte() % std::size(kRates)];
    one.rate[side][0] = rate[0];
    one.rate[side][1] = rate[1];
    MakeTimes(input, &one.times[side]);
  }

  Run asked(one);
  for (int result; (result = asked.Next()) != VMAFX_END;) {
    if (result == VMAFX_OK) continue;
    for (const vmafx_side side : {VMAFX_DISTORTED, VMAFX_REFERENCE}) {
      if (!asked.Ended(side) && asked.Wants(side)) asked.Feed(side);
      Require(asked.Waiting(side) <= vmafx::Pairer::kLookahead + 1);
    }
  }
  asked.CheckStats();

  Run any(one);
  while (!input.empty()) {
    const uint8_t call = input.Byte();
    const vmafx_side side = call & 1 ? VMAFX_REFERENCE : VMAFX_DISTORTED;
    if (call < 128 && !any.Ended(side)) any.Feed(side);
    if (call >= 128) any.Next();
    if (call >= 250) any.CheckStats();
  }
  for (const vmafx_side side : {VMAFX_DISTORTED, VMAFX_REFERENCE})
    while (!any.Ended(side)) any.Feed(side);
  any.Feed(VMAFX_DISTORTED);  // after its end
  while (any.Next() == VMAFX_OK) {
  }
  any.CheckStats();

  Require(any.decisions().size() == asked.decisions().size());
  for (size_t i = 0; i < any.decisions().size(); ++i) {
    const vmafx_pairing &a = any.decisions()[i], &b = asked.decisions()[i];
    Require(a.kind == b.kind && a.distorted == b.distorted && a.reference == b.reference && Same(a.distance, b.distance));
  }
  return 0;
}
