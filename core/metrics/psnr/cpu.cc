// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/psnr/cpu.h"

#include <algorithm>

#include "core/engine/workers.h"
#include "core/metrics/psnr/row_squares.h"

namespace vmafx::psnr {
namespace {

// Rows of one component that one thread takes at a time.
constexpr int kBandRows = 32;

struct Band {
  int component;
  int first_row;
  int last_row;  // one past
  uint64_t sse;
};

class PsnrExtractor final : public CpuExtractor {
 public:
  PsnrExtractor(const PairFormat& format, const Settings& settings, Workers& workers)
      : format_(format),
        settings_(settings),
        scratch_samples_(RowScratch(format.reference.width)),
        scratch_(scratch_samples_ * static_cast<size_t>(workers.threads())) {
    for (int c = 0; c < MeasuredComponents(settings, format); ++c) {
      const int rows = format.reference.component_height(c);
      for (int y = 0; y < rows; y += kBandRows) bands_.push_back({c, y, std::min(y + kBandRows, rows), 0});
    }
  }

  Status Extract(const PairView& pair, Workers& workers, std::span<double> values) override {
    pair_ = &pair;
    workers.Run(bands_.size(), [this](size_t index, int thread) { Measure(bands_[index], thread); });
    Sums sums{};
    for (const Band& band : bands_) sums.sse[band.component] += band.sse;
    Score(settings_, format_, sums, values);
    return {};
  }

 private:
  void Measure(Band& band, int thread) {
    uint16_t* scratch = scratch_.data() + scratch_samples_ * static_cast<size_t>(thread);
    const Component& reference = pair_->reference.component[band.component];
    const Component& distorted = pair_->distorted.component[band.component];
    uint64_t sse = 0;
    for (int y = band.first_row; y < band.last_row; ++y)
      sse += RowSquares(reference, distorted, y, format_.depth, Square::kExact, scratch);
    band.sse = sse;
  }

  const PairFormat format_;
  const Settings settings_;
  const size_t scratch_samples_;
  std::vector<uint16_t> scratch_;  // of each thread
  std::vector<Band> bands_;
  const PairView* pair_ = nullptr;
};

}  // namespace

std::unique_ptr<CpuExtractor> MakeCpuExtractor(const PairFormat& format, const Settings& settings, Workers& workers) {
  return std::make_unique<PsnrExtractor>(format, settings, workers);
}

}  // namespace vmafx::psnr
