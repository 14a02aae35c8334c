// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/vif/device.h"

#include <algorithm>
#include <cstring>

#include "core/engine/device.h"
#include "core/metrics/device_component.h"
#include "core/metrics/vif/kernel_arguments.h"
#include "core/numeric/log2_table.h"

namespace vmafx::vif {
namespace {

// A block reads a few rows more than it measures, so a high tile costs less; but every multiprocessor shall have some.
// (H200, 4K: one round of higher blocks, 12 strips each, is 3 % slower than these 4 strips in 2.75 rounds.)
constexpr int kMaxStrips = 8;
constexpr int kBlocksPerMultiprocessor = 8;

constexpr const char* kReducedKernels[kScales] = {nullptr, "vif_scale1", "vif_scale2", "vif_scale3"};

// Kernels of scale 0, by the words of the two inputs.
enum class Input { kBytes, kWords, kMixed };
constexpr Input kInputs[] = {Input::kBytes, Input::kWords, Input::kMixed};

const char* KernelName(Input input, bool eight_bits) {
  switch (input) {
    case Input::kBytes: return "vif_scale0_bytes";
    case Input::kWords: return eight_bits ? "vif_scale0_mixed8" : "vif_scale0_words";
    case Input::kMixed: return eight_bits ? "vif_scale0_mixed8" : "vif_scale0_mixed";
  }
  return nullptr;
}

int Ceiling(int a, int b) { return (a + b - 1) / b; }

class VifDeviceExtractor final : public DeviceExtractor {
 public:
  VifDeviceExtractor(const PairFormat& format, const Settings& settings) : format_(format), settings_(settings) {
    size_t offset = 0;
    int width = format.reference.width, height = format.reference.height;
    for (int scale = 0; scale < kScales; ++scale) {
      Scale& s = scales_[scale];
      s.width = width;
      s.height = height;
      s.pitch = static_cast<int>(AlignDevice(static_cast<size_t>(width) * sizeof(uint32_t)) / sizeof(uint32_t));
      s.offset = offset;
      if (scale > 0) offset += static_cast<size_t>(s.pitch) * static_cast<size_t>(height) * sizeof(uint32_t);
      width /= 2;
      height /= 2;
    }
    scratch_bytes_ = offset;
  }

  Status Prepare(Device& device) override {
    // Samples of 8 bits on one side, lifted to the other's depth, are no case for 8-bit arithmetic.
    const bool eight_bits = format_.depth == 8;
    for (Input input : kInputs) {
      if (input == Input::kBytes && !eight_bits) continue;
      VMAFX_RETURN_IF_ERROR(device.FindKernel("vif", KernelName(input, eight_bits), &scale0_[static_cast<int>(input)]));
    }
    for (int scale = 1; scale < kScales; ++scale)
      VMAFX_RETURN_IF_ERROR(device.FindKernel("vif", kReducedKernels[scale], &scales_[scale].kernel));
    for (int scale = 0; scale < kScales; ++scale) {
      Scale& s = scales_[scale];
      s.tiles = Ceiling(s.width, BlockColumns(kHalf[scale]));
      const int strips = Ceiling(s.height, kStripRows);
      s.strips = std::clamp(s.tiles * strips / (kBlocksPerMultiprocessor * device.multiprocessors()), 1, kMaxStrips);
      s.blocks = Ceiling(strips, s.strips);
    }
    return device.Table(std::as_bytes(std::span(LogWords())), &log_words_);
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  size_t result_bytes() const override { return kScales * sizeof(Sums); }

  Status Enqueue(const PairView& pair, DeviceTask& task) override {
    for (int scale = 0; scale < kScales; ++scale) {
      const Scale& s = scales_[scale];
      ScaleArguments arguments{};
      const Kernel* kernel = s.kernel;
      if (scale == 0) {
        arguments.reference = ToKernel(pair.reference.component[0]);
        arguments.distorted = ToKernel(pair.distorted.component[0]);
        kernel = scale0_[static_cast<int>(InputOf(arguments))];
      } else {
        arguments.packed = PackedScale(scale, task);
      }
      if (scale + 1 < kScales) arguments.reduced = PackedScale(scale + 1, task);
      arguments.log_words = log_words_;
      arguments.sums = task.result() + static_cast<size_t>(scale) * sizeof(Sums);
      arguments.gain_limit = settings_.gain_limit;
      arguments.width = s.width;
      arguments.height = s.height;
      arguments.depth = format_.depth;
      arguments.strips = s.strips;
      arguments.measure = scale > 0 || !settings_.skip_scale0;
      VMAFX_RETURN_IF_ERROR(task.Launch(kernel, {static_cast<unsigned>(s.tiles), static_cast<unsigned>(s.blocks)},
                                        {kBlockThreads}, 0, arguments));
    }
    return {};
  }

  Status Finish(std::span<const std::byte> result, std::span<double> values) override {
    Sums sums[kScales];
    std::memcpy(sums, result.data(), sizeof sums);
    Score(settings_, sums, values);
    return {};
  }

 private:
  struct Scale {
    int width = 0, height = 0;
    int pitch = 0;      // of the packed plane, in words
    size_t offset = 0;  // in scratch
    int tiles = 0, strips = 0, blocks = 0;  // blocks across, strips of a block, blocks down
    const Kernel* kernel = nullptr;
  };

  static Input InputOf(const ScaleArguments& arguments) {
    const KernelComponent& r = arguments.reference;
    const KernelComponent& d = arguments.distorted;
    if (r.bytes != d.bytes) return Input::kMixed;
    if (r.bytes == 2) return Input::kWords;
    return r.lift == 0 && d.lift == 0 ? Input::kBytes : Input::kMixed;
  }

  Packed PackedScale(int scale, const DeviceTask& task) const {
    const Scale& s = scales_[scale];
    return {task.scratch() + s.offset, s.pitch, s.width, s.height};
  }

  const PairFormat format_;
  const Settings settings_;
  Scale scales_[kScales];
  size_t scratch_bytes_ = 0;
  const Kernel* scale0_[3] = {};  // by Input
  DeviceAddress log_words_ = 0;
};

}  // namespace

const std::array<uint64_t, kLogWords>& LogWords() {
  static const std::array<uint64_t, kLogWords> words = [] {
    std::array<uint64_t, kLogWords> made{};
    const auto& table = Log2Table();
    for (size_t i = 0; i < kLog2Entries; ++i) {
      if (i % 32 == 0)
        made[i / 32] = uint64_t{table[i]} << 32;
      else
        made[i / 32] |= uint64_t{table[i] > table[i - 1]} << (i % 32);
    }
    return made;
  }();
  return words;
}

std::unique_ptr<DeviceExtractor> MakeDeviceExtractor(const PairFormat& format, const Settings& settings) {
  return std::make_unique<VifDeviceExtractor>(format, settings);
}

}  // namespace vmafx::vif
