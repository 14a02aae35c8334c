// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "hip/device.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "hip/code_object.h"
#include "hip/modules.h"

namespace vmafx::hip {
namespace {

void* Pointer(DeviceAddress address) { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }

// Makes the GPU the calling thread's current one for one call: the caller may have chosen another, and gets it back.
// What only asks, waits or destroys does not depend on it.
class Current {
 public:
  Current(const Driver& driver, int index) : driver_(driver), error_(driver.GetDevice(&before_)) {
    if (error_ != kSuccess || before_ == index) return;
    error_ = driver.SetDevice(index);
    changed_ = error_ == kSuccess;
  }
  ~Current() {
    if (changed_) (void)driver_.SetDevice(before_);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  Error error() const { return error_; }

 private:
  const Driver& driver_;
  int before_ = 0;
  bool changed_ = false;
  Error error_;
};

#define VMAFX_HIP_ENTER(driver, index)   \
  const Current current_(driver, index); \
  VMAFX_HIP_RETURN_IF_ERROR(driver, current_.error(), "choosing the GPU")

struct HipKernel final : Kernel {
  Function function = nullptr;
  std::string name;
};

class HipMark final : public DeviceMark {
 public:
  HipMark(const Driver& driver, Event event) : driver_(driver), event_(event) {}
  ~HipMark() override { (void)driver_.EventDestroy(event_); }
  Status Done(bool* done) override {
    const Error error = driver_.EventQuery(event_);
    *done = error != kErrorNotReady;
    if (*done) VMAFX_HIP_RETURN_IF_ERROR(driver_, error, "asking whether a frame is finished");
    return {};
  }
  Status Wait() override {
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.EventSynchronize(event_), "waiting for a frame");
    return {};
  }
  Status MillisecondsSince(const DeviceMark& earlier, double* milliseconds) const override {
    float elapsed = 0;
    VMAFX_HIP_RETURN_IF_ERROR(driver_,
                              driver_.EventElapsedTime(&elapsed, static_cast<const HipMark&>(earlier).event_, event_),
                              "reading the time between two events");
    *milliseconds = elapsed;
    return {};
  }
  Event event() const { return event_; }

 private:
  const Driver& driver_;
  const Event event_;
};

class HipQueue final : public DeviceQueue {
 public:
  HipQueue(const Driver& driver, int index, Stream stream, Event produced)
      : driver_(driver), index_(index), stream_(stream), produced_(produced) {}
  ~HipQueue() override {
    (void)driver_.EventDestroy(produced_);
    (void)driver_.StreamDestroy(stream_);
  }
  Status Launch(const Kernel* kernel, Dim3 grid, Dim3 block, size_t shared_bytes, const void* arguments,
                size_t argument_bytes) override {
    VMAFX_HIP_ENTER(driver_, index_);
    const auto& hip_kernel = static_cast<const HipKernel&>(*kernel);
    void* extra[] = {kLaunchBuffer, const_cast<void*>(arguments), kLaunchBufferSize, &argument_bytes, kLaunchEnd};
    VMAFX_HIP_RETURN_IF_ERROR(
        driver_,
        driver_.ModuleLaunchKernel(hip_kernel.function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                   static_cast<unsigned>(shared_bytes), stream_, nullptr, extra),
        "launching " + hip_kernel.name);
    return {};
  }
  Status Zero(DeviceAddress address, size_t bytes) override {
    VMAFX_HIP_ENTER(driver_, index_);
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.MemsetAsync(Pointer(address), 0, bytes, stream_), "clearing memory");
    return {};
  }
  Status CopyToHost(void* host, DeviceAddress device, size_t bytes) override {
    VMAFX_HIP_ENTER(driver_, index_);
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.MemcpyAsync(host, Pointer(device), bytes, kCopyToHost, stream_),
                              "reading back results");
    return {};
  }
  Status CopyToDevice(DeviceAddress device, const void* host, size_t bytes) override {
    VMAFX_HIP_ENTER(driver_, index_);
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.MemcpyAsync(Pointer(device), host, bytes, kCopyToDevice, stream_),
                              "uploading a frame");
    return {};
  }
  Status WaitForProducer(void* stream) override {
    VMAFX_HIP_ENTER(driver_, index_);
    // A wait holds the event as it was recorded last, so one event serves every frame.
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.EventRecord(produced_, static_cast<Stream>(stream)),
                              "recording an event on the frames' stream");
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.StreamWaitEvent(stream_, produced_, 0),
                              "waiting for the frames' stream");
    return {};
  }
  Status WaitFor(const DeviceMark& mark) override {
    VMAFX_HIP_ENTER(driver_, index_);
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.StreamWaitEvent(stream_, static_cast<const HipMark&>(mark).event(), 0),
                              "waiting for another stream");
    return {};
  }
  Status Record(DeviceMark& mark) override {
    VMAFX_HIP_ENTER(driver_, index_);
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.EventRecord(static_cast<HipMark&>(mark).event(), stream_),
                              "recording an event");
    return {};
  }
  Status Drain() override {
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.StreamSynchronize(stream_), "waiting for a stream");
    return {};
  }

 private:
  const Driver& driver_;
  const int index_;
  const Stream stream_;
  const Event produced_;
};

