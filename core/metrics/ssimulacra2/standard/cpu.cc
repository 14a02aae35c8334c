// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/standard/cpu.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/engine/workers.h"
#include "core/metrics/ssimulacra2/standard/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/metrics/ssimulacra2/standard/cpu.cc"
#include "hwy/foreach_target.h"  // compiles this file once for each instruction set
#include "hwy/highway.h"

#include "core/metrics/ssimulacra2/standard/linear-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx::ssimulacra2::standard {
namespace HWY_NAMESPACE {

// The loops are functions of their own: inlined into one another they would be compiled dozens of times, to no gain.

HWY_INLINE V BlurV(V m4, V m3, V m2, V m1, V centre, V p1, V p2, V p3, V p4) {
  const D d;
  V r = hn::Mul(hn::Set(d, kTap0), centre);
  r = FusedMulAdd(d, hn::Set(d, kTap1), hn::Add(m1, p1), r);
  r = FusedMulAdd(d, hn::Set(d, kTap2), hn::Add(m2, p2), r);
  r = FusedMulAdd(d, hn::Set(d, kTap3), hn::Add(m3, p3), r);
  return FusedMulAdd(d, hn::Set(d, kTap4), hn::Add(m4, p4), r);
}

// ---- Filling a half: rows to XYB and horizontal blurs

// in[0] stands for the column 4 left of out[0].
HWY_NOINLINE void BlurRow(const float* HWY_RESTRICT in, int columns, float* HWY_RESTRICT out) {
  const D d;
  for (int x = 0; x < columns; x += static_cast<int>(hn::Lanes(d)), in += hn::Lanes(d)) {
    const V m4 = hn::LoadU(d, in), centre = hn::LoadU(d, in + 4), p4 = hn::LoadU(d, in + 8);
#if HWY_TARGET == HWY_SCALAR
    const V m3 = hn::LoadU(d, in + 1), m2 = hn::LoadU(d, in + 2), m1 = hn::LoadU(d, in + 3);
    const V p1 = hn::LoadU(d, in + 5), p2 = hn::LoadU(d, in + 6), p3 = hn::LoadU(d, in + 7);
#else
    // Shifting within 128-bit blocks is cheaper than six more loads, most of which would cross a cache line.
    const V m3 = hn::CombineShiftRightLanes<1>(d, centre, m4), m2 = hn::CombineShiftRightLanes<2>(d, centre, m4);
    const V m1 = hn::CombineShiftRightLanes<3>(d, centre, m4), p1 = hn::CombineShiftRightLanes<1>(d, p4, centre);
    const V p2 = hn::CombineShiftRightLanes<2>(d, p4, centre), p3 = hn::CombineShiftRightLanes<3>(d, p4, centre);
#endif
    hn::Store(BlurV(m4, m3, m2, m1, centre, p1, p2, p3, p4), d, out + x);
  }
}

HWY_INLINE void BlurChannelRow(SumSet needed, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, int columns,
                               float (*squares)[kPaddedRow], float* HWY_RESTRICT m1, float* HWY_RESTRICT m2,
                               float* HWY_RESTRICT s, float* HWY_RESTRICT v) {
  const D d;
  if (needed == 0) return;
  BlurRow(a, columns, m1);
  BlurRow(b, columns, m2);
  if ((needed & kSsimSums) == 0) return;
  for (int x = 0; x < columns + 2 * kBlurRadius; x += static_cast<int>(hn::Lanes(d))) {
    const V va = hn::LoadU(d, a + x), vb = hn::LoadU(d, b + x);
    const V difference = hn::Sub(va, vb);
    hn::Store(hn::Add(hn::Mul(va, va), hn::Mul(vb, vb)), d, squares[0] + x);
    hn::Store(hn::Mul(difference, difference), d, squares[1] + x);
  }
  BlurRow(squares[0], columns, s);
  BlurRow(squares[1], columns, v);
}

// XYB of `count` samples of linear light into rows that start 4 left of the tile, from their sample `skip` on; what
// lies outside the plane becomes 0.
HWY_NOINLINE void XybRow(const float* const linear[kChannels], int count, int skip, float* const xyb[kChannels]) {
  const D d;
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
    V x, y, b;
    shared::XybOfLinearRows(d, hn::LoadU(d, linear[0] + i), hn::LoadU(d, linear[1] + i), hn::LoadU(d, linear[2] + i),
                            x, y, b);
    hn::StoreU(x, d, xyb[0] + skip + i);
    hn::StoreU(y, d, xyb[1] + skip + i);
    hn::StoreU(b, d, xyb[2] + skip + i);
  }
  for (int c = 0; c < kChannels; ++c) {
    std::fill(xyb[c], xyb[c] + skip, 0.0f);
    std::fill(xyb[c] + skip + count, xyb[c] + kPaddedRow, 0.0f);
  }
}

