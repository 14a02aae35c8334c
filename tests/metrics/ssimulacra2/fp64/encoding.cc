// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/metrics/ssimulacra2/fp64/encoding.h"

namespace ssimulacra2_fp64 {
namespace {

struct Layout {
  std::string_view name;
  bool rgb, halved_x, halved_y;
  int planes;
};
constexpr Layout kLayouts[] = {{"420", false, true, true, 3},    {"422", false, true, false, 3},
                               {"440", false, false, true, 3},   {"444", false, false, false, 3},
                               {"gray", false, false, false, 1}, {"gbr", true, false, false, 3}};

// Luma weights of ITU-T H.273, table 4.
struct Matrix {
  std::string_view name;
  double kr, kb;
};
constexpr Matrix kMatrices[] = {{"bt709", 0.2126, 0.0722},
                                {"bt601", 0.299, 0.114},
                                {"bt2020nc", 0.2627, 0.0593},
                                {"smpte240m", 0.212, 0.087},
                                {"fcc", 0.30, 0.11}};

// First chroma sample on the luma grid (ITU-T H.273, figure 1).
struct Location {
  std::string_view name;
  double x, y;
};
constexpr Location kLocations[] = {{"left", 0, 0.5}, {"center", 0.5, 0.5}, {"topleft", 0, 0},
                                   {"top", 0.5, 0},  {"bottomleft", 0, 1}, {"bottom", 0.5, 1}};

template <class Entry, size_t kSize>
const Entry* Find(const Entry (&entries)[kSize], std::string_view name) {
  for (const Entry& entry : entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace

std::optional<NamedEncoding> EncodingByName(std::string_view layout, int depth, std::string_view range,
                                            std::string_view matrix, std::string_view location) {
  const Layout* l = Find(kLayouts, layout);
  const Matrix* m = Find(kMatrices, matrix);
  const Location* p = Find(kLocations, location);
  if (!l || !m || !p || depth < 8 || depth > 16 || (range != "limited" && range != "full")) return std::nullopt;
  return NamedEncoding{{l->rgb, l->halved_x, l->halved_y, depth, range == "full", m->kr, m->kb, p->x, p->y}, l->planes};
}

}  // namespace ssimulacra2_fp64
