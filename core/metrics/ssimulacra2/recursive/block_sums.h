// SPDX-License-Identifier: BSD-2-Clause-Patent
// Adds one block's terms to the sums of its channel at one scale, with the bits of the sequential loop in raster order
// (core/numeric/ordered_sum.h). Four steps after the block's last tile, of which the last alone needs the sums of the
// blocks above.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_BLOCK_SUMS_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_BLOCK_SUMS_H_

#include "core/metrics/ssimulacra2/recursive/block.h"

namespace vmafx::ssimulacra2::recursive {

// Estimates of the chunks, and of the whole block in `estimate`.
void EstimateChunks(const BlockJob& job, BlockScratch& scratch, double estimate[kSums]);
// From estimates of the sums before the block.
void PlanChunks(const BlockJob& job, const double before[kSums], BlockScratch& scratch);
// Under whatever plans the chunks have.
void FormIncrements(const BlockJob& job, BlockScratch& scratch);
// The walk. Returns the number of times that a chunk's terms had to be added to a sum one by one.
int AddIncrements(const BlockJob& job, BlockScratch& scratch, double sums[kSums]);

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_BLOCK_SUMS_H_