// `columns` samples of the next scale's row; writes no more, for what follows is another tile's. The caller replicates
// the last column of an odd width.
HWY_INLINE void DownsampleRow(const float* HWY_RESTRICT top, const float* HWY_RESTRICT bottom, int columns,
                              float* HWY_RESTRICT out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + lanes <= columns; x += lanes)
    hn::StoreU(shared::DownsampleRows(d, top + 2 * x, bottom + 2 * x), d, out + x);
  if (x < columns) {
    // What follows in the rows, too, is another tile's, which may be writing it.
    const size_t size = static_cast<size_t>(columns - x) * sizeof(float);
    HWY_ALIGN float rows[2][2 * kLargestVector] = {}, rest[kLargestVector];
    std::memcpy(rows[0], top + 2 * x, 2 * size);
    std::memcpy(rows[1], bottom + 2 * x, 2 * size);
    hn::Store(shared::DownsampleRows(d, rows[0], rows[1]), d, rest);
    std::memcpy(out + x, rest, size);
  }
}

// A row of the next scale from two rows (or twice the last one) that start at the tile's left edge; `width` is that of
// their plane.
HWY_NOINLINE void DownsampleInto(const LinearPlanes& next, int channel, const Tile& tile, int width, int y, float* top,
                               float* bottom) {
  if (tile.right == width && (width & 1) != 0) {
    top[width - tile.left] = top[width - 1 - tile.left];
    bottom[width - tile.left] = bottom[width - 1 - tile.left];
  }
  DownsampleRow(top, bottom, (tile.right - tile.left + 1) / 2, next.Row(channel, y / 2) + tile.left / 2);
}

// The tile's share of scale 2 and below, from its share of scale 1.
HWY_NOINLINE void DownsampleShare(const FrameWork& work, Tile tile) {
  for (int scale = 1; scale + 1 < work.scales.count; ++scale) {
    tile.left /= 2;
    tile.top /= 2;
    tile.right = (tile.right + 1) / 2;
    tile.bottom = (tile.bottom + 1) / 2;
    for (int side = 0; side < kSides; ++side)
      for (int channel = 0; channel < kChannels; ++channel)
        for (int y = tile.top; y < tile.bottom; y += 2) {
          const LinearPlanes& planes = work.linear[scale][side];
          const int below = std::min(y + 1, work.scales.height[scale] - 1);
          DownsampleInto(work.linear[scale + 1][side], channel, tile, work.scales.width[scale], y,
                         planes.Row(channel, y) + tile.left, planes.Row(channel, below) + tile.left);
        }
  }
}

// Eight rows from `top`, which may lie outside the plane, into `half`.
HWY_NOINLINE void FillHalf(const FrameWork& work, const Tile& tile, int top, Scratch& scratch, Half& half) {
  const int width = work.scales.width[tile.scale], height = work.scales.height[tile.scale];
  const int x0 = std::max(tile.left - kBlurRadius, 0);
  const int count = std::min(tile.right + kBlurRadius, width) - x0;
  const int skip = x0 - (tile.left - kBlurRadius);
  for (int side = 0; side < kSides; ++side) {
    for (int row = 0; row < kStepRows; ++row) {
      const int y = top + row;
      float* const xyb[kChannels] = {half.xyb[side][0][row], half.xyb[side][1][row], half.xyb[side][2][row]};
      if (y < 0 || y >= height) {
        for (float* channel : xyb) std::fill(channel, channel + kPaddedRow, 0.0f);
      } else if (tile.scale > 0) {
        const LinearPlanes& planes = work.linear[tile.scale][side];
        const float* const linear[kChannels] = {planes.Row(0, y) + x0, planes.Row(1, y) + x0, planes.Row(2, y) + x0};
        XybRow(linear, count, skip, xyb);
      } else {
        // Rows lie in `linear` by their parity; `top` is even.
        auto* linear = scratch.linear[y & 1];
        LinearRow(work.conversion[side], work.format[side], work.picture[side], y, x0, count, scratch, linear);
        const float* const rows[kChannels] = {linear[0], linear[1], linear[2]};
        XybRow(rows, count, skip, xyb);
        const bool pair_complete = (y & 1) != 0 || y + 1 == height;
        if (pair_complete && y >= tile.top && y < tile.bottom && work.scales.count > 1)
          for (int channel = 0; channel < kChannels; ++channel)
            DownsampleInto(work.linear[1][side], channel, tile, width, y, scratch.linear[0][channel] + tile.left - x0,
                           linear[channel] + tile.left - x0);
      }
    }
  }
  const int columns = tile.right - tile.left;
  for (int channel = 0; channel < kChannels; ++channel)
    for (int row = 0; row < kStepRows; ++row) {
      auto& blurred = half.blurred[channel];
      BlurChannelRow(work.needed[tile.scale][channel], half.xyb[0][channel][row], half.xyb[1][channel][row], columns,
                     scratch.squares, blurred[kM1][row], blurred[kM2][row], blurred[kS][row], blurred[kV][row]);
    }
}

