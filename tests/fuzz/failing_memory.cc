// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/fuzz/failing_memory.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace vmafx::fuzz {
namespace {

constexpr int64_t kPlenty = INT64_MAX;
std::atomic<int64_t> left{kPlenty};  // allocations before the one that fails
std::atomic<bool> for_good{false};
std::atomic<bool> failed{false};

[[maybe_unused]] bool Fails() {
  if (left.load(std::memory_order_relaxed) == kPlenty) return false;
  const int64_t before = left.fetch_sub(1);
  if (before > 0 || (before < 0 && !for_good)) return false;
  failed = true;
  return true;
}

}  // namespace

void RunOutOfMemory(uint64_t after, Shortage shortage) {
  for_good = shortage == Shortage::kForGood;
  failed = false;
  left = static_cast<int64_t>(after);
}

bool EndShortage() {
  left = kPlenty;
  return failed;
}

}  // namespace vmafx::fuzz

// A sanitizer has a malloc() of its own. GCC and Clang say in different ways that there is one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VMAFX_OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VMAFX_OWN_MALLOC 0
#endif
#endif
#if !defined(VMAFX_OWN_MALLOC) && defined(__GLIBC__)
#define VMAFX_OWN_MALLOC 1
#endif

#if VMAFX_OWN_MALLOC
extern "C" void* __libc_malloc(size_t size);

extern "C" void* malloc(size_t size) noexcept {
  if (!vmafx::fuzz::Fails()) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}
#else
namespace {

void* Allocate(size_t size) {
  if (void* memory = vmafx::fuzz::Fails() ? nullptr : std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
#endif
