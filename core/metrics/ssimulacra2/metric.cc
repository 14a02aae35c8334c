// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/metric.h"

#include "core/engine/workers.h"
#include "core/metrics/option_checks.h"
#include "core/metrics/ssimulacra2/definition.h"
#include "core/metrics/ssimulacra2/recursive/cpu.h"
#include "core/metrics/ssimulacra2/recursive/device.h"
#include "core/metrics/ssimulacra2/standard/conversion.h"
#include "core/metrics/ssimulacra2/standard/cpu.h"
#include "core/metrics/ssimulacra2/standard/device.h"

namespace vmafx {
namespace {

using ssimulacra2::kMinSide;

constexpr vmafx_metric_info kInfo = {
    "ssimulacra2", "structural similarity and edges in XYB at six scales; 100: no difference", kMinSide, kMinSide};

constexpr OptionInfo kOptions[] = {
    {"ssimulacra2_profile", "standard",
     "standard: as its author defines it; recursive: the bits of VMAFx's CPU extractor"},
    {"ssimulacra2_hdr", "score", "PQ and HLG input: score it from code values as if SDR, or refuse it (score, refuse)"},
};
constexpr std::string_view kProfiles[] = {"standard", "recursive"};
constexpr std::string_view kHdr[] = {"score", "refuse"};

bool Recursive(const Options& options) { return options.Get("ssimulacra2_profile", "standard") == "recursive"; }

Status CheckSize(const Format& format) {
  if (format.width >= kMinSide && format.height >= kMinSide) return {};
  return Status::Unsupported("ssimulacra2: a picture of " + std::to_string(format.width) + "x" +
                             std::to_string(format.height) + " is too small; the smallest is 8x8");
}

// Null for what is not HDR. H.273 transfer_characteristics.
const char* HdrName(int transfer) {
  switch (transfer) {
    case 16: return "PQ (SMPTE ST 2084)";
    case 18: return "HLG (ARIB STD-B67)";
    default: return nullptr;
  }
}

Status CheckTransfer(const PairFormat& format, const Options& options, std::vector<Notice>* notices) {
  const char* name = HdrName(format.reference.transfer);
  if (name == nullptr) name = HdrName(format.distorted.transfer);
  if (name == nullptr) return {};
  if (options.Get("ssimulacra2_hdr", "score") == "refuse") {
    return Status::Unsupported("ssimulacra2: " + std::string(name) +
                               " input is outside the metric's definition; convert both inputs to SDR, or set "
                               "ssimulacra2_hdr=score to score the code values as if SDR");
  }
  notices->push_back({VMAFX_LOG_WARNING, "ssimulacra2: " + std::string(name) +
                                             " input is outside the metric's definition and scored from its code "
                                             "values as if SDR (ssimulacra2_hdr=refuse makes this an error)"});
  return {};
}

Status CheckStandard(const Format& format) {
  const bool needs_matrix = format.layout != VMAFX_LAYOUT_GRAY && format.layout != VMAFX_LAYOUT_RGB;
  if (!needs_matrix || ssimulacra2::standard::KnownMatrix(format.matrix)) return {};
  return Status::Unsupported("ssimulacra2: matrix " + std::to_string(format.matrix) +
                             " (H.273) is not known, only BT.709 (1), FCC (4), BT.601 (5, 6), SMPTE 240M (7) and "
                             "BT.2020 non-constant (9); convert both inputs to one of these");
}

// The arithmetic that this profile reproduces has one matrix, range, depth and subsampling for both pictures.
Status CheckRecursive(const PairFormat& format) {
  const Format& d = format.distorted;
  const Format& r = format.reference;
  for (const Format* side : {&d, &r}) {
    VMAFX_RETURN_IF_ERROR(ssimulacra2::recursive::CheckFormat(*side));
    if (side->layout == VMAFX_LAYOUT_440)
      return Status::Unsupported("ssimulacra2 profile recursive does not know 4:4:0; convert both inputs to 4:4:4, or "
                                 "use ssimulacra2_profile=standard");
  }
  const auto mismatch = [](const char* what, int distorted, int reference) {
    return Status::Mismatch("ssimulacra2 profile recursive needs one " + std::string(what) + " for both inputs, not " +
                            std::to_string(distorted) + " (distorted) and " + std::to_string(reference) +
                            " (reference); convert one, or use ssimulacra2_profile=standard");
  };
  const auto bt601 = [](int matrix) { return matrix == 5 || matrix == 6; };
  if (bt601(d.matrix) != bt601(r.matrix)) return mismatch("matrix", d.matrix, r.matrix);
  if (d.depth != r.depth) return mismatch("bit depth", d.depth, r.depth);
  if (d.range != r.range)
    return Status::Mismatch("ssimulacra2 profile recursive needs one range for both inputs; convert one, or use "
                            "ssimulacra2_profile=standard");
  if (d.layout != r.layout)
    return Status::Mismatch("ssimulacra2 profile recursive needs one chroma subsampling for both inputs; convert one, "
                            "or use ssimulacra2_profile=standard");
  return {};
}

class Ssimulacra2MetricImpl final : public Metric {
 public:
  const vmafx_metric_info& info() const override { return kInfo; }
  std::span<const OptionInfo> options() const override { return kOptions; }

  Status CheckOption(std::string_view name, std::string_view value) const override {
    return name == "ssimulacra2_profile" ? CheckChoice(name, value, kProfiles) : CheckChoice(name, value, kHdr);
  }

  std::vector<std::string> Features(const Options&) const override { return {"ssimulacra2"}; }
  bool SampleDomain() const override { return false; }

  Status Check(const PairFormat& format, const Options& options, std::vector<Notice>* notices) const override {
    VMAFX_RETURN_IF_ERROR(CheckSize(format.reference));
    if (Recursive(options)) {
      VMAFX_RETURN_IF_ERROR(CheckRecursive(format));
    } else {
      VMAFX_RETURN_IF_ERROR(CheckStandard(format.distorted));
      VMAFX_RETURN_IF_ERROR(CheckStandard(format.reference));
    }
    return CheckTransfer(format, options, notices);
  }

  std::unique_ptr<CpuExtractor> MakeCpu(const PairFormat& format, const Options& options,
                                        Workers& workers) const override {
    return Recursive(options) ? ssimulacra2::recursive::MakeCpuExtractor(format, workers)
                              : ssimulacra2::standard::MakeStandardCpu(format, workers);
  }

  std::unique_ptr<DeviceExtractor> MakeDevice(const PairFormat& format, const Options& options,
                                              Device&) const override {
    if (Recursive(options)) return ssimulacra2::recursive::MakeDeviceMeter(format);
    return ssimulacra2::standard::MakeDeviceMeter(format);
  }
};

}  // namespace

const Metric& Ssimulacra2Metric() {
  static const Ssimulacra2MetricImpl metric;
  return metric;
}

}  // namespace vmafx
