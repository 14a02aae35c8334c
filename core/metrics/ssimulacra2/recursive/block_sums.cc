// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/recursive/block_sums.h"

// Arrays of vectors need vectors of a size known when compiling: no SVE, where NEON serves, and no RVV.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/metrics/ssimulacra2/recursive/block_sums.cc"
#include "hwy/foreach_target.h"  // compiles this file once for each instruction set
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx::ssimulacra2::recursive {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DD = hn::CappedTag<double, 8>;
using VD = hn::Vec<DD>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(DD()));
static_assert(kStripColumns % kLanes == 0 && kBlockRows % kLanes == 0);

// What the six sums add for each of kLanes pixels (AddTerms of definition.h).
HWY_INLINE void Summands(VD ssim, VD edge, VD value[kSums]) {
  const DD d;
  const auto fourth = [](VD v) HWY_ATTR {
    const VD square = hn::Mul(v, v);
    return hn::Mul(square, square);
  };
  const VD zero = hn::Zero(d);
  const VD term[kKinds] = {ssim, hn::Max(edge, zero), hn::Max(hn::Sub(zero, edge), zero)};
  for (int kind = 0; kind < kKinds; ++kind) {
    value[kNorms * kind] = term[kind];
    value[kNorms * kind + 1] = fourth(term[kind]);
  }
}

void EstimateChunksTarget(const BlockJob& job, BlockScratch& scratch, double* HWY_RESTRICT estimate) {
  const DD d;
  std::fill_n(estimate, kSums, 0.0);
  for (int row = job.first_row(); row < job.end_row(); ++row) {
    const double* ssim = scratch.ssim(row);
    const double* edge = scratch.edge(row);
    for (int index = 0; index < job.geometry.chunks(); ++index) {
      const int first = index * kChunkColumns, end = std::min(first + kChunkColumns, job.geometry.columns);
      VD total[kSums];
      for (VD& sum : total) sum = hn::Zero(d);
      for (int c = first; c < end; c += kLanes) {
        VD value[kSums];
        Summands(hn::Load(d, ssim + c), hn::Load(d, edge + c), value);
        for (int sum = 0; sum < kSums; ++sum) total[sum] = hn::Add(total[sum], value[sum]);
      }
      ChunkSum* const chunk = scratch.chunk(row, index);
      for (int sum = 0; sum < kSums; ++sum) {
        chunk[sum].estimate = hn::GetLane(hn::SumOfLanes(d, total[sum]));
        estimate[sum] += chunk[sum].estimate;
      }
    }
  }
}

// Transposes kLanes x kLanes doubles; rows of the result are adjacent.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void Transpose(const double* in, ptrdiff_t, double* out) { *out = *in; }
#else
HWY_INLINE void Transpose(const double* HWY_RESTRICT in, ptrdiff_t in_stride, double* HWY_RESTRICT out) {
  const DD d;
  VD v[kLanes];
  // Blocks of two lanes first: after this v[2q + k], block b holds column 2b + k of rows 2q and 2q + 1.
  for (int q = 0; q < kLanes; q += 2) {
    const VD a = hn::Load(d, in + q * in_stride), b = hn::Load(d, in + (q + 1) * in_stride);
    v[q] = hn::InterleaveLower(d, a, b);
    v[q + 1] = hn::InterleaveUpper(d, a, b);
  }
  // Then the blocks themselves.
  for (int k = 0; k < 2; ++k) {
    double* const to = out + k * kLanes;
    if constexpr (kLanes == 2) {
      hn::Store(v[k], d, to);
    } else if constexpr (kLanes == 4) {
      hn::Store(hn::ConcatLowerLower(d, v[2 + k], v[k]), d, to);
      hn::Store(hn::ConcatUpperUpper(d, v[2 + k], v[k]), d, to + 2 * kLanes);
    } else {
      const VD even01 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(v[2 + k]), v[k]);
      const VD odd01 = hn::OddEvenBlocks(v[2 + k], hn::SwapAdjacentBlocks(v[k]));
      const VD even23 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(v[6 + k]), v[4 + k]);
      const VD odd23 = hn::OddEvenBlocks(v[6 + k], hn::SwapAdjacentBlocks(v[4 + k]));
      hn::Store(hn::ConcatLowerLower(d, even23, even01), d, to);
      hn::Store(hn::ConcatLowerLower(d, odd23, odd01), d, to + 2 * kLanes);
      hn::Store(hn::ConcatUpperUpper(d, even23, even01), d, to + 4 * kLanes);
      hn::Store(hn::ConcatUpperUpper(d, odd23, odd01), d, to + 6 * kLanes);
    }
  }
}
#endif  // HWY_TARGET == HWY_SCALAR

// The stand-ins of one parity for one chunk of each of kLanes rows.
struct StandIns {
  VD sum[kSums];

  HWY_INLINE void Add(const VD value[kSums]) {
    for (int i = 0; i < kSums; ++i) sum[i] = hn::Add(sum[i], value[i]);
  }
  HWY_INLINE void Load(const double from[kSums][kLanes]) {
    for (int i = 0; i < kSums; ++i) sum[i] = hn::Load(DD(), from[i]);
  }
  HWY_INLINE void Store(double to[kSums][kLanes]) const {
    for (int i = 0; i < kSums; ++i) hn::Store(sum[i], DD(), to[i]);
  }
};

