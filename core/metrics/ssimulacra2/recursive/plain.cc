// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/recursive/plain.h"

#include <algorithm>

#include "core/numeric/samples.h"

namespace vmafx::ssimulacra2::recursive {
namespace {

Plane Multiply(const Plane& a, const Plane& b) {
  Plane product(a.width, a.height);
  for (size_t i = 0; i < a.data.size(); ++i) product.data[i] = a.data[i] * b.data[i];
  return product;
}

void AddPlane(const Plane& reference, const Plane& distorted, double sums[kSums]) {
  Plane blurred[kBlurredPlanes];
  blurred[kSquareReference] = Blur(Multiply(reference, reference));
  blurred[kSquareDistorted] = Blur(Multiply(distorted, distorted));
  blurred[kProduct] = Blur(Multiply(reference, distorted));
  blurred[kReference] = Blur(reference);
  blurred[kDistorted] = Blur(distorted);
  for (size_t i = 0; i < reference.data.size(); ++i) {
    float pixel[kBlurredPlanes];
    for (int p = 0; p < kBlurredPlanes; ++p) pixel[p] = blurred[p].data[i];
    AddTerms(sums, TermsOf(reference.data[i], distorted.data[i], pixel));
  }
}

}  // namespace

Image LinearImage(const PictureView& picture, const Format& format) {
  const Conversion conversion = ConversionOf(format);
  const int shift_x = format.chroma_shift_x(), shift_y = format.chroma_shift_y();
  Image image;
  for (Plane& plane : image.plane) plane = Plane(format.width, format.height);
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      const Rgb encoded = EncodedOfSamples(conversion, Sample(picture.component[0], x, y),
                                           Sample(picture.component[1], x >> shift_x, y >> shift_y),
                                           Sample(picture.component[2], x >> shift_x, y >> shift_y));
      image.plane[0].at(x, y) = LinearOfEncoded(kTransferTable, encoded.r);
      image.plane[1].at(x, y) = LinearOfEncoded(kTransferTable, encoded.g);
      image.plane[2].at(x, y) = LinearOfEncoded(kTransferTable, encoded.b);
    }
  }
  return image;
}

Image HalfImage(const Image& linear) {
  Image half;
  for (int c = 0; c < kChannels; ++c) {
    const Plane& in = linear.plane[c];
    Plane& out = half.plane[c] = Plane((in.width + 1) / 2, (in.height + 1) / 2);
    for (int y = 0; y < out.height; ++y) {
      const int top = 2 * y, bottom = std::min(2 * y + 1, in.height - 1);
      for (int x = 0; x < out.width; ++x) {
        const int left = 2 * x, right = std::min(2 * x + 1, in.width - 1);
        out.at(x, y) = Downsample(in.at(left, top), in.at(right, top), in.at(left, bottom), in.at(right, bottom));
      }
    }
  }
  return half;
}

Image XybImage(const Image& linear) {
  Image image = linear;
  for (size_t i = 0; i < linear.plane[0].data.size(); ++i) {
    const Xyb xyb = XybOfLinear(linear.plane[0].data[i], linear.plane[1].data[i], linear.plane[2].data[i]);
    image.plane[0].data[i] = xyb.x;
    image.plane[1].data[i] = xyb.y;
    image.plane[2].data[i] = xyb.b;
  }
  return image;
}

void BlurLine(const float* in, float* out, int size, ptrdiff_t step) {
  const auto input = [&](int i) { return i < 0 || i >= size ? 0.0f : in[i * step]; };
  BlurTerm state[kBlurTerms] = {};
  for (int n = -kBlurLead; n < size; ++n) {
    const float value = BlurStep(state, input(n + kBlurLead - kBlurSpan) + input(n + kBlurLead));
    if (n >= 0) out[n * step] = value;
  }
}

Plane Blur(const Plane& plane) {
  Plane rows(plane.width, plane.height), result(plane.width, plane.height);
  for (int y = 0; y < plane.height; ++y) {
    const size_t row = static_cast<size_t>(y) * plane.width;
    BlurLine(&plane.data[row], &rows.data[row], plane.width, 1);
  }
  for (int x = 0; x < plane.width; ++x) BlurLine(&rows.data[x], &result.data[x], plane.height, plane.width);
  return result;
}

Sums PlainSums(const PairView& pair, const PairFormat& format) {
  Sums sums;
  sums.width = format.reference.width;
  sums.height = format.reference.height;
  sums.scales = ScaleCount(sums.width, sums.height);
  if (sums.scales == 0) return sums;
  Image reference = LinearImage(pair.reference, format.reference);
  Image distorted = LinearImage(pair.distorted, format.distorted);
  for (int scale = 0; scale < sums.scales; ++scale) {
    if (scale > 0) {
      reference = HalfImage(reference);
      distorted = HalfImage(distorted);
    }
    const Image reference_xyb = XybImage(reference), distorted_xyb = XybImage(distorted);
    for (int c = 0; c < kChannels; ++c)
      AddPlane(reference_xyb.plane[c], distorted_xyb.plane[c], sums.value[c][scale]);
  }
  return sums;
}

}  // namespace vmafx::ssimulacra2::recursive
