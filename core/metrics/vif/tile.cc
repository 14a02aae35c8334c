// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/vif/tile.h"

#include <algorithm>
#include <array>

#include "core/numeric/samples.h"
#include "hwy/cache_control.h"
#include "hwy/detect_compiler_arch.h"

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
//
// What the time of a 1080p pair taught (EPYC with AVX-512, one thread; about 14 ms in all): the multiplications bound the
// filters, so a row of pairs serves two rows, and VNNI's fused form saves a seventh of everything; loads that cross
// cache lines bound the horizontal filter next, but cutting vectors out of aligned ones was no faster. Filter and
// statistic in one loop ran a fifth slower: registers were spilled, and the chain of dependent operations was longer
// than the CPU looks ahead. Look-ups of logarithms cost 3 ms as gathers and as scalar loads, lg-inl.h less than 2.
// Narrower tiles, whose rows fit the first level cache, lost more at their borders than they gained. On a Xeon (Emerald
// Rapids) AVX2 takes 19.5 ms with AVX-VNNI and 26.1 without.

// AVX-512 with VNNI multiplies pairs and adds in one instruction; Highway compiles for it only on demand. AVX2 is compiled
// with and without AVX-VNNI's form of it, which Highway does not know.
#define HWY_WANT_AVX3_DL

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/metrics/vif/tile.cc"
#include "hwy/foreach_target.h"  // compiles this file once for each instruction set
#include "core/metrics/vif/lg-inl.h"
#include "hwy/highway.h"

// Compilers whose assemblers know AVX-VNNI.
#undef VMAFX_AVX_VNNI
#define VMAFX_AVX_VNNI (HWY_ARCH_X86 && (HWY_COMPILER_CLANG >= 1200 || HWY_COMPILER_GCC_ACTUAL >= 1200))

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
  alignas(64) int32_t variances[3][kTileWidth];                     // s1, s2, s12
  alignas(64) int32_t information[3][kTileWidth];                   // the arguments of the logarithms
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
using DF64 = hn::RebindToFloat<DU64>;
using DH16 = hn::Rebind<int16_t, D32>;    // as many lanes as D32
using DHU16 = hn::Rebind<uint16_t, D32>;
using V16 = hn::Vec<D16>;
using VU16 = hn::Vec<DU16>;
using V32 = hn::Vec<D32>;
using VU32 = hn::Vec<DU32>;
using VU64 = hn::Vec<DU64>;
using VF64 = hn::Vec<DF64>;

HWY_INLINE VU32 Word(uint32_t v) { return hn::Set(DU32(), v); }

// sum + a[2i] * b[2i] + a[2i+1] * b[2i+1] in 32-bit lane i. kAvxVnni: see HasAvxVnni().
template <bool kAvxVnni>
HWY_INLINE V32 AddPairProducts(V32 sum, V16 a, V16 b) {
#if VMAFX_AVX_VNNI && HWY_TARGET == HWY_AVX2
  if constexpr (kAvxVnni) {
    __asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sum.raw) : "x"(a.raw), "xm"(b.raw));
    return sum;
  }
