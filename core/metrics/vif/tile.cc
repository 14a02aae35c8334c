// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/vif/tile.h"

#include <algorithm>
#include <array>

#include "core/numeric/samples.h"

// How the filters become 16-bit multiplications
//
// x86 has one instruction that multiplies 16-bit pairs and adds the two 32-bit products, and others are no slower with
// it, so every filter runs on pairs of neighbours: two rows in the vertical filter, two columns in the horizontal one.
// A window over aligned pairs serves two outputs at once, the even and the odd one, which differ only in their taps:
//   even: (F0,F1) (F2,F3) ... (F16,0)      odd: (0,F0) (F1,F2) ... (F15,F16)
// Values of 32 bits are filtered as two planes of 16 bits, upper and lower halves, and put together afterwards:
//   (sum F*v + rounding) >> q  =  (A << (16-q)) + ((B + rounding) >> q),   A = sum F*upper, B = sum F*lower,  q <= 16
// with A and B below 2^32, as the taps add up to 2^16. The multiplication is signed, so unsigned 16-bit values v enter
// as v - 2^15 (their top bit flipped) and 2^15 * 2^16 = 2^31 is added to the sum, modulo 2^32.
// Products after the vertical filter are split with a signed lower half instead, v = 2^16 upper + lower, because
// then only the upper half needs its top bit flipped.
// The tap 43728 of the last window does not fit 16 signed bits: it is applied as twice 21864.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/metrics/vif/tile.cc"
#include "hwy/foreach_target.h"  // compiles this file once for each instruction set
#include "hwy/highway.h"

#ifndef VMAFX_METRICS_VIF_TILE_CC_ONCE
#define VMAFX_METRICS_VIF_TILE_CC_ONCE
namespace vmafx::vif {

// One term of a pair filter: the pair's number within the window and its two 16-bit taps for each output, the first
// one low.
struct Term {
  int pair;
  uint32_t even;
  uint32_t odd;
};

// A window as terms over aligned pairs. Pair p covers the offsets 2 (p - kBefore) and 2 (p - kBefore) + 1 from the even
// output.
template <int kWindow>
struct PairFilter {
  static constexpr int kBefore = (kHalf[kWindow] + 1) / 2;
  static constexpr int kPairs = 2 * kBefore + 1;
  static constexpr bool kLargeTap = kTaps[kWindow][kHalf[kWindow]] > 32767;
  static constexpr size_t kTerms = kPairs + (kLargeTap ? 1 : 0);

  static constexpr uint32_t Tap(int offset) {
    if (offset < -kHalf[kWindow] || offset > kHalf[kWindow]) return 0;
    const uint32_t tap = kTaps[kWindow][offset + kHalf[kWindow]];
    return tap > 32767 ? tap / 2 : tap;
  }
  static constexpr std::array<Term, kTerms> kList = [] {
    std::array<Term, kTerms> list{};
    for (int p = 0; p < kPairs; ++p) {
      const int offset = 2 * (p - kBefore);
      list[static_cast<size_t>(p)] = {p, Tap(offset) | Tap(offset + 1) << 16, Tap(offset - 1) | Tap(offset) << 16};
    }
    if (kLargeTap) list.back() = {kBefore, Tap(0), Tap(0) << 16};
    return list;
  }();
};

// The vertical filter's planes: samples, and upper and lower halves of their products. The lower ones come
// first because 8-bit samples have no upper ones.
enum VerticalPlane { kR, kD, kRrLower, kDdLower, kRdLower, kRrUpper, kDdUpper, kRdUpper, kVerticalPlanes };
inline constexpr int kVerticalPlanes8 = kRrUpper;

// What the horizontal filter gives: see Moments.
enum Moment { kMeanR, kMeanD, kRr, kDd, kRd, kMoments };

// A row of a plane has room for a tile and the window's reach on both sides, rounded up to whole vectors.
inline constexpr size_t kReach = 8;
inline constexpr size_t kRowSize = kTileWidth + 2 * kReach + 16;
static_assert(kRowSize % 32 == 0, "rows are aligned");
inline constexpr size_t kMaxPairs = PairFilter<0>::kPairs;

// Scratch memory of a tile. Rows start kReach or less columns left of the tile.
struct TileMemory {
  alignas(64) uint32_t pairs[kMaxPairs][kVerticalPlanes][kRowSize];  // two rows' samples per word, the upper row low
  alignas(64) uint16_t samples[4][kRowSize];                        // reference, distorted; upper and lower row
  alignas(64) int16_t filtered[2][kVerticalPlanes][kRowSize];       // even and odd row after the vertical filter
  alignas(64) int16_t reduced[2][kRowSize];                         // the even row for the reduction
  alignas(64) uint32_t moments[kMoments][2][kTileWidth / 2];        // of the even and of the odd columns
  alignas(64) uint64_t entries[kTileWidth];                         // table entries to look up, three in each
};

}  // namespace vmafx::vif
#endif  // VMAFX_METRICS_VIF_TILE_CC_ONCE

