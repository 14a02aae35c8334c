// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/float_psnr/device.h"

#include <cstring>

#include "core/engine/device.h"
#include "core/metrics/device_component.h"
#include "core/metrics/float_psnr/definition.h"
#include "core/metrics/float_psnr/kernel_arguments.h"
#include "core/metrics/float_psnr/score.h"

namespace vmafx::float_psnr {
namespace {

class FloatPsnrDeviceExtractor final : public DeviceExtractor {
 public:
  FloatPsnrDeviceExtractor(const PairFormat& format, bool uncapped)
      : width_(format.reference.width),
        depth_(format.depth),
        uncapped_(uncapped),
        rows_(static_cast<size_t>(format.reference.height)) {}

  Status Prepare(Device& device) override {
    const char* name = depth_ > kLastExactDepth ? "float_psnr_rows_binary32" : "float_psnr_rows";
    return device.FindKernel("float_psnr", name, &kernel_);
  }
  size_t scratch_bytes() const override { return 0; }
  size_t result_bytes() const override { return rows_.size() * sizeof(uint64_t); }

  Status Enqueue(const PairView& pair, DeviceTask& task) override {
    const RowArguments arguments = {ToKernel(pair.reference.component[0]), ToKernel(pair.distorted.component[0]),
                                    task.result()};
    const auto blocks = static_cast<unsigned>((rows_.size() + kBlockRows - 1) / kBlockRows);
    return task.Launch(kernel_, {blocks}, {32 * kBlockRows}, 0, arguments);
  }

  Status Finish(std::span<const std::byte> result, std::span<double> values) override {
    std::memcpy(rows_.data(), result.data(), result_bytes());
    values[0] = Score(Noise(rows_, width_, depth_), depth_, uncapped_);
    return {};
  }

 private:
  const int width_;
  const int depth_;
  const bool uncapped_;
  std::vector<uint64_t> rows_;  // as read back
  const Kernel* kernel_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceExtractor> MakeDeviceExtractor(const PairFormat& format, bool uncapped) {
  return std::make_unique<FloatPsnrDeviceExtractor>(format, uncapped);
}

}  // namespace vmafx::float_psnr