// One chunk of each of kLanes rows, a row in each lane: the loop over a row's terms is the sequential one. Rows outside
// the plane are worked on with whatever they hold; nobody reads their increments.
HWY_INLINE void FormIncrementsOfRows(int row, int index, int columns, BlockScratch& scratch) {
  const DD d;
  HWY_ALIGN double even[kSums][kLanes], odd[kSums][kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const ChunkSum* const chunk = scratch.chunk(row + lane, index);
    for (int sum = 0; sum < kSums; ++sum) {
      even[sum][lane] = ordered_sum::StandIn(chunk[sum].plan, false);
      odd[sum][lane] = ordered_sum::StandIn(chunk[sum].plan, true);
    }
  }
  StandIns evens, odds;
  evens.Load(even);
  odds.Load(odd);
  const int first = index * kChunkColumns, end = std::min(first + kChunkColumns, columns);
  HWY_ALIGN double ssim[kLanes * kLanes], edge[kLanes * kLanes];
  for (int c = first; c < end; c += kLanes) {
    Transpose(scratch.ssim(row) + c, scratch.term_stride(), ssim);
    Transpose(scratch.edge(row) + c, scratch.term_stride(), edge);
    for (int i = 0; i < kLanes * kLanes; i += kLanes) {
      VD value[kSums];
      Summands(hn::Load(d, ssim + i), hn::Load(d, edge + i), value);
      evens.Add(value);
      odds.Add(value);
    }
  }
  evens.Store(even);
  odds.Store(odd);
  for (int lane = 0; lane < kLanes; ++lane) {
    ChunkSum* const chunk = scratch.chunk(row + lane, index);
    for (int sum = 0; sum < kSums; ++sum)
      chunk[sum].increment = ordered_sum::IncrementOfStandIns(even[sum][lane], odd[sum][lane], chunk[sum].plan);
  }
}

void FormIncrementsTarget(const BlockJob& job, BlockScratch& scratch) {
  for (int row = 0; row < kBlockRows; row += kLanes) {
    if (row + kLanes <= job.first_row() || row >= job.end_row()) continue;
    for (int index = 0; index < job.geometry.chunks(); ++index)
      FormIncrementsOfRows(row, index, job.geometry.columns, scratch);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::ssimulacra2::recursive
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vmafx::ssimulacra2::recursive {

HWY_EXPORT(EstimateChunksTarget);
HWY_EXPORT(FormIncrementsTarget);

namespace {

// The sequential loop over one chunk in one sum.
double AddChunk(BlockScratch& scratch, int row, int first, int end, int sum, double total) {
  const int kind = sum / kNorms;
  const double* const ssim = scratch.ssim(row);
  const double* const edge = scratch.edge(row);
  for (int c = first; c < end; ++c) {
    const double signed_edge = kind == 1 ? edge[c] : -edge[c];
    const double term = kind == 0 ? ssim[c] : signed_edge > 0.0 ? signed_edge : 0.0;
    total += sum % kNorms == 0 ? term : FourthPower(term);
  }
  return total;
}

}  // namespace

void EstimateChunks(const BlockJob& job, BlockScratch& scratch, double estimate[kSums]) {
  HWY_DYNAMIC_DISPATCH(EstimateChunksTarget)(job, scratch, estimate);
}

void PlanChunks(const BlockJob& job, const double before[kSums], BlockScratch& scratch) {
  double prefix[kSums];
  std::copy_n(before, kSums, prefix);
  for (int row = job.first_row(); row < job.end_row(); ++row) {
    for (int index = 0; index < job.geometry.chunks(); ++index) {
      ChunkSum* const chunk = scratch.chunk(row, index);
      for (int sum = 0; sum < kSums; ++sum) {
        chunk[sum].plan = ordered_sum::PlanOf(prefix[sum], chunk[sum].estimate);
        prefix[sum] += chunk[sum].estimate;
      }
    }
  }
}

void FormIncrements(const BlockJob& job, BlockScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(FormIncrementsTarget)(job, scratch);
}

int AddIncrements(const BlockJob& job, BlockScratch& scratch, double sums[kSums]) {
  int one_by_one = 0;
  for (int row = job.first_row(); row < job.end_row(); ++row) {
    for (int index = 0; index < job.geometry.chunks(); ++index) {
      const ChunkSum* const chunk = scratch.chunk(row, index);
      const int first = index * kChunkColumns, end = std::min(first + kChunkColumns, job.geometry.columns);
      for (int sum = 0; sum < kSums; ++sum) {
        if (ordered_sum::AddIncrement(&sums[sum], chunk[sum].plan, chunk[sum].increment)) continue;
        sums[sum] = AddChunk(scratch, row, first, end, sum, sums[sum]);
        ++one_by_one;
      }
    }
  }
  return one_by_one;
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // HWY_ONCE
