// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/psnr/row_squares.h"

#include <cstring>

#include "core/metrics/float_psnr/definition.h"
#include "core/metrics/psnr/definition.h"
#include "core/numeric/samples.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/metrics/psnr/row_squares.cc"
#include "hwy/foreach_target.h"  // compiles this file once for each instruction set
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx::psnr {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE uint32_t Load8(const uint8_t* p, size_t i) { return p[i]; }
HWY_INLINE uint32_t Load16(const uint8_t* p, size_t i) {
  uint16_t word;
  std::memcpy(&word, p + 2 * i, sizeof word);
  return word;
}

#if HWY_TARGET != HWY_SCALAR

using D16 = hn::ScalableTag<int16_t>;
using DU16 = hn::RebindToUnsigned<D16>;
using D32 = hn::RepartitionToWide<D16>;
using DU32 = hn::RebindToUnsigned<D32>;
using D64 = hn::RepartitionToWide<D32>;
using DU64 = hn::RebindToUnsigned<D64>;
using V32 = hn::Vec<D32>;
using VU32 = hn::Vec<DU32>;
using VU64 = hn::Vec<DU64>;

HWY_INLINE hn::Vec<D16> LoadSamples8(const uint8_t* p) {
  return hn::PromoteTo(D16(), hn::LoadU(hn::Rebind<uint8_t, D16>(), p));
}
HWY_INLINE hn::Vec<D16> LoadSamples16(const uint8_t* p) {
  return hn::BitCast(D16(), hn::LoadU(hn::Repartition<uint8_t, D16>(), p));
}

// The 32-bit lanes, taken as unsigned, added to 64-bit ones.
HWY_INLINE VU64 AddWide(VU64 sum, VU32 v) {
  const auto wide = hn::BitCast(DU64(), v);
  return hn::Add(sum, hn::Add(hn::And(wide, hn::Set(DU64(), 0xFFFFFFFFu)), hn::ShiftRight<32>(wide)));
}

// Differences that fit 16 signed bits (depth up to 14): squared and added in pairs to 32-bit lanes, which take
// `burst` such additions before they could pass 2^31.
template <bool kBytes>
uint64_t Narrow(const uint8_t* a, const uint8_t* b, size_t count, size_t burst) {
  constexpr size_t kStep = kBytes ? 1 : 2;
  const size_t lanes = hn::Lanes(D16());
  auto total = hn::Zero(DU64());
  size_t i = 0;
  while (i + lanes <= count) {
    auto sum0 = hn::Zero(D32()), sum1 = hn::Zero(D32());
    for (size_t n = 0; n < burst && i + lanes <= count; ++n, i += lanes) {
      const auto va = kBytes ? LoadSamples8(a + kStep * i) : LoadSamples16(a + kStep * i);
      const auto vb = kBytes ? LoadSamples8(b + kStep * i) : LoadSamples16(b + kStep * i);
      const auto difference = hn::Sub(va, vb);
      sum0 = hn::ReorderWidenMulAccumulate(D32(), difference, difference, sum0, sum1);
    }
    total = AddWide(total, hn::BitCast(DU32(), hn::Add(sum0, sum1)));
  }
  uint64_t sum = hn::GetLane(hn::SumOfLanes(DU64(), total));
  for (; i < count; ++i)
    sum += kBytes ? SquaredDifference(Load8(a, i), Load8(b, i)) : SquaredDifference(Load16(a, i), Load16(b, i));
  return sum;
}

// v^2 rounded to binary32, as an integer below 2^32.
HWY_INLINE VU32 SquareBinary32(VU32 v) {
  const hn::RebindToFloat<D32> df;
  const auto root = hn::ConvertTo(df, hn::BitCast(D32(), v));
  const auto square = hn::Mul(root, root);
  // Conversions are signed: the upper half of the range is brought down (exactly) and its top bit set afterwards.
  const auto half = hn::Set(df, 2147483648.0f);
  const auto upper = hn::Ge(square, half);
  const auto low = hn::ConvertTo(D32(), hn::Sub(square, hn::IfThenElseZero(upper, half)));
  const auto top = hn::And(hn::BitCast(DU32(), hn::VecFromMask(df, upper)), hn::Set(DU32(), 0x80000000u));
  return hn::Or(hn::BitCast(DU32(), low), top);
}

template <bool kBinary32>
uint64_t Wide(const uint8_t* a, const uint8_t* b, size_t count) {
  const size_t lanes = hn::Lanes(DU16());
  auto total = hn::Zero(DU64());
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto va = hn::BitCast(DU16(), LoadSamples16(a + 2 * i));
    const auto vb = hn::BitCast(DU16(), LoadSamples16(b + 2 * i));
    const auto difference = hn::Sub(hn::Max(va, vb), hn::Min(va, vb));
    const auto lower = hn::PromoteTo(DU32(), hn::LowerHalf(difference));
    const auto upper = hn::PromoteTo(DU32(), hn::UpperHalf(hn::Half<DU16>(), difference));
    total = AddWide(total, kBinary32 ? SquareBinary32(lower) : hn::Mul(lower, lower));
    total = AddWide(total, kBinary32 ? SquareBinary32(upper) : hn::Mul(upper, upper));
  }
  uint64_t sum = hn::GetLane(hn::SumOfLanes(DU64(), total));
  for (; i < count; ++i)
    sum += kBinary32 ? float_psnr::RoundedSquare(Load16(a, i), Load16(b, i))
                     : SquaredDifference(Load16(a, i), Load16(b, i));
  return sum;
}

