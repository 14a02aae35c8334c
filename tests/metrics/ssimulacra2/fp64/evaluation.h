// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIMULACRA 2 (the library's profile `standard`) evaluated in fp64 from its formulas, as a yardstick: no table, no
// approximate cube root, no chosen order of summation. Shares no code with the library.
#ifndef VMAFX_TESTS_SSIMULACRA2_FP64_EVALUATION_H_
#define VMAFX_TESTS_SSIMULACRA2_FP64_EVALUATION_H_

#include <cstdint>
#include <vector>

namespace ssimulacra2_fp64 {

// How the samples of a picture are to be understood.
struct Encoding {
  bool rgb = false;         // planes are R, G, B
  bool halved_x = false;    // chroma has half the columns
  bool halved_y = false;    // chroma has half the rows
  int depth = 8;
  bool full_range = false;
  double kr = 0.2126;       // luma weights of red and blue
  double kb = 0.0722;
  double chroma_x = 0;      // position of the first chroma sample on the luma grid, in luma pixels
  double chroma_y = 0.5;
};

struct Picture {
  Encoding encoding;
  int width = 0;
  int height = 0;
  // One plane (grey) or three, rows without padding.
  std::vector<std::vector<uint16_t>> planes;

  int chroma_width() const { return encoding.halved_x ? (width + 1) / 2 : width; }
  int chroma_height() const { return encoding.halved_y ? (height + 1) / 2 : height; }
};

// Means over one plane of one scale: {ssim, artifact, detail loss} of the terms and of their fourth powers.
struct Means {
  double term[3] = {};
  double fourth_power[3] = {};
};

struct Evaluation {
  std::vector<Means> scale[3];  // by channel X, Y, B
  double score = 0;
};

// Both pictures have the same size, at least 8x8.
Evaluation Evaluate(const Picture& reference, const Picture& distorted);

}  // namespace ssimulacra2_fp64
#endif  // VMAFX_TESTS_SSIMULACRA2_FP64_EVALUATION_H_
