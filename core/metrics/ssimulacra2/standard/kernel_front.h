// SPDX-License-Identifier: BSD-2-Clause-Patent
// The front end: a block reads the samples of a tile of one picture once, wherever and however they lie.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_FRONT_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_FRONT_H_

#include "core/metrics/kernel_samples.h"
#include "core/metrics/ssimulacra2/kernel_pyramid.h"
#include "core/metrics/ssimulacra2/standard/kernel_arguments.h"

namespace vmafx::ssimulacra2::standard {

// Cb and Cr samples of a tile as floats, with one more on each side: index 0 is the one before the tile's first.
constexpr int kChromaRows = kFrontTile + 2;
constexpr int kChromaPitch = kFrontTile + 3;
using ChromaTile = Floats2[kChromaRows][kChromaPitch];

VMAFX_FN int Clamp(int x, int last) { return x < 0 ? 0 : x > last ? last : x; }

// A thread's share of a tile's chroma, in two steps, so that all loads are on their way before the first is used: rows
// ThreadX() / 32 and every eighth after it of one column.
constexpr int kChromaShare = (kChromaRows + 7) / 8;
struct ChromaShare {
  uint32_t cb[kChromaShare], cr[kChromaShare];
};

struct ChromaExtent {
  int first_x, first_y, columns, rows;
  VMAFX_FN ChromaExtent(const Conversion& c, int left, int top) {
    const bool whole_x = c.siting_x == kNotSubsampled, whole_y = c.siting_y == kNotSubsampled;
    first_x = (whole_x ? left : left / 2) - 1;
    first_y = (whole_y ? top : top / 2) - 1;
    columns = whole_x ? kFrontTile + 2 : kFrontTile / 2 + 2;
    rows = whole_y ? kFrontTile + 2 : kFrontTile / 2 + 2;
  }
};

VMAFX_FN void LoadChroma(const FrontPicture& picture, const ChromaExtent& extent, int column, ChromaShare& share) {
  const KernelComponent &cb = picture.component[1], &cr = picture.component[2];
  const int x = Clamp(extent.first_x + column, cb.width - 1);
  VMAFX_UNROLL
  for (int i = 0; i < kChromaShare; ++i) {
    const int row = ThreadX() / 32 + 8 * i;
    if (column >= extent.columns || row >= extent.rows) break;
    const int y = Clamp(extent.first_y + row, cb.height - 1);
    share.cb[i] = LoadWord(cb, SampleAddress(cb, x, y));
    share.cr[i] = LoadWord(cr, SampleAddress(cr, x, y));
  }
}

// A barrier must follow.
VMAFX_FN void StoreChroma(const FrontPicture& picture, const ChromaExtent& extent, int column, const ChromaShare& share,
                          ChromaTile& tile) {
  VMAFX_UNROLL
  for (int i = 0; i < kChromaShare; ++i) {
    const int row = ThreadX() / 32 + 8 * i;
    if (column >= extent.columns || row >= extent.rows) break;
    tile[row][column] = {{static_cast<float>(SampleOfWord(picture.component[1], share.cb[i])),
                          static_cast<float>(SampleOfWord(picture.component[2], share.cr[i]))}};
  }
}

// The weighted sums of a tile's Cb (component 0) or Cr at the 2x2 pixels of quad (qx, qy). Integers of at most
// 16 * 65535, so every operation is exact, fused or not.
VMAFX_FN void Upsample(const Floats2 chroma[3][3], int component, const PairTaps& x, const PairTaps& y,
                       float sums[2][2]) {
  float even[3], odd[3];
  VMAFX_UNROLL
  for (int i = 0; i < 3; ++i) {
    const float c0 = chroma[i][0].value[component], c1 = chroma[i][1].value[component];
    even[i] = Fma(x.even1, c1, x.even0 * c0);
    odd[i] = Fma(x.odd1, chroma[i][2].value[component], x.odd0 * c1);
  }
  sums[0][0] = Fma(y.even1, even[1], y.even0 * even[0]);
  sums[0][1] = Fma(y.even1, odd[1], y.even0 * odd[0]);
  sums[1][0] = Fma(y.odd1, even[2], y.odd0 * even[1]);
  sums[1][1] = Fma(y.odd1, odd[2], y.odd0 * odd[1]);
}

// The words of the samples at the luma grid's 2x2 pixels from (x, y) on, the picture's last column and row repeated.
VMAFX_FN void LoadDirect(const FrontPicture& picture, int x, int y, uint32_t words[kChannels][2][2]) {
  const int last_x = picture.component[0].width - 1, last_y = picture.component[0].height - 1;
  const int components = picture.model == kRgb ? kChannels : 1;
  VMAFX_UNROLL
  for (int n = 0; n < kChannels; ++n) {
    if (n >= components) break;
    VMAFX_UNROLL
    for (int dy = 0; dy < 2; ++dy) {
      VMAFX_UNROLL
      for (int dx = 0; dx < 2; ++dx)
        words[n][dy][dx] = LoadWord(
            picture.component[n], SampleAddress(picture.component[n], Clamp(x + dx, last_x), Clamp(y + dy, last_y)));
    }
  }
}

// Encoded R'G'B' of quad (qx, qy) from its samples' words and the tile's chroma.
VMAFX_FN void EncodedQuad(const FrontPicture& picture, const ChromaTile& tile, const uint32_t words[kChannels][2][2],
                          int qx, int qy, Rgb encoded[2][2]) {
  const Conversion& c = picture.conversion;
  const auto direct = [&](int n, int dy, int dx) {
    return Normalised(static_cast<int32_t>(SampleOfWord(picture.component[n], words[n][dy][dx])), c.luma_offset,
                      c.luma_scale);
  };
  if (picture.model == kYcc) {
    const PairTaps &taps_x = picture.taps_x, &taps_y = picture.taps_y;
    Floats2 chroma[3][3];
    VMAFX_UNROLL
    for (int i = 0; i < 3; ++i) {
      VMAFX_UNROLL
      for (int j = 0; j < 3; ++j) chroma[i][j] = tile[taps_y.step * qy + i][taps_x.step * qx + j];
    }
    float cb[2][2], cr[2][2];
    Upsample(chroma, 0, taps_x, taps_y, cb);
    Upsample(chroma, 1, taps_x, taps_y, cr);
    VMAFX_UNROLL
    for (int dy = 0; dy < 2; ++dy) {
      VMAFX_UNROLL
      for (int dx = 0; dx < 2; ++dx)
        encoded[dy][dx] = RgbOfYcc(c, direct(0, dy, dx), (cb[dy][dx] - c.chroma_offset) * c.chroma_scale,
                                   (cr[dy][dx] - c.chroma_offset) * c.chroma_scale);
    }
  } else {
    VMAFX_UNROLL
    for (int dy = 0; dy < 2; ++dy) {
      VMAFX_UNROLL
      for (int dx = 0; dx < 2; ++dx) {
        const float r = Saturate(direct(0, dy, dx));
        encoded[dy][dx] = picture.model == kRgb ? Rgb{r, Saturate(direct(1, dy, dx)), Saturate(direct(2, dy, dx))}
                                                : Rgb{r, r, r};
      }
    }
  }
}

VMAFX_FN void Front(const FrontArguments& arguments) {
  VMAFX_SHARED(LinearTable, table, );
  VMAFX_SHARED(ChromaTile, chroma, );
  VMAFX_SHARED(Pyramid, pyramid, );
  const int side = BlockZ();
  const FrontPicture& picture = arguments.picture[side];
  const int left = BlockX() * kFrontTile, top = BlockY() * kFrontTile;
  const int qx = ThreadX() % kQuads, qy = ThreadX() / kQuads;
  uint32_t words[kChannels][2][2] = {};
  ChromaShare chroma_share = {};
  const ChromaExtent extent(picture.conversion, left, top);
  LoadDirect(picture, left + 2 * qx, top + 2 * qy, words);
  const int column = ThreadX() % 32;
  if (picture.model == kYcc) LoadChroma(picture, extent, column, chroma_share);
  const TableShare table_share = LoadTable(arguments.table);
  StoreTable(arguments.table, table_share, table);
  if (picture.model == kYcc) {
    StoreChroma(picture, extent, column, chroma_share, chroma);
    if (extent.columns > 32) {
      LoadChroma(picture, extent, column + 32, chroma_share);
      StoreChroma(picture, extent, column + 32, chroma_share, chroma);
    }
  }
  BlockBarrier();
  Rgb encoded[2][2];
  EncodedQuad(picture, chroma, words, qx, qy, encoded);
  Linear linear[2][2];
  VMAFX_UNROLL
  for (int dy = 0; dy < 2; ++dy) {
    VMAFX_UNROLL
    for (int dx = 0; dx < 2; ++dx) linear[dy][dx] = LinearOf(table, encoded[dy][dx]);
  }
  WriteXyb(arguments.scale, arguments.scales, side, left, top, linear, pyramid);
}

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_KERNEL_FRONT_H_