// ---- Measuring: vertical blurs, terms, cell sums

// Vertical blurs of one vector column: eight rows from the 16 of two halves.
HWY_NOINLINE void BlurColumn(const float* HWY_RESTRICT upper, const float* HWY_RESTRICT lower,
                             float* HWY_RESTRICT out) {
  const D d;
  constexpr ptrdiff_t kRow = kTileWidth;
  const V p0 = hn::Load(d, upper), p1 = hn::Load(d, upper + kRow);
  const V p2 = hn::Load(d, upper + 2 * kRow), p3 = hn::Load(d, upper + 3 * kRow);
  const V p4 = hn::Load(d, upper + 4 * kRow), p5 = hn::Load(d, upper + 5 * kRow);
  const V p6 = hn::Load(d, upper + 6 * kRow), p7 = hn::Load(d, upper + 7 * kRow);
  const V p8 = hn::Load(d, lower), p9 = hn::Load(d, lower + kRow);
  const V p10 = hn::Load(d, lower + 2 * kRow), p11 = hn::Load(d, lower + 3 * kRow);
  const V p12 = hn::Load(d, lower + 4 * kRow), p13 = hn::Load(d, lower + 5 * kRow);
  const V p14 = hn::Load(d, lower + 6 * kRow), p15 = hn::Load(d, lower + 7 * kRow);
  constexpr ptrdiff_t kOut = kLargestVector;
  hn::Store(BlurV(p0, p1, p2, p3, p4, p5, p6, p7, p8), d, out);
  hn::Store(BlurV(p1, p2, p3, p4, p5, p6, p7, p8, p9), d, out + kOut);
  hn::Store(BlurV(p2, p3, p4, p5, p6, p7, p8, p9, p10), d, out + 2 * kOut);
  hn::Store(BlurV(p3, p4, p5, p6, p7, p8, p9, p10, p11), d, out + 3 * kOut);
  hn::Store(BlurV(p4, p5, p6, p7, p8, p9, p10, p11, p12), d, out + 4 * kOut);
  hn::Store(BlurV(p5, p6, p7, p8, p9, p10, p11, p12, p13), d, out + 5 * kOut);
  hn::Store(BlurV(p6, p7, p8, p9, p10, p11, p12, p13, p14), d, out + 6 * kOut);
  hn::Store(BlurV(p7, p8, p9, p10, p11, p12, p13, p14, p15), d, out + 7 * kOut);
}

HWY_INLINE V SsimTerms(V m1, V m2, V s, V v) {
  const D d;
  const V zero = hn::Zero(d);
  const V difference = hn::Sub(m1, m2);
  const V q = hn::Mul(difference, difference);
  const V numerator = hn::Max(hn::Sub(v, q), zero);
  const V variance = hn::Sub(hn::Sub(s, hn::Mul(m1, m1)), hn::Mul(m2, m2));
  const V denominator = hn::Add(hn::Max(variance, zero), hn::Set(d, kC2));
  return hn::Add(q, hn::Mul(hn::Sub(hn::Set(d, 1.0f), q), hn::Div(numerator, denominator)));
}

HWY_INLINE V EdgeTerms(V a, V b, V m1, V m2) {
  const V e1 = hn::Abs(hn::Sub(a, m1));
  const V e2 = hn::Abs(hn::Sub(b, m2));
  return hn::Div(hn::Sub(e2, e1), hn::Add(hn::Set(D(), 1.0f), e1));
}

