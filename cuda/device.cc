// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "cuda/device.h"

#include <map>
#include <utility>

#include "cuda/modules.h"
#include "cuda/select.h"

namespace vmafx::cuda {
namespace {

constexpr unsigned kStreamNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
constexpr unsigned kEventBlockingSync = 1;   // CU_EVENT_BLOCKING_SYNC: the host sleeps while it waits
constexpr unsigned kEventDisableTiming = 2;  // CU_EVENT_DISABLE_TIMING

CUdeviceptr Pointer(DeviceAddress address) { return static_cast<CUdeviceptr>(address); }

// Makes the context current for one call: the caller's thread may have another one, and gets it back.
class Current {
 public:
  Current(const Driver& driver, CUcontext context) : driver_(driver), result_(driver.CtxPushCurrent(context)) {}
  ~Current() {
    CUcontext popped;
    if (result_ == CUDA_SUCCESS) driver_.CtxPopCurrent(&popped);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  CUresult result() const { return result_; }

 private:
  const Driver& driver_;
  const CUresult result_;
};

#define VMAFX_CUDA_ENTER(driver, context)      \
  const Current current_(driver, context);     \
  VMAFX_CUDA_RETURN_IF_ERROR(driver, current_.result(), "entering the frames' context")

struct CudaKernel final : Kernel {
  CUfunction function = nullptr;
  std::string name;
};

class CudaMark final : public DeviceMark {
 public:
  CudaMark(const Driver& driver, CUcontext context, CUevent event) : driver_(driver), context_(context), event_(event) {}
  ~CudaMark() override {
    const Current current(driver_, context_);
    driver_.EventDestroy(event_);
  }
  Status Done(bool* done) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    const CUresult result = driver_.EventQuery(event_);
    *done = result != CUDA_ERROR_NOT_READY;
    if (*done) VMAFX_CUDA_RETURN_IF_ERROR(driver_, result, "asking whether a frame is finished");
    return {};
  }
  Status Wait() override {
    VMAFX_CUDA_ENTER(driver_, context_);
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.EventSynchronize(event_), "waiting for a frame");
    return {};
  }
  Status MillisecondsSince(const DeviceMark& earlier, double* milliseconds) const override {
    VMAFX_CUDA_ENTER(driver_, context_);
    float elapsed = 0;
    VMAFX_CUDA_RETURN_IF_ERROR(
        driver_, driver_.EventElapsedTime(&elapsed, static_cast<const CudaMark&>(earlier).event_, event_),
        "reading the time between two events");
    *milliseconds = elapsed;
    return {};
  }
  CUevent event() const { return event_; }

