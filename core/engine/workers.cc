// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/workers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace vmafx {

// A run is open while its parts may still be taken. A helper joins only an open run and the caller, once no part is
// left, closes it and waits for those that joined: helpers that woke too late are never waited for, and a run is
// finished by the caller alone when none wakes at all.
struct Workers::Impl {
  std::mutex mutex;
  std::condition_variable opened;
  std::condition_variable left;
  bool stop = false;
  bool open = false;
  uint64_t run = 0;  // number of the run, so that a helper joins each at most once
  int joined = 0;    // helpers inside the run
  const std::function<void(size_t, int)>* part = nullptr;
  size_t parts = 0;
  std::atomic<size_t> next{0};
  std::vector<std::thread> helpers;

  void Take(const std::function<void(size_t, int)>& body, size_t count, int thread) {
    for (;;) {
      const size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      body(index, thread);
    }
  }

  void Help(int thread) {
    std::unique_lock lock(mutex);
    uint64_t last = 0;
    for (;;) {
      opened.wait(lock, [&] { return stop || (open && run != last); });
      if (stop) return;
      last = run;
      ++joined;
      const auto* body = part;
      const size_t count = parts;
      lock.unlock();
      Take(*body, count, thread);
      lock.lock();
      if (--joined == 0) left.notify_one();
    }
  }

  void Stop() {
    {
      std::lock_guard lock(mutex);
      stop = true;
    }
    opened.notify_all();
    for (std::thread& helper : helpers) helper.join();
  }
};

Workers::Workers(int threads) : impl_(std::make_unique<Impl>()) {
  const int helpers = std::max(threads, 1) - 1;
  impl_->helpers.reserve(static_cast<size_t>(helpers));
  try {
    for (int i = 1; i <= helpers; ++i) impl_->helpers.emplace_back([impl = impl_.get(), i] { impl->Help(i); });
  } catch (...) {
    impl_->Stop();
    throw;
  }
}

Workers::~Workers() { impl_->Stop(); }

int Workers::threads() const { return static_cast<int>(impl_->helpers.size()) + 1; }

void Workers::Run(size_t parts, const std::function<void(size_t index, int thread)>& part) {
  if (parts <= 1 || impl_->helpers.empty()) {
    for (size_t index = 0; index < parts; ++index) part(index, 0);
    return;
  }
  {
    std::lock_guard lock(impl_->mutex);
    impl_->part = &part;
    impl_->parts = parts;
    impl_->next.store(0, std::memory_order_relaxed);
    impl_->open = true;
    ++impl_->run;
  }
  if (parts > impl_->helpers.size()) {
    impl_->opened.notify_all();
  } else {
    for (size_t i = 1; i < parts; ++i) impl_->opened.notify_one();
  }
  impl_->Take(part, parts, 0);
  std::unique_lock lock(impl_->mutex);
  impl_->open = false;
  impl_->left.wait(lock, [this] { return impl_->joined == 0; });
}

}  // namespace vmafx
