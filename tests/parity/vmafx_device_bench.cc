// SPDX-License-Identifier: BSD-2-Clause-Patent
// vmafx_device_bench: device time of a pair, frames on the device, and whether the values have the CPU's bits.
//   --backend=cuda|host   (host: to try the program, its times mean nothing)
//   --device=NAME --only=TEXT
// A pair is what the engine enqueues for it: clearing the result block, the metrics' launches, one copy back. Pairs go
// to the queues that the engine would give them, one or two in turn; input sets rotate through more memory than a GPU's
// second-level cache holds. Times are medians over batches between two events.
#include <algorithm>
#include <cstdio>
#include <string>

#include "core/engine/device_backend.h"
#include "core/engine/device_memory.h"
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

// What a queue's pairs use.
struct Lane {
  explicit Lane(Device& device) : scratch(device), block(device), on_host(device) {}
  std::unique_ptr<DeviceQueue> queue;
  std::unique_ptr<DeviceMark> end;
  DeviceMemory scratch, block;
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
  std::vector<std::unique_ptr<DeviceExtractor>> extractors;
  std::vector<size_t> offsets = {0};
  size_t scratch_bytes = 0;
  for (const Metric* metric : c.metrics) {
    auto extractor = metric->MakeDevice(c.format, c.options, device);
    if (!extractor) return Status::Unsupported("no device form");
    VMAFX_RETURN_IF_ERROR(extractor->Prepare(device));
    scratch_bytes = std::max(scratch_bytes, AlignDevice(extractor->scratch_bytes()));
    offsets.push_back(offsets.back() + AlignDevice(extractor->result_bytes()));
    extractors.push_back(std::move(extractor));
  }
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
  std::vector<std::unique_ptr<Lane>> lanes;
  for (size_t i = 0; i < (scratch_bytes <= kTwoLanesScratch ? kLanes : 1); ++i) {
    Lane& lane = *lanes.emplace_back(std::make_unique<Lane>(device));
    VMAFX_RETURN_IF_ERROR(device.MakeQueue(&lane.queue));
    VMAFX_RETURN_IF_ERROR(device.MakeMark(false, &lane.end));
    VMAFX_RETURN_IF_ERROR(lane.scratch.Reserve(std::max<size_t>(scratch_bytes, 1)));
    VMAFX_RETURN_IF_ERROR(lane.block.Reserve(offsets.back()));
    VMAFX_RETURN_IF_ERROR(lane.on_host.Reserve(offsets.back()));
    result->device_bytes += lane.scratch.bytes() + lane.block.bytes();
  }
  DeviceQueue& first_queue = *lanes.front()->queue;
  std::unique_ptr<DeviceMark> begin, end;
  VMAFX_RETURN_IF_ERROR(device.MakeMark(true, &begin));
  VMAFX_RETURN_IF_ERROR(device.MakeMark(true, &end));
  size_t next = 0;
  const auto pair = [&]() -> Status {
    const Input& input = *inputs[next % inputs.size()];
    Lane& lane = *lanes[next++ % lanes.size()];
    VMAFX_RETURN_IF_ERROR(lane.queue->Zero(lane.block.address(), offsets.back()));
    for (size_t i = 0; i < extractors.size(); ++i) {
      DeviceTask task(*lane.queue, lane.scratch.address(), lane.block.address() + offsets[i]);
      VMAFX_RETURN_IF_ERROR(extractors[i]->Enqueue(c.metrics[i]->SampleDomain() ? input.lifted : input.stored, task));
    }
    return lane.queue->CopyToHost(lane.on_host.data(), lane.block.address(), offsets.back());
  };
  std::vector<double> times;
  const int batch = quick ? static_cast<int>(lanes.size()) : kBatch;
  for (int i = 0; i < (quick ? 2 : kBatches + 2); ++i) {
    VMAFX_RETURN_IF_ERROR(first_queue.Record(*begin));
    for (const auto& lane : lanes)
      if (lane != lanes.front()) VMAFX_RETURN_IF_ERROR(lane->queue->WaitFor(*begin));
    for (int n = 0; n < batch; ++n) VMAFX_RETURN_IF_ERROR(pair());
    for (const auto& lane : lanes) {
      VMAFX_RETURN_IF_ERROR(lane->queue->Record(*lane->end));
      VMAFX_RETURN_IF_ERROR(first_queue.WaitFor(*lane->end));
    }
    VMAFX_RETURN_IF_ERROR(first_queue.Record(*end));
    VMAFX_RETURN_IF_ERROR(end->Wait());
    double milliseconds = 0;
    VMAFX_RETURN_IF_ERROR(end->MillisecondsSince(*begin, &milliseconds));
    if (i >= 1) times.push_back(milliseconds / batch);  // the first one warms up
  }
  std::sort(times.begin(), times.end());
  result->milliseconds = times[times.size() / 2];
  // The values of each queue's last pair against the CPU's.
  const auto cpu = MeasureOnCpu(c);
  result->equal = true;
  for (const auto& lane : lanes) {
    std::vector<double> values(cpu.front().size());
    size_t first = 0;
    for (size_t i = 0; i < extractors.size(); ++i) {
      const size_t count = c.metrics[i]->Features(c.options).size();
      VMAFX_RETURN_IF_ERROR(extractors[i]->Finish(
          std::span<const std::byte>(lane->on_host.data() + offsets[i], extractors[i]->result_bytes()),
          std::span(values).subspan(first, count)));
      first += count;
    }
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
