// SPDX-License-Identifier: BSD-2-Clause-Patent
// From XYB to sums of cells. A group of 32 lanes walks down a strip as wide as a cell, eight rows a step:
//  - the pixels of the next step are loaded into registers while those of this one, in shared memory, are worked on;
//  - along rows, each lane blurs eight neighbouring pixels of one row and leaves them in shared memory;
//  - along columns, each lane takes over one column of eight more rows; with the eight rows before, which it still
//    has in registers, that is the window of the eight outputs in between: one column of a cell, whose terms it adds;
//  - the columns' sums are folded over the lanes.
// Nothing blurred goes to memory. Groups of one wave do the same number of steps.
//
// On an H200, 4K: 191 us, 151 million instructions at 3.06 a cycle. What is left waits for its turn or, in 13 % of the
// samples, for instructions: the four kinds of strips are 23 KB each. Nine blocks on a multiprocessor spill (231 us);
// six, with all the registers that the compiler wants, leave too few warps (205 us).
//
// Sums that the score does not need are left out by kinds (below); at full size, where most of the time goes, X and B
// need no blur of squares.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_CELLS_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_CELLS_H_

#include "core/metrics/kernel.h"
//
#include "core/metrics/ssimulacra2/standard/kernel_arguments.h"

namespace vmafx::ssimulacra2::standard {

struct alignas(16) Floats4 {
  float value[4];
};

constexpr int kRun = 8;  // pixels of a row that one lane blurs
constexpr int kSpan = kRun + 2 * kBlurRadius;
// One blur's rows of a step. The pitch keeps the stores of four floats free of bank conflicts.
constexpr int kRowPitch = kCellWidth + 4;
using RowBlur = float[kCellHeight][kRowPitch];

// Pixels of a strip and its halo, for one step.
constexpr int kHaloWidth = kCellWidth + 2 * kBlurRadius;
constexpr int kHaloQuads = kHaloWidth / 4;
constexpr int kPixelPitch = kHaloWidth + 4;  // no bank conflicts between the rows that a load of four floats spans
struct alignas(16) Pixels {
  float side[2][kCellHeight][kPixelPitch];
};

// A group's working memory. Pixels of two steps: those of the newer one are blurred along rows, terms are of both.
struct alignas(16) StripMemory {
  Pixels pixels[2];
  RowBlur blurred[4];
};

// A lane's share of a step's pixels, loaded while the step before is worked on.
constexpr int kShare = 2 * kCellHeight * kHaloQuads / kGroup;
static_assert(kShare * kGroup == 2 * kCellHeight * kHaloQuads);

struct QuadPlace {
  int side, row, quad;
};

VMAFX_FN QuadPlace PlaceOf(int n) {
  const int place = n * kGroup + GroupLane();
  return {place / (kCellHeight * kHaloQuads), place / kHaloQuads % kCellHeight, place % kHaloQuads};
}

// Rows from y on, zero outside the plane: past the last column planes hold zeros up to a whole quad.
VMAFX_FN void LoadShare(const CellsJob& job, int left, int y, Floats4 share[kShare]) {
  VMAFX_UNROLL
  for (int n = 0; n < kShare; ++n) {
    const QuadPlace place = PlaceOf(n);
    const int row = y + place.row, x = left - kBlurRadius + 4 * place.quad;
    share[n] = {};
    if (row >= 0 && row < job.height && x >= 0 && x < job.width)
      share[n] = Load(reinterpret_cast<const Floats4*>(
          Memory<const float>(place.side == 0 ? job.reference : job.distorted) + row * job.pitch + x));
  }
}

VMAFX_FN void StoreShare(const Floats4 share[kShare], Pixels& pixels) {
  VMAFX_UNROLL
  for (int n = 0; n < kShare; ++n) {
    const QuadPlace place = PlaceOf(n);
    *reinterpret_cast<Floats4*>(&pixels.side[place.side][place.row][4 * place.quad]) = share[n];
  }
}

VMAFX_FN void LoadSpan(const float* pixels, float span[kSpan]) {
  VMAFX_UNROLL
  for (int i = 0; i < kSpan; i += 4) {
    const Floats4 four = *reinterpret_cast<const Floats4*>(pixels + i);
    VMAFX_UNROLL
    for (int j = 0; j < 4; ++j) span[i + j] = four.value[j];
  }
}

VMAFX_FN void BlurSpan(const float span[kSpan], float* out) {
  VMAFX_UNROLL
  for (int i = 0; i < kRun; i += 4) {
    Floats4 four;
    VMAFX_UNROLL
    for (int j = 0; j < 4; ++j) {
      const float* p = span + i + j;
      four.value[j] = Blur(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]);
    }
    *reinterpret_cast<Floats4*>(out + i) = four;
  }
}

