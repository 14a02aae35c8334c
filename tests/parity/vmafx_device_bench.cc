// SPDX-License-Identifier: BSD-2-Clause-Patent
// vmafx_device_bench: device time of a pair, frames on the device, and whether the values have the CPU's bits.
//   --backend=cuda|host   (host: to try the program, its times mean nothing)
//   --device=NAME --only=TEXT
// A pair is what the engine enqueues for it, on the same queues: clearing the result block, the metrics' launches, one
// copy back. Input sets rotate through more memory than a GPU's second-level cache holds. Times are medians over batches
// between two events.
#include <algorithm>
#include <cstdio>
#include <string>

#include "core/engine/device_backend.h"
#include "core/engine/device_memory.h"
#include "core/engine/device_program.h"
#include "tests/extract.h"
#include "tests/host_runner/host_device.h"
#include "tests/parity/compare.h"
#include "tests/pictures.h"
#ifdef VMAFX_WITH_CUDA
#include "cuda/device.h"
#include "cuda/driver.h"
#endif

namespace vmafx::test {
namespace {

constexpr int kBatch = 20;    // pairs between two events
constexpr int kBatches = 15;

struct Bench {
  std::string name;
  ParityCase c;
};

const BlockLayout kNv12 = {.name = "NV12", .semi_planar = true, .pitch_alignment = 512};
const BlockLayout kP010 = {.name = "P010", .bytes = 2, .msb = true, .semi_planar = true, .pitch_alignment = 512};

Bench MakeBench(const std::string& metrics, const std::string& option, const std::string& value, int width, int height,
                int depth) {
  Bench bench;
  for (size_t begin = 0; begin < metrics.size();) {
    const size_t end = std::min(metrics.find('+', begin), metrics.size());
    bench.c.metrics.push_back(FindMetric(metrics.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (!option.empty()) bench.c.options.Set(option, value);
  bench.c.format = MakePairFormat(MakeFormat(width, height, VMAFX_LAYOUT_420, depth));
  bench.c.distorted = bench.c.reference = depth == 8 ? kNv12 : kP010;
  bench.name = metrics + (value.empty() ? "" : " " + value) + ", " + std::to_string(width) + "x" +
               std::to_string(height) + " " + bench.c.distorted.name;
  return bench;
}

std::vector<Bench> Benches() {
  std::vector<Bench> benches;
  for (const auto& [width, height] :
       {std::pair(576, 324), std::pair(1920, 1080), std::pair(3840, 2160), std::pair(7680, 4320)})
    for (int depth : {8, 10}) {
      for (const char* metrics : {"float_psnr", "psnr", "vif", "ssimulacra2"})
        benches.push_back(MakeBench(metrics, "", "", width, height, depth));
      benches.push_back(MakeBench("ssimulacra2", "ssimulacra2_profile", "recursive", width, height, depth));
      benches.push_back(MakeBench("ssimulacra2+float_psnr+vif", "", "", width, height, depth));
    }
  return benches;
}

struct Result {
  double milliseconds = 0;
  size_t device_bytes = 0;  // scratch and result
  bool equal = false;
};

// What a pair in flight has of its own.
struct Slot {
  explicit Slot(Device& device) : block(device), on_host(device) {}
  std::unique_ptr<DeviceMark> joint, finished;
  DeviceMemory block;
  PinnedMemory on_host;
};

// One input set on the device.
struct Input {
  explicit Input(Device& device) : distorted(device), reference(device) {}
  DeviceMemory distorted, reference;
  PairView stored, lifted;
};

Status Fill(const BlockPicture& picture, Device& device, DeviceMemory* memory) {
  VMAFX_RETURN_IF_ERROR(memory->Reserve(picture.bytes().size()));
  return device.Upload(memory->address(), picture.bytes().data(), picture.bytes().size());
}

const uint8_t* Pointer(const DeviceMemory& memory) {
  return reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(memory.address()));
}

BlockPicture Paint(const ParityCase& c, vmafx_side side) {
  return BlockPicture(c.format.reference, c.reference, [&](int component, int x, int y) {
    return SceneSample(c.scene, 0, side, c.format.depth, component, x, y);
  });
}

Status Run(const ParityCase& c, Device& device, bool quick, Result* result) {
  std::unique_ptr<DeviceProgram> program;
  VMAFX_RETURN_IF_ERROR(
      DeviceProgram::Make(c.format, c.metrics, ~uint64_t{0}, c.options, c.two_lanes_scratch, device, &program));
  const BlockPicture distorted = Paint(c, VMAFX_DISTORTED), reference = Paint(c, VMAFX_REFERENCE);
  const size_t pair_bytes = distorted.bytes().size() + reference.bytes().size();
  const size_t sets = quick ? 1 : std::clamp<size_t>((size_t{200} << 20) / pair_bytes + 1, 2, 64);
  std::vector<std::unique_ptr<Input>> inputs;
  for (size_t i = 0; i < sets; ++i) {
    Input& input = *inputs.emplace_back(std::make_unique<Input>(device));
    VMAFX_RETURN_IF_ERROR(Fill(distorted, device, &input.distorted));
    VMAFX_RETURN_IF_ERROR(Fill(reference, device, &input.reference));
    input.stored = {distorted.View(Pointer(input.distorted), 0), reference.View(Pointer(input.reference), 0)};
    input.lifted = input.stored;
  }
  std::vector<std::unique_ptr<DeviceLane>> lanes;
  std::vector<std::unique_ptr<DeviceMark>> ends;
  std::vector<std::unique_ptr<Slot>> slots;
  for (size_t i = 0; i < kLanes; ++i) {
    lanes.push_back(std::make_unique<DeviceLane>(device));
    VMAFX_RETURN_IF_ERROR(device.MakeQueue(&lanes.back()->queue));
    VMAFX_RETURN_IF_ERROR(device.MakeMark(false, &ends.emplace_back()));
  }
  for (size_t i = 0; i < kDeviceQueue; ++i) {
    Slot& slot = *slots.emplace_back(std::make_unique<Slot>(device));
    VMAFX_RETURN_IF_ERROR(device.MakeMark(false, &slot.joint));
    VMAFX_RETURN_IF_ERROR(device.MakeMark(false, &slot.finished));
    VMAFX_RETURN_IF_ERROR(slot.block.Reserve(program->result_bytes()));
    VMAFX_RETURN_IF_ERROR(slot.on_host.Reserve(program->result_bytes()));
  }
  DeviceQueue& first_queue = *lanes.front()->queue;
  std::unique_ptr<DeviceMark> begin, end;
  VMAFX_RETURN_IF_ERROR(device.MakeMark(true, &begin));
  VMAFX_RETURN_IF_ERROR(device.MakeMark(true, &end));
  size_t next = 0;
  std::vector<DeviceLane*> used;
  const auto pair = [&]() -> Status {
    const Input& input = *inputs[next % inputs.size()];
    Slot& slot = *slots[next % slots.size()];
    VMAFX_RETURN_IF_ERROR(program->Lanes(next++, lanes, &used));
    if (used.size() > 1)  // else the queue itself keeps the slot's pairs apart
      for (DeviceLane* lane : used) VMAFX_RETURN_IF_ERROR(lane->queue->WaitFor(*slot.finished));
    VMAFX_RETURN_IF_ERROR(
        program->Enqueue(input.stored, input.lifted, used, *slot.joint, slot.block.address(), slot.on_host.data()));
    return used.front()->queue->Record(*slot.finished);
  };
  std::vector<double> times;
  const int batch = quick ? static_cast<int>(slots.size()) : kBatch;
  for (int i = 0; i < (quick ? 2 : kBatches + 2); ++i) {
    VMAFX_RETURN_IF_ERROR(first_queue.Record(*begin));
    for (const auto& lane : lanes)
      if (lane != lanes.front()) VMAFX_RETURN_IF_ERROR(lane->queue->WaitFor(*begin));
    for (int n = 0; n < batch; ++n) VMAFX_RETURN_IF_ERROR(pair());
    for (size_t n = 0; n < lanes.size(); ++n) {
      VMAFX_RETURN_IF_ERROR(lanes[n]->queue->Record(*ends[n]));
      VMAFX_RETURN_IF_ERROR(first_queue.WaitFor(*ends[n]));
    }
    VMAFX_RETURN_IF_ERROR(first_queue.Record(*end));
    VMAFX_RETURN_IF_ERROR(end->Wait());
    double milliseconds = 0;
    VMAFX_RETURN_IF_ERROR(end->MillisecondsSince(*begin, &milliseconds));
    if (i >= 1) times.push_back(milliseconds / batch);  // the first one warms up
  }
  std::sort(times.begin(), times.end());
  result->milliseconds = times[times.size() / 2];
  for (const auto& lane : lanes) result->device_bytes += lane->scratch.bytes();
  for (const auto& slot : slots) result->device_bytes += slot->block.bytes();
  // The last pairs' values against the CPU's.
  const auto cpu = MeasureOnCpu(c);
  std::vector<size_t> first = {0};
  for (const Metric* metric : c.metrics) first.push_back(first.back() + metric->Features(c.options).size());
  result->equal = true;
  for (const auto& slot : slots) {
    std::vector<double> values(first.back());
    VMAFX_RETURN_IF_ERROR(program->Finish(slot->on_host.data(), first, values));
    result->equal = result->equal && SameValues(values, cpu.front());
  }
  return {};
}

Status Open(const std::string& backend, const std::string& name, std::unique_ptr<Device>* device) {
  if (backend == "host") {
    *device = host_runner::MakeHostDevice({.threads = 2});
    return {};
  }
#ifdef VMAFX_WITH_CUDA
  const cuda::Driver* driver = nullptr;
  VMAFX_RETURN_IF_ERROR(cuda::LoadDriver(&driver));
  return cuda::MakeDevice(*driver, nullptr, name, device);
#else
  (void)name;
  return Status::Device("this build has no CUDA backend");
#endif
}

int Main(int count, char** texts) {
  std::string backend = "cuda", name, only;
  for (int i = 1; i < count; ++i) {
    const std::string text = texts[i];
    if (text.starts_with("--backend=")) backend = text.substr(10);
    else if (text.starts_with("--device=")) name = text.substr(9);
    else if (text.starts_with("--only=")) only = text.substr(7);
    else {
      std::fprintf(stderr, "usage: vmafx_device_bench [--backend=cuda|host] [--device=NAME] [--only=TEXT]\n");
      return 2;
    }
  }
  std::unique_ptr<Device> device;
  if (const Status status = Open(backend, name, &device); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.text().c_str());
    return 2;
  }
  std::printf("%s\n%-52s %9s %10s %9s %s\n", device->name().c_str(), "", "ms", "ms/Mpixel", "MB", "bits");
  bool equal = true;
  for (const Bench& bench : Benches()) {
    if (bench.name.find(only) == std::string::npos) continue;
    Result result;
    if (const Status status = Run(bench.c, *device, backend == "host", &result); !status.ok()) {
      if (status.code() == VMAFX_ERROR_UNSUPPORTED) continue;
      std::printf("%-52s %s\n", bench.name.c_str(), status.text().c_str());
      equal = false;
      continue;
    }
    const Format& format = bench.c.format.reference;
    std::printf("%-52s %9.4f %10.4f %9.1f %s\n", bench.name.c_str(), result.milliseconds,
                result.milliseconds / (format.width * format.height / 1e6),
                static_cast<double>(result.device_bytes) / 1e6, result.equal ? "equal" : "DIFFERENT");
    std::fflush(stdout);
    equal = equal && result.equal;
  }
  return equal ? 0 : 1;
}

}  // namespace
}  // namespace vmafx::test

int main(int count, char** texts) { return vmafx::test::Main(count, texts); }
