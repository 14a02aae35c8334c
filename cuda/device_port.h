// SPDX-License-Identifier: BSD-2-Clause-Patent
// The portability layer of core/metrics/kernel.h for nvcc. Compiled with -fmad=false -prec-div=true -prec-sqrt=true
// -ftz=false, so that only Fma() fuses.
#ifndef VMAFX_CUDA_DEVICE_PORT_H_
#define VMAFX_CUDA_DEVICE_PORT_H_

#include <stdint.h>

#define VMAFX_FN __device__ __forceinline__
#define VMAFX_KERNEL(name, Arguments, threads, blocks) \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(const __grid_constant__ Arguments arguments)
#define VMAFX_SHARED(type, name, extents) __shared__ __align__(16) type name extents
#define VMAFX_UNROLL _Pragma("unroll")

namespace vmafx {

VMAFX_FN float Fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
}  // namespace vmafx
#include "core/numeric/refined_quotient.h"
namespace vmafx {

// Within one unit in the last place.
VMAFX_FN float Reciprocal(float x) {
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
  return reciprocal;
}
VMAFX_FN float Quotient(float a, float b) { return RefinedQuotient(a, b, Reciprocal(b)); }
VMAFX_FN float RootQuotient(float a, float b) { return RefinedRootQuotient(a, b, Reciprocal(b)); }
VMAFX_FN float Saturate(float x) { return __saturatef(x); }
VMAFX_FN uint32_t Bits(float x) { return __float_as_uint(x); }
VMAFX_FN uint64_t Bits(double x) { return static_cast<uint64_t>(__double_as_longlong(x)); }
VMAFX_FN float FloatOf(uint32_t bits) { return __uint_as_float(bits); }
VMAFX_FN double DoubleOf(uint64_t bits) { return __longlong_as_double(static_cast<long long>(bits)); }
VMAFX_FN int HighBit(uint64_t x) { return 63 - __clzll(static_cast<long long>(x)); }
VMAFX_FN int BitCount(uint32_t x) { return __popc(x); }

VMAFX_FN int ThreadX() { return static_cast<int>(threadIdx.x); }
VMAFX_FN int ThreadY() { return static_cast<int>(threadIdx.y); }
VMAFX_FN int BlockX() { return static_cast<int>(blockIdx.x); }
VMAFX_FN int BlockY() { return static_cast<int>(blockIdx.y); }
VMAFX_FN int BlockZ() { return static_cast<int>(blockIdx.z); }
VMAFX_FN int BlockSizeX() { return static_cast<int>(blockDim.x); }
VMAFX_FN int BlockSizeY() { return static_cast<int>(blockDim.y); }
VMAFX_FN int GridX() { return static_cast<int>(gridDim.x); }
VMAFX_FN int GridY() { return static_cast<int>(gridDim.y); }
VMAFX_FN int WaveSize() { return 32; }
VMAFX_FN int Lane() {
  return static_cast<int>(((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32);
}

VMAFX_FN void BlockBarrier() { __syncthreads(); }
VMAFX_FN void WaveBarrier() { __syncwarp(); }

template <class T>
VMAFX_FN T ShuffleXor(T value, int mask, int width) {
  return __shfl_xor_sync(0xFFFFFFFFu, value, mask, width);
}
template <class T>
VMAFX_FN T ShuffleDown(T value, int delta, int width) {
  return __shfl_down_sync(0xFFFFFFFFu, value, static_cast<unsigned>(delta), width);
}
template <class T>
VMAFX_FN T ShuffleIndex(T value, int index, int width) {
  return __shfl_sync(0xFFFFFFFFu, value, index, width);
}
VMAFX_FN uint64_t Ballot(bool predicate) { return __ballot_sync(0xFFFFFFFFu, predicate); }

VMAFX_FN uint32_t AtomicAdd(uint32_t* address, uint32_t value) { return atomicAdd(address, value); }
VMAFX_FN uint64_t AtomicAdd(uint64_t* address, uint64_t value) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
}
VMAFX_FN void DeviceFence() { __threadfence(); }

// Through the read-only path, as one access of sizeof(T).
template <class T>
VMAFX_FN T Load(const T* address) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  T value;
  if constexpr (sizeof(T) == 1) {
    const uint8_t word = __ldg(reinterpret_cast<const uint8_t*>(address));
    __builtin_memcpy(&value, &word, sizeof value);
  } else if constexpr (sizeof(T) == 2) {
    const uint16_t word = __ldg(reinterpret_cast<const uint16_t*>(address));
    __builtin_memcpy(&value, &word, sizeof value);
  } else if constexpr (sizeof(T) == 4) {
    const unsigned word = __ldg(reinterpret_cast<const unsigned*>(address));
    __builtin_memcpy(&value, &word, sizeof value);
  } else if constexpr (sizeof(T) == 8) {
    const unsigned long long word = __ldg(reinterpret_cast<const unsigned long long*>(address));
    __builtin_memcpy(&value, &word, sizeof value);
  } else {
    const uint4 word = __ldg(reinterpret_cast<const uint4*>(address));
    __builtin_memcpy(&value, &word, sizeof value);
  }
  return value;
}

template <class T>
VMAFX_FN T* Memory(uint64_t address) {
  return reinterpret_cast<T*>(address);
}

}  // namespace vmafx
#endif  // VMAFX_CUDA_DEVICE_PORT_H_