 private:
  const Driver& driver_;
  const CUcontext context_;
  const CUevent event_;
};

class CudaQueue final : public DeviceQueue {
 public:
  CudaQueue(const Driver& driver, CUcontext context, CUstream stream, CUevent produced)
      : driver_(driver), context_(context), stream_(stream), produced_(produced) {}
  ~CudaQueue() override {
    const Current current(driver_, context_);
    driver_.EventDestroy(produced_);
    driver_.StreamDestroy(stream_);
  }
  Status Launch(const Kernel* kernel, Dim3 grid, Dim3 block, size_t shared_bytes, const void* arguments,
                size_t) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    const auto& cuda_kernel = static_cast<const CudaKernel&>(*kernel);
    void* parameters[] = {const_cast<void*>(arguments)};
    VMAFX_CUDA_RETURN_IF_ERROR(
        driver_,
        driver_.LaunchKernel(cuda_kernel.function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                             static_cast<unsigned>(shared_bytes), stream_, parameters, nullptr),
        "launching " + cuda_kernel.name);
    return {};
  }
  Status Zero(DeviceAddress address, size_t bytes) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.MemsetD8Async(Pointer(address), 0, bytes, stream_), "clearing memory");
    return {};
  }
  Status CopyToHost(void* host, DeviceAddress device, size_t bytes) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.MemcpyDtoHAsync(host, Pointer(device), bytes, stream_),
                               "reading back results");
    return {};
  }
  Status CopyToDevice(DeviceAddress device, const void* host, size_t bytes) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.MemcpyHtoDAsync(Pointer(device), host, bytes, stream_),
                               "uploading a frame");
    return {};
  }
  Status WaitForProducer(void* stream) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    // A wait holds the event as it was recorded last, so one event serves every frame.
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.EventRecord(produced_, static_cast<CUstream>(stream)),
                               "recording an event on the frames' stream");
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.StreamWaitEvent(stream_, produced_, 0), "waiting for the frames' stream");
    return {};
  }
  Status WaitFor(const DeviceMark& mark) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    VMAFX_CUDA_RETURN_IF_ERROR(driver_,
                               driver_.StreamWaitEvent(stream_, static_cast<const CudaMark&>(mark).event(), 0),
                               "waiting for another stream");
    return {};
  }
  Status Record(DeviceMark& mark) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.EventRecord(static_cast<CudaMark&>(mark).event(), stream_),
                               "recording an event");
    return {};
  }
  Status Drain() override {
    VMAFX_CUDA_ENTER(driver_, context_);
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.StreamSynchronize(stream_), "waiting for a stream");
    return {};
  }

 private:
  const Driver& driver_;
  const CUcontext context_;
  const CUstream stream_;
  const CUevent produced_;
};

class CudaDevice final : public Device {
 public:
  // `primary`: the context was retained and is released with the device.
  CudaDevice(const Driver& driver, CUcontext context, CUdevice device, bool primary)
      : driver_(driver), context_(context), device_(device), primary_(primary) {}
  ~CudaDevice() override {
    FreeTables();
    {
      const Current current(driver_, context_);
      for (const auto& [name, module] : modules_) driver_.ModuleUnload(module);
    }
    if (primary_) driver_.DevicePrimaryCtxRelease(device_);
  }

