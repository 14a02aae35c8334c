// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "core/engine/cores.h"

namespace vmafx {
namespace {

class WorkersTest : public testing::TestWithParam<int> {};

TEST_P(WorkersTest, CallsEachPartOnceWithAThreadOfItsOwn) {
  Workers workers(GetParam());
  ASSERT_EQ(workers.threads(), GetParam());
  for (const size_t parts : {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{65}, size_t{1000}}) {
    std::vector<int> calls(parts, 0);  // plain: a part called twice at once is a data race for TSan
    std::unique_ptr<std::atomic<bool>[]> busy(new std::atomic<bool>[static_cast<size_t>(GetParam())]());
    std::atomic<bool> clash{false};
    workers.Run(parts, [&](size_t index, int thread) {
      if (busy[static_cast<size_t>(thread)].exchange(true)) clash = true;
      ++calls[index];
      busy[static_cast<size_t>(thread)] = false;
    });
    EXPECT_FALSE(clash);
    EXPECT_EQ(calls, std::vector<int>(parts, 1));
  }
}

TEST_P(WorkersTest, ResultsOfARunAreSeenByTheCallerAndTheNextRun) {
  Workers workers(GetParam());
  std::vector<uint64_t> cells(64, 0);
  constexpr uint64_t kRuns = 3000;
  for (uint64_t run = 0; run < kRuns; ++run) {
    workers.Run(cells.size(), [&](size_t index, int) { cells[index] += index + run; });
  }
  for (size_t i = 0; i < cells.size(); ++i) EXPECT_EQ(cells[i], kRuns * i + kRuns * (kRuns - 1) / 2);
}

TEST_P(WorkersTest, StartsAndStopsAtOnce) {
  for (int i = 0; i < 50; ++i) {
    Workers workers(GetParam());
    std::atomic<int> calls{0};
    workers.Run(2, [&](size_t, int) { ++calls; });
    EXPECT_EQ(calls, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, WorkersTest, testing::Values(1, 2, 7, 64));

TEST(CoresTest, AtLeastOne) { EXPECT_GE(UsableCores(), 1); }

class ControlGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/cgroup";
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(ControlGroupTest, NoneIsSet) {
  EXPECT_EQ(ControlGroupCores("", root_), 0);
  EXPECT_EQ(ControlGroupCores("0::/a/b\n", root_), 0);
  Write("/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(ControlGroupCores("0::/a/b\n", root_), 0);
}

TEST_F(ControlGroupTest, Version2TakesTheSmallestOfTheParents) {
  Write("/a/b/cpu.max", "350000 100000\n");
  EXPECT_EQ(ControlGroupCores("0::/a/b\n", root_), 4);
  Write("/a/cpu.max", "150000 100000\n");
  EXPECT_EQ(ControlGroupCores("0::/a/b\n", root_), 2);
}

TEST_F(ControlGroupTest, Version2InsideAContainer) {
  Write("/cpu.max", "50000 100000\n");
  EXPECT_EQ(ControlGroupCores("0::/\n", root_), 1);
  EXPECT_EQ(ControlGroupCores("0::/not/mounted/here\n", root_), 1);
}

TEST_F(ControlGroupTest, Version1) {
  Write("/cpu/job/cpu.cfs_quota_us", "300000\n");
  Write("/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(ControlGroupCores("7:cpuset:/job\n4:cpu,cpuacct:/job\n", root_), 3);
  EXPECT_EQ(ControlGroupCores("7:cpuset:/job\n", root_), 0);
  Write("/cpu/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(ControlGroupCores("4:cpu,cpuacct:/job\n", root_), 0);
}

}  // namespace
}  // namespace vmafx
