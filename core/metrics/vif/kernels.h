// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif on a device. A block of 256 threads goes down a tile in strips of 8 rows. Each thread owns a column: it keeps the
// rows that the windows of a strip reach in registers, both samples in one word, and filters vertically; rows that the
// next strip shares stay there. The results go through shared memory to the horizontal filter, four neighbouring pixels
// a thread, whose moments never leave registers. The next scale is made from the same registers and reads nothing
// again. Everything is integer but the gain (definition.h), and all sums are integers, so neither tiles nor order show.
//
// On an H200, 4K: the first scale takes 209 of 288 us. The integer multiplier, at half rate, is busy about half of the
// time; the rest is barriers between the two filters and operands. A third block on each multiprocessor is worth the 35
// registers that it spills (218 us with two).
#ifndef VMAFX_METRICS_VIF_KERNELS_H_
#define VMAFX_METRICS_VIF_KERNELS_H_

#include "core/metrics/kernel.h"
#include "core/metrics/kernel_samples.h"
//
#include "core/metrics/vif/definition.h"
#include "core/metrics/vif/kernel_arguments.h"
#include "core/metrics/vif/log_steps.h"

namespace vmafx::vif {

// The taps of a window as a value, so that unrolled loops see constants.
struct Window {
  uint32_t tap[17];
};
constexpr Window WindowOf(int scale) {
  Window window{};
  for (int i = 0; i < 17; ++i) window.tap[i] = kTaps[scale][i];
  return window;
}
constexpr int HalfOf(int scale) { return kHalf[scale]; }

VMAFX_FN uint32_t Pack(uint32_t reference, uint32_t distorted) { return reference | distorted << 16; }
VMAFX_FN uint32_t ReferenceOf(uint32_t packed) { return packed & 0xFFFF; }
VMAFX_FN uint32_t DistortedOf(uint32_t packed) { return packed >> 16; }

// Where the samples of a column come from. Each input has its own stride.
struct BytesColumn {  // 8 bits, nothing to shift
  uint64_t reference, distorted;
  VMAFX_FN BytesColumn(const ScaleArguments& a, int x)
      : reference(SampleAddress(a.reference, x, 0)), distorted(SampleAddress(a.distorted, x, 0)) {}
  VMAFX_FN uint32_t At(const ScaleArguments& a, int y) const {
    return Pack(Load(Memory<const uint8_t>(reference + static_cast<uint64_t>(y * a.reference.stride))),
                Load(Memory<const uint8_t>(distorted + static_cast<uint64_t>(y * a.distorted.stride))));
  }
};
struct WordsColumn {  // 16-bit words on both sides
  uint64_t reference, distorted;
  VMAFX_FN WordsColumn(const ScaleArguments& a, int x)
      : reference(SampleAddress(a.reference, x, 0)), distorted(SampleAddress(a.distorted, x, 0)) {}
  VMAFX_FN uint32_t At(const ScaleArguments& a, int y) const {
    const uint32_t r = Load(Memory<const uint16_t>(reference + static_cast<uint64_t>(y * a.reference.stride)));
    const uint32_t d = Load(Memory<const uint16_t>(distorted + static_cast<uint64_t>(y * a.distorted.stride)));
    return Pack(r >> a.reference.shift << a.reference.lift, d >> a.distorted.shift << a.distorted.lift);
  }
};
struct MixedColumn {
  uint64_t reference, distorted;
  VMAFX_FN MixedColumn(const ScaleArguments& a, int x)
      : reference(SampleAddress(a.reference, x, 0)), distorted(SampleAddress(a.distorted, x, 0)) {}
  VMAFX_FN uint32_t At(const ScaleArguments& a, int y) const {
    return Pack(LoadSample(a.reference, reference + static_cast<uint64_t>(y * a.reference.stride)),
                LoadSample(a.distorted, distorted + static_cast<uint64_t>(y * a.distorted.stride)));
  }
};
struct PackedColumn {
  const uint32_t* words;
  VMAFX_FN PackedColumn(const ScaleArguments& a, int x) : words(Memory<const uint32_t>(a.packed.data) + x) {}
  VMAFX_FN uint32_t At(const ScaleArguments& a, int y) const {
    return Load(words + static_cast<int64_t>(y) * a.packed.pitch);
  }
};

// The table of logarithms in shared memory.
struct LogTable {
  const uint64_t* words;
  VMAFX_FN uint32_t operator[](uint64_t i) const { return LogEntry(words[i / 32], static_cast<int>(i % 32)); }
};

// The vertically filtered rows of a strip. Four neighbouring words are read at once.
struct alignas(16) FilteredRow {
  uint32_t means[kBlockThreads];  // reference | distorted << 16
  uint32_t rr[kBlockThreads];
  uint32_t dd[kBlockThreads];
  uint32_t rd[kBlockThreads];
};

// Sums of products after the vertical filter: 32 bits hold them at 8 bits, where they are not shifted.
template <bool kEightBits>
struct ProductSum {
  using Type = uint64_t;
};
template <>
struct ProductSum<true> {
  using Type = uint32_t;
};

// One quantity of a window's rows, filtered for each row of a strip. A window is symmetric: where two values fit in 32
// bits, those at equal distances are added first, which spares the multiplier.
template <class Sum, int kScale, bool kPairs, int kWindowRows>
VMAFX_FN void FilterColumn(const uint32_t (&values)[kWindowRows], Sum (&sums)[kStripRows]) {
  constexpr Window taps = WindowOf(kScale);
  constexpr int kHere = HalfOf(kScale);
  VMAFX_UNROLL
  for (int i = 0; i < kStripRows; ++i) {
    sums[i] = static_cast<Sum>(taps.tap[kHere]) * values[i + kHere];
    VMAFX_UNROLL
    for (int t = 0; t < kHere; ++t) {
      const uint32_t near = values[i + t], far = values[i + 2 * kHere - t];
      if constexpr (kPairs)
        sums[i] += static_cast<Sum>(taps.tap[t]) * (near + far);
      else
        sums[i] += static_cast<Sum>(taps.tap[t]) * near + static_cast<Sum>(taps.tap[t]) * far;
    }
  }
}

// Quantity by quantity: that takes the fewest registers.
template <int kScale, bool kEightBits, int kWindowRows>
VMAFX_FN void FilterStrip(const uint32_t (&window)[kWindowRows], int depth, FilteredRow* rows) {
  using Product = typename ProductSum<kEightBits>::Type;
  const Shifts shifts = kEightBits ? Shifts{8, 0} : VerticalShifts(kScale, depth);
  const int column = ThreadX();
  const uint32_t half = 1u << (shifts.mean - 1);
  uint32_t values[kWindowRows];
  uint32_t mean_r[kStripRows], mean_d[kStripRows];
  VMAFX_UNROLL
  for (int j = 0; j < kWindowRows; ++j) values[j] = ReferenceOf(window[j]);
  FilterColumn<uint32_t, kScale, true>(values, mean_r);
  VMAFX_UNROLL
  for (int j = 0; j < kWindowRows; ++j) values[j] = DistortedOf(window[j]);
  FilterColumn<uint32_t, kScale, true>(values, mean_d);
  VMAFX_UNROLL
  for (int i = 0; i < kStripRows; ++i)
    rows[i].means[column] = Pack((mean_r[i] + half) >> shifts.mean, (mean_d[i] + half) >> shifts.mean);
  const auto filter_products = [&](auto product, auto place) {
    Product sums[kStripRows];
    VMAFX_UNROLL
    for (int j = 0; j < kWindowRows; ++j) values[j] = product(ReferenceOf(window[j]), DistortedOf(window[j]));
    FilterColumn<Product, kScale, kEightBits>(values, sums);
    VMAFX_UNROLL
    for (int i = 0; i < kStripRows; ++i)
      place(rows[i])[column] = static_cast<uint32_t>(RoundShift(sums[i], shifts.product));
  };
  filter_products([](uint32_t r, uint32_t) { return r * r; }, [](FilteredRow& row) { return row.rr; });
  filter_products([](uint32_t, uint32_t d) { return d * d; }, [](FilteredRow& row) { return row.dd; });
  filter_products([](uint32_t r, uint32_t d) { return r * d; }, [](FilteredRow& row) { return row.rd; });
}

// Four neighbouring pixels from the columns `first` .. of one filtered row.
template <int kScale>
VMAFX_FN void FilterFour(const FilteredRow& row, int first, Moments (&moments)[4]) {
  constexpr Window taps = WindowOf(kScale);
  constexpr int kTapCount = 2 * HalfOf(kScale) + 1;
  constexpr int kQuads = (4 + 2 * HalfOf(kScale) + 3) / 4;
  uint32_t mean_r[4] = {0, 0, 0, 0}, mean_d[4] = {0, 0, 0, 0};
  uint64_t rr[4] = {0, 0, 0, 0}, dd[4] = {0, 0, 0, 0}, rd[4] = {0, 0, 0, 0};
  VMAFX_UNROLL
  for (int q = 0; q < kQuads; ++q) {
    const Words4 means4 = *reinterpret_cast<const Words4*>(row.means + first + 4 * q);
    const Words4 rr4 = *reinterpret_cast<const Words4*>(row.rr + first + 4 * q);
    const Words4 dd4 = *reinterpret_cast<const Words4*>(row.dd + first + 4 * q);
    const Words4 rd4 = *reinterpret_cast<const Words4*>(row.rd + first + 4 * q);
    VMAFX_UNROLL
    for (int e = 0; e < 4; ++e) {
      VMAFX_UNROLL
      for (int o = 0; o < 4; ++o) {
        const int t = 4 * q + e - o;
        if (t < 0 || t >= kTapCount) continue;
        mean_r[o] += taps.tap[t] * ReferenceOf(means4.word[e]);
        mean_d[o] += taps.tap[t] * DistortedOf(means4.word[e]);
        rr[o] += static_cast<uint64_t>(taps.tap[t]) * rr4.word[e];
        dd[o] += static_cast<uint64_t>(taps.tap[t]) * dd4.word[e];
        rd[o] += static_cast<uint64_t>(taps.tap[t]) * rd4.word[e];
      }
    }
  }
  VMAFX_UNROLL
  for (int o = 0; o < 4; ++o) {
    moments[o].mean_r = mean_r[o];
    moments[o].mean_d = mean_d[o];
    moments[o].rr = static_cast<uint32_t>(RoundShift(rr[o], 16));
    moments[o].dd = static_cast<uint32_t>(RoundShift(dd[o], 16));
    moments[o].rd = static_cast<uint32_t>(RoundShift(rd[o], 16));
  }
}

// The even rows of a strip under the next scale's window, vertically.
template <int kScale, bool kEightBits, int kWindowRows>
VMAFX_FN void ReduceStrip(const uint32_t (&window)[kWindowRows], int depth,
                          uint32_t (*reduced)[kBlockThreads]) {
  constexpr Window taps = WindowOf(kScale + 1);
  constexpr int kNextHalf = HalfOf(kScale + 1);
  const int shift = kEightBits ? 8 : VerticalShifts(kScale, depth).mean;
  const uint32_t half = 1u << (shift - 1);
  VMAFX_UNROLL
  for (int i = 0; i < kStripRows / 2; ++i) {
    uint32_t r = 0, d = 0;
    VMAFX_UNROLL
    for (int t = 0; t <= 2 * kNextHalf; ++t) {
      const uint32_t samples = window[2 * i + HalfOf(kScale) - kNextHalf + t];
      r += taps.tap[t] * ReferenceOf(samples);
      d += taps.tap[t] * DistortedOf(samples);
    }
    reduced[i][ThreadX()] = Pack((r + half) >> shift, (d + half) >> shift);
  }
}

// The sample of the next scale around one column of a vertically reduced row.
template <int kScale>
VMAFX_FN uint32_t ReduceColumns(const uint32_t* row, int column) {
  constexpr Window taps = WindowOf(kScale + 1);
  constexpr int kNextHalf = HalfOf(kScale + 1);
  uint32_t r = 32768, d = 32768;
  VMAFX_UNROLL
  for (int t = 0; t <= 2 * kNextHalf; ++t) {
    const uint32_t samples = row[column - kNextHalf + t];
    r += taps.tap[t] * ReferenceOf(samples);
    d += taps.tap[t] * DistortedOf(samples);
  }
  return Pack(r >> 16, d >> 16);
}

VMAFX_FN void AddToTotals(const Sums& sums, uint64_t address) {
  constexpr int kGroups = kBlockThreads / kGroup;
  VMAFX_SHARED(Sums, groups, [kGroups]);
  Sums group;
  group.numlog = GroupSum(sums.numlog);
  group.denlog = GroupSum(sums.denlog);
  group.numnon = GroupSum(sums.numnon);
  group.dennon = GroupSum(sums.dennon);
  if (GroupLane() == 0) groups[ThreadX() / kGroup] = group;
  BlockBarrier();
  if (ThreadX() != 0) return;
  Sums total = groups[0];
  for (int i = 1; i < kGroups; ++i) {
    total.numlog += groups[i].numlog;
    total.denlog += groups[i].denlog;
    total.numnon += groups[i].numnon;
    total.dennon += groups[i].dennon;
  }
  uint64_t* totals = Memory<uint64_t>(address);  // a Sums; two's complement adds signed numbers as well
  AtomicAdd(totals + 0, static_cast<uint64_t>(total.numlog));
  AtomicAdd(totals + 1, static_cast<uint64_t>(total.denlog));
  AtomicAdd(totals + 2, static_cast<uint64_t>(total.numnon));
  AtomicAdd(totals + 3, static_cast<uint64_t>(total.dennon));
}

template <int kScale, bool kEightBits, class Column>
VMAFX_FN void MeasureScale(const ScaleArguments& a) {
  constexpr int kHere = HalfOf(kScale);
  constexpr int kColumns = BlockColumns(kHere);
  constexpr int kWindowRows = kStripRows + 2 * kHere;
  constexpr bool kReduces = kScale + 1 < kScales;
  VMAFX_SHARED(FilteredRow, filtered, [kStripRows]);
  VMAFX_SHARED(uint32_t, reduced, [kStripRows / 2][kBlockThreads]);
  VMAFX_SHARED(uint64_t, log_words, [kLogWords]);

  const int first_x = BlockX() * kColumns;
  const int first_y = BlockY() * a.strips * kStripRows;
  // Columns and rows past the mirror's reach belong to no pixel of the picture: any sample will do there.
  const int mirrored = Mirror(first_x - kHere + ThreadX(), a.width);
  const Column column(a, mirrored < 0 ? 0 : mirrored);
  const auto at = [&](int y) {
    const int row = Mirror(y, a.height);
    return column.At(a, row < 0 ? 0 : row);
  };

  uint32_t window[kWindowRows];
  VMAFX_UNROLL
  for (int j = 0; j < kWindowRows; ++j) window[j] = at(first_y - kHere + j);
  for (int i = ThreadX(); i < kLogWords; i += kBlockThreads)
    log_words[i] = Load(Memory<const uint64_t>(a.log_words) + i);
  const LogTable log_table = {log_words};
  Sums sums = {0, 0, 0, 0};
  for (int strip = 0; strip < a.strips; ++strip) {
    const int y0 = first_y + strip * kStripRows;
    if (y0 >= a.height) break;
    if (a.measure != 0) FilterStrip<kScale, kEightBits>(window, a.depth, filtered);
    if constexpr (kReduces) {
      if (a.reduced.data != 0) ReduceStrip<kScale, kEightBits>(window, a.depth, reduced);
    }
    BlockBarrier();

    VMAFX_UNROLL
    for (int j = 0; j < 2 * kHere; ++j) window[j] = window[j + kStripRows];
    VMAFX_UNROLL
    for (int j = 2 * kHere; j < kWindowRows; ++j) window[j] = at(y0 + kStripRows - kHere + j);

    if (a.measure != 0) {
      constexpr int kQuadsInRow = kColumns / 4;
      for (int item = ThreadX(); item < kStripRows * kQuadsInRow; item += kBlockThreads) {
        const int row = item / kQuadsInRow;
        const int quad = item % kQuadsInRow;
        const int x = first_x + 4 * quad;
        if (y0 + row >= a.height || x >= a.width) continue;
        Moments moments[4];
        FilterFour<kScale>(filtered[row], 4 * quad, moments);
        VMAFX_UNROLL
        for (int o = 0; o < 4; ++o)
          if (x + o < a.width) AddPixel(VariancesOf(moments[o]), a.gain_limit, log_table, &sums);
      }
    }
    if constexpr (kReduces) {
      if (a.reduced.data != 0) {
        for (int item = ThreadX(); item < kStripRows / 2 * (kColumns / 2); item += kBlockThreads) {
          const int row = item / (kColumns / 2);
          const int place = item % (kColumns / 2);
          const int x = first_x / 2 + place;
          const int y = y0 / 2 + row;
          if (x < a.reduced.width && y < a.reduced.height)
            Memory<uint32_t>(a.reduced.data)[static_cast<int64_t>(y) * a.reduced.pitch + x] =
                ReduceColumns<kScale>(reduced[row], 2 * place + kHere);
        }
      }
    }
    BlockBarrier();
  }
  if (a.measure != 0) AddToTotals(sums, a.sums);
}

}  // namespace vmafx::vif

