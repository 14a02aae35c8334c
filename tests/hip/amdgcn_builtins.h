// SPDX-License-Identifier: BSD-2-Clause-Patent
// The compiler's builtins that hip/device_port.h uses, for a thread of the block runner: as AMD's "RDNA and CDNA
// Instruction Set Architecture" describe the instructions behind them.
#ifndef VMAFX_TESTS_HIP_AMDGCN_BUILTINS_H_
#define VMAFX_TESTS_HIP_AMDGCN_BUILTINS_H_

#include <bit>
#include <cstdint>

#include "tests/host_runner/lane.h"

namespace vmafx::test {

inline const host_runner::LaneView& ThisLane() { return host_runner::CurrentLane(); }
inline const host_runner::BlockView& ThisBlock() { return *ThisLane().block; }
inline unsigned LaneOfWave() { return static_cast<unsigned>(ThisLane().number % ThisBlock().wave_size); }
// The lanes below `lane` of 32, as bits.
inline uint32_t LanesBelow(unsigned lane) { return lane >= 32 ? ~0u : (1u << lane) - 1; }

}  // namespace vmafx::test

inline unsigned __builtin_amdgcn_workitem_id_x() { return static_cast<unsigned>(vmafx::test::ThisLane().thread.x); }
inline unsigned __builtin_amdgcn_workitem_id_y() { return static_cast<unsigned>(vmafx::test::ThisLane().thread.y); }
inline unsigned __builtin_amdgcn_workgroup_id_x() { return static_cast<unsigned>(vmafx::test::ThisBlock().index.x); }
inline unsigned __builtin_amdgcn_workgroup_id_y() { return static_cast<unsigned>(vmafx::test::ThisBlock().index.y); }
inline unsigned __builtin_amdgcn_workgroup_id_z() { return static_cast<unsigned>(vmafx::test::ThisBlock().index.z); }
inline uint16_t __builtin_amdgcn_workgroup_size_x() { return static_cast<uint16_t>(vmafx::test::ThisBlock().size.x); }
inline uint16_t __builtin_amdgcn_workgroup_size_y() { return static_cast<uint16_t>(vmafx::test::ThisBlock().size.y); }
inline unsigned __builtin_amdgcn_grid_size_x() {
  return static_cast<unsigned>(vmafx::test::ThisBlock().grid.x * vmafx::test::ThisBlock().size.x);
}
inline unsigned __builtin_amdgcn_grid_size_y() {
  return static_cast<unsigned>(vmafx::test::ThisBlock().grid.y * vmafx::test::ThisBlock().size.y);
}
inline unsigned __builtin_amdgcn_wavefrontsize() { return static_cast<unsigned>(vmafx::test::ThisBlock().wave_size); }

inline unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned add) {
  return static_cast<unsigned>(std::popcount(mask & vmafx::test::LanesBelow(vmafx::test::LaneOfWave()))) + add;
}
inline unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned add) {
  const unsigned lane = vmafx::test::LaneOfWave();
  return static_cast<unsigned>(std::popcount(mask & vmafx::test::LanesBelow(lane < 32 ? 0 : lane - 32))) + add;
}
// The two low bits of the address are ignored, and so is what exceeds the wave.
inline int __builtin_amdgcn_ds_bpermute(int address, int value) {
  const unsigned lane = static_cast<unsigned>(address) / 4 % __builtin_amdgcn_wavefrontsize();
  return static_cast<int>(vmafx::host_runner::Exchange(static_cast<uint32_t>(value), static_cast<int>(lane), __LINE__));
}
inline uint64_t __builtin_amdgcn_ballot_w64(bool predicate) { return vmafx::host_runner::Ballot(predicate, __LINE__); }

inline void __builtin_amdgcn_fence(int, const char*) {}
inline void __builtin_amdgcn_s_barrier() { vmafx::host_runner::BlockBarrier(__LINE__); }
inline void __builtin_amdgcn_wave_barrier() {
  vmafx::host_runner::Exchange(0, static_cast<int>(vmafx::test::LaneOfWave()), __LINE__);
}
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __hip_atomic_fetch_add(address, value, order, scope) __atomic_fetch_add(address, value, order)

#endif  // VMAFX_TESTS_HIP_AMDGCN_BUILTINS_H_
