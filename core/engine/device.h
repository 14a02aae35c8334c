// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device that runs the kernels of core/metrics/*/kernels.h. CUDA and HIP implement it over their drivers, the tests'
// host runner on the CPU. It knows no picture and no metric; the engine's device backend knows no driver.
#ifndef VMAFX_ENGINE_DEVICE_H_
#define VMAFX_ENGINE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "core/engine/status.h"

namespace vmafx {

// An address in device memory (CUdeviceptr, hipDeviceptr_t; a pointer on the host runner). 0: none.
using DeviceAddress = uint64_t;

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// A kernel of a loaded module, found by name. Owned by the device.
class Kernel;

// Commands in order (a stream). Not thread-safe.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;
  // `arguments` is one trivially copyable structure, copied before the call returns.
  virtual Status Launch(const Kernel* kernel, Dim3 grid, Dim3 block, size_t shared_bytes, const void* arguments,
                        size_t argument_bytes) = 0;
  virtual Status Zero(DeviceAddress address, size_t bytes) = 0;
  // Host memory must be pinned (Device::AllocatePinned).
  virtual Status CopyToHost(void* host, DeviceAddress device, size_t bytes) = 0;
  virtual Status CopyToDevice(DeviceAddress device, const void* host, size_t bytes) = 0;
  // Later commands wait until what was enqueued on the producer's stream so far is done. No host wait.
  virtual Status WaitForProducer(void* stream) = 0;
  // Marks this point. Done(): passed; Wait(): blocks the host until it is. One mark at a time.
  virtual Status Mark() = 0;
  virtual Status Done(bool* done) = 0;
  virtual Status Wait() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  // Threads that run in lock step: 32 or 64.
  virtual int wave_size() const = 0;
  virtual int multiprocessors() const = 0;
  // Null and an error when the module has no kernel of this name.
  virtual Status FindKernel(const char* name, const Kernel** kernel) = 0;
  virtual Status Allocate(size_t bytes, DeviceAddress* address) = 0;
  virtual void Free(DeviceAddress address) = 0;
  virtual Status AllocatePinned(size_t bytes, void** memory) = 0;
  virtual void FreePinned(void* memory) = 0;
  // Blocks; for tables at set-up.
  virtual Status Upload(DeviceAddress address, const void* host, size_t bytes) = 0;
  virtual Status MakeQueue(std::unique_ptr<DeviceQueue>* queue) = 0;
};

// One pair's work in flight, as a metric sees it.
class DeviceTask {
 public:
  DeviceTask(DeviceQueue& queue, DeviceAddress scratch, DeviceAddress result)
      : queue_(queue), scratch_(scratch), result_(result) {}
  DeviceQueue& queue() { return queue_; }
  // scratch_bytes() and result_bytes() of the extractor, 256-byte aligned; contents undefined.
  DeviceAddress scratch() const { return scratch_; }
  DeviceAddress result() const { return result_; }

  template <class Arguments>
  Status Launch(const Kernel* kernel, Dim3 grid, Dim3 block, size_t shared_bytes, const Arguments& arguments) {
    static_assert(std::is_trivially_copyable_v<Arguments>);
    return queue_.Launch(kernel, grid, block, shared_bytes, &arguments, sizeof arguments);
  }

 private:
  DeviceQueue& queue_;
  DeviceAddress scratch_;
  DeviceAddress result_;
};

}  // namespace vmafx
#endif  // VMAFX_ENGINE_DEVICE_H_