HWY_INLINE V FourthPowers(V t) {
  const V square = hn::Mul(t, t);
  return hn::Mul(square, square);
}

// The last five additions of a cell: s[i] += s[i + 16], then 8, 4, 2, 1.
HWY_INLINE float Fold(float* HWY_RESTRICT s) {
  const hn::CappedTag<float, 16> d16;
  for (size_t i = 0; i < 16; i += hn::Lanes(d16))
    hn::Store(hn::Add(hn::Load(d16, s + i), hn::Load(d16, s + i + 16)), d16, s + i);
  const hn::CappedTag<float, 8> d8;
  for (size_t i = 0; i < 8; i += hn::Lanes(d8))
    hn::Store(hn::Add(hn::Load(d8, s + i), hn::Load(d8, s + i + 8)), d8, s + i);
  for (size_t i = 0; i < 4; ++i) s[i] += s[i + 4];
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// What is common to the cells of one channel in one step.
struct CellInput {
  const float (*upper)[kStepRows][kTileWidth];  // [blur][row][column]
  const float (*lower)[kStepRows][kTileWidth];
  const float* a[kStepRows];  // XYB rows, at the tile's left edge
  const float* b[kStepRows];
  int rows;     // inside the plane
  int columns;  // from the tile's left edge to the plane's right one
};

// Sums of the cell whose first column is `x`: of the terms that the template forms, those that are needed.
template <bool kSsim, bool kArtifact, bool kLoss>
HWY_INLINE void MeasureCell(const CellInput& in, int x, SumSet needed, float* HWY_RESTRICT sums) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr bool kEdges = kArtifact || kLoss;
  HWY_ALIGN float columns[kSums][kCellWidth];
  HWY_ALIGN float blurred[kBlurs][kStepRows * kLargestVector];
  const V zero = hn::Zero(d);
  for (int i = 0; i < kCellWidth; i += lanes) {
    const int column = x + i;
    BlurColumn(in.upper[kM1][0] + column, in.lower[kM1][0] + column, blurred[kM1]);
    BlurColumn(in.upper[kM2][0] + column, in.lower[kM2][0] + column, blurred[kM2]);
    if (kSsim) {
      BlurColumn(in.upper[kS][0] + column, in.lower[kS][0] + column, blurred[kS]);
      BlurColumn(in.upper[kV][0] + column, in.lower[kV][0] + column, blurred[kV]);
    }
    const auto inside = hn::FirstN(d, static_cast<size_t>(std::clamp(in.columns - column, 0, lanes)));
    V ssim1 = zero, ssim4 = zero, artifact1 = zero, artifact4 = zero, loss1 = zero, loss4 = zero;
    for (int row = 0; row < in.rows; ++row) {
      const V m1 = hn::Load(d, blurred[kM1] + row * kLargestVector);
      const V m2 = hn::Load(d, blurred[kM2] + row * kLargestVector);
      if (kSsim) {
        const V s = hn::Load(d, blurred[kS] + row * kLargestVector);
        const V v = hn::Load(d, blurred[kV] + row * kLargestVector);
        const V term = hn::IfThenElseZero(inside, SsimTerms(m1, m2, s, v));
        ssim1 = hn::Add(ssim1, term);
        ssim4 = hn::Add(ssim4, FourthPowers(term));
      }
      if (kEdges) {
        const V a = hn::LoadU(d, in.a[row] + column), b = hn::LoadU(d, in.b[row] + column);
        const V edge = hn::IfThenElseZero(inside, EdgeTerms(a, b, m1, m2));
        if (kArtifact) {
          const V term = hn::Max(edge, zero);
          artifact1 = hn::Add(artifact1, term);
          artifact4 = hn::Add(artifact4, FourthPowers(term));
        }
        if (kLoss) {
          const V term = hn::Max(hn::Neg(edge), zero);
          loss1 = hn::Add(loss1, term);
          loss4 = hn::Add(loss4, FourthPowers(term));
        }
      }
    }
    hn::Store(ssim1, d, columns[0] + i);
    hn::Store(ssim4, d, columns[1] + i);
    hn::Store(artifact1, d, columns[2] + i);
    hn::Store(artifact4, d, columns[3] + i);
    hn::Store(loss1, d, columns[4] + i);
    hn::Store(loss4, d, columns[5] + i);
  }
  for (int sum = 0; sum < kSums; ++sum)
    if ((needed >> sum & 1) != 0) sums[sum] = Fold(columns[sum]);
}

