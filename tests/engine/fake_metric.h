// SPDX-License-Identifier: BSD-2-Clause-Patent
// A metric whose behaviour a test chooses, to see what the engine does with it.
#ifndef VMAFX_TESTS_ENGINE_FAKE_METRIC_H_
#define VMAFX_TESTS_ENGINE_FAKE_METRIC_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/metrics/metric.h"

namespace vmafx::test {

class FakeMetric : public Metric {
 public:
  using Extract = std::function<Status(const PairView&, Workers&, std::span<double>)>;

  explicit FakeMetric(const char* name) : info_{name, "of a test", 1, 1}, features{name} {
    extract = [](const PairView& pair, Workers&, std::span<double> values) {
      values[0] = pair.distorted.component[0].data[0];
      return Status();
    };
  }

  const vmafx_metric_info& info() const override { return info_; }
  std::span<const OptionInfo> options() const override { return {}; }
  Status CheckOption(std::string_view, std::string_view) const override { return {}; }
  std::vector<std::string> Features(const Options&) const override { return features; }
  size_t Hidden(const Options&) const override { return hidden; }
  bool SampleDomain() const override { return sample_domain; }
  bool ComparesChroma(const Options&) const override { return compares_chroma; }
  Status Check(const PairFormat& format, const Options&, std::vector<Notice>*) const override {
    checked.push_back(format);
    return {};
  }
  std::unique_ptr<CpuExtractor> MakeCpu(const PairFormat&, const Options&, Workers&) const override {
    ++made;
    return std::make_unique<Extractor>(extract);
  }
  std::unique_ptr<Aggregator> MakeAggregator(const Options&) const override {
    return make_aggregator ? make_aggregator() : nullptr;
  }

  vmafx_metric_info info_;
  std::vector<std::string> features;
  size_t hidden = 0;
  bool sample_domain = true;
  bool compares_chroma = false;
  Extract extract;
  std::function<std::unique_ptr<Aggregator>()> make_aggregator;
  mutable std::atomic<int> made{0};
  mutable std::vector<PairFormat> checked;

 private:
  class Extractor final : public CpuExtractor {
   public:
    explicit Extractor(FakeMetric::Extract extract) : extract_(std::move(extract)) {}
    Status Extract(const PairView& pair, Workers& workers, std::span<double> values) override {
      return extract_(pair, workers, values);
    }

   private:
    FakeMetric::Extract extract_;
  };
};

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_ENGINE_FAKE_METRIC_H_
