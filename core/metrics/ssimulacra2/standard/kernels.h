// SPDX-License-Identifier: BSD-2-Clause-Patent
// The profile `standard` on a device: samples to XYB (kernel_front.h), XYB to sums of cells (kernel_cells.h), and
// those to the sums of planes, in the order that definition.h sets. What is read back of a frame is its sums: 864
// bytes.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNELS_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNELS_H_

#include "core/metrics/ssimulacra2/standard/kernel_cells.h"
#include "core/metrics/ssimulacra2/standard/kernel_front.h"

namespace vmafx::ssimulacra2::standard {

// Rows of cells are added side by side, one by each thread, and then one after another.
VMAFX_FN void AddCells(const PlaneSum& plane) {
  VMAFX_SHARED(double, row_sums, [kSumsThreads]);
  double sum = 0.0;
  for (int first = 0; first < plane.cell_rows; first += kSumsThreads) {
    const int row = first + ThreadX();
    if (row < plane.cell_rows) {
      const float* cell = Memory<const float>(plane.cells) + row;
      double row_sum = 0.0;
      constexpr int kAhead = 32;  // loads in flight; past the last column zeros are added
      for (int column = 0; column < plane.cell_columns; column += kAhead) {
        float cells[kAhead];
        VMAFX_UNROLL
        for (int i = 0; i < kAhead; ++i)
          cells[i] =
              column + i < plane.cell_columns ? Load(cell + static_cast<int64_t>(column + i) * plane.cell_rows) : 0.0f;
        VMAFX_UNROLL
        for (int i = 0; i < kAhead; ++i) row_sum += static_cast<double>(cells[i]);
      }
      row_sums[ThreadX()] = row_sum;
    }
    BlockBarrier();
    const int rows = plane.cell_rows - first < kSumsThreads ? plane.cell_rows - first : kSumsThreads;
    if (ThreadX() == 0) {
      int i = 0;
      constexpr int kTogether = 16;  // loads ahead of the additions, which are one chain
      for (; i + kTogether <= rows; i += kTogether) {
        double row_sum[kTogether];
        VMAFX_UNROLL
        for (int j = 0; j < kTogether; ++j) row_sum[j] = row_sums[i + j];
        VMAFX_UNROLL
        for (int j = 0; j < kTogether; ++j) sum += row_sum[j];
      }
      for (; i < rows; ++i) sum += row_sums[i];
    }
    BlockBarrier();
  }
  if (ThreadX() == 0) *Memory<double>(plane.result) = sum;
}

}  // namespace vmafx::ssimulacra2::standard

VMAFX_KERNEL(ssimulacra2_standard_front, vmafx::ssimulacra2::standard::FrontArguments, 256, 5) {
  vmafx::ssimulacra2::standard::Front(arguments);
}

VMAFX_KERNEL(ssimulacra2_standard_cells, vmafx::ssimulacra2::standard::CellsArguments, 64, 8) {
  vmafx::ssimulacra2::standard::Cells(arguments);
}

VMAFX_KERNEL(ssimulacra2_standard_sums, vmafx::ssimulacra2::standard::SumsArguments, 512, 1) {
  vmafx::ssimulacra2::standard::AddCells(arguments.sum[vmafx::BlockX()]);
}

#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNELS_H_
