// SPDX-License-Identifier: BSD-2-Clause-Patent
// The front end: a block reads the samples of a tile of one picture, wherever and however they lie; the chroma sample
// of a pixel is the nearest by truncation.
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_FRONT_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_FRONT_H_

#include "core/metrics/kernel_samples.h"
#include "core/metrics/ssimulacra2/kernel_pyramid.h"
#include "core/metrics/ssimulacra2/recursive/kernel_arguments.h"

namespace vmafx::ssimulacra2::recursive {

VMAFX_FN Rgb EncodedPixel(const FrontPicture& picture, int x, int y) {
  const int chroma_x = x >> picture.shift_x, chroma_y = y >> picture.shift_y;
  const Rgb encoded = EncodedOfSamples(picture.conversion, Sample(picture.component[0], x, y),
                                       Sample(picture.component[1], chroma_x, chroma_y),
                                       Sample(picture.component[2], chroma_x, chroma_y));
  return {Saturate(encoded.r), Saturate(encoded.g), Saturate(encoded.b)};
}

VMAFX_FN void Front(const FrontArguments& arguments) {
  VMAFX_SHARED(LinearTable, table, );
  VMAFX_SHARED(Pyramid, pyramid, );
  const int side = BlockZ();
  const int left = BlockX() * kFrontTile, top = BlockY() * kFrontTile;
  const int x = left + ThreadX() % kQuads * 2, y = top + ThreadX() / kQuads * 2;
  const int last_x = arguments.scale[0].width - 1, last_y = arguments.scale[0].height - 1;
  const TableShare table_share = LoadTable(arguments.table);
  Rgb encoded[2][2];
  VMAFX_UNROLL
  for (int dy = 0; dy < 2; ++dy) {
    VMAFX_UNROLL
    for (int dx = 0; dx < 2; ++dx)
      encoded[dy][dx] = EncodedPixel(arguments.picture[side], x + dx < last_x ? x + dx : last_x,
                                     y + dy < last_y ? y + dy : last_y);
  }
  StoreTable(arguments.table, table_share, table);
  BlockBarrier();
  Linear linear[2][2];
  VMAFX_UNROLL
  for (int dy = 0; dy < 2; ++dy) {
    VMAFX_UNROLL
    for (int dx = 0; dx < 2; ++dx) linear[dy][dx] = LinearOf(table, encoded[dy][dx]);
  }
  WriteXyb(arguments.scale, arguments.scales, side, left, top, linear, pyramid);
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_FRONT_H_
