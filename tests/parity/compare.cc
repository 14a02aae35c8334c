// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/parity/compare.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>

#include "core/engine/device_backend.h"
#include "core/engine/workers.h"
#include "core/numeric/samples.h"
#include "tests/parity/surface.h"

namespace vmafx::test {
namespace {

constexpr size_t kShownDifferences = 5;

Plan PlanOf(const ParityCase& c) {
  Plan plan;
  plan.metrics = c.metrics;
  plan.options = c.options;
  plan.first.push_back(0);
  for (const Metric* metric : c.metrics) plan.first.push_back(plan.first.back() + metric->Features(c.options).size());
  return plan;
}

// The pictures of one pair; in device memory they lie as they lie in host memory.
struct Pair {
  BlockPicture distorted, reference;
};

BlockPicture MakePicture(const ParityCase& c, int frame, vmafx_side side) {
  const bool distorted = side == VMAFX_DISTORTED;
  const Format& format = distorted ? c.format.distorted : c.format.reference;
  const BlockLayout& layout = distorted ? c.distorted : c.reference;
  if (c.clip != nullptr) {
    const PictureView view = distorted ? c.clip->Distorted(frame) : c.clip->Reference(frame);
    return BlockPicture(format, layout,
                        [&](int component, int x, int y) { return Sample(view.component[component], x, y); });
  }
  return BlockPicture(format, layout, [&](int component, int x, int y) {
    return SceneSample(c.scene, frame, side, format.depth, component, x, y);
  });
}

Pair MakePair(const ParityCase& c, int frame) {
  return {MakePicture(c, frame, VMAFX_DISTORTED), MakePicture(c, frame, VMAFX_REFERENCE)};
}

PairView ViewOf(const Pair& pair, const uint8_t* distorted, const uint8_t* reference, const PairFormat& format,
                bool lifted) {
  return {pair.distorted.View(distorted, lifted ? format.depth - format.distorted.depth : 0),
          pair.reference.View(reference, lifted ? format.depth - format.reference.depth : 0)};
}

// A picture's bytes on the device, flush with the end of the allocation: on the host runner what reads on faults.
class DeviceCopy {
 public:
  explicit DeviceCopy(Device& device) : device_(device) {}
  DeviceCopy(DeviceCopy&& other) noexcept : device_(other.device_), address_(std::exchange(other.address_, 0)), data_(other.data_) {}
  ~DeviceCopy() {
    if (address_ != 0) device_.Free(address_);
  }
  Status Upload(const std::vector<uint8_t>& bytes) {
    const size_t size = AlignDevice(bytes.size());
    VMAFX_RETURN_IF_ERROR(device_.Allocate(size, &address_));
    // Planes keep the alignment that their block gives them.
    data_ = address_ + (size - bytes.size()) / 16 * 16;
    return device_.Upload(data_, bytes.data(), bytes.size());
  }
  const uint8_t* data() const { return reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(data_)); }

 private:
  Device& device_;
  DeviceAddress address_ = 0;
  DeviceAddress data_ = 0;
};

// A picture that the backend holds.
struct Held {
  int released = 0;
  std::vector<Surface*> surfaces;  // the next frame is written as soon as they are released
};

// The surfaces of two decoders, each given again once the pair it was in has been measured.
class SurfacePools {
 public:
  explicit SurfacePools(size_t surfaces) : surfaces_(surfaces) {}

  // Puts a side's picture of this frame into its surface.
  void Give(int frame, vmafx_side side, const std::vector<uint8_t>& bytes, Job* job, Held* held) {
    const size_t number = static_cast<size_t>(frame) % surfaces_;
    std::unique_ptr<Surface>& surface = pools_[side][number];
    if (!surface) surface = std::make_unique<Surface>(side + 1, number, bytes.size());
    surface->Write(bytes);
    job->dmabuf[side] = &surface->Export();
    held->surfaces.push_back(surface.get());
  }
  // The descriptors may go as soon as the pair is submitted.
  static Status Close(const Held& held) {
    for (Surface* surface : held.surfaces)
      if (!surface->Close()) return Status::Internal("the library has closed a descriptor of its caller");
    return {};
  }

