// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/agreement.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/fake_metric.h"

namespace vmafx {
namespace {

using test::FakeMetric;

Shape Tagged(vmafx_layout layout = VMAFX_LAYOUT_420, int depth = 8) {
  return {.width = 64,
          .height = 48,
          .layout = layout,
          .depth = depth,
          .bytes = depth > 8 ? 2 : 1,
          .range = VMAFX_RANGE_LIMITED,
          .matrix = 1,
          .transfer = 1,
          .chroma_location = VMAFX_CHROMA_LEFT};
}

class AgreementTest : public testing::Test {
 protected:
  AgreementTest() {
    colour_.sample_domain = false;
    chroma_.compares_chroma = true;
  }

  Status AgreeOn(const Shape& distorted, const Shape& reference, const std::vector<const Metric*>& metrics, bool chosen = true) {
    notices_.clear();
    return Agree(distorted, reference, {metrics, &options_, chosen}, &agreement_, &notices_);
  }

  // The error's code and parts of its text.
  void ExpectRefused(const Status& status, vmafx_result code, const std::vector<std::string>& parts) {
    EXPECT_EQ(status.code(), code) << status.text();
    for (const std::string& part : parts) EXPECT_NE(status.text().find(part), std::string::npos) << part << " in: " << status.text();
  }

  void ExpectSaid(size_t index, const std::vector<std::string>& parts) {
    ASSERT_LT(index, notices_.size());
    for (const std::string& part : parts)
      EXPECT_NE(notices_[index].text.find(part), std::string::npos) << part << " in: " << notices_[index].text;
  }

