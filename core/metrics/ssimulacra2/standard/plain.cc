// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/standard/plain.h"

#include <algorithm>

#include "core/metrics/ssimulacra2/score.h"
#include "core/metrics/ssimulacra2/standard/conversion.h"
#include "core/numeric/samples.h"

namespace vmafx::ssimulacra2::standard {
namespace {

int32_t SampleAt(const Component& component, int x, int y) { return static_cast<int32_t>(Sample(component, x, y)); }

float ChromaAt(const Conversion& c, const Component& component, int x, int y) {
  const ChromaTaps column = TapsAt(c.siting_x, x, component.width);
  const ChromaTaps row = TapsAt(c.siting_y, y, component.height);
  const auto along_row = [&](int cy) {
    return column.first_weight * SampleAt(component, column.first, cy) +
           column.second_weight * SampleAt(component, column.second, cy);
  };
  const int32_t sum = row.first_weight * along_row(row.first) + row.second_weight * along_row(row.second);
  return Normalised(sum, c.chroma_offset, c.chroma_scale);
}

Rgb EncodedAt(const Conversion& c, const Format& format, const PictureView& picture, int x, int y) {
  const auto direct = [&](int component) {
    return Normalised(SampleAt(picture.component[component], x, y), c.luma_offset, c.luma_scale);
  };
  switch (format.layout) {
    case VMAFX_LAYOUT_RGB: return {Saturate(direct(0)), Saturate(direct(1)), Saturate(direct(2))};
    case VMAFX_LAYOUT_GRAY: return {Saturate(direct(0)), Saturate(direct(0)), Saturate(direct(0))};
    default:
      return RgbOfYcc(c, direct(0), ChromaAt(c, picture.component[1], x, y), ChromaAt(c, picture.component[2], x, y));
  }
}

Planes MakePlanes(int width, int height) {
  return {Plane(width, height), Plane(width, height), Plane(width, height)};
}

}  // namespace

Planes LinearLight(const Format& format, const PictureView& picture) {
  const Conversion c = MakeConversion(format);
  Planes linear = MakePlanes(format.width, format.height);
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x) {
      const Rgb encoded = EncodedAt(c, format, picture, x, y);
      linear[0].at(x, y) = LinearOfEncoded(kTransferTable, encoded.r);
      linear[1].at(x, y) = LinearOfEncoded(kTransferTable, encoded.g);
      linear[2].at(x, y) = LinearOfEncoded(kTransferTable, encoded.b);
    }
  return linear;
}

Planes NextScale(const Planes& linear) {
  const int width = linear[0].width, height = linear[0].height;
  Planes next = MakePlanes((width + 1) / 2, (height + 1) / 2);
  for (int c = 0; c < kChannels; ++c)
    for (int y = 0; y < next[c].height; ++y)
      for (int x = 0; x < next[c].width; ++x) {
        const int left = 2 * x, right = std::min(2 * x + 1, width - 1);
        const int top = 2 * y, bottom = std::min(2 * y + 1, height - 1);
        next[c].at(x, y) = Downsample(linear[c].at(left, top), linear[c].at(right, top), linear[c].at(left, bottom),
                                      linear[c].at(right, bottom));
      }
  return next;
}

Planes XybOf(const Planes& linear) {
  Planes xyb = linear;
  for (size_t i = 0; i < linear[0].value.size(); ++i) {
    const Xyb pixel = XybOfLinear(linear[0].value[i], linear[1].value[i], linear[2].value[i]);
    xyb[0].value[i] = pixel.x;
    xyb[1].value[i] = pixel.y;
    xyb[2].value[i] = pixel.b;
  }
  return xyb;
}

Plane Blurred(const Plane& plane) {
  const int width = plane.width, height = plane.height;
  Plane rows(width, height), columns(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto p = [&](int dx) { return x + dx >= 0 && x + dx < width ? plane.at(x + dx, y) : 0.0f; };
      rows.at(x, y) = Blur(p(-4), p(-3), p(-2), p(-1), p(0), p(1), p(2), p(3), p(4));
    }
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto p = [&](int dy) { return y + dy >= 0 && y + dy < height ? rows.at(x, y + dy) : 0.0f; };
      columns.at(x, y) = Blur(p(-4), p(-3), p(-2), p(-1), p(0), p(1), p(2), p(3), p(4));
    }
  return columns;
}

TermPlanes TermsOf(const Plane& reference, const Plane& distorted) {
  Plane square_sum = reference, square_difference = reference;
  for (size_t i = 0; i < reference.value.size(); ++i) {
    square_sum.value[i] = SquareSum(reference.value[i], distorted.value[i]);
    square_difference.value[i] = SquareDifference(reference.value[i], distorted.value[i]);
  }
  const Plane m1 = Blurred(reference), m2 = Blurred(distorted), s = Blurred(square_sum), v = Blurred(square_difference);
  TermPlanes terms(kSums, Plane(reference.width, reference.height));
  for (size_t i = 0; i < reference.value.size(); ++i) {
    const float edge = EdgeTerm(reference.value[i], distorted.value[i], m1.value[i], m2.value[i]);
    const float kinds[kKinds] = {SsimTerm(m1.value[i], m2.value[i], s.value[i], v.value[i]), Positive(edge),
                                 Positive(-edge)};
    for (size_t kind = 0; kind < kKinds; ++kind) {
      terms[2 * kind].value[i] = kinds[kind];
      terms[2 * kind + 1].value[i] = FourthPower(kinds[kind]);
    }
  }
  return terms;
}

namespace {

float CellSum(const Plane& terms, int left, int top) {
  float column[kCellWidth] = {};
  for (int x = left; x < std::min(left + kCellWidth, terms.width); ++x)
    for (int y = top; y < std::min(top + kCellHeight, terms.height); ++y) column[x - left] += terms.at(x, y);
  for (int half = kCellWidth / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) column[i] += column[i + half];
  return column[0];
}

}  // namespace

double OrderedSum(const Plane& terms) {
  double sum = 0;
  for (int y = 0; y < terms.height; y += kCellHeight) {
    double row = 0;
    for (int x = 0; x < terms.width; x += kCellWidth) row += static_cast<double>(CellSum(terms, x, y));
    sum += row;
  }
  return sum;
}

FrameSums PlainSums(const PairFormat& format, const PairView& pair) {
  FrameSums sums;
  const Scales scales(format.reference.width, format.reference.height);
  Planes reference = LinearLight(format.reference, pair.reference);
  Planes distorted = LinearLight(format.distorted, pair.distorted);
  for (int scale = 0; scale < scales.count; ++scale) {
    if (scale > 0) {
      reference = NextScale(reference);
      distorted = NextScale(distorted);
    }
    const Planes a = XybOf(reference), b = XybOf(distorted);
    for (size_t channel = 0; channel < kChannels; ++channel) {
      const TermPlanes terms = TermsOf(a[channel], b[channel]);
      for (size_t sum = 0; sum < kSums; ++sum) sums.value[scale][channel][sum] = OrderedSum(terms[sum]);
    }
  }
  return sums;
}

}  // namespace vmafx::ssimulacra2::standard