// The blurs along rows of a step's pixels.
template <bool kSsim>
VMAFX_FN void BlurRows(const Pixels& pixels, RowBlur* rows) {
  const int row = GroupLane() / (kCellWidth / kRun), run = GroupLane() % (kCellWidth / kRun) * kRun;
  float a[kSpan], b[kSpan];
  LoadSpan(&pixels.side[0][row][run], a);
  LoadSpan(&pixels.side[1][row][run], b);
  BlurSpan(a, &rows[0][row][run]);
  BlurSpan(b, &rows[1][row][run]);
  if constexpr (kSsim) {
    float square[kSpan];
    VMAFX_UNROLL
    for (int i = 0; i < kSpan; ++i) square[i] = SquareSum(a[i], b[i]);
    BlurSpan(square, &rows[2][row][run]);
    VMAFX_UNROLL
    for (int i = 0; i < kSpan; ++i) square[i] = SquareDifference(a[i], b[i]);
    BlurSpan(square, &rows[3][row][run]);
  }
}

// One fold of two sums with one exchange: afterwards lanes without the bit `mask` go on with the sum `low`, those
// with it with `high`. There the operands come the other way round, s[i + mask] + s[i], which gives the same bits.
VMAFX_FN float FoldTwo(float low, float high, int mask) {
  const bool upper = (GroupLane() & mask) != 0;
  return (upper ? high : low) + ShuffleXor(upper ? low : high, mask, kGroup);
}

VMAFX_FN float FoldOne(float value, int mask) { return value + ShuffleXor(value, mask, kGroup); }

// The kinds of sums a strip forms, both norms of each.
template <bool kSsim, bool kArtifact, bool kLoss>
struct Kinds {
  static constexpr int kCount = int{kSsim} + int{kArtifact} + int{kLoss};

  // The n-th kind formed.
  VMAFX_FN static int Kind(int n) {
    if (n == 0) return kSsim ? 0 : kArtifact ? 1 : 2;
    if (n == 1) return kSsim && kArtifact ? 1 : 2;
    return 2;
  }

  // Folds the columns' sums of a cell; *sum tells which of the kSums the lane then holds, -1 for none.
  VMAFX_FN static float Fold(const float sums[2 * kCount], int* sum) {
    const int lane = GroupLane();
    const int norm = lane >> 4 & 1;
    float value = FoldTwo(sums[0], sums[1], 16);
    int kind = 0;
    bool holds = true;
    if constexpr (kCount == 1) {
      value = FoldOne(value, 8);
      holds = (lane & 8) == 0;
    } else {
      value = FoldTwo(value, FoldTwo(sums[2], sums[3], 16), 8);
      kind = lane >> 3 & 1;
    }
    if constexpr (kCount == 3) {
      const float third = FoldOne(FoldTwo(sums[4], sums[5], 16), 8);
      value = FoldTwo(value, third, 4);
      if ((lane & 4) != 0) {
        holds = kind == 0;
        kind = 2;
      }
    } else {
      value = FoldOne(value, 4);
      holds = holds && (lane & 4) == 0;
    }
    value = FoldOne(FoldOne(value, 2), 1);
    *sum = holds && (lane & 3) == 0 ? 2 * Kind(kind) + norm : -1;
    return value;
  }
};

