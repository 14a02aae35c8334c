// SPDX-License-Identifier: BSD-2-Clause-Patent
// Moving content made from integers alone: ramps, inverted blocks, hashed noise, clipped runs.
#ifndef VMAFX_TESTS_PARITY_SCENE_H_
#define VMAFX_TESTS_PARITY_SCENE_H_

#include <cstdint>

#include "vmafx/vmafx.h"

namespace vmafx::test {

enum class Scene {
  kMoving,     // all of the above; the distorted picture differs everywhere a little and in some blocks a lot
  kIdentical,  // the same, distorted = reference
  kExtremes,   // 0 or the maximum at random, each side for itself
  kOpposite,   // reference 0, distorted the maximum
};

// The sample of a side (vmafx_side) at a place of a component: 0 .. 2^depth - 1.
uint32_t SceneSample(Scene scene, int frame, vmafx_side side, int depth, int component, int x, int y);

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_PARITY_SCENE_H_