HWY_BEFORE_NAMESPACE();
namespace vmafx::vif {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using D16 = hn::ScalableTag<int16_t>;
using DU16 = hn::RebindToUnsigned<D16>;
using D32 = hn::RepartitionToWide<D16>;
using DU32 = hn::RebindToUnsigned<D32>;
using DU64 = hn::RepartitionToWide<DU32>;
using D64 = hn::RebindToSigned<DU64>;
using DF64 = hn::RebindToFloat<DU64>;
using DH16 = hn::Rebind<int16_t, D32>;    // as many lanes as D32
using DHU16 = hn::Rebind<uint16_t, D32>;
using DHU8 = hn::Rebind<uint8_t, D32>;
using V16 = hn::Vec<D16>;
using VU16 = hn::Vec<DU16>;
using V32 = hn::Vec<D32>;
using VU32 = hn::Vec<DU32>;
using VU64 = hn::Vec<DU64>;
using V64 = hn::Vec<D64>;
using VF64 = hn::Vec<DF64>;

HWY_INLINE VU32 Word(uint32_t v) { return hn::Set(DU32(), v); }

// sum + a[2i] * b[2i] + a[2i+1] * b[2i+1] in 32-bit lane i.
HWY_INLINE V32 AddPairProducts(V32 sum, V16 a, V16 b) {
#if HWY_ARCH_X86
  V32 unused = hn::Zero(D32());  // only pmaddwd's order of products is that of neighbours
  return hn::ReorderWidenMulAccumulate(D32(), a, b, sum, unused);
#else
  const auto a32 = hn::BitCast(D32(), a), b32 = hn::BitCast(D32(), b);
  const auto odd = hn::Mul(hn::ShiftRight<16>(a32), hn::ShiftRight<16>(b32));
  const auto even =
      hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a32)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b32)));
  return hn::Add(sum, hn::Add(even, odd));
#endif
}

// Adds the terms from number kTerm on to the sums of both outputs, or of the even one only; load(p) gives pair p.
template <int kWindow, bool kOdd, size_t kTerm, class Load>
HWY_INLINE void AddTerms(const Load& load, V32& even, V32& odd) {
  using F = PairFilter<kWindow>;
  if constexpr (kTerm < F::kTerms) {
    constexpr Term kThis = F::kList[kTerm];
    const V16 pair = load(kThis.pair);
    if constexpr (kThis.even != 0) even = AddPairProducts(even, pair, hn::BitCast(D16(), Word(kThis.even)));
    if constexpr (kOdd && kThis.odd != 0) odd = AddPairProducts(odd, pair, hn::BitCast(D16(), Word(kThis.odd)));
    AddTerms<kWindow, kOdd, kTerm + 1>(load, even, odd);
  }
}

template <int kWindow, bool kOdd, class Load>
HWY_INLINE void Filter(const Load& load, VU32& even, VU32& odd) {
  auto sum_even = hn::Zero(D32()), sum_odd = hn::Zero(D32());
  AddTerms<kWindow, kOdd, 0>(load, sum_even, sum_odd);
  even = hn::BitCast(DU32(), sum_even);
  odd = hn::BitCast(DU32(), sum_odd);
}