template <bool kSsim, bool kArtifact, bool kLoss>
HWY_NOINLINE void MeasureCells(const CellInput& in, int columns, SumSet needed, float* HWY_RESTRICT sums) {
  for (int x = 0; x < columns; x += kCellWidth) {
    MeasureCell<kSsim, kArtifact, kLoss>(in, x, needed, sums);
    sums += kChannels * kSums;
  }
}

// One row of cells of the tile, whose first row is `top`.
HWY_NOINLINE void MeasureStep(const FrameWork& work, const Tile& tile, int top, const Half& upper, const Half& lower) {
  const int columns = tile.right - tile.left;
  for (int channel = 0; channel < kChannels; ++channel) {
    const SumSet needed = work.needed[tile.scale][channel];
    if (needed == 0) continue;
    CellInput in;
    in.upper = upper.blurred[channel];
    in.lower = lower.blurred[channel];
    in.rows = std::min(kStepRows, tile.bottom - top);
    in.columns = work.scales.width[tile.scale] - tile.left;
    for (int row = 0; row < kStepRows; ++row) {
      // The halves start 4 rows above the step.
      const Half& half = row < kBlurRadius ? upper : lower;
      const int at = (row + kBlurRadius) % kStepRows;
      in.a[row] = half.xyb[kReferenceSide][channel][at] + kBlurRadius;
      in.b[row] = half.xyb[kDistortedSide][channel][at] + kBlurRadius;
    }
    const ptrdiff_t cell = ptrdiff_t{top / kCellHeight} * work.cells_per_row[tile.scale] + tile.left / kCellWidth;
    float* sums = work.cells[tile.scale] + (cell * kChannels + channel) * kSums;
    const int ssim = (needed & kSsimSums) != 0;
    const int artifact = (needed & kArtifactSums) != 0;
    const int loss = (needed & kLossSums) != 0;
    switch (4 * ssim + 2 * artifact + loss) {
      case 1: MeasureCells<false, false, true>(in, columns, needed, sums); break;
      case 2: MeasureCells<false, true, false>(in, columns, needed, sums); break;
      case 3: MeasureCells<false, true, true>(in, columns, needed, sums); break;
      case 4: MeasureCells<true, false, false>(in, columns, needed, sums); break;
      case 5: MeasureCells<true, false, true>(in, columns, needed, sums); break;
      case 6: MeasureCells<true, true, false>(in, columns, needed, sums); break;
      default: MeasureCells<true, true, true>(in, columns, needed, sums); break;
    }
  }
}

