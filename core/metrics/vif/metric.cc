// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/metric.h"

#include "core/metrics/option_checks.h"
#include "core/metrics/vif/cpu.h"
#include "core/metrics/vif/device.h"
#include "core/metrics/vif/score.h"

namespace vmafx {
namespace {

constexpr vmafx_metric_info kInfo = {"vif", "visual information fidelity of luma at four scales, integer arithmetic",
                                     vif::kMinSize, vif::kMinSize};

constexpr OptionInfo kOptions[] = {
    {"vif_enhn_gain_limit", "100", "limit of the enhancement gain (1..100)"},
    {"vif_skip_scale0", "0", "scale 0 is not computed and reported as 0 (0, 1)"},
    {"vif_debug", "0", "numerators and denominators too (0, 1)"},
};

class VifMetricImpl final : public Metric {
 public:
  const vmafx_metric_info& info() const override { return kInfo; }
  std::span<const OptionInfo> options() const override { return kOptions; }

  Status CheckOption(std::string_view name, std::string_view value) const override {
    if (name == "vif_enhn_gain_limit") return CheckNumber(name, value, 1, 100);
    return CheckFlag(name, value);
  }

  std::vector<std::string> Features(const Options& options) const override { return vif::Settings(options).Features(); }
  bool SampleDomain() const override { return true; }

  Status Check(const PairFormat& format, const Options&, std::vector<Notice>*) const override {
    const Format& reference = format.reference;
    if (reference.layout == VMAFX_LAYOUT_RGB || format.distorted.layout == VMAFX_LAYOUT_RGB)
      return Status::Unsupported("vif: RGB pictures are not taken; convert both to YUV (format=yuv444p)");
    if (reference.width < vif::kMinSize || reference.height < vif::kMinSize)
      return Status::Unsupported("vif: the pictures are " + std::to_string(reference.width) + "x" +
                                 std::to_string(reference.height) + ", the smallest size is 16x16; leave vif out");
    return {};
  }

  std::unique_ptr<CpuExtractor> MakeCpu(const PairFormat& format, const Options& options,
                                        Workers& workers) const override {
    return vif::MakeCpuExtractor(format, vif::Settings(options), workers);
  }

  std::unique_ptr<DeviceExtractor> MakeDevice(const PairFormat& format, const Options& options,
                                              Device&) const override {
    return vif::MakeDeviceExtractor(format, vif::Settings(options));
  }
};

}  // namespace

const Metric& VifMetric() {
  static const VifMetricImpl metric;
  return metric;
}

}  // namespace vmafx