// Scale 0 by the layout of its input, the others read what the scale before wrote.
VMAFX_KERNEL(vif_scale0_bytes, vmafx::vif::ScaleArguments, 256, 3) {
  vmafx::vif::MeasureScale<0, true, vmafx::vif::BytesColumn>(arguments);
}
VMAFX_KERNEL(vif_scale0_mixed8, vmafx::vif::ScaleArguments, 256, 3) {
  vmafx::vif::MeasureScale<0, true, vmafx::vif::MixedColumn>(arguments);
}
VMAFX_KERNEL(vif_scale0_words, vmafx::vif::ScaleArguments, 256, 3) {
  vmafx::vif::MeasureScale<0, false, vmafx::vif::WordsColumn>(arguments);
}
VMAFX_KERNEL(vif_scale0_mixed, vmafx::vif::ScaleArguments, 256, 3) {
  vmafx::vif::MeasureScale<0, false, vmafx::vif::MixedColumn>(arguments);
}
VMAFX_KERNEL(vif_scale1, vmafx::vif::ScaleArguments, 256, 3) {
  vmafx::vif::MeasureScale<1, false, vmafx::vif::PackedColumn>(arguments);
}
VMAFX_KERNEL(vif_scale2, vmafx::vif::ScaleArguments, 256, 3) {
  vmafx::vif::MeasureScale<2, false, vmafx::vif::PackedColumn>(arguments);
}
VMAFX_KERNEL(vif_scale3, vmafx::vif::ScaleArguments, 256, 3) {
  vmafx::vif::MeasureScale<3, false, vmafx::vif::PackedColumn>(arguments);
}

#endif  // VMAFX_METRICS_VIF_KERNELS_H_
