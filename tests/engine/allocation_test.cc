// SPDX-License-Identifier: BSD-2-Clause-Patent
// From pair to pair the engine allocates nothing: a live encode is measured for days.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "core/engine/session.h"
#include "core/engine/workers.h"
#include "tests/engine/fake_metric.h"
#include "tests/engine/pair_maker.h"

namespace {

std::atomic<uint64_t> allocations{0};

void* Allocate(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace vmafx {
namespace {

TEST(Allocation, NoneFromPairToPair) {
  test::FakeMetric metric("m");
  metric.extract = [](const PairView& pair, Workers& workers, std::span<double> values) {
    std::atomic<uint64_t> sum{0};
    workers.Run(8, [&](size_t, int) { sum += pair.reference.component[0].data[0]; });
    values[0] = static_cast<double>(sum);
    return Status();
  };
  Config config;
  config.metrics = {&metric};
  config.threads = 3;
  config.subsample = 2;
  std::unique_ptr<Session> session;
  ASSERT_TRUE(Session::Create(config, &session).ok());
  test::PairMaker maker(16, 16);
  const auto score = [&](uint64_t pairs) {
    for (uint64_t i = 0; i < pairs; ++i) {
      Status status = session->Submit(maker.Pair(i));
      bool finished = false;
      Session::Row row;
      if (status.ok()) status = session->Receive(true, &finished, &row);
      if (!status.ok()) return false;
    }
    return true;
  };
  ASSERT_TRUE(score(16));
  const uint64_t before = allocations;
  ASSERT_TRUE(score(200));
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace vmafx
