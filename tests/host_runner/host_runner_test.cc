// SPDX-License-Identifier: BSD-2-Clause-Patent
// The host runner itself: what kernels may do gives the right results at both wave sizes, lanes and blocks in either order;
// what they may not do is reported.
#include "tests/host_runner/host_device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/metrics/kernel.h"

namespace vmafx {
namespace {

struct Arguments {
  uint64_t out;
  uint64_t in;
  int32_t mode;
  int32_t count;
};

constexpr int kThreads = 256;

}  // namespace
}  // namespace vmafx

// A block's sum in four ways that must agree.
VMAFX_KERNEL(sums, vmafx::Arguments, 256, 1) {
  using namespace vmafx;
  VMAFX_SHARED(uint32_t, partial, [kThreads]);
  VMAFX_SHARED(uint32_t, atomic, [1]);
  VMAFX_SHARED(uint32_t, groups, [kThreads / kGroup]);
  const int thread = ThreadX();
  const uint32_t value = Load(Memory<const uint32_t>(arguments.in) + BlockX() * kThreads + thread);
  partial[thread] = value;
  if (thread == 0) atomic[0] = 0;
  BlockBarrier();
  AtomicAdd(&atomic[0], value);
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half) partial[thread] += partial[thread + half];
    BlockBarrier();
  }
  const uint32_t group = GroupSum(value);
  uint32_t down = value;
  for (int delta = kGroup / 2; delta > 0; delta /= 2) down += ShuffleDown(down, delta, kGroup);
  down = ShuffleIndex(down, 0, kGroup);
  if (GroupLane() == 0) groups[thread / kGroup] = group == down ? group : 0;
  BlockBarrier();
  if (thread != 0) return;
  uint32_t total = 0;
  for (int i = 0; i < kThreads / kGroup; ++i) total += groups[i];
  const bool equal = total == partial[0] && total == atomic[0];
  AtomicAdd(Memory<uint64_t>(arguments.out), uint64_t{equal ? total : 0});
}

VMAFX_KERNEL(ballots, vmafx::Arguments, 256, 1) {
  using namespace vmafx;
  const uint64_t odd = Ballot(Lane() % 2 == 1);
  const uint32_t low = GroupBallot(GroupLane() < 5);
  const double doubled = ShuffleXor(2.0 * Lane(), 1, 2);
  const bool right = odd == (WaveSize() == 64 ? 0xAAAAAAAAAAAAAAAAull : 0xAAAAAAAAull) && low == 31 &&
                     doubled == 2.0 * (Lane() ^ 1);
  WaveBarrier();
  if (right) AtomicAdd(Memory<uint32_t>(arguments.out), 1u);
}

// One of the rules is broken, by `mode`.
VMAFX_KERNEL(broken, vmafx::Arguments, 256, 1) {
  using namespace vmafx;
  VMAFX_SHARED(uint32_t, values, [kThreads]);
  const int thread = ThreadX();
  if (arguments.mode == 0 && thread != 7) BlockBarrier();
  if (arguments.mode == 1) {
    if (thread < 128)
      BlockBarrier();
    else
      BlockBarrier();
  }
  if (arguments.mode == 2 && thread % 2 == 0) ShuffleXor(thread, 1, 32);
  if (arguments.mode == 3) ShuffleXor(thread, 32, 64);
  if (arguments.mode == 4) Load(Memory<const uint32_t>(arguments.in) + arguments.count);
  if (arguments.mode == 5) Load(Memory<const uint32_t>(arguments.in + 2));
  if (arguments.mode == 6) {
    VMAFX_SHARED(uint32_t, large, [20000]);
    large[0] = 1;
  }
  // Reads its neighbour without a barrier: the result depends on the order of lanes.
  values[thread] = static_cast<uint32_t>(thread);
  if (arguments.mode == 7) Memory<uint32_t>(arguments.out)[thread] = values[(thread + 1) % kThreads];
}

namespace vmafx {
namespace {

using host_runner::HostDevice;
using host_runner::HostDeviceOptions;

class HostRunner : public testing::TestWithParam<std::tuple<int, bool, int>> {
 protected:
  HostRunner() {
    const auto [wave, backwards, threads] = GetParam();
    device_ = host_runner::MakeHostDevice({.wave_size = wave, .backwards = backwards, .threads = threads});
    EXPECT_TRUE(device_->MakeQueue(&queue_).ok());
    EXPECT_TRUE(device_->MakeMark(false, &mark_).ok());
    EXPECT_TRUE(device_->AllocatePinned(kBytes, &pinned_).ok());
    EXPECT_TRUE(device_->Allocate(kBytes, &out_).ok());
    EXPECT_TRUE(device_->Allocate(kBytes, &in_).ok());
  }
  ~HostRunner() override {
    queue_.reset();
    device_->FreePinned(pinned_);
    device_->Free(out_);
    device_->Free(in_);
    EXPECT_EQ(device_->use().allocations, 0u);
  }

