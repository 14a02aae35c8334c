// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/parity/scene.h"

#include <algorithm>

#include "tests/pictures.h"

namespace vmafx::test {
namespace {

// What most of the reference shows, with the kind of its 32x32 block.
int64_t Moving(int frame, int depth, int component, int x, int y, uint32_t* kind) {
  const int64_t max = (int64_t{1} << depth) - 1;
  const auto px = static_cast<uint32_t>(x + 3 * frame), py = static_cast<uint32_t>(y + frame);
  const auto c = static_cast<uint32_t>(component);
  *kind = Hash(px / 32, py / 32, c, 77) % 16;
  const int64_t ramp = ((px * 173 + py * 89 + c * 9001) & 0xFFFF) >> (16 - depth);
  switch (*kind) {
    case 0: case 1: return max - ramp;
    case 2: case 3: return Hash(px, py, c, 5) & static_cast<uint32_t>(max);
    case 4: case 5: return ((px / 11 + py / 3) & 1) != 0 ? max : 0;
    default: return ramp;
  }
}

}  // namespace

uint32_t SceneSample(Scene scene, int frame, vmafx_side side, int depth, int component, int x, int y) {
  const int64_t max = (int64_t{1} << depth) - 1;
  const bool distorted = side == VMAFX_DISTORTED;
  const uint32_t hash = Hash(static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(component),
                             static_cast<uint32_t>(2 * frame + (distorted ? 1 : 0)));
  if (scene == Scene::kOpposite) return distorted ? static_cast<uint32_t>(max) : 0;
  if (scene == Scene::kExtremes) return (hash & 64) != 0 ? static_cast<uint32_t>(max) : 0;
  uint32_t kind = 0;
  int64_t value = Moving(frame, depth, component, x, y, &kind);
  if (scene == Scene::kMoving && distorted) {
    if (kind == 6) value = max - value;
    if (kind == 7) value = hash & static_cast<uint32_t>(max);
    if (kind != 8) value += static_cast<int64_t>(hash % static_cast<uint32_t>(max / 32 + 2)) - max / 64;
  }
  return static_cast<uint32_t>(std::clamp<int64_t>(value, 0, max));
}

}  // namespace vmafx::test