void MeasureTile(const FrameWork& work, const Tile& tile, Scratch& scratch) {
  Half* upper = &scratch.half[0];
  Half* lower = &scratch.half[1];
  FillHalf(work, tile, tile.top - kBlurRadius, scratch, *upper);
  for (int top = tile.top; top < tile.bottom; top += kStepRows) {
    FillHalf(work, tile, top + kStepRows - kBlurRadius, scratch, *lower);
    MeasureStep(work, tile, top, *upper, *lower);
    std::swap(upper, lower);
  }
  if (tile.scale == 0) DownsampleShare(work, tile);
}

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::ssimulacra2::standard
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vmafx::ssimulacra2::standard {
namespace {

HWY_EXPORT(MeasureTile);

std::vector<Tile> TilesOf(const Scales& scales, int first_scale, int end_scale) {
  std::vector<Tile> tiles;
  for (int scale = first_scale; scale < end_scale; ++scale)
    for (int top = 0; top < scales.height[scale]; top += kTileHeight)
      for (int left = 0; left < scales.width[scale]; left += kTileWidth)
        tiles.push_back({scale, left, std::min(left + kTileWidth, scales.width[scale]), top,
                         std::min(top + kTileHeight, scales.height[scale])});
  return tiles;
}

int RoundUp(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

// Room for a replicated last column and for vectors that start inside the row and read two beyond it.
ptrdiff_t LinearStride(int width) { return RoundUp(width + 1, kLargestVector) + 2 * kLargestVector; }

// Cells of one row left to right, rows top to bottom, each sum by itself.
void AddCells(const float* cells, int rows, int per_row, double (*sums)[kSums]) {
  constexpr int kAll = kChannels * kSums;
  double total[kAll] = {};
  for (int row = 0; row < rows; ++row) {
    double along[kAll] = {};
    for (int cell = 0; cell < per_row; ++cell, cells += kAll)
      for (int sum = 0; sum < kAll; ++sum) along[sum] += static_cast<double>(cells[sum]);
    for (int sum = 0; sum < kAll; ++sum) total[sum] += along[sum];
  }
  for (int sum = 0; sum < kAll; ++sum) sums[sum / kSums][sum % kSums] = total[sum];
}

}  // namespace

struct CpuMeter::Impl {
  explicit Impl(const Scales& scales) : work(scales) {}

  FrameWork work;
  std::vector<Tile> full_size, smaller;
  std::vector<std::vector<float>> cells;
  std::vector<float> linear;
  std::vector<std::unique_ptr<Scratch>> scratch;  // by thread
};

CpuMeter::CpuMeter(const PairFormat& format, const Workers& workers, Formed formed)
    : impl_(std::make_unique<Impl>(Scales(format.reference.width, format.reference.height))) {
  FrameWork& work = impl_->work;
  const Scales& scales = work.scales;
  work.format[kReferenceSide] = format.reference;
  work.format[kDistortedSide] = format.distorted;
  for (int side = 0; side < kSides; ++side) work.conversion[side] = MakeConversion(work.format[side]);
  impl_->full_size = TilesOf(scales, 0, 1);
  impl_->smaller = TilesOf(scales, 1, scales.count);

  size_t samples = 0;
  for (int scale = 1; scale < scales.count; ++scale)
    samples += static_cast<size_t>(LinearStride(scales.width[scale])) * static_cast<size_t>(scales.height[scale]) *
               kSides * kChannels;
  impl_->linear.resize(samples);
  float* next = impl_->linear.data();
  for (int scale = 1; scale < scales.count; ++scale)
    for (LinearPlanes& planes : work.linear[scale]) {
      planes.stride = LinearStride(scales.width[scale]);
      for (float*& plane : planes.plane) {
        plane = next;
        next += planes.stride * scales.height[scale];
      }
    }
  for (int scale = 0; scale < scales.count; ++scale) {
    work.cells_per_row[scale] = RoundUp(scales.width[scale], kCellWidth) / kCellWidth;
    const int rows = RoundUp(scales.height[scale], kCellHeight) / kCellHeight;
    impl_->cells.emplace_back(static_cast<size_t>(rows) * static_cast<size_t>(work.cells_per_row[scale]) * kChannels *
                              kSums);
    work.cells[scale] = impl_->cells.back().data();
    for (int channel = 0; channel < kChannels; ++channel)
      work.needed[scale][channel] =
          formed == Formed::kAll ? kAllSums : NeededSums(scales.count, channel, scale);
  }
  for (int thread = 0; thread < workers.threads(); ++thread)
    impl_->scratch.push_back(std::make_unique<Scratch>());
}

CpuMeter::~CpuMeter() = default;

const Scales& CpuMeter::scales() const { return impl_->work.scales; }

void CpuMeter::Measure(const PairView& pair, Workers& workers, FrameSums* sums) {
  FrameWork& work = impl_->work;
  work.picture[kReferenceSide] = pair.reference;
  work.picture[kDistortedSide] = pair.distorted;
  // The tiles of scale 0 make the linear light of the others, which then are measured together.
  for (const std::vector<Tile>* tiles : {&impl_->full_size, &impl_->smaller})
    workers.Run(tiles->size(), [&](size_t index, int thread) {
      HWY_DYNAMIC_DISPATCH(MeasureTile)(work, (*tiles)[index], *impl_->scratch[static_cast<size_t>(thread)]);
    });
  for (int scale = 0; scale < work.scales.count; ++scale)
    AddCells(work.cells[scale], RoundUp(work.scales.height[scale], kCellHeight) / kCellHeight,
             work.cells_per_row[scale], sums->value[scale]);
}

namespace {

class StandardCpu final : public CpuExtractor {
 public:
  StandardCpu(const PairFormat& format, const Workers& workers) : meter_(format, workers) {}

  Status Extract(const PairView& pair, Workers& workers, std::span<double> values) override {
    FrameSums sums;
    meter_.Measure(pair, workers, &sums);
    return ScoreOf(meter_.scales(), sums, &values[0]);
  }

 private:
  CpuMeter meter_;
};

}  // namespace

std::unique_ptr<CpuExtractor> MakeStandardCpu(const PairFormat& format, const Workers& workers) {
  return std::make_unique<StandardCpu>(format, workers);
}

}  // namespace vmafx::ssimulacra2::standard
#endif  // HWY_ONCE