// Samples x0 - reach .. x1 + reach of a row, mirrored at the picture's edges.
void LoadRow(const Component& c, int y, int x0, int x1, int reach, uint16_t* out) {
  const int first = std::max(0, x0 - reach), end = std::min(c.width, x1 + reach);
  uint16_t* const origin = out - (x0 - reach);  // origin[x]: column x
  UnpackRow(c, y, first, end - first, origin + first);
  for (int x = x0 - reach; x < 0; ++x) origin[x] = origin[std::min(-x, end - 1)];
  for (int x = end; x < x1 + reach; ++x) origin[x] = origin[std::max(2 * (c.width - 1) - x, first)];
}

// Forms the planes of two rows from their samples.
template <bool kEightBits, bool kProducts>
void MakePairs(const uint16_t (*samples)[kRowSize], size_t columns, uint32_t (*pairs)[kRowSize]) {
  const size_t lanes = hn::Lanes(D32());
  const auto flip = hn::Set(DU16(), 0x8000);
  const auto store = [&](VU16 v, VerticalPlane plane, size_t x) HWY_ATTR {
    hn::Store(hn::BitCast(DU32(), v), DU32(), pairs[plane] + x);
  };
  const auto load = [&](size_t row, size_t x) HWY_ATTR {
    return hn::PromoteTo(DU32(), hn::Load(DHU16(), samples[row] + x));
  };
  for (size_t x = 0; x < columns; x += lanes) {
    const auto r = hn::BitCast(DU16(), hn::Or(load(0, x), hn::ShiftLeft<16>(load(2, x))));
    const auto d = hn::BitCast(DU16(), hn::Or(load(1, x), hn::ShiftLeft<16>(load(3, x))));
    store(kEightBits ? r : hn::Xor(r, flip), kR, x);
    store(kEightBits ? d : hn::Xor(d, flip), kD, x);
    if (!kProducts) continue;
    store(hn::Xor(hn::Mul(r, r), flip), kRrLower, x);
    store(hn::Xor(hn::Mul(d, d), flip), kDdLower, x);
    store(hn::Xor(hn::Mul(r, d), flip), kRdLower, x);
    if (kEightBits) continue;
    store(hn::Xor(hn::MulHigh(r, r), flip), kRrUpper, x);
    store(hn::Xor(hn::MulHigh(d, d), flip), kDdUpper, x);
    store(hn::Xor(hn::MulHigh(r, d), flip), kRdUpper, x);
  }
}

HWY_INLINE VU32 RoundShiftRight(VU32 v, int shift, VU32 rounding) {
  return hn::ShiftRightSame(hn::Add(v, rounding), shift);
}

// The pairs under the window of the row pair in work: pointers to their planes, top first.
using PairRows = std::array<const uint32_t (*)[kRowSize], kMaxPairs>;

// Both outputs of the vertical filter for 2 Lanes(D32) columns.
struct TwoRows {
  VU32 even[2], odd[2];
};