  FakeMetric colour_{"colour"}, samples_{"samples"}, chroma_{"chroma"};
  Options options_;
  Agreement agreement_;
  std::vector<Notice> notices_;
};

TEST_F(AgreementTest, EqualAndTaggedSaysNothing) {
  ASSERT_TRUE(AgreeOn(Tagged(), Tagged(), {&colour_, &samples_, &chroma_}).ok());
  EXPECT_TRUE(notices_.empty());
  EXPECT_EQ(agreement_.active, 7u);
  EXPECT_EQ(agreement_.format.distorted, agreement_.format.reference);
  EXPECT_EQ(agreement_.format.depth, 8);
  ASSERT_EQ(samples_.checked.size(), 1u);
  EXPECT_EQ(samples_.checked[0], agreement_.format);
}

TEST_F(AgreementTest, OneUntaggedRangeIsTheOthers) {
  for (const vmafx_range range : {VMAFX_RANGE_LIMITED, VMAFX_RANGE_FULL}) {
    Shape tagged = Tagged(), untagged = Tagged();
    tagged.range = range;
    untagged.range = VMAFX_RANGE_UNSPECIFIED;
    ASSERT_TRUE(AgreeOn(tagged, untagged, {&samples_}).ok());
    EXPECT_EQ(agreement_.format.reference.range, range);
    ASSERT_EQ(notices_.size(), 1u);
    EXPECT_EQ(notices_[0].level, VMAFX_LOG_WARNING);
    ExpectSaid(0, {"reference", range == VMAFX_RANGE_FULL ? "full" : "limited"});
    ASSERT_TRUE(AgreeOn(untagged, tagged, {&samples_}).ok());
    EXPECT_EQ(agreement_.format.distorted.range, range);
    ExpectSaid(0, {"the distorted"});
  }
}

TEST_F(AgreementTest, NothingTagged) {
  Shape shape = Tagged();
  shape.range = VMAFX_RANGE_UNSPECIFIED;
  shape.matrix = 2;
  shape.chroma_location = VMAFX_CHROMA_UNSPECIFIED;
  for (const vmafx_layout layout : {VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_440}) {
    shape.layout = layout;
    ASSERT_TRUE(AgreeOn(shape, shape, {&colour_, &samples_}).ok());
    EXPECT_EQ(agreement_.format.distorted.range, VMAFX_RANGE_LIMITED);
    EXPECT_EQ(agreement_.format.distorted.matrix, 1);
    EXPECT_EQ(agreement_.format.distorted.chroma_location, VMAFX_CHROMA_LEFT);
    ASSERT_EQ(notices_.size(), 3u);
    ExpectSaid(0, {"neither", "limited"});
    ExpectSaid(1, {"distorted", "BT.709", "colour"});
    ExpectSaid(2, {"reference", "BT.709"});
  }
  // A matrix that nobody uses is not worth a word.
  ASSERT_TRUE(AgreeOn(shape, shape, {&samples_}).ok());
  EXPECT_EQ(notices_.size(), 1u);
  shape.layout = VMAFX_LAYOUT_GRAY;
  ASSERT_TRUE(AgreeOn(shape, shape, {&colour_}).ok());
  EXPECT_EQ(notices_.size(), 1u);
}

TEST_F(AgreementTest, DifferentRangesOnlyForMetricsThatNormalise) {
  Shape full = Tagged();
  full.range = VMAFX_RANGE_FULL;
  ASSERT_TRUE(AgreeOn(full, Tagged(), {&colour_}).ok());
  EXPECT_EQ(agreement_.format.distorted.range, VMAFX_RANGE_FULL);
  EXPECT_EQ(agreement_.format.reference.range, VMAFX_RANGE_LIMITED);
  ExpectRefused(AgreeOn(full, Tagged(), {&colour_, &samples_}), VMAFX_ERROR_MISMATCH,
                {"full (pc)", "limited (tv)", "samples", "in_range=pc:out_range=tv", "setparams"});
  ExpectRefused(AgreeOn(Tagged(), full, {&samples_}), VMAFX_ERROR_MISMATCH, {"in_range=tv:out_range=pc"});
}

TEST_F(AgreementTest, DifferentDepths) {
  const Shape eight = Tagged(), ten = Tagged(VMAFX_LAYOUT_420, 10);
  ASSERT_TRUE(AgreeOn(eight, ten, {&colour_, &samples_}).ok());
  EXPECT_EQ(agreement_.format.depth, 10);
  EXPECT_EQ(agreement_.format.distorted.depth, 8);
  EXPECT_EQ(agreement_.distorted_lift(), 2);
  EXPECT_EQ(agreement_.reference_lift(), 0);
  ASSERT_EQ(notices_.size(), 1u);
  ExpectSaid(0, {"8 bits", "10", "samples", "left by 2"});
  ASSERT_TRUE(AgreeOn(ten, eight, {&colour_}).ok());
  EXPECT_TRUE(notices_.empty());
  Shape full_eight = eight, full_ten = ten;
  full_eight.range = full_ten.range = VMAFX_RANGE_FULL;
  ExpectRefused(AgreeOn(full_eight, full_ten, {&samples_}), VMAFX_ERROR_MISMATCH,
                {"8 bits", "reference 10", "full", "format=yuv420p10 before the distorted"});
  ASSERT_TRUE(AgreeOn(full_eight, full_ten, {&colour_}).ok());
}

TEST_F(AgreementTest, DifferentSubsamplingOnlyWithoutChroma) {
  const Shape a = Tagged(VMAFX_LAYOUT_444), b = Tagged(VMAFX_LAYOUT_420), grey = Tagged(VMAFX_LAYOUT_GRAY);
  EXPECT_TRUE(AgreeOn(a, b, {&colour_, &samples_}).ok());
  EXPECT_TRUE(AgreeOn(a, grey, {&samples_}).ok());
  EXPECT_TRUE(AgreeOn(grey, grey, {&chroma_}).ok());
  ExpectRefused(AgreeOn(a, b, {&chroma_}), VMAFX_ERROR_MISMATCH, {"4:4:4", "4:2:0", "chroma", "format=yuv420p"});
  ExpectRefused(AgreeOn(grey, b, {&chroma_}), VMAFX_ERROR_MISMATCH, {"gray", "4:2:0"});
}

TEST_F(AgreementTest, RgbIsForMetricsThatNormalise) {
  Shape rgb = Tagged(VMAFX_LAYOUT_RGB);
  rgb.range = VMAFX_RANGE_UNSPECIFIED;
  rgb.matrix = 2;
  ASSERT_TRUE(AgreeOn(rgb, rgb, {&colour_}).ok());
  EXPECT_EQ(agreement_.format.distorted.range, VMAFX_RANGE_FULL);
  EXPECT_EQ(agreement_.format.distorted.matrix, 0);
  EXPECT_TRUE(notices_.empty());
  ExpectRefused(AgreeOn(rgb, rgb, {&colour_, &samples_}), VMAFX_ERROR_UNSUPPORTED, {"both pictures are RGB, and samples does not take RGB", "format=yuv444p"});
  ExpectRefused(AgreeOn(rgb, rgb, {&samples_}, false), VMAFX_ERROR_UNSUPPORTED, {"RGB"});
  ASSERT_TRUE(AgreeOn(rgb, rgb, {&colour_, &samples_, &chroma_}, false).ok());
  EXPECT_EQ(agreement_.active, 1u);
  ASSERT_EQ(notices_.size(), 1u);
  ExpectSaid(0, {"RGB", "only colour", "samples, chroma"});
  // RGB lends its range to no YUV picture.
  Shape untagged = Tagged();
  untagged.range = VMAFX_RANGE_UNSPECIFIED;
  ASSERT_TRUE(AgreeOn(rgb, untagged, {&colour_}).ok());
  EXPECT_EQ(agreement_.format.reference.range, VMAFX_RANGE_LIMITED);
}

TEST_F(AgreementTest, SizesAndMemory) {
  Shape wide = Tagged(), device = Tagged();
  wide.width = 65;
  device.memory = VMAFX_MEMORY_CUDA;
  ExpectRefused(AgreeOn(wide, Tagged(), {&samples_}), VMAFX_ERROR_MISMATCH, {"65x48", "64x48", "scale=64:48"});
  Shape turned = Tagged();
  std::swap(turned.width, turned.height);
  ExpectRefused(AgreeOn(turned, Tagged(), {&samples_}), VMAFX_ERROR_MISMATCH, {"48x64", "64x48", "turned by 90", "transpose="});
  ExpectRefused(AgreeOn(Tagged(), device, {&samples_}), VMAFX_ERROR_MISMATCH,
                {"host memory", "CUDA memory", "hwdownload,format= before the reference", "hwupload before the distorted"});
  ExpectRefused(AgreeOn(device, Tagged(), {&samples_}), VMAFX_ERROR_MISMATCH, {"hwdownload,format= before the distorted"});
  EXPECT_TRUE(AgreeOn(device, device, {&samples_}).ok());
  Shape surface = Tagged();
  surface.memory = VMAFX_MEMORY_DMABUF;
  ExpectRefused(AgreeOn(Tagged(), surface, {&samples_}), VMAFX_ERROR_MISMATCH,
                {"dma-buf memory", "hwdownload,format= before the reference", "hwupload before the distorted"});
  ExpectRefused(AgreeOn(device, surface, {&samples_}), VMAFX_ERROR_MISMATCH,
                {"CUDA memory", "dma-buf memory", "hwdownload,format= before both"});
  EXPECT_TRUE(AgreeOn(surface, surface, {&samples_}).ok());
  samples_.info_.min_width = 65;
  ExpectRefused(AgreeOn(Tagged(), Tagged(), {&samples_}), VMAFX_ERROR_UNSUPPORTED, {"64x48", "65x1", "samples"});
  EXPECT_TRUE(AgreeOn(wide, wide, {&samples_}).ok());
}

}  // namespace
}  // namespace vmafx
