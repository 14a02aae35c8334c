// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/metrics/ssimulacra2/fp64/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ssimulacra2_fp64 {
namespace {

struct Plane {
  Plane(int w, int h) : width(w), height(h), value(static_cast<size_t>(w) * h) {}
  double& at(int x, int y) { return value[static_cast<size_t>(y) * width + x]; }
  double at(int x, int y) const { return value[static_cast<size_t>(y) * width + x]; }

  int width;
  int height;
  std::vector<double> value;
};

using Planes = std::array<Plane, 3>;

// The weights of the author's tool in its order: channel X, Y, B; scale; mean, fourth root of the mean of fourth
// powers; ssim, artifact, detail loss.
constexpr double kWeights[108] = {
    0.0, 0.0007376606707406586, 0.0,
    0.0, 0.0007793481682867309, 0.0,
    0.0, 0.0004371155730107379, 0.0,
    1.1041726426657346, 0.00066284834129271, 0.00015231632783718752,
    0.0, 0.0016406437456599754, 0.0,
    1.8422455520539298, 11.441172603757666, 0.0,
    0.0007989109436015163, 0.000176816438078653, 0.0,
    1.8787594979546387, 10.94906990605142, 0.0,
    0.0007289346991508072, 0.9677937080626833, 0.0,
    0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053,
    0.0004550992113792063, 0.0, 0.0,
    0.0013648766163243398, 0.0, 0.0,
    0.0, 0.0, 0.0,
    7.466890328078848, 0.0, 17.445833984131262,
    0.0006235601634041466, 0.0, 0.0,
    6.683678146179332, 0.00037724407979611296, 1.027889937768264,
    225.20515300849274, 0.0, 0.0,
    19.213238186143016, 0.0011401524586618361, 0.001237755635509985,
    176.39317598450694, 0.0, 0.0,
    24.43300999870476, 0.28520802612117757, 0.0004485436923833408,
    0.0, 0.0, 0.0,
    34.77906344483772, 44.835625328877896, 0.0,
    0.0, 0.0, 0.0,
    0.0, 0.0, 0.0,
    0.0, 0.0008680556573291698, 0.0,
    0.0, 0.0, 0.0,
    0.0, 0.0005313191874358747, 0.0,
    0.00016533814161379112, 0.0, 0.0,
    0.0, 0.0, 0.0,
    0.0004179171803251336, 0.0017290828234722833, 0.0,
    0.0020827005846636437, 0.0, 0.0,
    8.826982764996862, 23.19243343998926, 0.0,
    95.1080498811086, 0.9863978034400682, 0.9834382792465353,
    0.0012286405048278493, 171.2667255897307, 0.9807858872435379,
    0.0, 0.0, 0.0,
    0.0005130064588990679, 0.0, 0.00010854057858411537,
};

// The 9-tap filter that the author's recursive Gaussian (sigma 1.5) is in real arithmetic.
constexpr double kTaps[9] = {0.009414367809653691, 0.03601111465836436, 0.1093353727774603,
                             0.21292859201042222,  0.26462110548819856, 0.21292859201042222,
                             0.1093353727774603,   0.03601111465836436, 0.009414367809653691};

// A code value on a scale of 0..1 (luma, R, G, B) or -0.5..0.5 (chroma).
double Normalised(double code, const Encoding& encoding, bool chroma) {
  const double step = std::ldexp(1.0, encoding.depth - 8);
  if (encoding.full_range) {
    const double peak = 256 * step - 1;
    return chroma ? (code - 128 * step) / peak : code / peak;
  }
  return chroma ? (code - 128 * step) / (224 * step) : (code - 16 * step) / (219 * step);
}

// Where a luma coordinate falls among n chroma samples: between samples `low` and `high`, `part` of the way.
struct Between {
  Between(int luma, bool halved, double first, int n) {
    const double position = halved ? (luma - first) / 2 : luma;
    const double floor = std::floor(position);
    part = position - floor;
    low = std::clamp(static_cast<int>(floor), 0, n - 1);
    high = std::clamp(static_cast<int>(floor) + 1, 0, n - 1);
  }
  int low;
  int high;
  double part;
};

double Chroma(const Picture& picture, int plane, int x, int y) {
  const int n = picture.chroma_width();
  const Between column(x, picture.encoding.halved_x, picture.encoding.chroma_x, n);
  const Between row(y, picture.encoding.halved_y, picture.encoding.chroma_y, picture.chroma_height());
  const auto code = [&](int cx, int cy) {
    return static_cast<double>(picture.planes[plane][static_cast<size_t>(cy) * n + cx]);
  };
  const double above = std::lerp(code(column.low, row.low), code(column.high, row.low), column.part);
  const double below = std::lerp(code(column.low, row.high), code(column.high, row.high), column.part);
  return Normalised(std::lerp(above, below, row.part), picture.encoding, true);
}

double FromSrgb(double v) {
  v = std::clamp(v, 0.0, 1.0);
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

Planes LinearLight(const Picture& picture) {
  const int w = picture.width, h = picture.height;
  const Encoding& encoding = picture.encoding;
  Planes rgb = {Plane(w, h), Plane(w, h), Plane(w, h)};
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const auto code = [&](int plane) {
        return static_cast<double>(picture.planes[plane][static_cast<size_t>(y) * w + x]);
      };
      std::array<double, 3> value;
      const double luma = Normalised(code(0), encoding, false);
      if (encoding.rgb) {
        value = {luma, Normalised(code(1), encoding, false), Normalised(code(2), encoding, false)};
      } else if (picture.planes.size() == 1) {
        value = {luma, luma, luma};
      } else {
        // From Cb = (B - Y) / (2 - 2 Kb), Cr = (R - Y) / (2 - 2 Kr), Y = Kr R + Kg G + Kb B.
        const double red = luma + (2 - 2 * encoding.kr) * Chroma(picture, 2, x, y);
        const double blue = luma + (2 - 2 * encoding.kb) * Chroma(picture, 1, x, y);
        const double green = (luma - encoding.kr * red - encoding.kb * blue) / (1 - encoding.kr - encoding.kb);
        value = {red, green, blue};
      }
      for (int c = 0; c < 3; ++c) rgb[c].at(x, y) = FromSrgb(value[c]);
    }
  }
  return rgb;
}