// Vertical filter of two rows: means with their top bits flipped, products as signed lower and flipped upper halves.
template <int kNumber, bool kEightBits>
void FilterVertically(const PairRows& rows, size_t columns, Shifts shifts, int16_t (*even)[kRowSize],
                      int16_t (*odd)[kRowSize]) {
  const DU16 d16;
  const size_t lanes = hn::Lanes(D32());
  const auto mean_rounding = Word((1u << (shifts.mean - 1)) + (kEightBits ? 0 : 0x80000000u));
  const auto product_rounding = Word(shifts.product == 0 ? 0 : 1u << (shifts.product - 1));
  const auto bias = Word(0x80000000u);
  const auto filter = [&](VerticalPlane plane, size_t x) HWY_ATTR {
    TwoRows out;
    for (size_t half = 0; half < 2; ++half)
      Filter<kNumber, true>(
          [&](int pair) HWY_ATTR {
            const uint32_t* row = rows[static_cast<size_t>(pair)][plane] + x + half * lanes;
            return hn::BitCast(D16(), hn::Load(DU32(), row));
          },
          out.even[half], out.odd[half]);
    return out;
  };
  const auto mean = [&](const VU32 (&v)[2], int16_t* out) HWY_ATTR {
    const auto upper = hn::BitCast(d16, RoundShiftRight(v[1], shifts.mean, mean_rounding));
    const auto lower = hn::BitCast(d16, RoundShiftRight(v[0], shifts.mean, mean_rounding));
    const auto flipped = hn::Xor(hn::ConcatEven(d16, upper, lower), hn::Set(d16, 0x8000));
    hn::Store(hn::BitCast(D16(), flipped), D16(), out);
  };
  const auto product = [&](const VU32 (&v)[2], int16_t* lower, int16_t* upper) HWY_ATTR {
    hn::Store(hn::BitCast(D16(), hn::ConcatEven(d16, hn::BitCast(d16, v[1]), hn::BitCast(d16, v[0]))), D16(), lower);
    // Carries the lower half's sign up and flips the upper half's top bit.
    const auto split = Word(0x80008000u);
    const auto upper1 = hn::BitCast(d16, hn::Add(v[1], split)), upper0 = hn::BitCast(d16, hn::Add(v[0], split));
    hn::Store(hn::BitCast(D16(), hn::ConcatOdd(d16, upper1, upper0)), D16(), upper);
  };
  // (sum F*v + rounding) >> q from the sums over both halves.
  const auto join = [&](VU32 upper, VU32 lower) HWY_ATTR {
    return hn::Add(hn::ShiftLeftSame(hn::Add(upper, bias), 16 - shifts.product),
                   RoundShiftRight(hn::Add(lower, bias), shifts.product, product_rounding));
  };
  for (size_t x = 0; x < columns; x += 2 * lanes) {
    for (const VerticalPlane plane : {kR, kD}) {
      const TwoRows v = filter(plane, x);
      mean(v.even, even[plane] + x);
      mean(v.odd, odd[plane] + x);
    }
    for (int i = 0; i < 3; ++i) {
      const auto lower = static_cast<VerticalPlane>(kRrLower + i), upper = static_cast<VerticalPlane>(kRrUpper + i);
      TwoRows v = filter(lower, x);
      const TwoRows u = kEightBits ? v : filter(upper, x);
      for (size_t half = 0; half < 2; ++half) {
        v.even[half] = kEightBits ? hn::Add(v.even[half], bias) : join(u.even[half], v.even[half]);
        v.odd[half] = kEightBits ? hn::Add(v.odd[half], bias) : join(u.odd[half], v.odd[half]);
      }
      product(v.even, even[lower] + x, even[upper] + x);
      product(v.odd, odd[lower] + x, odd[upper] + x);
    }
  }
}

// The sums of one tile: part in lanes, part in scalars. Logarithms are added as table entries and exponents.
struct LaneSums {
  VU64 num_exponents, den_exponents, numnon;
  uint64_t num_entries, den_entries;  // modulo 2^64
  size_t logarithms;  // added to den_*, those of lanes that are not textured or not valid included
  size_t dennon;
};

// Zero-extends pairs of 32-bit lanes and adds them.
HWY_INLINE VU64 SumPairs(VU32 v) {
  const auto wide = hn::BitCast(DU64(), v);
  return hn::Add(hn::And(wide, hn::Set(DU64(), 0xFFFFFFFFu)), hn::ShiftRight<32>(wide));
}

