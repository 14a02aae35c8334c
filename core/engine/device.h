// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device that runs the kernels of core/metrics/*/kernels.h. CUDA and HIP implement it over their drivers, the tests'
// host runner on the CPU. It knows no picture and no metric; the engine's device backend knows no driver.
#ifndef VMAFX_ENGINE_DEVICE_H_
#define VMAFX_ENGINE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "core/engine/status.h"

namespace vmafx {

// An address in device memory (CUdeviceptr, hipDeviceptr_t; a pointer on the host runner). 0: none.
using DeviceAddress = uint64_t;

// Alignment of what Device::Allocate() and DeviceTask give out.
inline constexpr size_t kDeviceAlignment = 256;

constexpr size_t AlignDevice(size_t bytes) { return (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment; }

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// A kernel of a loaded module. Owned by the device.
class Kernel {
 public:
  virtual ~Kernel() = default;
};

// A point in a queue (an event).
class DeviceMark {
 public:
  virtual ~DeviceMark() = default;
  // Whether the device has passed it. Never recorded: passed. An error: something enqueued before it failed.
  virtual Status Done(bool* done) = 0;
  // Blocks the host until it is passed.
  virtual Status Wait() = 0;
  // Device time between two passed marks that were made with `timed`.
  virtual Status MillisecondsSince(const DeviceMark& earlier, double* milliseconds) const = 0;
};

// Commands in order (a stream). Not thread-safe.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;
  // `arguments` is one trivially copyable structure, copied before the call returns. `shared_bytes` is dynamic shared
  // memory, beside what the kernel declares.
  virtual Status Launch(const Kernel* kernel, Dim3 grid, Dim3 block, size_t shared_bytes, const void* arguments,
                        size_t argument_bytes) = 0;
  virtual Status Zero(DeviceAddress address, size_t bytes) = 0;
  // Host memory must be pinned (Device::AllocatePinned).
  virtual Status CopyToHost(void* host, DeviceAddress device, size_t bytes) = 0;
  virtual Status CopyToDevice(DeviceAddress device, const void* host, size_t bytes) = 0;
  // Later commands wait until what was enqueued on the producer's stream so far is done. No host wait.
  virtual Status WaitForProducer(void* stream) = 0;
  // Later commands wait until `mark`, recorded on another queue of the device, is passed. No host wait.
  virtual Status WaitFor(const DeviceMark& mark) = 0;
  // Puts `mark` behind everything enqueued so far. A mark may be recorded again once it is passed.
  virtual Status Record(DeviceMark& mark) = 0;
  // Blocks the host until the queue is empty. For tidying up after an error.
  virtual Status Drain() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  // Threads that run in lock step: 32 or 64.
  virtual int wave_size() const = 0;
  virtual int multiprocessors() const = 0;
  // `module` is the metric's folder name. An error names what is missing: the module, an architecture, the kernel.
  virtual Status FindKernel(const char* module, const char* name, const Kernel** kernel) = 0;
  virtual Status Allocate(size_t bytes, DeviceAddress* address) = 0;
  virtual void Free(DeviceAddress address) = 0;
  virtual Status AllocatePinned(size_t bytes, void** memory) = 0;
  virtual void FreePinned(void* memory) = 0;
  // Blocks; for tables at set-up.
  virtual Status Upload(DeviceAddress address, const void* host, size_t bytes) = 0;
  // The PCI address of the GPU, "0000:03:00.0"; empty: none or not known.
  virtual std::string pci_address() const { return {}; }
  // Makes the first `bytes` bytes of a dma-buf readable by kernels, until Release(). `fd` stays the caller's and may be
  // closed at once. Slow: see DeviceImports.
  virtual Status Import(int /*fd*/, uint64_t /*bytes*/, DeviceAddress* /*address*/) {
    return Status::Unsupported(name() + " does not read dma-buf memory: insert hwdownload,format= before both inputs");
  }
  // Nothing enqueued may still use what was imported to `address`.
  virtual void Release(DeviceAddress /*address*/) {}
  virtual Status MakeQueue(std::unique_ptr<DeviceQueue>* queue) = 0;
  virtual Status MakeMark(bool timed, std::unique_ptr<DeviceMark>* mark) = 0;

  // Where a constant table lies on the device: uploaded at the first call, once per device. `table` has static storage.
  Status Table(std::span<const std::byte> table, DeviceAddress* address) {
    DeviceAddress& known = tables_[table.data()];
    if (known == 0) {
      DeviceAddress fresh = 0;
      VMAFX_RETURN_IF_ERROR(Allocate(table.size(), &fresh));
      if (Status status = Upload(fresh, table.data(), table.size()); !status.ok()) {
        Free(fresh);
        return status;
      }
      known = fresh;
    }
    *address = known;
    return {};
  }

 protected:
  // For the destructors of implementations, while Free() still works.
  void FreeTables() {
    for (const auto& [table, address] : tables_)
      if (address != 0) Free(address);
    tables_.clear();
  }

 private:
  std::map<const std::byte*, DeviceAddress> tables_;
};

// One pair's work in flight, as a metric sees it.
class DeviceTask {
 public:
  DeviceTask(DeviceQueue& queue, DeviceAddress scratch, DeviceAddress result)
      : queue_(queue), scratch_(scratch), result_(result) {}
  DeviceQueue& queue() { return queue_; }
  // scratch_bytes() and result_bytes() of the extractor, 256-byte aligned. The contents of scratch are undefined, and
  // another pair may use it once this pair's commands are done; the result block is zero.
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
