// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a device does for each pair of one format: which metrics run on which queue, and what is read back.
//
// There are two queues, each with scratch memory of its own. Pairs take turns on them, so that the small launches at one
// pair's end run beside the next one's large ones. Two copies of a large scratch are not worth their memory: a metric that
// needs more than the limit keeps the first queue, and the others run beside it on the second one, where they fill the
// device at the ends of its launches (H200, the three default metrics of a 2160p pair: 0.65 ms instead of 0.71).
#ifndef VMAFX_ENGINE_DEVICE_PROGRAM_H_
#define VMAFX_ENGINE_DEVICE_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/engine/device.h"
#include "core/engine/device_memory.h"
#include "core/metrics/metric.h"

namespace vmafx {

inline constexpr size_t kLanes = 2;
// Bytes of scratch memory of one pair up to which both queues get some.
inline constexpr size_t kTwoLanesScratch = size_t{96} << 20;

// A queue and its scratch memory.
struct DeviceLane {
  explicit DeviceLane(Device& device) : scratch(device) {}
  std::unique_ptr<DeviceQueue> queue;
  DeviceMemory scratch;
};

class DeviceProgram {
 public:
  // The parts of `metrics` whose bit is set in `active`.
  static Status Make(const PairFormat& format, std::span<const Metric* const> metrics, uint64_t active,
                     const Options& options, size_t two_lanes_scratch, Device& device,
                     std::unique_ptr<DeviceProgram>* made);

  // Of the block that Enqueue() fills and reads back.
  size_t result_bytes() const { return result_bytes_; }

  // The lanes that pair `number` uses: their scratch memory grows as needed. The results are ready in the first one, and
  // nothing of the pair runs before what is on each of them now.
  Status Lanes(uint64_t number, std::span<const std::unique_ptr<DeviceLane>> all, std::vector<DeviceLane*>* used) const;

  // Enqueues one pair on the lanes that Lanes() gave, up to the copy of its block to `on_host`. `joint` is a mark of the
  // pair's own. `stored` and `lifted`: see Job.
  Status Enqueue(const PairView& stored, const PairView& lifted, std::span<DeviceLane* const> used, DeviceMark& joint,
                 DeviceAddress result, std::byte* on_host) const;

  // The values of a block that was read back; those of metrics[i] begin at values[first[i]].
  Status Finish(const std::byte* block, std::span<const size_t> first, std::span<double> values) const;

 private:
  struct Part {
    size_t metric;  // in `metrics`
    bool sample_domain;
    std::unique_ptr<DeviceExtractor> extractor;
    size_t result;  // offset in the block
  };
  // Parts that run one after another and share scratch memory. Their results are neighbours.
  struct Group {
    std::vector<Part> parts;
    size_t scratch_bytes = 0;  // the largest
    size_t result = 0;
    size_t result_bytes = 0;
  };

  std::vector<Group> groups_;  // one, or one for each lane
  bool alternates_ = true;     // pairs take turns
  size_t result_bytes_ = 0;
};

}  // namespace vmafx
#endif  // VMAFX_ENGINE_DEVICE_PROGRAM_H_
