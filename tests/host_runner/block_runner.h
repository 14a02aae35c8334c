// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs the blocks of one launch on one thread of the host: a fiber (Boost.Context) per thread of the block. The scheduler
// runs the lanes of a wave, one after another, each up to its next exchange; then the waves up to the next barrier. Lanes and
// waves may be taken backwards, which shows code that relies on their order.
#ifndef VMAFX_TESTS_HOST_RUNNER_BLOCK_RUNNER_H_
#define VMAFX_TESTS_HOST_RUNNER_BLOCK_RUNNER_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/host_runner/lane.h"
#include "tests/host_runner/registry.h"

namespace vmafx::host_runner {

// Device memory in use, ascending.
struct MemoryRange {
  uintptr_t begin;
  uintptr_t end;
};

struct LaunchView {
  const HostKernel* kernel = nullptr;
  const void* arguments = nullptr;
  Index3 grid{};
  Index3 block{};
  int wave_size = 32;
  bool backwards = false;
  const std::vector<MemoryRange>* memory = nullptr;
};

class BlockRunner {
 public:
  BlockRunner();
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  // Runs one block to its end. Gives "" or what rule the kernel broke; the block is abandoned then.
  std::string Run(const LaunchView& launch, Index3 index);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace vmafx::host_runner
#endif  // VMAFX_TESTS_HOST_RUNNER_BLOCK_RUNNER_H_