  std::string name() const override { return DeviceName(driver_, device_); }
  int wave_size() const override { return 32; }
  int multiprocessors() const override {
    int count = 1;
    driver_.DeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device_);
    return count;
  }

  Status FindKernel(const char* module_name, const char* kernel_name, const Kernel** kernel) override {
    CudaKernel& known = kernels_[{module_name, kernel_name}];
    if (known.function == nullptr) {
      CUmodule module = nullptr;
      VMAFX_RETURN_IF_ERROR(FindModule(module_name, &module));
      VMAFX_CUDA_ENTER(driver_, context_);
      VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.ModuleGetFunction(&known.function, module, kernel_name),
                                 std::string("finding the kernel ") + kernel_name);
      known.name = kernel_name;
    }
    *kernel = &known;
    return {};
  }

  Status Allocate(size_t bytes, DeviceAddress* address) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    CUdeviceptr pointer = 0;
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.MemAlloc(&pointer, bytes),
                               "allocating " + std::to_string(bytes) + " bytes of device memory on " + name());
    *address = pointer;
    return {};
  }
  void Free(DeviceAddress address) override {
    const Current current(driver_, context_);
    driver_.MemFree(Pointer(address));
  }
  Status AllocatePinned(size_t bytes, void** memory) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.MemHostAlloc(memory, bytes, 0),
                               "allocating " + std::to_string(bytes) + " bytes of pinned memory");
    return {};
  }
  void FreePinned(void* memory) override {
    const Current current(driver_, context_);
    driver_.MemFreeHost(memory);
  }
  Status Upload(DeviceAddress address, const void* host, size_t bytes) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.MemcpyHtoD(Pointer(address), host, bytes), "uploading a table");
    // From pageable memory the call may return before the last bytes are there, and our streams do not wait for its.
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.StreamSynchronize(nullptr), "uploading a table");
    return {};
  }

  Status MakeQueue(std::unique_ptr<DeviceQueue>* queue) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    CUstream stream = nullptr;
    CUevent produced = nullptr;
    VMAFX_CUDA_RETURN_IF_ERROR(driver_, driver_.StreamCreate(&stream, kStreamNonBlocking), "making a stream");
    if (const CUresult result = driver_.EventCreate(&produced, kEventDisableTiming); result != CUDA_SUCCESS) {
      driver_.StreamDestroy(stream);
      return Check(driver_, result, "making an event");
    }
    *queue = std::make_unique<CudaQueue>(driver_, context_, stream, produced);
    return {};
  }
  Status MakeMark(bool timed, std::unique_ptr<DeviceMark>* mark) override {
    VMAFX_CUDA_ENTER(driver_, context_);
    CUevent event = nullptr;
    VMAFX_CUDA_RETURN_IF_ERROR(
        driver_, driver_.EventCreate(&event, kEventBlockingSync | (timed ? 0 : kEventDisableTiming)), "making an event");
    *mark = std::make_unique<CudaMark>(driver_, context_, event);
    return {};
  }

 private:
  Status FindModule(const std::string& name, CUmodule* module) {
    if (auto found = modules_.find(name); found != modules_.end()) {
      *module = found->second;
      return {};
    }
    for (const ModuleImage& image : ModuleImages()) {
      if (image.name != name) continue;
      VMAFX_CUDA_ENTER(driver_, context_);
      VMAFX_RETURN_IF_ERROR(Loaded(driver_.ModuleLoadData(module, image.data), name));
      modules_.emplace(name, *module);
      return {};
    }
    return Status::Unsupported("CUDA: this build has no kernels of " + name + ": use backend=cpu for it");
  }

  Status Loaded(CUresult result, const std::string& module) const {
    if (result == CUDA_SUCCESS) return {};
    int version = 0;
    driver_.DriverGetVersion(&version);
    Status status = Check(driver_, result, "loading the kernels of " + module + " on " + name());
    return {status.code(), status.text() + "; the kernels are for " + ModuleArchitectures() + ", built with " +
                               ModuleCompiler() + ", the driver is of CUDA " + std::to_string(version / 1000) + "." +
                               std::to_string(version % 1000 / 10)};
  }

  const Driver& driver_;
  const CUcontext context_;
  const CUdevice device_;
  const bool primary_;
  std::map<std::string, CUmodule> modules_;
  std::map<std::pair<std::string, std::string>, CudaKernel> kernels_;
};

}  // namespace

Status MakeDevice(const Driver& driver, CUcontext context, const std::string& selection,
                  std::unique_ptr<Device>* device) {
  CUdevice chosen = 0;
  if (context == nullptr) {
    VMAFX_RETURN_IF_ERROR(SelectDevice(driver, selection, &chosen));
    VMAFX_RETURN_IF_ERROR(Check(driver, driver.DevicePrimaryCtxRetain(&context, chosen),
                                "opening " + DeviceName(driver, chosen)));
    *device = std::make_unique<CudaDevice>(driver, context, chosen, true);
    return {};
  }
  CUdevice of_frames = 0;
  {
    VMAFX_CUDA_ENTER(driver, context);
    VMAFX_CUDA_RETURN_IF_ERROR(driver, driver.CtxGetDevice(&of_frames), "finding the GPU of the frames");
  }
  if (!selection.empty()) {
    VMAFX_RETURN_IF_ERROR(SelectDevice(driver, selection, &chosen));
    if (chosen != of_frames)
      return Status::Invalid("CUDA: device '" + selection + "' is " + DeviceName(driver, chosen) + ", the frames are on " +
                             DeviceName(driver, of_frames) + ": leave the option out, it is for frames in host memory");
  }
  *device = std::make_unique<CudaDevice>(driver, context, of_frames, false);
  return {};
}

}  // namespace vmafx::cuda
