// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/metric.h"

#include "core/metrics/float_psnr/cpu.h"
#include "core/metrics/float_psnr/device.h"
#include "core/metrics/option_checks.h"

namespace vmafx {
namespace {

constexpr vmafx_metric_info kInfo = {"float_psnr", "peak signal-to-noise ratio of luma", 1, 1};

constexpr OptionInfo kOptions[] = {
    {"psnr_uncapped", "0", "float_psnr and psnr above the cap too (0, 1)"},
};

class FloatPsnrMetricImpl final : public Metric {
 public:
  const vmafx_metric_info& info() const override { return kInfo; }
  std::span<const OptionInfo> options() const override { return kOptions; }
  Status CheckOption(std::string_view name, std::string_view value) const override { return CheckFlag(name, value); }
  std::vector<std::string> Features(const Options&) const override { return {"float_psnr"}; }
  bool SampleDomain() const override { return true; }

  Status Check(const PairFormat& format, const Options&, std::vector<Notice>*) const override {
    if (format.reference.layout == VMAFX_LAYOUT_RGB || format.distorted.layout == VMAFX_LAYOUT_RGB)
      return Status::Unsupported("float_psnr: RGB pictures are not taken; convert both to YUV (format=yuv444p)");
    return {};
  }

  std::unique_ptr<CpuExtractor> MakeCpu(const PairFormat& format, const Options& options,
                                        Workers& workers) const override {
    return float_psnr::MakeCpuExtractor(format, options.Flag("psnr_uncapped", false), workers);
  }

  std::unique_ptr<DeviceExtractor> MakeDevice(const PairFormat& format, const Options& options,
                                              Device&) const override {
    return float_psnr::MakeDeviceExtractor(format, options.Flag("psnr_uncapped", false));
  }
};

}  // namespace

const Metric& FloatPsnrMetric() {
  static const FloatPsnrMetricImpl metric;
  return metric;
}

}  // namespace vmafx