Planes Xyb(const Planes& rgb) {
  constexpr double kBias = 0.0037930732552754493;
  constexpr double kMix[3][3] = {{0.30, 1 - 0.30 - 0.078, 0.078},
                                 {0.23, 1 - 0.23 - 0.078, 0.078},
                                 {0.24342268924547819, 0.20476744424496821,
                                  1 - 0.24342268924547819 - 0.20476744424496821}};
  Planes xyb = rgb;
  for (size_t i = 0; i < rgb[0].value.size(); ++i) {
    double lms[3];
    for (int k = 0; k < 3; ++k) {
      double mixed = kBias;
      for (int c = 0; c < 3; ++c) mixed += kMix[k][c] * rgb[c].value[i];
      lms[k] = std::cbrt(std::max(mixed, 0.0)) - std::cbrt(kBias);
    }
    const double luma = (lms[0] + lms[1]) / 2;
    xyb[0].value[i] = (lms[0] - lms[1]) / 2 * 14 + 0.42;
    xyb[1].value[i] = luma + 0.01;
    xyb[2].value[i] = lms[2] - luma + 0.55;
  }
  return xyb;
}

Plane Halved(const Plane& in) {
  Plane out((in.width + 1) / 2, (in.height + 1) / 2);
  for (int y = 0; y < out.height; ++y) {
    const int low_y = std::min(2 * y + 1, in.height - 1);
    for (int x = 0; x < out.width; ++x) {
      const int right_x = std::min(2 * x + 1, in.width - 1);
      out.at(x, y) = (in.at(2 * x, 2 * y) + in.at(right_x, 2 * y) + in.at(2 * x, low_y) + in.at(right_x, low_y)) / 4;
    }
  }
  return out;
}

