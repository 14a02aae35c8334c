// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_METRICS_SSIMULACRA2_RECURSIVE_ALIGNED_H_
#define VMAFX_METRICS_SSIMULACRA2_RECURSIVE_ALIGNED_H_

#include <algorithm>
#include <cstddef>
#include <new>

#include "hwy/aligned_allocator.h"

namespace vmafx::ssimulacra2::recursive {

template <class T>
using AlignedArray = hwy::AlignedFreeUniquePtr<T[]>;

// `count` zeros at an address that any vector may be loaded from. Throws std::bad_alloc.
template <class T>
AlignedArray<T> MakeAligned(size_t count) {
  AlignedArray<T> array = hwy::AllocateAligned<T>(count);
  if (array == nullptr) throw std::bad_alloc();
  std::fill_n(array.get(), count, T{0});
  return array;
}

}  // namespace vmafx::ssimulacra2::recursive
#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_ALIGNED_H_