  Status Run(const char* name, int blocks, int mode = 0) {
    const Kernel* kernel = nullptr;
    VMAFX_RETURN_IF_ERROR(device_->FindKernel("test", name, &kernel));
    const Arguments arguments = {out_, in_, mode, static_cast<int32_t>(kBytes / 4)};
    VMAFX_RETURN_IF_ERROR(queue_->Zero(out_, kBytes));
    VMAFX_RETURN_IF_ERROR(
        queue_->Launch(kernel, {static_cast<unsigned>(blocks)}, {kThreads}, 0, &arguments, sizeof arguments));
    VMAFX_RETURN_IF_ERROR(queue_->CopyToHost(pinned_, out_, kBytes));
    VMAFX_RETURN_IF_ERROR(queue_->Record(*mark_));
    return mark_->Wait();
  }

  static constexpr size_t kBytes = 16 * kThreads * sizeof(uint32_t);
  std::unique_ptr<HostDevice> device_;
  std::unique_ptr<DeviceQueue> queue_;
  std::unique_ptr<DeviceMark> mark_;
  void* pinned_ = nullptr;
  DeviceAddress out_ = 0, in_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Orders, HostRunner,
                         testing::Combine(testing::Values(32, 64), testing::Bool(), testing::Values(1, 3)));

TEST_P(HostRunner, SumsOfABlockAgree) {
  std::vector<uint32_t> in(16 * kThreads);
  uint64_t expected = 0;
  for (size_t i = 0; i < in.size(); ++i) expected += in[i] = static_cast<uint32_t>(i * i % 1009);
  ASSERT_TRUE(device_->Upload(in_, in.data(), kBytes).ok());
  const Status status = Run("sums", 16);
  ASSERT_TRUE(status.ok()) << status.text();
  uint64_t sum;
  std::memcpy(&sum, pinned_, sizeof sum);
  EXPECT_EQ(sum, expected);
}

TEST_P(HostRunner, BallotsAndGroups) {
  const Status status = Run("ballots", 3);
  ASSERT_TRUE(status.ok()) << status.text();
  uint32_t count;
  std::memcpy(&count, pinned_, sizeof count);
  EXPECT_EQ(count, 3u * kThreads);
}

TEST_P(HostRunner, BrokenRulesAreReported) {
  const char* const texts[] = {"divergent barrier", "divergent barrier",        "divergent exchange", "in groups of 64",
                               "outside every",     "that is not aligned", "of shared memory"};
  for (int mode = 0; mode < 7; ++mode) {
    ASSERT_TRUE(device_->MakeQueue(&queue_).ok());  // an error stays with its queue
    const Status status = Run("broken", 2, mode);
    EXPECT_FALSE(status.ok()) << mode;
    EXPECT_NE(status.text().find(texts[mode]), std::string::npos) << status.text();
    EXPECT_NE(status.text().find("kernel broken, block ("), std::string::npos) << status.text();
  }
  ASSERT_TRUE(device_->MakeQueue(&queue_).ok());
  EXPECT_TRUE(Run("broken", 2, 8).ok());
}

TEST_P(HostRunner, AMissingBarrierShows) {
  ASSERT_TRUE(Run("broken", 1, 7).ok());
  std::vector<uint32_t> seen(kThreads);
  std::memcpy(seen.data(), pinned_, kThreads * sizeof(uint32_t));
  int right = 0;
  for (int i = 0; i < kThreads; ++i) right += seen[i] == static_cast<uint32_t>((i + 1) % kThreads);
  EXPECT_LT(right, kThreads);
}

TEST_P(HostRunner, WrongLaunchesAreRefused) {
  const Kernel* kernel = nullptr;
  EXPECT_FALSE(device_->FindKernel("test", "nothing", &kernel).ok());
  ASSERT_TRUE(device_->FindKernel("test", "ballots", &kernel).ok());
  const Arguments arguments{};
  EXPECT_FALSE(queue_->Launch(kernel, {0}, {kThreads}, 0, &arguments, sizeof arguments).ok());
  EXPECT_FALSE(queue_->Launch(kernel, {1}, {2 * kThreads}, 0, &arguments, sizeof arguments).ok());
  EXPECT_FALSE(queue_->Launch(kernel, {1}, {48}, 0, &arguments, sizeof arguments).ok());
  EXPECT_FALSE(queue_->Launch(kernel, {1}, {kThreads}, 0, &arguments, 8).ok());
  ASSERT_TRUE(queue_->Zero(out_ + 64, kBytes).ok());
  EXPECT_FALSE(queue_->Drain().ok());
}

TEST_P(HostRunner, QueuesWaitForProducersAndForEachOther) {
  host_runner::Gate gate;
  std::unique_ptr<DeviceQueue> second;
  std::unique_ptr<DeviceMark> last;
  ASSERT_TRUE(device_->MakeQueue(&second).ok());
  ASSERT_TRUE(device_->MakeMark(false, &last).ok());
  ASSERT_TRUE(queue_->WaitForProducer(&gate).ok());
  ASSERT_TRUE(queue_->Record(*mark_).ok());
  ASSERT_TRUE(second->WaitFor(*mark_).ok());
  ASSERT_TRUE(second->Record(*last).ok());
  bool done = true;
  ASSERT_TRUE(last->Done(&done).ok());
  EXPECT_FALSE(done);
  gate.Open();
  ASSERT_TRUE(last->Wait().ok());
  ASSERT_TRUE(mark_->Done(&done).ok());
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace vmafx