uint64_t Squares8(const uint8_t* a, const uint8_t* b, size_t count) {
  return Narrow<true>(a, b, count, 0x7FFFFFFFu / (2 * 255 * 255));
}

uint64_t Squares16(const uint8_t* a, const uint8_t* b, size_t count, int depth, Square square) {
  if (square == Square::kBinary32) return Wide<true>(a, b, count);
  if (depth > 14) return Wide<false>(a, b, count);
  const size_t peak = (size_t{1} << depth) - 1;
  return Narrow<false>(a, b, count, 0x7FFFFFFFu / (2 * peak * peak));
}

#else

uint64_t Squares8(const uint8_t* a, const uint8_t* b, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += SquaredDifference(Load8(a, i), Load8(b, i));
  return sum;
}

uint64_t Squares16(const uint8_t* a, const uint8_t* b, size_t count, int, Square square) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t va = Load16(a, i), vb = Load16(b, i);
    sum += square == Square::kBinary32 ? float_psnr::RoundedSquare(va, vb) : SquaredDifference(va, vb);
  }
  return sum;
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace vmafx::psnr
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vmafx::psnr {
namespace {

HWY_EXPORT(Squares8);
HWY_EXPORT(Squares16);

// The row as native words: where it lies, when it lies so already.
const uint8_t* WordRow(const Component& c, int y, uint16_t* scratch) {
  if (c.bytes == 2 && c.Direct()) return c.data + y * c.stride;
  UnpackRow(c, y, 0, c.width, scratch);
  return reinterpret_cast<const uint8_t*>(scratch);
}

}  // namespace

uint64_t RowSquares(const Component& a, const Component& b, int y, int depth, Square square, uint16_t* scratch) {
  const auto count = static_cast<size_t>(a.width);
  if (a.bytes == 1 && b.bytes == 1 && a.Direct() && b.Direct())  // squares of 8-bit differences are never rounded
    return HWY_DYNAMIC_DISPATCH(Squares8)(a.data + y * a.stride, b.data + y * b.stride, count);
  return HWY_DYNAMIC_DISPATCH(Squares16)(WordRow(a, y, scratch), WordRow(b, y, scratch + count), count, depth, square);
}

}  // namespace vmafx::psnr
#endif  // HWY_ONCE
