// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/metric.h"

#include "core/metrics/option_checks.h"
#include "core/metrics/psnr/aggregate.h"
#include "core/metrics/psnr/cpu.h"
#include "core/metrics/psnr/device.h"
#include "core/metrics/psnr/score.h"

namespace vmafx {
namespace {

constexpr vmafx_metric_info kInfo = {"psnr", "peak signal-to-noise ratio of each component", 1, 1};

constexpr OptionInfo kOptions[] = {
    {"psnr_uncapped", "0", "float_psnr and psnr above the cap too (0, 1)"},
    {"psnr_chroma", "1", "psnr of the chroma planes too (0, 1)"},
    {"psnr_mse", "0", "mean squared errors too (0, 1)"},
    {"psnr_apsnr", "0", "psnr over all pairs together too (0, 1)"},
    {"psnr_reduced_peak", "0", "peak 255 * 2^(depth-8) instead of 2^depth - 1 (0, 1)"},
    {"psnr_min_sse", "0", "cap from a smallest sum of squared errors instead of 6 * depth + 12 (0: off, >= 0)"},
};

class PsnrMetricImpl final : public Metric {
 public:
  const vmafx_metric_info& info() const override { return kInfo; }
  std::span<const OptionInfo> options() const override { return kOptions; }

  Status CheckOption(std::string_view name, std::string_view value) const override {
    if (name == "psnr_min_sse") return CheckNumber(name, value, 0);
    return CheckFlag(name, value);
  }

  std::vector<std::string> Features(const Options& options) const override {
    return psnr::Settings(options).Features();
  }
  size_t Hidden(const Options& options) const override { return psnr::Settings(options).hidden(); }
  bool SampleDomain() const override { return true; }
  bool ComparesChroma(const Options& options) const override { return psnr::Settings(options).chroma; }

  Status Check(const PairFormat& format, const Options&, std::vector<Notice>*) const override {
    if (format.reference.layout == VMAFX_LAYOUT_RGB || format.distorted.layout == VMAFX_LAYOUT_RGB)
      return Status::Unsupported("psnr: RGB pictures are not taken; convert both to YUV (format=yuv444p)");
    return {};
  }

  std::unique_ptr<CpuExtractor> MakeCpu(const PairFormat& format, const Options& options,
                                        Workers& workers) const override {
    return psnr::MakeCpuExtractor(format, psnr::Settings(options), workers);
  }

  std::unique_ptr<DeviceExtractor> MakeDevice(const PairFormat& format, const Options& options,
                                              Device&) const override {
    return psnr::MakeDeviceExtractor(format, psnr::Settings(options));
  }

  std::unique_ptr<Aggregator> MakeAggregator(const Options& options) const override {
    const psnr::Settings settings(options);
    return settings.apsnr ? psnr::MakeApsnr(settings) : nullptr;
  }
};

}  // namespace

const Metric& PsnrMetric() {
  static const PsnrMetricImpl metric;
  return metric;
}

}  // namespace vmafx
