// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/numeric/samples.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/numeric/samples.cc"
#include "hwy/foreach_target.h"  // compiles this file once for each instruction set
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace vmafx {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using D16 = hn::ScalableTag<uint16_t>;
using V16 = hn::Vec<D16>;
using D8 = hn::Repartition<uint8_t, D16>;

HWY_INLINE V16 LoadWords(const uint8_t* p) { return hn::BitCast(D16(), hn::LoadU(D8(), p)); }

// The four ways in which samples lie that have a vector form. Load() gives Lanes(D16()) words; kBeyond is the number of
// bytes that it reads after the last of those words.
struct Bytes {
  static constexpr size_t kBeyond = 0;
  static HWY_INLINE V16 Load(const uint8_t* p) { return hn::PromoteTo(D16(), hn::LoadU(hn::Rebind<uint8_t, D16>(), p)); }
};
struct InterleavedBytes {
  static constexpr size_t kBeyond = 1;
  static HWY_INLINE V16 Load(const uint8_t* p) { return hn::And(LoadWords(p), hn::Set(D16(), 0xFF)); }
};
struct Words {
  static constexpr size_t kBeyond = 0;
  static HWY_INLINE V16 Load(const uint8_t* p) { return LoadWords(p); }
};
struct InterleavedWords {
  static constexpr size_t kBeyond = 2;
  static HWY_INLINE V16 Load(const uint8_t* p) {
    return hn::ConcatEven(D16(), LoadWords(p + 2 * hn::Lanes(D16())), LoadWords(p));
  }
};

template <class Loader>
void Unpack(const Component& c, const uint8_t* p, size_t count, uint16_t* HWY_RESTRICT out) {
  const D16 d;
  const size_t lanes = hn::Lanes(d);
  const auto unpack = [&](size_t i) HWY_ATTR {
    auto v = Loader::Load(p + i * c.step);
    if (c.big_endian) v = hn::Or(hn::ShiftLeft<8>(v), hn::ShiftRight<8>(v));
    hn::StoreU(hn::ShiftLeftSame(hn::ShiftRightSame(v, c.shift), c.lift), d, out + i);
  };
  // A vector may be loaded where its bytes beyond the last word still belong to a later sample of the row.
  const size_t whole = count - (Loader::kBeyond != 0 ? 1 : 0);
  size_t i = 0;
  for (; i + lanes <= whole; i += lanes) unpack(i);
  if (i == count) return;
  if (whole >= lanes) {
    unpack(whole - lanes);
    i = whole;
  }
  Component rest = c;
  rest.data = p;
  for (; i < count; ++i) out[i] = static_cast<uint16_t>(Sample(rest, static_cast<int>(i), 0));
}

#endif  // HWY_TARGET != HWY_SCALAR

void UnpackRowTarget(const Component& c, const uint8_t* p, size_t count, uint16_t* HWY_RESTRICT out) {
#if HWY_TARGET != HWY_SCALAR
  if (c.bytes == 1 && c.step == 1) return Unpack<Bytes>(c, p, count, out);
  if (c.bytes == 1 && c.step == 2) return Unpack<InterleavedBytes>(c, p, count, out);
  if (c.bytes == 2 && c.step == 2) return Unpack<Words>(c, p, count, out);
  if (c.bytes == 2 && c.step == 4) return Unpack<InterleavedWords>(c, p, count, out);
#endif
  Component row = c;
  row.data = p;
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<uint16_t>(Sample(row, static_cast<int>(i), 0));
}

}  // namespace HWY_NAMESPACE
}  // namespace vmafx
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vmafx {

HWY_EXPORT(UnpackRowTarget);

void UnpackRow(const Component& c, int y, int x0, int count, uint16_t* out) {
  if (count <= 0) return;
  const uint8_t* p = c.data + y * c.stride + x0 * c.step;
  if (c.bytes == 2 && c.Direct()) {
    std::memcpy(out, p, static_cast<size_t>(count) * sizeof *out);
    return;
  }
  HWY_DYNAMIC_DISPATCH(UnpackRowTarget)(c, p, static_cast<size_t>(count), out);
}

}  // namespace vmafx
#endif  // HWY_ONCE
