// SPDX-License-Identifier: BSD-2-Clause-Patent
// How to write a kernel. A metric's kernels.h includes this file and the metric's definition.h and holds the kernels,
// written once; each processor compiles them with its own "device_port.h" in the include path (cuda/, hip/ and, on the
// CPU, tests/host_runner/). The port supplies, in namespace vmafx:
//
//   VMAFX_FN                         marks a function that kernels call (always inlined on a device)
//   Fma Quotient RootQuotient Saturate Bits FloatOf DoubleOf HighBit BitCount
//                                    as core/numeric/portable.h has them on the host
//   VMAFX_KERNEL(name, Arguments, threads, blocks) { ... }
//                                    a kernel, at global scope. Its one parameter is `const Arguments& arguments`, a
//                                    trivially copyable structure of at most 4096 bytes. `threads` is the largest block
//                                    it is launched with, `blocks` how many of those shall fit on a multiprocessor. The
//                                    host finds it by Device::FindKernel("<metric>", "<name>")
//   VMAFX_SHARED(type, name, extents)  an array in shared memory, e.g. VMAFX_SHARED(float, tile, [32][33]); 16-byte aligned,
//                                    not initialised. A kernel may have 48 KiB
//   VMAFX_UNROLL                     before a loop with a constant trip count: unroll it entirely, so that arrays indexed
//                                    by its counter live in registers
//   ThreadX() ThreadY() BlockX() BlockY() BlockZ() BlockSizeX() BlockSizeY() GridX() GridY()
//   BlockBarrier()                   all threads of the block, at the same place of the source
//   WaveSize() Lane()                32 or 64; the thread's number in its wave
//   ShuffleXor(v, mask, width) ShuffleDown(v, delta, width) ShuffleIndex(v, index, width)
//                                    v: 4 or 8 bytes; width: 2..32, a power of two: lanes exchange within groups of that many
//                                    (ShuffleDown past the group's end gives the thread's own value)
//   Ballot(p)                        uint64_t, bit n: p on lane n of the wave
//   WaveBarrier()                    orders shared memory between the lanes of one wave
//   AtomicAdd(uint32_t*, v) AtomicAdd(uint64_t*, v)   relaxed; on shared or global memory; gives the old value
//   DeviceFence()                    orders this thread's global memory accesses for other blocks
//   Load(p)                          *p from memory that no thread writes during the launch; 1, 2, 4, 8 or 16 bytes
//   Memory<T>(address)               the T* that a DeviceAddress stands for
//
// Rules. Every lane of a wave takes part in ShuffleX(), Ballot() and WaveBarrier(), every thread of a block in
// BlockBarrier(), and no thread returns before the last of them: the host runner reports what breaks this. A block is a
// multiple of 64 threads. Code works for both wave sizes when it exchanges in groups of 32 lanes at most. Results must not
// depend on the order in which blocks or waves run: integers may be added atomically, floating-point sums have a fixed
// tree. Nothing is contracted: a*b+c rounds twice on every processor, Fma(a, b, c) once. No mathematical function but
// division, sqrt is not supplied; tables come from the host through Device::Table(). Arguments structures hold fixed-width
// integers, floats and DeviceAddress only and lie in a header of their own, which device.cc includes too.
#ifndef VMAFX_METRICS_KERNEL_H_
#define VMAFX_METRICS_KERNEL_H_

#include "device_port.h"
//
#include "core/numeric/portable.h"

namespace vmafx {

// Lanes that exchange values in the helpers below, whatever the size of a wave.
inline constexpr int kGroup = 32;

VMAFX_FN int GroupLane() { return Lane() % kGroup; }

// The sum over the thread's group of 32 lanes, on every lane. For integers, where order is of no account.
template <class Integer>
VMAFX_FN Integer GroupSum(Integer value) {
  VMAFX_UNROLL
  for (int mask = kGroup / 2; mask > 0; mask /= 2) value += ShuffleXor(value, mask, kGroup);
  return value;
}

// The 32 bits of Ballot() that belong to the thread's group.
VMAFX_FN uint32_t GroupBallot(bool predicate) {
  return static_cast<uint32_t>(Ballot(predicate) >> (Lane() / kGroup * kGroup));
}

}  // namespace vmafx
#endif  // VMAFX_METRICS_KERNEL_H_
