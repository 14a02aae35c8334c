// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/float_psnr/cpu.h"

#include <algorithm>

#include "core/engine/workers.h"
#include "core/metrics/float_psnr/definition.h"
#include "core/metrics/float_psnr/score.h"
#include "core/metrics/psnr/row_squares.h"

namespace vmafx::float_psnr {
namespace {

// Rows that one thread takes at a time.
constexpr size_t kBandRows = 32;

class FloatPsnrExtractor final : public CpuExtractor {
 public:
  FloatPsnrExtractor(const PairFormat& format, bool uncapped, Workers& workers)
      : width_(format.reference.width),
        depth_(format.depth),
        uncapped_(uncapped),
        rows_(static_cast<size_t>(format.reference.height)),
        scratch_(psnr::RowScratch(width_) * static_cast<size_t>(workers.threads())) {}

  Status Extract(const PairView& pair, Workers& workers, std::span<double> values) override {
    pair_ = &pair;
    workers.Run((rows_.size() + kBandRows - 1) / kBandRows,
                [this](size_t band, int thread) { Measure(band * kBandRows, thread); });
    values[0] = Score(Noise(rows_, width_, depth_), depth_, uncapped_);
    return {};
  }

 private:
  void Measure(size_t first_row, int thread) {
    uint16_t* scratch = scratch_.data() + psnr::RowScratch(width_) * static_cast<size_t>(thread);
    const auto square = depth_ > kLastExactDepth ? psnr::Square::kBinary32 : psnr::Square::kExact;
    const size_t end = std::min(first_row + kBandRows, rows_.size());
    for (size_t y = first_row; y < end; ++y)
      rows_[y] = psnr::RowSquares(pair_->reference.component[0], pair_->distorted.component[0], static_cast<int>(y),
                                  depth_, square, scratch);
  }

  const int width_;
  const int depth_;
  const bool uncapped_;
  std::vector<uint64_t> rows_;
  std::vector<uint16_t> scratch_;  // of each thread
  const PairView* pair_ = nullptr;
};

}  // namespace

std::unique_ptr<CpuExtractor> MakeCpuExtractor(const PairFormat& format, bool uncapped, Workers& workers) {
  return std::make_unique<FloatPsnrExtractor>(format, uncapped, workers);
}

}  // namespace vmafx::float_psnr
