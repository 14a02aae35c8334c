// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/psnr/device.h"

#include <cstring>

#include "core/engine/device.h"
#include "core/metrics/device_component.h"
#include "core/metrics/psnr/kernel_arguments.h"

namespace vmafx::psnr {
namespace {

class PsnrDeviceExtractor final : public DeviceExtractor {
 public:
  PsnrDeviceExtractor(const PairFormat& format, const Settings& settings) : format_(format), settings_(settings) {}

  Status Prepare(Device& device) override { return device.FindKernel("psnr", "psnr_sum", &sum_); }
  size_t scratch_bytes() const override { return 0; }
  size_t result_bytes() const override { return sizeof(Sums); }

  Status Enqueue(const PairView& pair, DeviceTask& task) override {
    const int components = MeasuredComponents(settings_, format_);
    SumArguments arguments{};
    for (int c = 0; c < components; ++c) {
      arguments.reference[c] = ToKernel(pair.reference.component[c]);
      arguments.distorted[c] = ToKernel(pair.distorted.component[c]);
    }
    arguments.sse = task.result();
    const auto blocks = static_cast<unsigned>((format_.reference.height + kBlockRows - 1) / kBlockRows);
    return task.Launch(sum_, {blocks, static_cast<unsigned>(components)}, {32 * kBlockRows}, 0, arguments);
  }

  Status Finish(std::span<const std::byte> result, std::span<double> values) override {
    Sums sums;
    std::memcpy(&sums, result.data(), sizeof sums);
    Score(settings_, format_, sums, values);
    return {};
  }

 private:
  const PairFormat format_;
  const Settings settings_;
  const Kernel* sum_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceExtractor> MakeDeviceExtractor(const PairFormat& format, const Settings& settings) {
  return std::make_unique<PsnrDeviceExtractor>(format, settings);
}

}  // namespace vmafx::psnr