// (a * b + 2^31) >> 32 of unsigned lanes.
HWY_INLINE VU32 MeanProducts(VU32 a, VU32 b) {
  const auto half = hn::Set(DU64(), 0x80000000u);
  const auto even = hn::Add(hn::MulEven(a, b), half);
  const auto a_odd = hn::BitCast(DU32(), hn::ShiftRight<32>(hn::BitCast(DU64(), a)));
  const auto b_odd = hn::BitCast(DU32(), hn::ShiftRight<32>(hn::BitCast(DU64(), b)));
  const auto odd = hn::Add(hn::MulEven(a_odd, b_odd), half);
  return hn::BitCast(DU32(), hn::Or(hn::ShiftRight<32>(even), hn::And(odd, hn::Set(DU64(), 0xFFFFFFFF00000000u))));
}

HWY_INLINE V16 LoadColumns(const int16_t* p) { return hn::LoadU(D16(), p); }

// Horizontal filter of one row.
template <int kNumber>
void FilterHorizontally(const int16_t (*planes)[kRowSize], size_t width, uint32_t (*out)[2][kTileWidth / 2]) {
  const size_t lanes = hn::Lanes(D32());
  const auto bias = Word(0x80000000u);
  const auto rounding = Word(0x8000);
  const auto store = [&](VU32 even, VU32 odd, Moment moment, size_t x) HWY_ATTR {
    hn::Store(even, DU32(), out[moment][0] + x / 2);
    hn::Store(odd, DU32(), out[moment][1] + x / 2);
  };
  // (sum F*v + 2^15) >> 16 from the sums over signed lower and flipped upper halves.
  const auto join = [&](VU32 upper, VU32 lower) HWY_ATTR {
    const auto carried = hn::ShiftRight<16>(hn::BitCast(D32(), hn::Add(lower, rounding)));
    return hn::Add(hn::Add(upper, bias), hn::BitCast(DU32(), carried));
  };
  for (size_t x = 0; x < width; x += 2 * lanes) {
    const auto filter = [&](int plane, VU32& even, VU32& odd) HWY_ATTR {
      const int16_t* row = planes[plane] + x;
      Filter<kNumber, true>([&](int pair) HWY_ATTR { return LoadColumns(row + 2 * pair); }, even, odd);
    };
    for (int i = 0; i < 2; ++i) {
      VU32 even, odd;
      filter(kR + i, even, odd);
      store(hn::Add(even, bias), hn::Add(odd, bias), static_cast<Moment>(kMeanR + i), x);
    }
    for (int i = 0; i < 3; ++i) {
      VU32 upper_even, upper_odd, lower_even, lower_odd;
      filter(kRrUpper + i, upper_even, upper_odd);
      filter(kRrLower + i, lower_even, lower_odd);
      store(join(upper_even, lower_even), join(upper_odd, lower_odd), static_cast<Moment>(kRr + i), x);
    }
  }
}

// The information of Lanes(D64) pixels, as the three table entries to look up; exponents are added to the sums. s12 and
// s2 are 0 where there is no gain; then n1 = n2 and their logarithms cancel. All arguments of Lg() are integers
// below 2^53, so a double's own bits hold their exponent and, below it, the 15 bits that choose the entry.
HWY_INLINE VU64 Information(VF64 s1, VF64 s2, VF64 s12, VF64 gain_limit, LaneSums& sums) {
  const DF64 d;
  const DU64 du;
  const auto noise = hn::Set(d, static_cast<double>(kNoise));
  const auto gain = hn::Div(s12, hn::Add(s1, hn::Set(d, kEpsilon)));
  const auto explained = hn::Mul(gain, s12);
  const auto n1 = hn::Add(hn::Max(hn::Trunc(hn::Sub(s2, explained)), hn::Zero(d)), noise);
  const auto limited = hn::Min(gain, gain_limit);
  const auto signal = hn::Mul(hn::Mul(limited, limited), s1);
  const auto n2 = hn::Add(hn::Trunc(signal), n1);

  const auto key = hn::ShiftRight<37>(hn::BitCast(du, hn::Add(s1, noise)));
  const auto key1 = hn::ShiftRight<37>(hn::BitCast(du, n1));
  const auto key2 = hn::ShiftRight<37>(hn::BitCast(du, n2));
  sums.den_exponents = hn::Add(sums.den_exponents, hn::ShiftRight<15>(key));
  sums.num_exponents = hn::Add(sums.num_exponents, hn::Sub(hn::ShiftRight<15>(key2), hn::ShiftRight<15>(key1)));
  const auto mask = hn::Set(du, 0x7FFF);
  return hn::Or(hn::And(key, mask),
                hn::Or(hn::ShiftLeft<16>(hn::And(key1, mask)), hn::ShiftLeft<32>(hn::And(key2, mask))));
}

