// SPDX-License-Identifier: BSD-2-Clause-Patent
// The portability layer of core/metrics/kernel.h for clang's HIP. Only the compiler's builtins and its own stdint.h: no
// HIP package, no device library, no header of the system. Compiled with -ffp-contract=off, so that only Fma() fuses.
// gfx9 has waves of 64 threads, gfx10 and newer are compiled for waves of 32 (hip/meson.build).
//
// Nothing here reads the first lane for the whole wave (readfirstlane): what is uniform in a group of 32 need not be in
// a wave of 64.
#ifndef VMAFX_HIP_DEVICE_PORT_H_
#define VMAFX_HIP_DEVICE_PORT_H_

#include <stdint.h>

#define VMAFX_FN __attribute__((device, always_inline)) inline
// `blocks` is measured on NVIDIA's multiprocessors; with no AMD hardware to measure on, the compiler's own balance of
// registers and waves stands.
#define VMAFX_KERNEL(name, Arguments, threads, blocks)                                                 \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, threads))) void name(const Arguments arguments)
#define VMAFX_SHARED(type, name, extents) __attribute__((shared, aligned(16))) type name extents
#define VMAFX_UNROLL _Pragma("unroll")

namespace vmafx {

VMAFX_FN float Fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
// The compiler's division is correctly rounded, which conformance tests have long shown on AMD's hardware; the fewer
// steps of core/numeric/refined_quotient.h would need a proof of v_rcp_f32's error there.
VMAFX_FN float Quotient(float a, float b) { return a / b; }
VMAFX_FN float RootQuotient(float a, float b) { return a / b; }
VMAFX_FN float Saturate(float x) { return x <= 0.0f ? 0.0f : x >= 1.0f ? 1.0f : x; }
VMAFX_FN uint32_t Bits(float x) { return __builtin_bit_cast(uint32_t, x); }
VMAFX_FN uint64_t Bits(double x) { return __builtin_bit_cast(uint64_t, x); }
VMAFX_FN float FloatOf(uint32_t bits) { return __builtin_bit_cast(float, bits); }
VMAFX_FN double DoubleOf(uint64_t bits) { return __builtin_bit_cast(double, bits); }
VMAFX_FN int HighBit(uint64_t x) { return 63 - __builtin_clzll(x); }
VMAFX_FN int BitCount(uint32_t x) { return __builtin_popcount(x); }

VMAFX_FN int ThreadX() { return static_cast<int>(__builtin_amdgcn_workitem_id_x()); }
VMAFX_FN int ThreadY() { return static_cast<int>(__builtin_amdgcn_workitem_id_y()); }
VMAFX_FN int BlockX() { return static_cast<int>(__builtin_amdgcn_workgroup_id_x()); }
VMAFX_FN int BlockY() { return static_cast<int>(__builtin_amdgcn_workgroup_id_y()); }
VMAFX_FN int BlockZ() { return static_cast<int>(__builtin_amdgcn_workgroup_id_z()); }
VMAFX_FN int BlockSizeX() { return static_cast<int>(__builtin_amdgcn_workgroup_size_x()); }
VMAFX_FN int BlockSizeY() { return static_cast<int>(__builtin_amdgcn_workgroup_size_y()); }
// The dispatch packet counts threads; a launch has whole blocks.
VMAFX_FN int GridX() { return static_cast<int>(__builtin_amdgcn_grid_size_x()) / BlockSizeX(); }
VMAFX_FN int GridY() { return static_cast<int>(__builtin_amdgcn_grid_size_y()) / BlockSizeY(); }
VMAFX_FN int WaveSize() { return static_cast<int>(__builtin_amdgcn_wavefrontsize()); }
// The number of lanes below this one, active or not: mbcnt_lo counts among lanes 0 to 31, mbcnt_hi adds those of 32 to
// 63, which are none in a wave of 32. Blocks fill waves with x running fastest, so it is the thread's number in the
// block modulo the size of a wave.
VMAFX_FN int Lane() {
  return static_cast<int>(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)));
}

// The compiler moves no memory access over a fence, no instruction over the barrier; memory sees the accesses of the
// workgroup (or wave) before it as done after it.
VMAFX_FN void BlockBarrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
VMAFX_FN void WaveBarrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

// The value of a lane of the same group of 32. ds_bpermute_b32 takes four times the lane's number in the wave, modulo
// the size of the wave. Groups never cross lane 32, so it is of no account that some processors exchange within halves
// of a wave of 64 only.
VMAFX_FN uint32_t ValueOfLane(uint32_t value, int lane) {
  return static_cast<uint32_t>(__builtin_amdgcn_ds_bpermute(lane * 4, static_cast<int>(value)));
}
VMAFX_FN uint64_t ValueOfLane(uint64_t value, int lane) {
  const uint32_t low = ValueOfLane(static_cast<uint32_t>(value), lane);
  const uint32_t high = ValueOfLane(static_cast<uint32_t>(value >> 32), lane);
  return static_cast<uint64_t>(high) << 32 | low;
}
template <int kBytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = uint8_t;
};
template <>
struct WordOf<2> {
  using Type = uint16_t;
};
template <>
struct WordOf<4> {
  using Type = uint32_t;
};
template <>
struct WordOf<8> {
  using Type = uint64_t;
};
template <>
struct WordOf<16> {
  using Type = uint32_t __attribute__((ext_vector_type(4)));
};
template <class T>
VMAFX_FN T ShuffleFrom(T value, int lane) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return __builtin_bit_cast(T, ValueOfLane(__builtin_bit_cast(typename WordOf<sizeof(T)>::Type, value), lane));
}
template <class T>
VMAFX_FN T ShuffleXor(T value, int mask, int) {
  return ShuffleFrom(value, Lane() ^ mask);
}
template <class T>
VMAFX_FN T ShuffleDown(T value, int delta, int width) {
  const int lane = Lane();
  return ShuffleFrom(value, lane % width + delta < width ? lane + delta : lane);
}
template <class T>
VMAFX_FN T ShuffleIndex(T value, int index, int width) {
  return ShuffleFrom(value, Lane() / width * width + index);
}
VMAFX_FN uint64_t Ballot(bool predicate) { return __builtin_amdgcn_ballot_w64(predicate); }

VMAFX_FN uint32_t AtomicAdd(uint32_t* address, uint32_t value) {
  return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
VMAFX_FN uint64_t AtomicAdd(uint64_t* address, uint64_t value) {
  return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
VMAFX_FN void DeviceFence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }

// LLVM's numbers of address spaces. They spare the hardware the question which memory an address means.
#define VMAFX_HIP_GLOBAL __attribute__((address_space(1)))
#define VMAFX_HIP_CONSTANT __attribute__((address_space(4)))  // global memory that does not change during a launch

// One access of sizeof(T); a scalar one where all lanes read the same address.
template <class T>
VMAFX_FN T Load(const T* address) {
  using Word = typename WordOf<sizeof(T)>::Type;
  return __builtin_bit_cast(T, *(const VMAFX_HIP_CONSTANT Word*)(address));
}

template <class T>
VMAFX_FN T* Memory(uint64_t address) {
  return (T*)(VMAFX_HIP_GLOBAL T*)(address);
}

#undef VMAFX_HIP_GLOBAL
#undef VMAFX_HIP_CONSTANT

}  // namespace vmafx
#endif  // VMAFX_HIP_DEVICE_PORT_H_
