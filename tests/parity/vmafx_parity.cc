// SPDX-License-Identifier: BSD-2-Clause-Patent
// vmafx_parity: compares a device with the CPU over the parity matrix and the vectors, every value with ==.
//   --backend=host|cuda|hip  the host runner (at both wave sizes, lanes forwards and backwards) or a GPU
//   --surfaces            pictures in device memory are in dma-buf objects: the host runner, the stand-in for libamdhip64
//   --device=NAME         which GPU
//   --metric=NAME         one metric (default: all that devices measure, and all of them together)
//   --quick               one frame of each case; on the host runner the two wave sizes, one of the orders each
//   --no-vectors          the matrix only
//   --only=TEXT           cases whose name contains it
//   --expect-differences  success is that some value differs: for kernels with a planted mistake
//   --list                what would run
// Prints the number of values compared and equal; exit status 0 when they are all equal.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/host_runner/host_device.h"
#include "tests/parity/compare.h"
#ifdef VMAFX_WITH_CUDA
#include "cuda/device.h"
#include "cuda/driver.h"
#endif
#ifdef VMAFX_WITH_HIP
#include "hip/device.h"
#include "hip/driver.h"
#endif

namespace vmafx::test {
namespace {

struct Arguments {
  std::string backend = "host";
  std::string device;
  std::string metric;
  bool quick = false;
  bool surfaces = false;
  bool vectors = true;
  std::string only;
  bool expect_differences = false;
  bool list = false;
};

struct NamedDevice {
  std::string name;
  OpenDevice open;
};

bool Parse(int count, char** texts, Arguments* arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string text = texts[i];
    const size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    const std::string value = equals < text.size() ? text.substr(equals + 1) : "";
    if (name == "--backend") arguments->backend = value;
    else if (name == "--device") arguments->device = value;
    else if (name == "--metric") arguments->metric = value;
    else if (name == "--quick") arguments->quick = true;
    else if (name == "--surfaces") arguments->surfaces = true;
    else if (name == "--no-vectors") arguments->vectors = false;
    else if (name == "--only") arguments->only = value;
    else if (name == "--expect-differences") arguments->expect_differences = true;
    else if (name == "--list") arguments->list = true;
    else return false;
  }
  return arguments->backend == "host" || arguments->backend == "cuda" || arguments->backend == "hip";
}

Status OpenCuda(const std::string& name, OpenDevice* open) {
#ifdef VMAFX_WITH_CUDA
  const cuda::Driver* driver = nullptr;
  VMAFX_RETURN_IF_ERROR(cuda::LoadDriver(&driver));
  *open = [driver, name](std::unique_ptr<Device>* device) { return cuda::MakeDevice(*driver, nullptr, name, device); };
  return {};
#else
  (void)name, (void)open;
  return Status::Device("this build has no CUDA backend");
#endif
}

Status OpenHip(const std::string& name, OpenDevice* open) {
#ifdef VMAFX_WITH_HIP
  const hip::Driver* driver = nullptr;
  VMAFX_RETURN_IF_ERROR(hip::LoadDriver(&driver));
  std::printf("%s\n", hip::Describe(*driver).c_str());
  *open = [driver, name](std::unique_ptr<Device>* device) { return hip::MakeDevice(*driver, name, "", device); };
  return {};
#else
  (void)name, (void)open;
  return Status::Device("this build has no HIP backend");
#endif
}

Status OpenDevices(const Arguments& arguments, std::vector<NamedDevice>* devices) {
  if (arguments.backend == "host") {
    for (bool backwards : {false, true})
      for (int wave : {32, 64}) {
        const host_runner::HostDeviceOptions options = {.wave_size = wave, .backwards = backwards, .threads = 2};
        devices->push_back({host_runner::MakeHostDevice(options)->name(), [options](std::unique_ptr<Device>* device) {
                              *device = host_runner::MakeHostDevice(options);
                              return Status();
                            }});
      }
    return {};
  }
  OpenDevice open;
  VMAFX_RETURN_IF_ERROR(arguments.backend == "cuda" ? OpenCuda(arguments.device, &open) : OpenHip(arguments.device, &open));
  // Keeps the GPU's context from being made anew for every case.
  static std::unique_ptr<Device> kept;
  VMAFX_RETURN_IF_ERROR(open(&kept));
  devices->push_back({kept->name(), open});
  return {};
}

std::vector<ParityCase> Cases(const Arguments& arguments, Device& device) {
  const int frames = arguments.quick ? 1 : 4;
  std::vector<ParityCase> cases;
  const auto add = [&](std::vector<ParityCase> more) {
    cases.insert(cases.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  for (const Metric* metric : Metrics()) {
    if (!arguments.metric.empty() && arguments.metric != metric->info().name) continue;
    const PairFormat any = {{.width = 64, .height = 64}, {.width = 64, .height = 64}, 8};
    if (metric->MakeDevice(any, {}, device) == nullptr) continue;
    add(CasesOf(*metric, frames));
    if (arguments.vectors) add(VectorCases(*metric, arguments.quick ? 1 : 0));
  }
  if (arguments.metric.empty() || arguments.metric == "all") add(JointCases(device, frames));
  for (ParityCase& c : cases) c.surfaces = arguments.surfaces;
  std::erase_if(cases, [&](const ParityCase& c) { return c.name.find(arguments.only) == std::string::npos; });
  return cases;
}

int Main(int count, char** texts) {
  Arguments arguments;
  if (!Parse(count, texts, &arguments)) {
    std::fprintf(stderr, "usage: vmafx_parity [--backend=host|cuda|hip] [--surfaces] [--device=NAME] [--metric=NAME|all] [--quick] "
                         "[--no-vectors] [--only=TEXT] [--expect-differences] [--list]\n");
    return 2;
  }
  std::vector<NamedDevice> devices;
  std::unique_ptr<Device> first;
  Status status = OpenDevices(arguments, &devices);
  if (status.ok()) status = devices.front().open(&first);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.text().c_str());
    return 2;
  }
  const std::vector<ParityCase> cases = Cases(arguments, *first);
  std::vector<Tally> tallies(devices.size());
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < cases.size(); ++i) {
    const ParityCase& c = cases[i];
    if (arguments.list) {
      std::printf("%s: %s\n", c.metrics.front()->info().name, c.name.c_str());
      continue;
    }
    const auto cpu = MeasureOnCpu(c);
    if (cpu.empty()) {
      std::printf("%s: the CPU gives no values\n", c.name.c_str());
      return 1;
    }
    for (size_t d = 0; d < devices.size(); ++d) {
      // Host orders are forwards 32, 64, backwards 32, 64: quick takes 32 and 64, one of them each way.
      if (arguments.quick && devices.size() == 4 && d != (i % 2 == 0 ? 0u : 1u) && d != (i % 2 == 0 ? 3u : 2u)) continue;
      const Tally tally = CompareCase(c, cpu, devices[d].open);
      for (const std::string& text : tally.differences)
        std::printf("%s, %s: %s\n", devices[d].name.c_str(), c.metrics.front()->info().name, text.c_str());
      tallies[d].Add(tally);
    }
  }
  if (arguments.list) return 0;
  bool perfect = !cases.empty();
  bool different = false;
  for (size_t d = 0; d < devices.size(); ++d) {
    perfect = perfect && tallies[d].perfect();
    different = different || tallies[d].equal < tallies[d].values;
    std::printf("%s: %llu of %llu values equal, %llu pairs\n", devices[d].name.c_str(),
                static_cast<unsigned long long>(tallies[d].equal), static_cast<unsigned long long>(tallies[d].values),
                static_cast<unsigned long long>(tallies[d].pairs));
  }
  std::printf("%zu cases, %.1f s\n", cases.size(),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return (arguments.expect_differences ? different : perfect) ? 0 : 1;
}

}  // namespace
}  // namespace vmafx::test

int main(int count, char** texts) { return vmafx::test::Main(count, texts); }