template <bool kSsim, bool kArtifact, bool kLoss>
VMAFX_FN void MeasureStrip(const CellsJob& job, int left, int first_cell, int steps, StripMemory& memory) {
  using Terms = Kinds<kSsim, kArtifact, kLoss>;
  constexpr int kBlurs = kSsim ? 4 : 2;
  constexpr int kWindow = 2 * kCellHeight;
  const int lane = GroupLane();
  const int x = left + lane;
  const bool inside = x < job.width;
  float window[kBlurs][kWindow];
  VMAFX_UNROLL
  for (int blur = 0; blur < kBlurs; ++blur) {
    VMAFX_UNROLL
    for (int i = 0; i < kWindow; ++i) window[blur][i] = 0.0f;
  }
  // The rows that a step adds end kBlurRadius below its cell.
  const auto first_row = [&](int step) { return (first_cell + step + 1) * kCellHeight - kBlurRadius; };
  Floats4 share[kShare];
  LoadShare(job, left, first_row(-1), share);
  // The first step only fills the window.
  for (int step = -1; step < steps; ++step) {
    const int cell = first_cell + step;
    const int top = cell * kCellHeight;
    WaveBarrier();
    StoreShare(share, memory.pixels[step & 1]);
    WaveBarrier();
    if (step + 1 < steps) LoadShare(job, left, first_row(step + 1), share);
    BlurRows<kSsim>(memory.pixels[step & 1], memory.blurred);
    WaveBarrier();
    VMAFX_UNROLL
    for (int blur = 0; blur < kBlurs; ++blur) {
      VMAFX_UNROLL
      for (int i = 0; i < kCellHeight; ++i) {
        window[blur][i] = window[blur][kCellHeight + i];
        window[blur][kCellHeight + i] = memory.blurred[blur][i][lane];
      }
    }
    if (step < 0) continue;
    float sums[2 * Terms::kCount];
    VMAFX_UNROLL
    for (int n = 0; n < 2 * Terms::kCount; ++n) sums[n] = 0.0f;
    VMAFX_UNROLL
    for (int i = 0; i < kCellHeight; ++i) {
      const int y = top + i;
      const bool row_inside = y < job.height;
      const auto blurred = [&](int blur) {
        const float* w = &window[blur][i];
        return Blur(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]);
      };
      const float m1 = blurred(0), m2 = blurred(1);
      int n = 0;
      const auto add = [&](float term) {
        sums[n] += term;
        sums[n + 1] += FourthPower(term);
        n += kNorms;
      };
      if constexpr (kSsim) {
        const float ssim = SsimTerm(m1, m2, blurred(kSsim ? 2 : 0), blurred(kSsim ? 3 : 0));
        add(row_inside ? ssim : 0.0f);
      }
      if constexpr (kArtifact || kLoss) {
        // The cell's first kBlurRadius rows came with the step before.
        const Pixels& pixels = memory.pixels[(i < kBlurRadius ? step + 1 : step) & 1];
        const int row = (i + kBlurRadius) % kCellHeight, column = lane + kBlurRadius;
        const float edge = EdgeTerm(pixels.side[0][row][column], pixels.side[1][row][column], m1, m2);
        const float counted = row_inside ? edge : 0.0f;
        if constexpr (kArtifact) add(Positive(counted));
        if constexpr (kLoss) add(Positive(-counted));
      }
    }
    VMAFX_UNROLL
    for (int n = 0; n < 2 * Terms::kCount; ++n) sums[n] = inside ? sums[n] : 0.0f;
    int sum;
    const float folded = Terms::Fold(sums, &sum);
    if (sum >= 0 && left < job.width) {
      const int64_t at = (static_cast<int64_t>(sum) * job.cell_columns + left / kCellWidth) * job.cell_rows + cell;
      Memory<float>(job.cells)[at] = folded;
    }
  }
}

VMAFX_FN void Cells(const CellsArguments& arguments) {
  VMAFX_SHARED(StripMemory, memory, [kStrips]);
  const int strip = ThreadX() / kCellWidth;
  int n = 0;
  VMAFX_UNROLL
  for (int i = 1; i < kJobs; ++i) n += BlockX() >= arguments.first_tile[i] ? 1 : 0;
  const CellsJob& job = arguments.job[n];
  const int tile = BlockX() - arguments.first_tile[n];
  const int left = (tile % job.tiles_per_row * kStrips + strip) * kCellWidth;
  const int first_cell = tile / job.tiles_per_row * arguments.steps;
  const int steps = job.cell_rows - first_cell < arguments.steps ? job.cell_rows - first_cell : arguments.steps;
  const bool ssim = (job.needed & 0x03) != 0, artifact = (job.needed & 0x0C) != 0, loss = (job.needed & 0x30) != 0;
  if (!ssim && !loss)
    MeasureStrip<false, true, false>(job, left, first_cell, steps, memory[strip]);
  else if (!artifact)
    MeasureStrip<true, false, true>(job, left, first_cell, steps, memory[strip]);
  else if (!loss)
    MeasureStrip<true, true, false>(job, left, first_cell, steps, memory[strip]);
  else
    MeasureStrip<true, true, true>(job, left, first_cell, steps, memory[strip]);
}

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_CELLS_H_