// The statistic of the first `count` columns of one parity. Appends to `entries`, of which it returns the new end.
uint64_t* Measure(const uint32_t (*moments)[2][kTileWidth / 2], size_t parity, size_t count, double gain_limit,
                  LaneSums& sums, uint64_t* entries) {
  const D32 d;
  const hn::Half<D32> half;
  const DF64 f64;
  const DU64 du64;
  const auto zero = hn::Zero(d);
  const auto limit = hn::Set(f64, gain_limit);
  for (size_t x = 0; x < count; x += hn::Lanes(d)) {
    const auto load = [&](Moment moment) HWY_ATTR { return hn::Load(DU32(), moments[moment][parity] + x); };
    const auto mean_r = load(kMeanR), mean_d = load(kMeanD);
    const auto s1_all = hn::BitCast(d, hn::Sub(load(kRr), MeanProducts(mean_r, mean_r)));
    const auto s2_all = hn::Max(hn::BitCast(d, hn::Sub(load(kDd), MeanProducts(mean_d, mean_d))), zero);
    const auto s12_all = hn::BitCast(d, hn::Sub(load(kRd), MeanProducts(mean_r, mean_d)));
    const size_t valid_count = std::min(count - x, hn::Lanes(d));
    const auto valid = hn::FirstN(d, valid_count);
    const auto textured = hn::And(valid, hn::Gt(s1_all, hn::Set(d, kNoise - 1)));
    const auto flat = hn::AndNot(textured, valid);
    const size_t flat_count = hn::CountTrue(d, flat);
    if (flat_count != 0) {
      sums.dennon += flat_count;
      sums.numnon = hn::Add(sums.numnon, SumPairs(hn::BitCast(DU32(), hn::IfThenElseZero(flat, s2_all))));
      if (flat_count == valid_count) continue;
    }
    const auto gaining = hn::And(textured, hn::And(hn::Gt(s12_all, zero), hn::Gt(s2_all, zero)));
    const auto s1 = hn::IfThenElseZero(textured, s1_all);
    const auto s2 = hn::IfThenElseZero(gaining, s2_all);
    const auto s12 = hn::IfThenElseZero(gaining, s12_all);
    // Lanes without texture have s1 = 0 here and add Lg(kNoise), which FilterTileOf() takes off for every pixel.
    const auto lower = Information(hn::PromoteTo(f64, hn::LowerHalf(half, s1)), hn::PromoteTo(f64, hn::LowerHalf(half, s2)),
                                   hn::PromoteTo(f64, hn::LowerHalf(half, s12)), limit, sums);
    const auto upper = Information(hn::PromoteTo(f64, hn::UpperHalf(half, s1)), hn::PromoteTo(f64, hn::UpperHalf(half, s2)),
                                   hn::PromoteTo(f64, hn::UpperHalf(half, s12)), limit, sums);
    hn::Store(lower, du64, entries);
    hn::Store(upper, du64, entries + hn::Lanes(du64));
    entries += hn::Lanes(d);
  }
  return entries;
}

