// SPDX-License-Identifier: BSD-2-Clause-Patent
// What code that runs as a thread of a block sees of the block runner. A broken rule stops the launch with a text; the
// call that broke it does not return.
#ifndef VMAFX_TESTS_HOST_RUNNER_LANE_H_
#define VMAFX_TESTS_HOST_RUNNER_LANE_H_

#include <cstddef>
#include <cstdint>

namespace vmafx::host_runner {

struct Index3 {
  int x, y, z;
};

struct BlockView {
  Index3 index;
  Index3 size;
  Index3 grid;
  int wave_size;
};

struct LaneView {
  const BlockView* block;
  Index3 thread;
  int number;  // in the block
};

const LaneView& CurrentLane();

void BlockBarrier(unsigned line);

// Posts `value` and gives what lane `source` of the wave posted. All lanes of the wave call it at the same line.
uint64_t Exchange(uint64_t value, int source, unsigned line);
uint64_t Ballot(bool predicate, unsigned line);
void CheckShuffle(int operand, int width);

// The block's array of this key; poisoned at the first call of the block.
void* SharedMemory(const void* key, size_t bytes);

// Stops the launch unless the bytes are aligned and lie inside one allocation of the device or in shared memory.
void CheckAccess(const void* address, size_t bytes);

}  // namespace vmafx::host_runner
#endif  // VMAFX_TESTS_HOST_RUNNER_LANE_H_
