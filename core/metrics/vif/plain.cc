// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/vif/plain.h"

#include "core/numeric/log2_table.h"
#include "core/numeric/samples.h"

namespace vmafx::vif {
namespace {

template <class T>
struct Plane {
  Plane(int w, int h) : width(w), height(h), values(static_cast<size_t>(w) * static_cast<size_t>(h)) {}
  T& at(int x, int y) { return values[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)]; }
  const T& at(int x, int y) const { return const_cast<Plane*>(this)->at(x, y); }
  int width, height;
  std::vector<T> values;
};

// The vertical filter at (x, y) over value(x, y).
template <class Value>
uint64_t Vertical(int window, int x, int y, int height, const Value& value) {
  uint64_t sum = 0;
  for (int i = -kHalf[window]; i <= kHalf[window]; ++i)
    sum += uint64_t{kTaps[window][i + kHalf[window]]} * value(x, Mirror(y + i, height));
  return sum;
}

uint64_t Horizontal(int window, int x, int y, const Plane<uint32_t>& plane) {
  uint64_t sum = 0;
  for (int i = -kHalf[window]; i <= kHalf[window]; ++i)
    sum += uint64_t{kTaps[window][i + kHalf[window]]} * plane.at(Mirror(x + i, plane.width), y);
  return sum;
}

// Applies the vertical filter and its rounding shift to a whole plane.
template <class Value>
Plane<uint32_t> FilterRows(int window, int width, int height, int shift, const Value& value) {
  Plane<uint32_t> out(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      out.at(x, y) = static_cast<uint32_t>(RoundShift(Vertical(window, x, y, height, value), shift));
  return out;
}

Sums Measure(int scale, int depth, const Plane<uint16_t>& reference, const Plane<uint16_t>& distorted,
             double gain_limit) {
  const int width = reference.width, height = reference.height;
  const auto r = [&](int x, int y) { return uint64_t{reference.at(x, y)}; };
  const auto d = [&](int x, int y) { return uint64_t{distorted.at(x, y)}; };
  const auto [mean_shift, product_shift] = VerticalShifts(scale, depth);
  const auto mean_r = FilterRows(scale, width, height, mean_shift, r);
  const auto mean_d = FilterRows(scale, width, height, mean_shift, d);
  const auto rr = FilterRows(scale, width, height, product_shift, [&](int x, int y) { return r(x, y) * r(x, y); });
  const auto dd = FilterRows(scale, width, height, product_shift, [&](int x, int y) { return d(x, y) * d(x, y); });
  const auto rd = FilterRows(scale, width, height, product_shift, [&](int x, int y) { return r(x, y) * d(x, y); });
  Sums sums{};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Moments moments;
      moments.mean_r = static_cast<uint32_t>(Horizontal(scale, x, y, mean_r));
      moments.mean_d = static_cast<uint32_t>(Horizontal(scale, x, y, mean_d));
      moments.rr = static_cast<uint32_t>(RoundShift(Horizontal(scale, x, y, rr), 16));
      moments.dd = static_cast<uint32_t>(RoundShift(Horizontal(scale, x, y, dd), 16));
      moments.rd = static_cast<uint32_t>(RoundShift(Horizontal(scale, x, y, rd), 16));
      AddPixel(VariancesOf(moments), gain_limit, Log2Table().data(), &sums);
    }
  }
  return sums;
}

Plane<uint16_t> Reduce(int scale, int depth, const Plane<uint16_t>& plane) {
  const int window = scale + 1;
  const auto rows = FilterRows(window, plane.width, plane.height, VerticalShifts(scale, depth).mean,
                               [&](int x, int y) { return uint64_t{plane.at(x, y)}; });
  Plane<uint16_t> out(plane.width / 2, plane.height / 2);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      out.at(x, y) = static_cast<uint16_t>(RoundShift(Horizontal(window, 2 * x, 2 * y, rows), 16));
  return out;
}

Plane<uint16_t> Load(const Component& component) {
  Plane<uint16_t> plane(component.width, component.height);
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) plane.at(x, y) = static_cast<uint16_t>(Sample(component, x, y));
  return plane;
}

}  // namespace

std::array<Sums, kScales> PlainSums(const PairView& pair, int depth, double gain_limit) {
  std::array<Sums, kScales> sums;
  Plane<uint16_t> reference = Load(pair.reference.component[0]);
  Plane<uint16_t> distorted = Load(pair.distorted.component[0]);
  for (int scale = 0; scale < kScales; ++scale) {
    sums[static_cast<size_t>(scale)] = Measure(scale, depth, reference, distorted, gain_limit);
    if (scale + 1 == kScales) break;
    reference = Reduce(scale, depth, reference);
    distorted = Reduce(scale, depth, distorted);
  }
  return sums;
}

}  // namespace vmafx::vif