 private:
  const size_t surfaces_;
  std::map<size_t, std::unique_ptr<Surface>> pools_[2];  // by vmafx_side
};

// Runs all pairs of the case through the backend; rows come in order.
Status MeasureOnDevice(const ParityCase& c, const OpenDevice& open, std::vector<std::vector<double>>* rows) {
  std::unique_ptr<Device> opened;
  VMAFX_RETURN_IF_ERROR(open(&opened));
  Device& device = *opened;
  Status status;
  const auto backend = MakeDeviceBackend(PlanOf(c), std::move(opened), &status, c.two_lanes_scratch);
  if (!backend) return status;
  std::deque<Pair> pairs;
  std::deque<DeviceCopy> copies;
  std::deque<Held> holds;
  SurfacePools pools(backend->queue() + 1);
  size_t submitted = 0, received = 0;
  const auto receive = [&]() -> Status {
    Outcome outcome;
    backend->Receive(true, &outcome);
    if (holds[received++].released != 2) return Status::Internal("a picture was not released before its row came");
    rows->push_back(outcome.values);
    return outcome.status;
  };
  // After an error, too, the pictures stay until nothing reads them.
  struct Finally {
    std::function<void()> action;
    ~Finally() { action(); }
  } const receive_the_rest = {[&] {
    while (received < submitted) (void)receive();
  }};
  for (int frame = 0; frame < c.frames; ++frame) {
    if (submitted - received == backend->queue()) VMAFX_RETURN_IF_ERROR(receive());
    const Pair& pair = pairs.emplace_back(MakePair(c, frame));
    const uint8_t* distorted = pair.distorted.bytes().data();
    const uint8_t* reference = pair.reference.bytes().data();
    Held& held = holds.emplace_back();
    Job job;
    job.index = static_cast<uint64_t>(frame);
    job.format = c.format;
    job.active = (uint64_t{1} << c.metrics.size()) - 1;
    if (c.surfaces && !c.host_memory) {
      pools.Give(frame, VMAFX_DISTORTED, pair.distorted.bytes(), &job, &held);
      pools.Give(frame, VMAFX_REFERENCE, pair.reference.bytes(), &job, &held);
      distorted = reference = nullptr;
      job.distorted_memory = job.reference_memory = VMAFX_MEMORY_DMABUF;
    } else if (!c.host_memory) {
      DeviceCopy& distorted_copy = copies.emplace_back(device);
      DeviceCopy& reference_copy = copies.emplace_back(device);
      VMAFX_RETURN_IF_ERROR(distorted_copy.Upload(pair.distorted.bytes()));
      VMAFX_RETURN_IF_ERROR(reference_copy.Upload(pair.reference.bytes()));
      distorted = distorted_copy.data();
      reference = reference_copy.data();
      job.distorted_memory = job.reference_memory = VMAFX_MEMORY_CUDA;
    }
    job.stored = ViewOf(pair, distorted, reference, c.format, false);
    job.lifted = ViewOf(pair, distorted, reference, c.format, true);
    for (PictureHold& hold : job.hold)
      hold = PictureHold(
          [](void* opaque) {
            auto* const pictures = static_cast<Held*>(opaque);
            if (++pictures->released == 2)
              for (Surface* surface : pictures->surfaces) surface->Overwrite();
          },
          &held);
    const Status status_of_pair = backend->Submit(std::move(job));
    VMAFX_RETURN_IF_ERROR(SurfacePools::Close(held));
    VMAFX_RETURN_IF_ERROR(status_of_pair);
    ++submitted;
    if (c.host_memory && held.released != 2) return Status::Internal("a picture in host memory was not given back");
  }
  while (received < submitted) VMAFX_RETURN_IF_ERROR(receive());
  return {};
}

std::string Text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g (%016llx)", value,
                static_cast<unsigned long long>(std::bit_cast<uint64_t>(value)));
  return text;
}

}  // namespace

void Tally::Add(const Tally& other) {
  values += other.values;
  equal += other.equal;
  pairs += other.pairs;
  differences.insert(differences.end(), other.differences.begin(), other.differences.end());
}

std::vector<std::vector<double>> MeasureOnCpu(const ParityCase& c) {
  const Plan plan = PlanOf(c);
  Workers workers(1);
  std::vector<std::unique_ptr<CpuExtractor>> extractors;
  for (const Metric* metric : c.metrics) extractors.push_back(metric->MakeCpu(c.format, c.options, workers));
  std::vector<std::vector<double>> rows;
  for (int frame = 0; frame < c.frames; ++frame) {
    const Pair pair = MakePair(c, frame);
    std::vector<double>& row = rows.emplace_back(plan.first.back(), kAbsent);
    for (size_t i = 0; i < c.metrics.size(); ++i) {
      const PairView view = ViewOf(pair, pair.distorted.bytes().data(), pair.reference.bytes().data(), c.format,
                                   c.metrics[i]->SampleDomain());
      const Status status = extractors[i]->Extract(
          view, workers, std::span(row).subspan(plan.first[i], plan.first[i + 1] - plan.first[i]));
      if (!status.ok()) return {};
    }
  }
  return rows;
}

Tally CompareCase(const ParityCase& c, const std::vector<std::vector<double>>& cpu, const OpenDevice& open) {
  Tally tally;
  std::vector<std::vector<double>> rows;
  if (const Status status = MeasureOnDevice(c, open, &rows); !status.ok()) {
    tally.differences.push_back(c.name + ": " + status.text());
    return tally;
  }
  tally.pairs = rows.size();
  for (size_t frame = 0; frame < cpu.size(); ++frame) {
    for (size_t i = 0; i < cpu[frame].size(); ++i) {
      ++tally.values;
      const double expected = cpu[frame][i], value = rows[frame][i];
      if (std::bit_cast<uint64_t>(expected) == std::bit_cast<uint64_t>(value)) {
        ++tally.equal;
      } else if (tally.differences.size() < kShownDifferences) {
        tally.differences.push_back(c.name + ", frame " + std::to_string(frame) + ", value " + std::to_string(i) +
                                    ": device " + Text(value) + ", CPU " + Text(expected));
      }
    }
  }
  if (rows.size() != cpu.size()) tally.differences.push_back(c.name + ": rows are missing");
  return tally;
}

}  // namespace vmafx::test
