// SPDX-License-Identifier: BSD-2-Clause-Patent
// The host runner as a Device: queues work on threads of their own, in order and later than the caller, as a driver does.
#ifndef VMAFX_TESTS_HOST_RUNNER_HOST_DEVICE_H_
#define VMAFX_TESTS_HOST_RUNNER_HOST_DEVICE_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "core/engine/device.h"

namespace vmafx::host_runner {

struct HostDeviceOptions {
  int wave_size = 32;
  bool backwards = false;
  int threads = 1;          // that run blocks
  int multiprocessors = 4;  // as told to metrics
  std::string late_module = {};  // its kernels wait 50 ms before they run
};

// What a test hands to WaitForProducer(): opens once.
class Gate {
 public:
  void Open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void Pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

struct HostDeviceUse {
  size_t device_bytes = 0;  // allocated now
  size_t pinned_bytes = 0;
  size_t allocations = 0;   // now
  size_t imports = 0;       // ever
  size_t launches = 0;      // ever
  size_t bytes_to_host = 0;
  size_t bytes_to_device = 0;
};

class HostDevice : public Device {
 public:
  virtual HostDeviceUse use() const = 0;
};

std::unique_ptr<HostDevice> MakeHostDevice(const HostDeviceOptions& options);

}  // namespace vmafx::host_runner
#endif  // VMAFX_TESTS_HOST_RUNNER_HOST_DEVICE_H_
