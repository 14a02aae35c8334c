// SPDX-License-Identifier: BSD-2-Clause-Patent
// The portability layer of core/metrics/kernel.h on the host: each thread of a block is a fiber of block_runner.h.
// Shared memory and read-only loads are bounds-checked, shared memory is poisoned before each block.
#ifndef VMAFX_TESTS_HOST_RUNNER_DEVICE_PORT_H_
#define VMAFX_TESTS_HOST_RUNNER_DEVICE_PORT_H_

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <source_location>

#include "core/numeric/portable.h"
#include "tests/host_runner/lane.h"
#include "tests/host_runner/registry.h"

#define VMAFX_KERNEL(name, Arguments, threads, blocks)                                            \
  static void name(const Arguments& arguments);                                                   \
  static const ::vmafx::host_runner::Registration name##_registration(                            \
      VMAFX_KERNELS_MODULE, #name, sizeof(Arguments), threads,                                    \
      [](const void* arguments) { name(*static_cast<const Arguments*>(arguments)); });            \
  static void name(const Arguments& arguments)

// The address of the key tells one array from another, in each instantiation of a template, too.
#define VMAFX_SHARED(type, name, extents)                                                 \
  static const char name##_key = 0;                                                       \
  using name##_array = type extents;                                                      \
  name##_array& name = *static_cast<name##_array*>(::vmafx::host_runner::SharedMemory(&name##_key, sizeof(name##_array)))

#define VMAFX_UNROLL

namespace vmafx {

inline int ThreadX() { return host_runner::CurrentLane().thread.x; }
inline int ThreadY() { return host_runner::CurrentLane().thread.y; }
inline int BlockX() { return host_runner::CurrentLane().block->index.x; }
inline int BlockY() { return host_runner::CurrentLane().block->index.y; }
inline int BlockZ() { return host_runner::CurrentLane().block->index.z; }
inline int BlockSizeX() { return host_runner::CurrentLane().block->size.x; }
inline int BlockSizeY() { return host_runner::CurrentLane().block->size.y; }
inline int GridX() { return host_runner::CurrentLane().block->grid.x; }
inline int GridY() { return host_runner::CurrentLane().block->grid.y; }
inline int WaveSize() { return host_runner::CurrentLane().block->wave_size; }
inline int Lane() { return host_runner::CurrentLane().number % WaveSize(); }

inline void BlockBarrier(std::source_location where = std::source_location::current()) {
  host_runner::BlockBarrier(where.line());
}
inline void WaveBarrier(std::source_location where = std::source_location::current()) {
  host_runner::Exchange(0, Lane(), where.line());
}

namespace host_runner {
template <class T>
T ExchangeValue(T value, int source, unsigned line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  word = Exchange(word, source, line);
  std::memcpy(&value, &word, sizeof value);
  return value;
}
}  // namespace host_runner

template <class T>
T ShuffleXor(T value, int mask, int width, std::source_location where = std::source_location::current()) {
  host_runner::CheckShuffle(mask, width);
  return host_runner::ExchangeValue(value, Lane() ^ mask, where.line());
}
template <class T>
T ShuffleDown(T value, int delta, int width, std::source_location where = std::source_location::current()) {
  host_runner::CheckShuffle(delta, width);
  const int lane = Lane();
  return host_runner::ExchangeValue(value, lane % width + delta < width ? lane + delta : lane, where.line());
}
template <class T>
T ShuffleIndex(T value, int index, int width, std::source_location where = std::source_location::current()) {
  host_runner::CheckShuffle(index, width);
  return host_runner::ExchangeValue(value, Lane() / width * width + index, where.line());
}
inline uint64_t Ballot(bool predicate, std::source_location where = std::source_location::current()) {
  return host_runner::Ballot(predicate, where.line());
}

inline uint32_t AtomicAdd(uint32_t* address, uint32_t value) {
  host_runner::CheckAccess(address, sizeof *address);
  return std::atomic_ref(*address).fetch_add(value, std::memory_order_relaxed);
}
inline uint64_t AtomicAdd(uint64_t* address, uint64_t value) {
  host_runner::CheckAccess(address, sizeof *address);
  return std::atomic_ref(*address).fetch_add(value, std::memory_order_relaxed);
}
inline void DeviceFence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

template <class T>
T Load(const T* address) {
  static_assert(sizeof(T) <= 16 && std::has_single_bit(sizeof(T)));
  host_runner::CheckAccess(address, sizeof(T));
  return *address;
}

template <class T>
T* Memory(uint64_t address) {
  return reinterpret_cast<T*>(address);
}

}  // namespace vmafx
#endif  // VMAFX_TESTS_HOST_RUNNER_DEVICE_PORT_H_