// Horizontal filter and statistic of one row.
template <int kNumber>
void MeasureRow(const int16_t (*planes)[kRowSize], size_t width, const Scale& scale, TileMemory& memory, LaneSums& sums) {
  FilterHorizontally<kNumber>(planes, width, memory.moments);
  uint64_t* end = Measure(memory.moments, 0, (width + 1) / 2, scale.gain_limit, sums, memory.entries);
  end = Measure(memory.moments, 1, width / 2, scale.gain_limit, sums, end);
  // Scalar look-ups cost no more than gathers here, and far less on CPUs whose gathers are slow.
  const uint16_t* const table = scale.log2_table;
  uint64_t num_entries = 0, den_entries = 0;
  for (const uint64_t* p = memory.entries; p < end; ++p) {
    den_entries += table[*p & 0xFFFF];
    num_entries -= table[*p >> 16 & 0xFFFF];
    num_entries += table[*p >> 32];
  }
  sums.num_entries += num_entries;
  sums.den_entries += den_entries;
  sums.logarithms += static_cast<size_t>(end - memory.entries);
}

// Vertical filter of the reduction, for the even row. `skip`: pairs of this scale's window above the reduction's.
template <int kNumber, bool kEightBits>
void FilterForReduction(const PairRows& rows, size_t columns, Shifts shifts, int16_t (*out)[kRowSize]) {
  constexpr int kSkip = PairFilter<kNumber>::kBefore - PairFilter<kNumber + 1>::kBefore;
  const size_t lanes = hn::Lanes(D32());
  const auto rounding = Word((1u << (shifts.mean - 1)) + (kEightBits ? 0 : 0x80000000u));
  for (size_t x = 0; x < columns; x += lanes) {
    for (const VerticalPlane plane : {kR, kD}) {
      VU32 even, odd;
      Filter<kNumber + 1, false>(
          [&](int pair) HWY_ATTR {
            return hn::BitCast(D16(), hn::Load(DU32(), rows[static_cast<size_t>(pair + kSkip)][plane] + x));
          },
          even, odd);
      const auto filtered = hn::Xor(RoundShiftRight(even, shifts.mean, rounding), Word(0x8000));
      hn::Store(hn::BitCast(DH16(), hn::TruncateTo(DHU16(), filtered)), DH16(), out[plane] + x);
    }
  }
}

// Horizontal filter of the reduction: `count` samples of the next scale.
template <int kNumber>
void ReduceRow(const int16_t* row, size_t count, uint16_t* out) {
  constexpr int kSkip = 2 * (PairFilter<kNumber>::kBefore - PairFilter<kNumber + 1>::kBefore);
  const size_t lanes = hn::Lanes(D32());
  const auto rounding = Word(0x80008000u);
  for (size_t i = 0; i < count; i += lanes) {
    VU32 even, odd;
    Filter<kNumber + 1, false>([&](int pair) HWY_ATTR { return LoadColumns(row + kSkip + 2 * i + 2 * pair); }, even, odd);
    const auto reduced = hn::TruncateTo(DHU16(), hn::ShiftRight<16>(hn::Add(even, rounding)));
    if (count - i >= lanes) {
      hn::StoreU(reduced, DHU16(), out + i);
    } else {  // the next tile's samples follow
      alignas(64) uint16_t last[HWY_MAX_BYTES / 4];
      hn::Store(reduced, DHU16(), last);
      std::copy_n(last, count - i, out + i);
    }
  }
}

