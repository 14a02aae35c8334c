// SPDX-License-Identifier: BSD-2-Clause-Patent
// Blur and terms of one block of rows of one channel at one scale, SIMD, tile by tile (geometry.h).
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_BLOCK_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_BLOCK_H_

#include <algorithm>
#include <vector>

#include "core/metrics/ssimulacra2/recursive/aligned.h"
#include "core/metrics/ssimulacra2/recursive/geometry.h"
#include "core/numeric/ordered_sum.h"

namespace vmafx::ssimulacra2::recursive {

struct BlockJob {
  const float* reference = nullptr;  // row 0, column 0 of the whole plane
  const float* distorted = nullptr;
  ScaleGeometry geometry;
  int block = 0;
  float* columns = nullptr;  // state of the columns, geometry.state_floats(), zero before the first block

  // The block's rows of output that the plane has: first_row() .. end_row() of kBlockRows.
  int first_row() const { return std::max(0, kBlurLead - block * kBlockRows); }
  int end_row() const { return std::min(kBlockRows, geometry.height + kBlurLead - block * kBlockRows); }
};

// What is known of one sum over one chunk.
struct ChunkSum {
  double estimate = 0.0;  // the same terms, added in another order
  int16_t plan = ordered_sum::kOneByOne;
  ordered_sum::Increment increment = {0, 0};
};

// Memory of one thread. Made once.
class BlockScratch {
 public:
  explicit BlockScratch(const ScaleGeometry& full_size)
      : term_stride_(full_size.columns),
        terms_(MakeAligned<double>(size_t{2} * kBlockRows * full_size.columns)),
        row_chunks_(full_size.chunks()),
        chunk_sums_(size_t{kSums} * kBlockRows * row_chunks_),
        floats_(MakeAligned<float>(kFloats)) {}

  // Ssim and edge term of row `row` of the block; column c is x = c - 4. Columns outside the plane have zeros, which
  // add nothing.
  double* ssim(int row) { return terms_.get() + row * term_stride_; }
  double* edge(int row) { return terms_.get() + (kBlockRows + row) * term_stride_; }
  ptrdiff_t term_stride() const { return term_stride_; }

  // The kSums sums of one chunk.
  ChunkSum* chunk(int row, int index) { return &chunk_sums_[size_t{kSums} * (row * row_chunks_ + index)]; }

  // State of the rows: for each plane kStateRows values of each of the kBlockRows rows.
  float* row_state(int plane) { return floats_.get() + plane * kStateRows * kBlockRows; }
  // Inputs, transposed: kBlurSpan columns before the tile, then the tile's.
  float* input(int plane) { return floats_.get() + kInput + plane * (kBlurSpan + kTileColumns) * kBlockRows; }
  // Rows blurred, transposed, one plane at a time.
  float* transposed(int plane) { return floats_.get() + kTransposed + plane * kTileColumns * kBlockRows; }
  // The same as rows.
  float* rows(int plane) { return floats_.get() + kRows + plane * kTileColumns * kBlockRows; }
  // Both ways blurred, one strip.
  float* blurred(int plane) { return floats_.get() + kBlurred + plane * kStripColumns * kBlockRows; }

 private:
  static constexpr size_t kInput = size_t{kBlurredPlanes} * kStateRows * kBlockRows;
  static constexpr size_t kTransposed = kInput + size_t{kBlurredPlanes} * (kBlurSpan + kTileColumns) * kBlockRows;
  static constexpr size_t kRows = kTransposed + size_t{kBlurredPlanes} * kTileColumns * kBlockRows;
  static constexpr size_t kBlurred = kRows + size_t{kBlurredPlanes} * kTileColumns * kBlockRows;
  static constexpr size_t kFloats = kBlurred + size_t{kBlurredPlanes} * kStripColumns * kBlockRows;

  ptrdiff_t term_stride_;
  AlignedArray<double> terms_;
  int row_chunks_;
  std::vector<ChunkSum> chunk_sums_;
  AlignedArray<float> floats_;
};

// Before the first tile of a block.
void StartBlock(BlockScratch& scratch);
// Columns first .. first+count of the block, count <= kTileColumns, both multiples of kStripColumns; tiles in order.
void BlurTile(const BlockJob& job, int first, int count, BlockScratch& scratch);

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_BLOCK_H_
