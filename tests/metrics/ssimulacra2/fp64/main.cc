// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2_fp64: scores two headerless planar files (above 8 bits: two bytes per sample, little-endian) in fp64.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/metrics/ssimulacra2/fp64/encoding.h"
#include "tests/metrics/ssimulacra2/fp64/evaluation.h"

namespace {

using ssimulacra2_fp64::NamedEncoding;
using ssimulacra2_fp64::Picture;

bool ReadPlane(std::istream& in, int depth, size_t samples, std::vector<uint16_t>* plane) {
  const size_t bytes = depth > 8 ? 2 : 1;
  std::vector<char> raw(samples * bytes);
  if (!in.read(raw.data(), static_cast<std::streamsize>(raw.size()))) return false;
  plane->resize(samples);
  for (size_t i = 0; i < samples; ++i) {
    const auto byte = [&](size_t k) { return static_cast<uint16_t>(static_cast<unsigned char>(raw[i * bytes + k])); };
    (*plane)[i] = bytes == 1 ? byte(0) : static_cast<uint16_t>(byte(0) | (byte(1) << 8));
  }
  return true;
}

// Planes in the file's order: Y, Cb, Cr, or G, B, R.
bool ReadPicture(std::istream& in, const NamedEncoding& named, int width, int height, Picture* picture) {
  picture->encoding = named.encoding;
  picture->width = width;
  picture->height = height;
  picture->planes.assign(named.planes, {});
  for (int p = 0; p < named.planes; ++p) {
    const bool chroma = p > 0;
    const size_t samples = static_cast<size_t>(chroma ? picture->chroma_width() : width) *
                           (chroma ? picture->chroma_height() : height);
    const int target = named.encoding.rgb ? (p + 1) % 3 : p;
    if (!ReadPlane(in, named.encoding.depth, samples, &picture->planes[target])) return false;
  }
  return true;
}

// "A,B": A for the reference, B for the distorted picture; a text without a comma is for both.
struct Two {
  explicit Two(const std::string& text) {
    const size_t comma = text.find(',');
    reference = text.substr(0, comma);
    distorted = comma == std::string::npos ? reference : text.substr(comma + 1);
  }
  std::string reference, distorted;
};

}  // namespace

int main(int argc, char** argv) {
  int width = 0, height = 0;
  if (argc != 9 || std::sscanf(argv[3], "%dx%d", &width, &height) != 2 || width < 8 || height < 8) {
    std::fprintf(stderr,
                 "usage: %s REFERENCE DISTORTED WIDTHxHEIGHT LAYOUT DEPTH RANGE MATRIX LOCATION\n"
                 "  at least 8x8; LAYOUT 420 422 440 444 gray gbr; RANGE limited full;\n"
                 "  MATRIX bt709 bt601 bt2020nc smpte240m fcc; LOCATION left center topleft top bottomleft bottom;\n"
                 "  from LAYOUT on, A,B is A for the reference and B for the distorted file\n",
                 argv[0]);
    return 2;
  }
  const Two layout(argv[4]), depth(argv[5]), range(argv[6]), matrix(argv[7]), location(argv[8]);
  const auto named_reference =
      ssimulacra2_fp64::EncodingByName(layout.reference, std::atoi(depth.reference.c_str()), range.reference,
                                       matrix.reference, location.reference);
  const auto named_distorted =
      ssimulacra2_fp64::EncodingByName(layout.distorted, std::atoi(depth.distorted.c_str()), range.distorted,
                                       matrix.distorted, location.distorted);
  if (!named_reference || !named_distorted) {
    std::fprintf(stderr, "unknown layout, depth, range, matrix or location\n");
    return 2;
  }
  std::ifstream reference_file(argv[1], std::ios::binary), distorted_file(argv[2], std::ios::binary);
  if (!reference_file || !distorted_file) {
    std::fprintf(stderr, "cannot open %s\n", reference_file ? argv[2] : argv[1]);
    return 1;
  }
  Picture reference, distorted;
  int frames = 0;
  while (ReadPicture(reference_file, *named_reference, width, height, &reference) &&
         ReadPicture(distorted_file, *named_distorted, width, height, &distorted)) {
    std::printf("%.12f\n", ssimulacra2_fp64::Evaluate(reference, distorted).score);
    ++frames;
  }
  if (frames == 0) std::fprintf(stderr, "no complete frame of %dx%d in both files\n", width, height);
  return frames == 0;
}