Plane Blurred(const Plane& in) {
  Plane wide(in.width, in.height), out(in.width, in.height);
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      for (int k = std::max(-4, -x); k <= std::min(4, in.width - 1 - x); ++k)
        wide.at(x, y) += kTaps[k + 4] * in.at(x + k, y);
  for (int y = 0; y < in.height; ++y)
    for (int k = std::max(-4, -y); k <= std::min(4, in.height - 1 - y); ++k)
      for (int x = 0; x < in.width; ++x) out.at(x, y) += kTaps[k + 4] * wide.at(x, y + k);
  return out;
}

Plane Product(const Plane& p, const Plane& q) {
  Plane out(p.width, p.height);
  for (size_t i = 0; i < out.value.size(); ++i) out.value[i] = p.value[i] * q.value[i];
  return out;
}

Means Compare(const Plane& a, const Plane& b) {
  constexpr double kC2 = 0.0009;
  const Plane mean_a = Blurred(a), mean_b = Blurred(b);
  const Plane square_a = Blurred(Product(a, a)), square_b = Blurred(Product(b, b)), mixed = Blurred(Product(a, b));
  Means sums;
  for (size_t i = 0; i < a.value.size(); ++i) {
    const double m1 = mean_a.value[i], m2 = mean_b.value[i];
    // The author's form: 1 - luminance * structure.
    const double luminance = 1 - (m1 - m2) * (m1 - m2);
    const double structure = 2 * (mixed.value[i] - m1 * m2) + kC2;
    const double variance = (square_a.value[i] - m1 * m1) + (square_b.value[i] - m2 * m2) + kC2;
    const double edges =
        (1 + std::abs(b.value[i] - m2)) / (1 + std::abs(a.value[i] - m1)) - 1;
    const double terms[3] = {std::max(1 - luminance * structure / variance, 0.0), std::max(edges, 0.0),
                             std::max(-edges, 0.0)};
    for (int kind = 0; kind < 3; ++kind) {
      sums.term[kind] += terms[kind];
      sums.fourth_power[kind] += terms[kind] * terms[kind] * terms[kind] * terms[kind];
    }
  }
  const double count = static_cast<double>(a.value.size());
  for (int kind = 0; kind < 3; ++kind) {
    sums.term[kind] /= count;
    sums.fourth_power[kind] /= count;
  }
  return sums;
}

double Pooled(const std::vector<Means> (&scales)[3]) {
  // With fewer than six scales the author's tool still takes its weights one after another.
  const double* weight = kWeights;
  double sum = 0;
  for (const auto& channel : scales) {
    for (const Means& means : channel) {
      for (const double mean : means.term) sum += *weight++ * mean;
      for (const double mean : means.fourth_power) sum += *weight++ * std::sqrt(std::sqrt(mean));
    }
  }
  const double s = sum * 0.9562382616834844;
  const double curved = 2.326765642916932 * s - 0.020884521182843837 * s * s + 6.248496625763138e-05 * s * s * s;
  return curved > 0 ? 100 - 10 * std::pow(curved, 0.6276336467831387) : 100;
}

}  // namespace

Evaluation Evaluate(const Picture& reference, const Picture& distorted) {
  Evaluation result;
  Planes a = LinearLight(reference), b = LinearLight(distorted);
  for (int scale = 0; scale < 6; ++scale) {
    if (scale > 0) {
      // The size test precedes the halving, so the last scale may be smaller than 8 pixels.
      if (a[0].width < 8 || a[0].height < 8) break;
      for (int c = 0; c < 3; ++c) {
        a[c] = Halved(a[c]);
        b[c] = Halved(b[c]);
      }
    }
    const Planes xyb_a = Xyb(a), xyb_b = Xyb(b);
    for (int c = 0; c < 3; ++c) result.scale[c].push_back(Compare(xyb_a[c], xyb_b[c]));
  }
  result.score = Pooled(result.scale);
  return result;
}

}  // namespace ssimulacra2_fp64
