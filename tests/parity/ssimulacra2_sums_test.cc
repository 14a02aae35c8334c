// SPDX-License-Identifier: BSD-2-Clause-Patent
// Every sum of both ssimulacra2 profiles, those without a weight too, on the host runner against the plain forms; and
// the recursive profile's weighted sums against the vectors'.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "core/engine/device.h"
#include "core/metrics/ssimulacra2/recursive/device.h"
#include "core/metrics/ssimulacra2/recursive/plain.h"
#include "core/metrics/ssimulacra2/standard/device.h"
#include "core/metrics/ssimulacra2/standard/plain.h"
#include "tests/host_runner/host_device.h"
#include "tests/pictures.h"
#include "tests/vectors.h"

namespace vmafx::ssimulacra2 {
namespace {

using host_runner::HostDeviceOptions;
using test::Content;

// A picture's components, copied to device memory one by one.
class DevicePicture {
 public:
  DevicePicture(Device& device, const PictureView& picture, int components) : device_(device), view_(picture) {
    for (int c = 0; c < components; ++c) {
      Component& component = view_.component[c];
      const auto rows = static_cast<size_t>(component.height - 1) * static_cast<size_t>(component.stride);
      const size_t bytes = rows + static_cast<size_t>(component.width * component.step);
      EXPECT_TRUE(device_.Allocate(bytes, &address_[c]).ok());
      EXPECT_TRUE(device_.Upload(address_[c], component.data, bytes).ok());
      component.data = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(address_[c]));
    }
  }
  ~DevicePicture() {
    for (const DeviceAddress address : address_)
      if (address != 0) device_.Free(address);
  }
  const PictureView& view() const { return view_; }

 private:
  Device& device_;
  PictureView view_;
  DeviceAddress address_[3] = {};
};

// What one pair reads back.
std::vector<std::byte> Measure(const HostDeviceOptions& options, DeviceExtractor& extractor, const PairFormat& format,
                               const PairView& pair) {
  const auto device = host_runner::MakeHostDevice(options);
  std::unique_ptr<DeviceQueue> queue;
  DeviceAddress scratch = 0, result = 0;
  void* host = nullptr;
  const size_t bytes = extractor.result_bytes();
  std::vector<std::byte> block(bytes);
  const auto check = [](const Status& status) { EXPECT_TRUE(status.ok()) << status.text(); };
  check(device->MakeQueue(&queue));
  check(extractor.Prepare(*device));
  check(device->Allocate(extractor.scratch_bytes(), &scratch));
  check(device->Allocate(bytes, &result));
  check(device->AllocatePinned(bytes, &host));
  {
    const DevicePicture distorted(*device, pair.distorted, format.distorted.components());
    const DevicePicture reference(*device, pair.reference, format.reference.components());
    DeviceTask task(*queue, scratch, result);
    check(queue->Zero(result, bytes));
    check(extractor.Enqueue({distorted.view(), reference.view()}, task));
    check(queue->CopyToHost(host, result, bytes));
    check(queue->Drain());
  }
  std::memcpy(block.data(), host, bytes);
  queue.reset();
  device->FreePinned(host);
  device->Free(result);
  device->Free(scratch);
  return block;
}

void ExpectEqualSums(const double (&device)[kSums], const double (&cpu)[kSums], int scale, int channel) {
  for (int sum = 0; sum < kSums; ++sum)
    EXPECT_EQ(std::bit_cast<uint64_t>(device[sum]), std::bit_cast<uint64_t>(cpu[sum]))
        << "scale " << scale << ", channel " << channel << ", sum " << sum << ": " << device[sum] << " expected "
        << cpu[sum];
}

struct Case {
  int width, height;
  vmafx_layout layout;
  int depth;
  Content content;
};

constexpr Case kCases[] = {
    {8, 8, VMAFX_LAYOUT_444, 8, Content::kNoise},
    {33, 9, VMAFX_LAYOUT_420, 8, Content::kTexture},
    {9, 70, VMAFX_LAYOUT_422, 10, Content::kExtremes},
    {131, 67, VMAFX_LAYOUT_420, 8, Content::kRamp},
    {64, 64, VMAFX_LAYOUT_420, 12, Content::kFlat},
    {225, 230, VMAFX_LAYOUT_420, 10, Content::kTexture},
};

class Sums : public testing::TestWithParam<std::tuple<int, bool, Case>> {
 protected:
  Sums() {
    const auto& [wave, backwards, shape] = GetParam();
    options_ = {.wave_size = wave, .backwards = backwards, .threads = 2};
    const Format format = test::MakeFormat(shape.width, shape.height, shape.layout, shape.depth);
    format_ = test::MakePairFormat(format);
    distorted_ = std::make_unique<test::Picture>(format, shape.content, 1);
    reference_ = std::make_unique<test::Picture>(format, shape.content, 2);
    pair_ = {distorted_->view(), reference_->view()};
  }

  HostDeviceOptions options_;
  PairFormat format_;
  std::unique_ptr<test::Picture> distorted_, reference_;
  PairView pair_;
};

INSTANTIATE_TEST_SUITE_P(HostRunner, Sums,
                         testing::Combine(testing::Values(32, 64), testing::Bool(), testing::ValuesIn(kCases)));

TEST_P(Sums, Standard) {
  const auto meter = standard::MakeDeviceMeter(format_, standard::Formed::kAll);
  const standard::FrameSums device = meter->SumsOf(Measure(options_, *meter, format_, pair_));
  const standard::FrameSums plain = standard::PlainSums(format_, pair_);
  for (int scale = 0; scale < kMaxScales; ++scale)
    for (int channel = 0; channel < kChannels; ++channel)
      ExpectEqualSums(device.value[scale][channel], plain.value[scale][channel], scale, channel);
}

TEST_P(Sums, Recursive) {
  const auto meter = recursive::MakeDeviceMeter(format_, recursive::Formed::kAll);
  const recursive::Sums device = meter->SumsOf(Measure(options_, *meter, format_, pair_));
  const recursive::Sums plain = recursive::PlainSums(pair_, format_);
  for (int scale = 0; scale < kMaxScales; ++scale)
    for (int channel = 0; channel < kChannels; ++channel)
      ExpectEqualSums(device.value[channel][scale], plain.value[channel][scale], scale, channel);
}

// The vectors' weighted sums do not depend on a host's pow().
TEST(Vectors, WeightedSums) {
  for (const char* name : {"size_8x8", "size_31x33", "scene8_422_odd", "noise16_444", "edge225", "flower_357x353"}) {
    const test::Clip clip(name);
    const auto meter = recursive::MakeDeviceMeter(clip.format());
    const auto block = Measure({.wave_size = 64, .threads = 2}, *meter, clip.format(), clip.Pair(0));
    const auto& wanted = clip.json().at("intermediate_frame0_matrix0").at("ssimulacra2_weighted_sum");
    EXPECT_EQ(recursive::WeightedSumOf(meter->SumsOf(block)), test::ParseDouble(wanted)) << name;
  }
}

}  // namespace
}  // namespace vmafx::ssimulacra2
