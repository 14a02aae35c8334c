// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/device_program.h"

#include <algorithm>
#include <string>

namespace vmafx {

Status DeviceProgram::Make(const PairFormat& format, std::span<const Metric* const> metrics, uint64_t active,
                           const Options& options, size_t two_lanes_scratch, Device& device,
                           std::unique_ptr<DeviceProgram>* made) {
  auto program = std::make_unique<DeviceProgram>();
  Group large, small;
  for (size_t i = 0; i < metrics.size(); ++i) {
    if ((active >> i & 1) == 0) continue;
    auto extractor = metrics[i]->MakeDevice(format, options, device);
    if (!extractor)
      return Status::Unsupported(std::string(metrics[i]->info().name) +
                                 " is not measured on devices: use backend=cpu for it");
    VMAFX_RETURN_IF_ERROR(extractor->Prepare(device));
    const size_t scratch_bytes = AlignDevice(extractor->scratch_bytes());
    Group& group = scratch_bytes > two_lanes_scratch ? large : small;
    group.scratch_bytes = std::max(group.scratch_bytes, scratch_bytes);
    group.parts.push_back({i, metrics[i]->SampleDomain(), std::move(extractor), 0});
  }
  program->alternates_ = large.parts.empty();
  for (Group* group : {&large, &small}) {
    // A pair that nothing measures is enqueued as any other.
    if (group->parts.empty() && (group == &large || !program->groups_.empty())) continue;
    group->result = program->result_bytes_;
    for (Part& part : group->parts) {
      part.result = program->result_bytes_;
      program->result_bytes_ += AlignDevice(part.extractor->result_bytes());
    }
    group->result_bytes = program->result_bytes_ - group->result;
    program->groups_.push_back(std::move(*group));
  }
  *made = std::move(program);
  return {};
}

Status DeviceProgram::Lanes(uint64_t number, std::span<const std::unique_ptr<DeviceLane>> all,
                            std::vector<DeviceLane*>* used) const {
  used->clear();
  for (size_t group = 0; group < groups_.size(); ++group) {
    DeviceLane* const lane = all[(alternates_ ? number : group) % all.size()].get();
    if (groups_[group].scratch_bytes > lane->scratch.bytes()) {
      VMAFX_RETURN_IF_ERROR(lane->queue->Drain());
      VMAFX_RETURN_IF_ERROR(lane->scratch.Reserve(groups_[group].scratch_bytes));
    }
    used->push_back(lane);
  }
  return {};
}

Status DeviceProgram::Enqueue(const PairView& stored, const PairView& lifted, std::span<DeviceLane* const> used,
                              DeviceMark& joint, DeviceAddress result, std::byte* on_host) const {
  for (size_t i = 0; i < groups_.size(); ++i) {
    DeviceLane& lane = *used[i];
    VMAFX_RETURN_IF_ERROR(lane.queue->Zero(result + groups_[i].result, groups_[i].result_bytes));
    for (const Part& part : groups_[i].parts) {
      DeviceTask task(*lane.queue, lane.scratch.address(), result + part.result);
      VMAFX_RETURN_IF_ERROR(part.extractor->Enqueue(part.sample_domain ? lifted : stored, task));
    }
  }
  if (used.back() != used.front()) {
    VMAFX_RETURN_IF_ERROR(used.back()->queue->Record(joint));
    VMAFX_RETURN_IF_ERROR(used.front()->queue->WaitFor(joint));
  }
  return used.front()->queue->CopyToHost(on_host, result, result_bytes_);
}

Status DeviceProgram::Finish(const std::byte* block, std::span<const size_t> first, std::span<double> values) const {
  for (const Group& group : groups_)
    for (const Part& part : group.parts) {
      const size_t begin = first[part.metric], count = first[part.metric + 1] - begin;
      VMAFX_RETURN_IF_ERROR(part.extractor->Finish(
          std::span<const std::byte>(block + part.result, part.extractor->result_bytes()), values.subspan(begin, count)));
    }
  return {};
}

}  // namespace vmafx
