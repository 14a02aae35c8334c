// SPDX-License-Identifier: BSD-2-Clause-Patent
// The SIMD form of one scale on one tile: filters, statistic and reduction in one pass over the samples.
#ifndef VMAFX_METRICS_VIF_TILE_H_
#define VMAFX_METRICS_VIF_TILE_H_

#include <cstddef>
#include <cstdint>

#include "core/metrics/metric.h"
#include "core/metrics/vif/definition.h"

namespace vmafx::vif {

// Columns of a tile: small enough that the rows under the window stay in the first and second level caches.
inline constexpr int kTileWidth = 256;
// Rows of a tile: the rows above and below it that the window reaches are read again for each tile.
inline constexpr int kTileHeight = 128;

// One scale of one pair.
struct Scale {
  int number = 0;
  int depth = 8;        // of the samples at scale 0
  Component reference;  // the scale's luma
  Component distorted;
  bool measure = true;  // false: reduction only
  double gain_limit = 100;
  bool avx_vnni = false;  // HasAvxVnni(), or false
  // The next scale's luma, floor(width / 2) x floor(height / 2); null: not wanted.
  uint16_t* reduced_reference = nullptr;
  uint16_t* reduced_distorted = nullptr;
  ptrdiff_t reduced_stride = 0;  // in samples
};

// Even first column and row; at most kTileWidth x kTileHeight.
struct Tile {
  int x0, x1;
  int y0, y1;
};

// Whether this CPU has AVX-512's VNNI on AVX2's vectors: CPUs without AVX-512 since 2021. Highway's AVX2 is without.
bool HasAvxVnni();

// False on a CPU without vectors, where FilterTile() must not be called.
bool CanFilterTiles();

// Bytes of scratch memory that FilterTile() needs, aligned as Highway's AllocateAligned() does.
size_t TileScratchBytes();

// Measures and reduces one tile. Tiles of a scale may be worked on at the same time.
Sums FilterTile(const Scale& scale, const Tile& tile, void* scratch);

}  // namespace vmafx::vif
#endif  // VMAFX_METRICS_VIF_TILE_H_
