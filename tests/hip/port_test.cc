// SPDX-License-Identifier: BSD-2-Clause-Patent
// hip/device_port.h on the host, over builtins that do what AMD describes: every function has the meaning that
// core/metrics/kernel.h gives it, in waves of 32 and of 64.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/numeric/portable.h"
#include "tests/hip/amdgcn_builtins.h"
#include "tests/host_runner/block_runner.h"

// A namespace of its own beside that of the host's port.
#undef VMAFX_FN
#define vmafx vmafx_hip_port
#include "hip/device_port.h"
#undef vmafx

namespace port = vmafx_hip_port;

namespace vmafx {
namespace {

constexpr host_runner::Index3 kBlock = {64, 4, 1};
constexpr host_runner::Index3 kGrid = {3, 5, 2};
constexpr int kThreads = kBlock.x * kBlock.y;

int checks = 0;
std::string first_failure;

void Check(bool right, const std::string& what) {
  ++checks;
  if (!right && first_failure.empty())
    first_failure = what + " of thread " + std::to_string(host_runner::CurrentLane().number);
}

// A value that tells threads apart, in all its bytes.
uint64_t ValueOf(int thread) { return 0x9E3779B97F4A7C15u * static_cast<uint64_t>(thread + 1); }
template <class T>
T As(int thread) {
  const uint64_t bits = ValueOf(thread);
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
bool Same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
void CheckShuffles(const std::string& type) {
  const int thread = host_runner::CurrentLane().number;
  const T own = As<T>(thread);
  for (int width = 2; width <= 32; width *= 2) {
    const int first = thread / width * width, place = thread % width;
    for (int i = 0; i < width; ++i) {
      const std::string of = "(" + type + ", " + std::to_string(i) + ", " + std::to_string(width) + ")";
      Check(Same(port::ShuffleXor(own, i, width), As<T>(thread ^ i)), "ShuffleXor" + of);
      Check(Same(port::ShuffleDown(own, i, width), As<T>(place + i < width ? thread + i : thread)), "ShuffleDown" + of);
      Check(Same(port::ShuffleIndex(own, i, width), As<T>(first + i)), "ShuffleIndex" + of);
      // A source that differs from lane to lane.
      const int turned = (place + i) % width;
      Check(Same(port::ShuffleIndex(own, turned, width), As<T>(first + turned)), "ShuffleIndex, turned," + of);
    }
  }
}

void CheckPlaces() {
  const host_runner::LaneView& lane = host_runner::CurrentLane();
  Check(port::ThreadX() == lane.number % kBlock.x && port::ThreadY() == lane.number / kBlock.x, "ThreadX or ThreadY");
  Check(port::BlockX() == 2 && port::BlockY() == 4 && port::BlockZ() == 1, "BlockX, BlockY or BlockZ");
  Check(port::BlockSizeX() == kBlock.x && port::BlockSizeY() == kBlock.y, "BlockSizeX or BlockSizeY");
  Check(port::GridX() == kGrid.x && port::GridY() == kGrid.y, "GridX or GridY");
  Check(port::WaveSize() == lane.block->wave_size, "WaveSize");
  Check(port::Lane() == lane.number % lane.block->wave_size, "Lane");
}

void CheckBallots() {
  const int thread = host_runner::CurrentLane().number, wave_size = port::WaveSize();
  for (int i = 0; i < 64; ++i)
    Check(port::Ballot(port::Lane() == i) == (i < wave_size ? uint64_t{1} << i : 0), "Ballot " + std::to_string(i));
  const uint64_t all = wave_size == 64 ? ~uint64_t{0} : 0xFFFFFFFFu;
  Check(port::Ballot(true) == all && port::Ballot(false) == 0, "Ballot");
  const bool third = thread % 3 == 0;
  Check((port::Ballot(third) >> port::Lane() & 1) == (third ? 1u : 0u), "Ballot of a third");
}

uint32_t shared_words[kThreads];

void CheckBarriers() {
  const int thread = host_runner::CurrentLane().number;
  shared_words[thread] = static_cast<uint32_t>(ValueOf(thread));
  port::WaveBarrier();
  Check(shared_words[thread ^ 31] == static_cast<uint32_t>(ValueOf(thread ^ 31)), "WaveBarrier");
  port::BlockBarrier();
  const int far = kThreads - 1 - thread;
  Check(shared_words[far] == static_cast<uint32_t>(ValueOf(far)), "BlockBarrier");
  port::BlockBarrier();
}

struct alignas(16) Words {
  uint64_t word[2];
};
struct Memories {
  Words words[2] = {{{1, 2}}, {{0x1122334455667788, 0x99aabbccddeeff00}}};
  uint32_t sum32 = 0xFFFFFFFF;
  uint64_t sum64 = 0xFFFFFFFF;
};
Memories memories;

template <class T>
void CheckLoad(const std::string& what) {
  const T* const address = port::Memory<const T>(reinterpret_cast<uint64_t>(&memories.words[1]));
  Check(Same(port::Load(address), *address), "Load of " + what);
}

void CheckMemory() {
  CheckLoad<uint8_t>("1 byte");
  CheckLoad<uint16_t>("2 bytes");
  CheckLoad<float>("4 bytes");
  CheckLoad<double>("8 bytes");
  CheckLoad<Words>("16 bytes");
  port::AtomicAdd(&memories.sum32, 3u);
  port::AtomicAdd(&memories.sum64, uint64_t{3});
  port::DeviceFence();
}

void RunChecks(const void*) {
  CheckPlaces();
  CheckShuffles<uint32_t>("uint32_t");
  CheckShuffles<float>("float");
  CheckShuffles<int64_t>("int64_t");
  CheckShuffles<double>("double");
  CheckBallots();
  CheckBarriers();
  CheckMemory();
}

class HipPort : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(HipPort, FunctionsOfAThreadMeanWhatTheKernelsExpect) {
  checks = 0;
  first_failure.clear();
  memories = {};
  host_runner::HostKernel kernel;
  kernel.max_threads = kThreads;
  kernel.run = RunChecks;
  const std::vector<host_runner::MemoryRange> memory;
  host_runner::BlockRunner runner;
  const auto [wave_size, backwards] = GetParam();
  EXPECT_EQ(runner.Run({.kernel = &kernel, .arguments = nullptr, .grid = kGrid, .block = kBlock, .wave_size = wave_size,
                        .backwards = backwards, .memory = &memory},
                       {2, 4, 1}),
            "");
  EXPECT_EQ(first_failure, "");
  EXPECT_GT(checks, kThreads * 900);
  EXPECT_EQ(memories.sum32, 3u * kThreads - 1);
  EXPECT_EQ(memories.sum64, uint64_t{0xFFFFFFFF} + 3u * kThreads);
}

INSTANTIATE_TEST_SUITE_P(Waves, HipPort, testing::Combine(testing::Values(32, 64), testing::Bool()));

TEST(HipPortNumbers, AreThoseOfTheHost) {
  const float floats[] = {0.0f, -0.0f, 1e-45f, -1e-45f, 0x1p-126f, 0.3f, 1.0f - 0x1p-24f, 1.0f, 1.0f + 0x1p-23f, -2.0f,
                          7.0f, 0x1.fffffep+127f, std::numeric_limits<float>::infinity()};
  for (const float a : floats) {
    EXPECT_EQ(port::Bits(port::Saturate(a)), Bits(Saturate(a))) << a;
    EXPECT_EQ(port::Bits(a), Bits(a));
    EXPECT_EQ(Bits(port::FloatOf(Bits(a))), Bits(a));
    EXPECT_EQ(port::Bits(double{a}), Bits(double{a}));
    EXPECT_EQ(Bits(port::DoubleOf(Bits(double{a}))), Bits(double{a}));
    for (const float b : {3.0f, 0x1p-30f, 0.7f, 0x1p+30f}) {
      EXPECT_EQ(Bits(port::Quotient(a, b)), Bits(Quotient(a, b))) << a << " " << b;
      EXPECT_EQ(Bits(port::RootQuotient(a, b)), Bits(RootQuotient(a, b))) << a << " " << b;
      // The part of the product that its rounding loses.
      if (!std::isfinite(a * b)) continue;
      EXPECT_EQ(Bits(port::Fma(a, b, -(a * b))), Bits(Fma(a, b, -(a * b)))) << a << " " << b;
    }
  }
  for (int i = 0; i < 64; ++i) EXPECT_EQ(port::HighBit((uint64_t{1} << i) | 1), i);
  for (const uint32_t x : {0u, 1u, 0x80000000u, 0xF0F0u, ~0u}) EXPECT_EQ(port::BitCount(x), std::popcount(x));
}

}  // namespace
}  // namespace vmafx
