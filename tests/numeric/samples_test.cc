// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/numeric/samples.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/pictures.h"
#include "tests/simd_targets.h"

namespace vmafx::test {
namespace {

// Each row of each component, from every start, into a buffer with sentinels.
void CheckPicture(const Picture& picture, int components, int lift) {
  for (int c = 0; c < components; ++c) {
    Component component = picture.view().component[c];
    component.lift = lift;
    for (int y = 0; y < component.height; ++y) {
      for (const int x0 : {0, 1, component.width / 2}) {
        const int count = component.width - x0;
        if (count < 0) continue;
        std::vector<uint16_t> out(static_cast<size_t>(count) + 2, 0xBEEF);
        UnpackRow(component, y, x0, count, out.data() + 1);
        ASSERT_EQ(out.front(), 0xBEEF);
        ASSERT_EQ(out.back(), 0xBEEF);
        for (int x = 0; x < count; ++x)
          ASSERT_EQ(out[static_cast<size_t>(x) + 1], Sample(component, x0 + x, y)) << "component " << c << " x " << x0 + x;
      }
    }
  }
}

TEST(Samples, UnpackRowEqualsSampleOnEveryTarget) {
  ForEachTarget([] {
    for (const int depth : {8, 10, 12, 16}) {
      for (int width = 1; width <= 150; width += width < 70 ? 1 : 13) {
        const Format format = MakeFormat(width, 2, VMAFX_LAYOUT_422, depth);
        for (int variant = 0; variant < 16; ++variant) {
          Storage storage;
          storage.shift = (variant & 1) != 0 ? (depth > 8 ? 16 - depth : 0) : 0;
          storage.big_endian = (variant & 2) != 0;
          storage.semi_planar = (variant & 4) != 0;
          storage.swapped = (variant & 1) != 0;
          storage.flipped = (variant & 8) != 0;
          storage.flush_left = (variant & 8) != 0;
          const Picture picture(format, Content::kNoise, 7, storage);
          CheckPicture(picture, 3, 16 - depth > 2 ? 2 : 0);
          ASSERT_TRUE(picture.Untouched());
          if (HasFatalFailure()) return;
        }
      }
    }
  });
}

TEST(Samples, PackedSamplesOfAnyStep) {
  std::vector<uint8_t> bytes(3 * 40);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37);
  Component component{bytes.data() + 1, 120, 3, 40, 1, 1, 0, 0, false};
  std::vector<uint16_t> out(40);
  UnpackRow(component, 0, 0, 40, out.data());
  for (int x = 0; x < 40; ++x) EXPECT_EQ(out[static_cast<size_t>(x)], bytes[static_cast<size_t>(1 + 3 * x)]);
}

}  // namespace
}  // namespace vmafx::test
