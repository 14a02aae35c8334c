// SPDX-License-Identifier: BSD-2-Clause-Patent
// Threads that work on one frame together. A metric cuts its frame into parts whose number and borders depend on the
// geometry only, never on the number of threads, so its result does not depend on it either.
#ifndef VMAFX_ENGINE_WORKERS_H_
#define VMAFX_ENGINE_WORKERS_H_

#include <cstddef>
#include <functional>
#include <memory>

namespace vmafx {

class Workers {
 public:
  // `threads` >= 1, the calling thread counted: 1 makes no thread at all.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const;

  // Calls part(index, thread) for each index in [0, parts), each once, on any thread, and returns when all are done.
  // `thread` is in [0, threads()): no two calls with the same number run at the same time, so it may pick scratch memory.
  // Only one Run() at a time, from one thread; not from inside a part. Parts must not throw.
  void Run(size_t parts, const std::function<void(size_t index, int thread)>& part);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The cores this process may use (affinity mask and, on Linux, the cgroup's CPU quota), at least 1.
int UsableCores();

}  // namespace vmafx
#endif  // VMAFX_ENGINE_WORKERS_H_