class HipDevice final : public Device {
 public:
  HipDevice(const Driver& driver, Gpu gpu) : driver_(driver), gpu_(std::move(gpu)) {}
  ~HipDevice() override {
    FreeTables();
    const Current current(driver_, gpu_.index);
    for (const auto& [name, module] : modules_) (void)driver_.ModuleUnload(module.handle);
  }

  std::string name() const override { return Describe(gpu_); }
  std::string pci_address() const override { return gpu_.pci_address; }
  int wave_size() const override { return gpu_.wave_size; }
  int multiprocessors() const override { return gpu_.multiprocessors; }

  Status FindKernel(const char* module_name, const char* kernel_name, const Kernel** kernel) override {
    HipKernel& known = kernels_[{module_name, kernel_name}];
    if (known.function == nullptr) {
      const LoadedModule* module = nullptr;
      VMAFX_RETURN_IF_ERROR(FindModule(module_name, &module));
      VMAFX_RETURN_IF_ERROR(CheckWaveSize(*module, kernel_name));
      VMAFX_HIP_ENTER(driver_, gpu_.index);
      VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.ModuleGetFunction(&known.function, module->handle, kernel_name),
                                std::string("finding the kernel ") + kernel_name);
      known.name = kernel_name;
    }
    *kernel = &known;
    return {};
  }

  Status Allocate(size_t bytes, DeviceAddress* address) override {
    VMAFX_HIP_ENTER(driver_, gpu_.index);
    void* memory = nullptr;
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.Malloc(&memory, bytes),
                              "allocating " + std::to_string(bytes) + " bytes of device memory on " + name());
    *address = reinterpret_cast<uintptr_t>(memory);
    return {};
  }
  void Free(DeviceAddress address) override {
    const Current current(driver_, gpu_.index);
    (void)driver_.Free(Pointer(address));
  }
  Status AllocatePinned(size_t bytes, void** memory) override {
    VMAFX_HIP_ENTER(driver_, gpu_.index);
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.HostMalloc(memory, bytes, 0),
                              "allocating " + std::to_string(bytes) + " bytes of pinned memory");
    return {};
  }
  void FreePinned(void* memory) override {
    const Current current(driver_, gpu_.index);
    (void)driver_.HostFree(memory);
  }
  Status Upload(DeviceAddress address, const void* host, size_t bytes) override {
    VMAFX_HIP_ENTER(driver_, gpu_.index);
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.Memcpy(Pointer(address), host, bytes, kCopyToDevice),
                              "uploading a table");
    // Our streams do not wait for the default one, which the copy was on.
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.StreamSynchronize(nullptr), "uploading a table");
    return {};
  }

  // HIP maps the dma-buf and keeps its own hold on it: the descriptor stays the caller's (AMD's own decoder closes it
  // after the import). It takes the size it is told without comparing it with the buffer's.
  Status Import(int fd, uint64_t bytes, DeviceAddress* address) override {
    VMAFX_HIP_ENTER(driver_, gpu_.index);
    const off_t there = lseek(fd, 0, SEEK_END);
    if (there < 0)
      return Status::Invalid("HIP: descriptor " + std::to_string(fd) + " is no dma-buf: " + std::strerror(errno));
    if (static_cast<uint64_t>(there) < bytes)
      return Status::Invalid("HIP: the dma-buf of descriptor " + std::to_string(fd) + " has " + std::to_string(there) +
                             " bytes, the picture says " + std::to_string(bytes));
    imports_.reserve(imports_.size() + 1);
    ExternalMemoryHandle handle;
    handle.fd = fd;
    handle.size = bytes;
    ExternalMemory memory = nullptr;
    if (const Error error = driver_.ImportExternalMemory(&memory, &handle); error != kSuccess)
      return NotImported(error, "importing", bytes);
    ExternalMemoryBuffer buffer;
    buffer.size = bytes;
    void* mapped = nullptr;
    const Error error = driver_.ExternalMemoryGetMappedBuffer(&mapped, memory, &buffer);
    if (error != kSuccess || mapped == nullptr) {  // ROCm 5 says nothing when it fails
      (void)driver_.DestroyExternalMemory(memory);
      return NotImported(error != kSuccess ? error : kErrorInvalidValue, "mapping", bytes);
    }
    *address = reinterpret_cast<uintptr_t>(mapped);
    imports_.emplace_back(*address, memory);
    return {};
  }
  void Release(DeviceAddress address) override {
    const auto found = std::find_if(imports_.begin(), imports_.end(),
                                    [address](const auto& import) { return import.first == address; });
    if (found == imports_.end()) return;
    const Current current(driver_, gpu_.index);
    if (driver_.frees_mappings) (void)driver_.Free(Pointer(address));
    (void)driver_.DestroyExternalMemory(found->second);
    imports_.erase(found);
  }

  Status MakeQueue(std::unique_ptr<DeviceQueue>* queue) override {
    VMAFX_HIP_ENTER(driver_, gpu_.index);
    Stream stream = nullptr;
    Event produced = nullptr;
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.StreamCreateWithFlags(&stream, kStreamNonBlocking), "making a stream");
    if (const Error error = driver_.EventCreateWithFlags(&produced, kEventDisableTiming); error != kSuccess) {
      (void)driver_.StreamDestroy(stream);
      return Check(driver_, error, "making an event");
    }
    *queue = std::make_unique<HipQueue>(driver_, gpu_.index, stream, produced);
    return {};
  }
  Status MakeMark(bool timed, std::unique_ptr<DeviceMark>* mark) override {
    VMAFX_HIP_ENTER(driver_, gpu_.index);
    Event event = nullptr;
    VMAFX_HIP_RETURN_IF_ERROR(
        driver_, driver_.EventCreateWithFlags(&event, kEventBlockingSync | (timed ? 0 : kEventDisableTiming)),
        "making an event");
    *mark = std::make_unique<HipMark>(driver_, event);
    return {};
  }

 private:
  struct LoadedModule {
    Module handle = nullptr;
    std::vector<CodeObjectKernel> kernels;
  };

  Status FindModule(const std::string& name, const LoadedModule** module) {
    if (const auto found = modules_.find(name); found != modules_.end()) {
      *module = &found->second;
      return {};
    }
    VMAFX_RETURN_IF_ERROR(CheckArchitecture(gpu_, name));
    const std::span<const std::byte> image = FindCodeObject(name, gpu_.architecture);
    std::vector<CodeObjectKernel> kernels = KernelsOf(image);
    VMAFX_HIP_ENTER(driver_, gpu_.index);
    Module handle = nullptr;
    VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.ModuleLoadData(&handle, image.data()),
                              "loading the kernels of " + name + " on " + this->name() + " by " + Describe(driver_));
    *module = &modules_.emplace(name, LoadedModule{handle, std::move(kernels)}).first->second;
    return {};
  }

  // HIP calls it a lack of memory, whatever the cause.
  Status NotImported(Error error, const char* what, uint64_t bytes) const {
    const Status status =
        Check(driver_, error, std::string(what) + " a dma-buf of " + std::to_string(bytes) + " bytes on " + name());
    return {status.code(), status.text() + ": insert hwdownload,format= before both inputs"};
  }

  // A wave of another size would exchange values between the wrong lanes.
  Status CheckWaveSize(const LoadedModule& module, const std::string& kernel_name) const {
    for (const CodeObjectKernel& kernel : module.kernels) {
      if (kernel.name != kernel_name || kernel.wave_size == gpu_.wave_size) continue;
      return Status::Device("HIP: " + kernel_name + " was compiled for waves of " + std::to_string(kernel.wave_size) +
                            " threads and " + name() + " runs waves of " + std::to_string(gpu_.wave_size) +
                            ": a defect of this build, use backend=cpu");
    }
    return {};
  }

  const Driver& driver_;
  const Gpu gpu_;
  std::map<std::string, LoadedModule> modules_;
  std::map<std::pair<std::string, std::string>, HipKernel> kernels_;
  std::vector<std::pair<DeviceAddress, ExternalMemory>> imports_;
};

}  // namespace

Status CheckArchitecture(const Gpu& gpu, const std::string& metric) {
  if (!FindCodeObject(metric, gpu.architecture).empty()) return {};
  return Status::Device("HIP: this build has no kernels of " + metric + " for " + Describe(gpu) + "; it has them for " +
                        CodeObjectArchitectures() + ": use backend=cpu");
}

Status MakeDevice(const Driver& driver, const std::string& selection, const std::string& frames_on,
                  std::unique_ptr<Device>* device) {
  Gpu gpu;
  VMAFX_RETURN_IF_ERROR(SelectGpu(driver, selection, frames_on, &gpu));
  *device = std::make_unique<HipDevice>(driver, std::move(gpu));
  return {};
}

}  // namespace vmafx::hip