template <int kNumber, bool kEightBits>
Sums FilterTileOf(const Scale& scale, const Tile& tile, TileMemory& memory) {
  using F = PairFilter<kNumber>;
  constexpr int kReachHere = 2 * F::kBefore;
  const auto width = static_cast<size_t>(tile.x1 - tile.x0);
  const size_t columns = width + 2 * kReachHere;
  const Shifts shifts = VerticalShifts(kNumber, scale.depth);
  const int height = scale.reference.height;

  const auto slot = [](int pair) { return static_cast<size_t>(pair + F::kPairs) % F::kPairs; };
  const auto load_pair = [&](int pair) {
    for (int i = 0; i < 2; ++i) {
      // Beyond the window's reach a row has no taps: any will do.
      const int y = std::clamp(Mirror(2 * pair + i, height), 0, height - 1);
      LoadRow(scale.reference, y, tile.x0, tile.x1, kReachHere, memory.samples[2 * i]);
      LoadRow(scale.distorted, y, tile.x0, tile.x1, kReachHere, memory.samples[2 * i + 1]);
    }
    if (scale.measure)
      MakePairs<kEightBits, true>(memory.samples, columns, memory.pairs[slot(pair)]);
    else
      MakePairs<kEightBits, false>(memory.samples, columns, memory.pairs[slot(pair)]);
  };

  const auto zero = hn::Zero(DU64());
  LaneSums sums{zero, zero, zero, 0, 0, 0, 0};
  const int first = tile.y0 / 2;
  for (int pair = first - F::kBefore; pair < first + F::kBefore; ++pair) load_pair(pair);
  for (int y = tile.y0; y < tile.y1; y += 2) {
    const int pair = y / 2;
    load_pair(pair + F::kBefore);
    PairRows rows{};
    for (int p = 0; p < F::kPairs; ++p)
      rows[static_cast<size_t>(p)] = memory.pairs[slot(pair - F::kBefore + p)];
    if (scale.measure) {
      FilterVertically<kNumber, kEightBits>(rows, columns, shifts, memory.filtered[0], memory.filtered[1]);
      MeasureRow<kNumber>(memory.filtered[0], width, scale, memory, sums);
      if (y + 1 < tile.y1) MeasureRow<kNumber>(memory.filtered[1], width, scale, memory, sums);
    }
    if constexpr (kNumber + 1 < kScales) {
      if (pair < height / 2) {
        const auto end = static_cast<size_t>(std::min(tile.x1, scale.reference.width / 2 * 2));
        const size_t count = (end - static_cast<size_t>(tile.x0)) / 2;
        const ptrdiff_t at = pair * scale.reduced_stride + tile.x0 / 2;
        FilterForReduction<kNumber, kEightBits>(rows, columns, shifts, memory.reduced);
        ReduceRow<kNumber>(memory.reduced[kR], count, scale.reduced_reference + at);
        ReduceRow<kNumber>(memory.reduced[kD], count, scale.reduced_distorted + at);
      }
    }
  }
  const auto sum = [](VU64 v) HWY_ATTR { return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(DU64(), v))); };
  // Lg() = entry + 2048 (exponent - 15); the exponents are still biased by 1023.
  constexpr int64_t kUnwanted = kLogNoise + 2048 * (1023 + 15);
  Sums result;
  result.numlog = static_cast<int64_t>(sums.num_entries) + 2048 * sum(sums.num_exponents);
  result.denlog = static_cast<int64_t>(sums.den_entries) + 2048 * sum(sums.den_exponents) -
                  kUnwanted * static_cast<int64_t>(sums.logarithms);
  result.numnon = sum(sums.numnon);
  result.dennon = static_cast<int64_t>(sums.dennon);
  return result;
}

Sums FilterTileTarget(const Scale& scale, const Tile& tile, TileMemory& memory) {
  switch (scale.number) {
    case 0:
      return scale.depth == 8 ? FilterTileOf<0, true>(scale, tile, memory) : FilterTileOf<0, false>(scale, tile, memory);
    case 1: return FilterTileOf<1, false>(scale, tile, memory);
    case 2: return FilterTileOf<2, false>(scale, tile, memory);
    default: return FilterTileOf<3, false>(scale, tile, memory);
  }
}
bool HasTiles() { return true; }

#else

// A CPU without vectors: the extractor uses the plain form.
Sums FilterTileTarget(const Scale&, const Tile&, TileMemory&) { return {}; }
bool HasTiles() { return false; }

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::vif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vmafx::vif {

HWY_EXPORT(FilterTileTarget);
HWY_EXPORT(HasTiles);

bool CanFilterTiles() { return HWY_DYNAMIC_DISPATCH(HasTiles)(); }

size_t TileScratchBytes() { return sizeof(TileMemory); }

Sums FilterTile(const Scale& scale, const Tile& tile, void* scratch) {
  return HWY_DYNAMIC_DISPATCH(FilterTileTarget)(scale, tile, *static_cast<TileMemory*>(scratch));
}

}  // namespace vmafx::vif
#endif  // HWY_ONCE