#endif
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
  // Not the intrinsic: Highway 1.0.3 leaves avx512vnni out of this target's compiler options.
  __asm__("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "vm"(b.raw));
  return sum;
#elif HWY_ARCH_X86
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
template <int kWindow, bool kOdd, bool kAvxVnni, size_t kTerm, class Load>
HWY_INLINE void AddTerms(const Load& load, V32& even, V32& odd) {
  using F = PairFilter<kWindow>;
  if constexpr (kTerm < F::kTerms) {
    constexpr Term kThis = F::kList[kTerm];
    const V16 pair = load(kThis.pair);
    if constexpr (kThis.even != 0) even = AddPairProducts<kAvxVnni>(even, pair, hn::BitCast(D16(), Word(kThis.even)));
    if constexpr (kOdd && kThis.odd != 0) odd = AddPairProducts<kAvxVnni>(odd, pair, hn::BitCast(D16(), Word(kThis.odd)));
    AddTerms<kWindow, kOdd, kAvxVnni, kTerm + 1>(load, even, odd);
  }
}

template <int kWindow, bool kOdd, bool kAvxVnni, class Load>
HWY_INLINE void Filter(const Load& load, VU32& even, VU32& odd) {
  auto sum_even = hn::Zero(D32()), sum_odd = hn::Zero(D32());
  AddTerms<kWindow, kOdd, kAvxVnni, 0>(load, sum_even, sum_odd);
  even = hn::BitCast(DU32(), sum_even);
  odd = hn::BitCast(DU32(), sum_odd);
}

// Samples x0 - reach .. x1 + reach of a row, mirrored at the picture's edges.
void LoadRow(const Component& c, int y, int x0, int x1, int reach, uint16_t* out) {
  const int first = std::max(0, x0 - reach), end = std::min(c.width, x1 + reach);
  const auto at = [&](int x) -> uint16_t& { return out[x - (x0 - reach)]; };
  UnpackRow(c, y, first, end - first, &at(first));
  // Where the picture is narrower than the reach, columns without taps take any value.
  for (int x = x0 - reach; x < 0; ++x) at(x) = at(std::min(Mirror(x, c.width), end - 1));
  for (int x = end; x < x1 + reach; ++x) at(x) = at(std::max(Mirror(x, c.width), first));
}

void Prefetch(const Component& c, int y, int first_column, int last_column) {
  const uint8_t* const row = c.data + y * c.stride;
  for (ptrdiff_t at = first_column * c.step; at < last_column * c.step; at += 64) hwy::Prefetch(row + at);
}

// Lanes(D32) samples.
template <int kBytes>
HWY_INLINE VU32 LoadSamples(const uint8_t* p) {
  if constexpr (kBytes == 1)
    return hn::PromoteTo(DU32(), hn::LoadU(hn::Rebind<uint8_t, D32>(), p));
  else
    return hn::PromoteTo(DU32(), hn::BitCast(DHU16(), hn::LoadU(hn::Repartition<uint8_t, DHU16>(), p)));
}

// Two rows of each picture, from the first column that the window reaches. May be read up to a multiple of Lanes(D32).
struct RowPair {
  const uint8_t* reference[2];
  const uint8_t* distorted[2];
};

// Forms the planes of two rows from their samples.
template <int kBytes, bool kEightBits, bool kProducts>
void MakePairs(const RowPair& rows, size_t columns, uint32_t (*pairs)[kRowSize]) {
  const size_t lanes = hn::Lanes(D32());
  const auto flip = hn::Set(DU16(), 0x8000);
  const auto load = [](const uint8_t* const* row, size_t x) HWY_ATTR {
    const auto upper_row = LoadSamples<kBytes>(row[0] + kBytes * x), lower_row = LoadSamples<kBytes>(row[1] + kBytes * x);
    return hn::BitCast(DU16(), hn::Or(upper_row, hn::ShiftLeft<16>(lower_row)));
  };
  for (size_t x = 0; x < columns; x += lanes) {
    const auto store = [&](VU16 v, VerticalPlane plane) HWY_ATTR {
      hn::Store(hn::BitCast(DU32(), v), DU32(), pairs[plane] + x);
    };
    const auto r = load(rows.reference, x), d = load(rows.distorted, x);
    store(kEightBits ? r : hn::Xor(r, flip), kR);
    store(kEightBits ? d : hn::Xor(d, flip), kD);
    if (!kProducts) continue;
    store(hn::Xor(hn::Mul(r, r), flip), kRrLower);
    store(hn::Xor(hn::Mul(d, d), flip), kDdLower);
    store(hn::Xor(hn::Mul(r, d), flip), kRdLower);
    if (kEightBits) continue;
    store(hn::Xor(hn::MulHigh(r, r), flip), kRrUpper);
    store(hn::Xor(hn::MulHigh(d, d), flip), kDdUpper);
    store(hn::Xor(hn::MulHigh(r, d), flip), kRdUpper);
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
template <int kNumber, bool kEightBits, bool kAvxVnni>
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
      Filter<kNumber, true, kAvxVnni>(
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

// The sums of one tile, in lanes.
struct LaneSums {
  VU64 numlog, denlog, numnon;
  size_t dennon;
};

// Adds neighbours of 32-bit lanes, none negative, to 64-bit ones.
HWY_INLINE VU64 SumPairs(V32 v) {
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
template <int kNumber, bool kAvxVnni>
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
      Filter<kNumber, true, kAvxVnni>([&](int pair) HWY_ATTR { return LoadColumns(row + 2 * pair); }, even, odd);
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

// The statistic comes in three short loops over a row rather than one long one, whose chain of dependent operations, with
// a division in its middle, would be longer than a CPU can look ahead.

// First loop: variances of the first `count` columns of one parity. Vectors without texture are measured here; the others
// are appended to `variances`, with s1 = 0 where there is no texture and s2 = s12 = 0 where there is no gain.
// Returns their new end.
size_t MakeVariances(const uint32_t (*moments)[2][kTileWidth / 2], size_t parity, size_t count, size_t end,
                     int32_t (*variances)[kTileWidth], LaneSums& sums) {
  const D32 d;
  const auto zero = hn::Zero(d);
  auto numnon = sums.numnon;
  size_t dennon = 0;
  for (size_t x = 0; x < count; x += hn::Lanes(d)) {
    const auto load = [&](Moment moment) HWY_ATTR { return hn::Load(DU32(), moments[moment][parity] + x); };
    const auto mean_r = load(kMeanR), mean_d = load(kMeanD);
    const auto s1 = hn::BitCast(d, hn::Sub(load(kRr), MeanProducts(mean_r, mean_r)));
    const auto s2 = hn::Max(hn::BitCast(d, hn::Sub(load(kDd), MeanProducts(mean_d, mean_d))), zero);
    const auto s12 = hn::BitCast(d, hn::Sub(load(kRd), MeanProducts(mean_r, mean_d)));
    const size_t valid_count = std::min(count - x, hn::Lanes(d));
    const auto valid = hn::FirstN(d, valid_count);
    const auto textured = hn::And(valid, hn::Gt(s1, hn::Set(d, kNoise - 1)));
    const auto flat = hn::AndNot(textured, valid);
    const auto gaining = hn::And(textured, hn::And(hn::Gt(s12, zero), hn::Gt(s2, zero)));
    const size_t flat_count = hn::CountTrue(d, flat);
    dennon += flat_count;
    numnon = hn::Add(numnon, SumPairs(hn::IfThenElseZero(flat, s2)));
    hn::Store(hn::IfThenElseZero(textured, s1), d, variances[0] + end);
    hn::Store(hn::IfThenElseZero(gaining, s2), d, variances[1] + end);
    hn::Store(hn::IfThenElseZero(gaining, s12), d, variances[2] + end);
    if (flat_count != valid_count) end += hn::Lanes(d);
  }
  sums.numnon = numnon;
  sums.dennon += dennon;
  return end;
}

// Second loop: the arguments of the three logarithms, as LgParts(). Without gain n1 = n2, so that their logarithms cancel.
void MakeInformation(const int32_t (*variances)[kTileWidth], size_t end, double gain_limit,
                     int32_t (*information)[kTileWidth]) {
  const DF64 d;
  const hn::Half<D32> half;
  const auto noise = hn::Set(d, static_cast<double>(kNoise));
  const auto limit = hn::Set(d, gain_limit);
  const auto store = [&](VF64 v, int32_t* to) HWY_ATTR { hn::Store(LgParts(half, v), half, to); };
  for (size_t i = 0; i < end; i += hn::Lanes(d)) {
    const auto s1 = hn::PromoteTo(d, hn::Load(half, variances[0] + i));
    const auto s2 = hn::PromoteTo(d, hn::Load(half, variances[1] + i));
    const auto s12 = hn::PromoteTo(d, hn::Load(half, variances[2] + i));
    const auto gain = hn::Div(s12, hn::Add(s1, hn::Set(d, kEpsilon)));
    const auto explained = hn::Mul(gain, s12);
    const auto n1 = hn::Add(hn::Max(hn::Trunc(hn::Sub(s2, explained)), hn::Zero(d)), noise);
    const auto limited = hn::Min(gain, limit);
    const auto signal = hn::Mul(hn::Mul(limited, limited), s1);
    const auto n2 = hn::Add(hn::Trunc(signal), n1);
    store(hn::Add(s1, noise), information[0] + i);
    store(n1, information[1] + i);
    store(n2, information[2] + i);
  }
}

// Third loop: the logarithms. No term is negative: n2 >= n1, and lanes without texture add Lg(kNoise) - kLogNoise = 0.
void AddInformation(const int32_t (*information)[kTileWidth], size_t end, LaneSums& sums) {
  const D32 d;
  auto numlog = sums.numlog, denlog = sums.denlog;
  for (size_t i = 0; i < end; i += hn::Lanes(d)) {
    const auto lg = [&](int which) HWY_ATTR { return LgOfParts(d, hn::Load(d, information[which] + i)); };
    denlog = hn::Add(denlog, SumPairs(hn::Add(lg(0), hn::Set(d, kLgOffset - kLogNoise))));
    numlog = hn::Add(numlog, SumPairs(hn::Sub(lg(2), lg(1))));
  }
  sums.numlog = numlog;
  sums.denlog = denlog;
}

// Horizontal filter and statistic of one row.
template <int kNumber, bool kAvxVnni>
void MeasureRow(const int16_t (*planes)[kRowSize], size_t width, double gain_limit, TileMemory& memory, LaneSums& sums) {
  FilterHorizontally<kNumber, kAvxVnni>(planes, width, memory.moments);
  size_t end = MakeVariances(memory.moments, 0, (width + 1) / 2, 0, memory.variances, sums);
  end = MakeVariances(memory.moments, 1, width / 2, end, memory.variances, sums);
  MakeInformation(memory.variances, end, gain_limit, memory.information);
  AddInformation(memory.information, end, sums);
}

// Vertical filter of the reduction, for the even row. `skip`: pairs of this scale's window above the reduction's.
template <int kNumber, bool kEightBits, bool kAvxVnni>
void FilterForReduction(const PairRows& rows, size_t columns, Shifts shifts, int16_t (*out)[kRowSize]) {
  constexpr int kSkip = PairFilter<kNumber>::kBefore - PairFilter<kNumber + 1>::kBefore;
  const size_t lanes = hn::Lanes(D32());
  const auto rounding = Word((1u << (shifts.mean - 1)) + (kEightBits ? 0 : 0x80000000u));
  for (size_t x = 0; x < columns; x += lanes) {
    for (const VerticalPlane plane : {kR, kD}) {
      VU32 even, odd;
      Filter<kNumber + 1, false, kAvxVnni>(
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
template <int kNumber, bool kAvxVnni>
void ReduceRow(const int16_t* row, size_t count, uint16_t* out) {
  constexpr int kSkip = 2 * (PairFilter<kNumber>::kBefore - PairFilter<kNumber + 1>::kBefore);
  const size_t lanes = hn::Lanes(D32());
  const auto rounding = Word(0x80008000u);
  for (size_t i = 0; i < count; i += lanes) {
    VU32 even, odd;
    const int16_t* const first = row + kSkip + 2 * i;
    Filter<kNumber + 1, false, kAvxVnni>([&](int pair) HWY_ATTR { return LoadColumns(first + 2 * pair); }, even, odd);
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

template <int kNumber, bool kEightBits, bool kAvxVnni>
Sums FilterTileOf(const Scale& scale, const Tile& tile, TileMemory& memory) {
  using F = PairFilter<kNumber>;
  constexpr int kReachHere = 2 * F::kBefore;
  const auto width = static_cast<size_t>(tile.x1 - tile.x0);
  const size_t columns = width + 2 * kReachHere;
  const Shifts shifts = VerticalShifts(kNumber, scale.depth);
  const int height = scale.reference.height;

  const auto slot = [](int pair) { return static_cast<size_t>(pair + F::kPairs) % F::kPairs; };
  // Away from the picture's left and right edges rows are read where they lie.
  const int first_column = tile.x0 - kReachHere;
  const size_t lanes = hn::Lanes(D32());
  const int last_column = first_column + static_cast<int>((columns + lanes - 1) / lanes * lanes);
  const bool inside = first_column >= 0 && last_column <= scale.reference.width;
  const auto in_place = [&](const Component& c, int bytes) { return inside && c.Direct() && c.bytes == bytes; };
  const bool bytes_in_place = kEightBits && in_place(scale.reference, 1) && in_place(scale.distorted, 1);
  const auto row_of = [&](const Component& c, int y, uint16_t* copy) {
    if (bytes_in_place || in_place(c, 2)) return c.data + y * c.stride + first_column * c.step;
    LoadRow(c, y, tile.x0, tile.x1, kReachHere, copy);
    return static_cast<const uint8_t*>(static_cast<const void*>(copy));
  };
  // Beyond the window's reach a row has no taps: any will do.
  const auto row_number = [&](int y) { return std::clamp(Mirror(y, height), 0, height - 1); };
  const auto load_pair = [&](int pair) {
    RowPair rows;
    for (int i = 0; i < 2; ++i) {
      const int y = row_number(2 * pair + i);
      rows.reference[i] = row_of(scale.reference, y, memory.samples[2 * i]);
      rows.distorted[i] = row_of(scale.distorted, y, memory.samples[2 * i + 1]);
    }
    // A tile's rows are too short for the CPU to foresee the next one.
    if (inside) {
      for (int i = 0; i < 2; ++i) {
        Prefetch(scale.reference, row_number(2 * (pair + 1) + i), first_column, last_column);
        Prefetch(scale.distorted, row_number(2 * (pair + 1) + i), first_column, last_column);
      }
    }
    auto* const pairs = memory.pairs[slot(pair)];
    if (!scale.measure)
      bytes_in_place ? MakePairs<1, kEightBits, false>(rows, columns, pairs)
                     : MakePairs<2, kEightBits, false>(rows, columns, pairs);
    else
      bytes_in_place ? MakePairs<1, kEightBits, true>(rows, columns, pairs)
                     : MakePairs<2, kEightBits, true>(rows, columns, pairs);
  };

  const auto zero = hn::Zero(DU64());
  LaneSums sums{zero, zero, zero, 0};
  const int first = tile.y0 / 2;
  for (int pair = first - F::kBefore; pair < first + F::kBefore; ++pair) load_pair(pair);
  for (int y = tile.y0; y < tile.y1; y += 2) {
    const int pair = y / 2;
    load_pair(pair + F::kBefore);
    PairRows rows{};
    for (int p = 0; p < F::kPairs; ++p)
      rows[static_cast<size_t>(p)] = memory.pairs[slot(pair - F::kBefore + p)];
    if (scale.measure) {
      FilterVertically<kNumber, kEightBits, kAvxVnni>(rows, columns, shifts, memory.filtered[0], memory.filtered[1]);
      for (int i = 0; i < std::min(2, tile.y1 - y); ++i)
        MeasureRow<kNumber, kAvxVnni>(memory.filtered[i], width, scale.gain_limit, memory, sums);
    }
    if constexpr (kNumber + 1 < kScales) {
      if (pair < height / 2) {
        const auto end = static_cast<size_t>(std::min(tile.x1, scale.reference.width / 2 * 2));
        const size_t count = (end - static_cast<size_t>(tile.x0)) / 2;
        const ptrdiff_t at = pair * scale.reduced_stride + tile.x0 / 2;
        FilterForReduction<kNumber, kEightBits, kAvxVnni>(rows, columns, shifts, memory.reduced);
        ReduceRow<kNumber, kAvxVnni>(memory.reduced[kR], count, scale.reduced_reference + at);
        ReduceRow<kNumber, kAvxVnni>(memory.reduced[kD], count, scale.reduced_distorted + at);
      }
    }
  }
  const auto sum = [](VU64 v) HWY_ATTR { return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(DU64(), v))); };
  return {sum(sums.numlog), sum(sums.denlog), sum(sums.numnon), static_cast<int64_t>(sums.dennon)};
}

template <bool kAvxVnni>
Sums FilterTileOfAny(const Scale& scale, const Tile& tile, TileMemory& memory) {
  switch (scale.number) {
    case 0:
      return scale.depth == 8 ? FilterTileOf<0, true, kAvxVnni>(scale, tile, memory)
                              : FilterTileOf<0, false, kAvxVnni>(scale, tile, memory);
    case 1: return FilterTileOf<1, false, kAvxVnni>(scale, tile, memory);
    case 2: return FilterTileOf<2, false, kAvxVnni>(scale, tile, memory);
    default: return FilterTileOf<3, false, kAvxVnni>(scale, tile, memory);
  }
}

Sums FilterTileTarget(const Scale& scale, const Tile& tile, TileMemory& memory) {
#if VMAFX_AVX_VNNI && HWY_TARGET == HWY_AVX2
  if (scale.avx_vnni) return FilterTileOfAny<true>(scale, tile, memory);
#endif
  return FilterTileOfAny<false>(scale, tile, memory);
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
#if VMAFX_AVX_VNNI
#include <cpuid.h>
#endif

namespace vmafx::vif {

HWY_EXPORT(FilterTileTarget);
HWY_EXPORT(HasTiles);

bool HasAvxVnni() {
#if VMAFX_AVX_VNNI
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax >> 4 & 1) != 0;
#else
  return false;
#endif
}

bool CanFilterTiles() { return HWY_DYNAMIC_DISPATCH(HasTiles)(); }

size_t TileScratchBytes() { return sizeof(TileMemory); }

Sums FilterTile(const Scale& scale, const Tile& tile, void* scratch) {
  return HWY_DYNAMIC_DISPATCH(FilterTileTarget)(scale, tile, *static_cast<TileMemory*>(scratch));
}

}  // namespace vmafx::vif
#endif  // HWY_ONCE
