// SPDX-License-Identifier: BSD-2-Clause-Patent
// libamdhip64 over the CUDA driver: the HIP backend's host code, as it is, on an NVIDIA GPU, with waves of 32 threads.
// It is handed AMD's code objects and runs the same kernels as nvcc compiled them: a code object is known by the names
// of its kernels. Dma-bufs are not forwarded.
//
// Most functions differ in their names only, and errors have the same numbers in both.
#include <elf.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "cuda/driver.h"
#include "cuda/modules.h"
#include "hip/code_object.h"
#include "hip/driver.h"
#ifdef VMAFX_FORWARD_TO_STAND_IN
#include "tests/cuda/stand_in_driver.h"
#endif

namespace vmafx::hip {
namespace {

constexpr int kWaveSize = 32;
constexpr char kArchitecture[] = "gfx1100";  // one with such waves

const cuda::Driver* driver = nullptr;  // null: there is none
thread_local int current_device = 0;
std::mutex mutex;
std::map<int, CUcontext> contexts;  // by device; kept to the end of the process

Error Of(CUresult result) { return static_cast<Error>(result); }
CUdeviceptr Address(const void* pointer) { return static_cast<CUdeviceptr>(reinterpret_cast<uintptr_t>(pointer)); }
CUstream Of(Stream stream) { return reinterpret_cast<CUstream>(stream); }
CUevent Of(Event event) { return reinterpret_cast<CUevent>(event); }

int Attribute(CUdevice_attribute attribute, int device) {
  int value = 0;
  return driver->DeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

// The current GPU's context, for one call.
class Entered {
 public:
  Entered() {
    const std::lock_guard lock(mutex);
    CUcontext& context = contexts[current_device];
    if (context == nullptr) result_ = driver->DevicePrimaryCtxRetain(&context, current_device);
    if (result_ == CUDA_SUCCESS) result_ = driver->CtxPushCurrent(context);
  }
  ~Entered() {
    CUcontext popped;
    if (result_ == CUDA_SUCCESS) driver->CtxPopCurrent(&popped);
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

  template <class Call>
  Error Do(Call&& call) const {
    return Of(result_ == CUDA_SUCCESS ? call() : result_);
  }

 private:
  CUresult result_ = CUDA_SUCCESS;
};

template <class Call>
Error Forward(Call&& call) {
  return Entered().Do(call);
}

size_t BytesOf(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  return header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
}

// The fat binary that has the kernels of a code object.
CUresult Load(CUmodule* module, const void* image) {
  const auto kernels = KernelsOf({static_cast<const std::byte*>(image), BytesOf(image)});
  for (const cuda::ModuleImage& candidate : cuda::ModuleImages()) {
    if (kernels.empty()) break;
    if (const CUresult result = driver->ModuleLoadData(module, candidate.data); result != CUDA_SUCCESS) return result;
    CUfunction function = nullptr;
    if (driver->ModuleGetFunction(&function, *module, kernels.front().name.c_str()) == CUDA_SUCCESS)
      return CUDA_SUCCESS;
    driver->ModuleUnload(*module);
  }
  return cuda::kErrorNoBinaryForGpu;
}

}  // namespace
}  // namespace vmafx::hip

using namespace vmafx;
using namespace vmafx::hip;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Error hipInit(unsigned) {
#ifdef VMAFX_FORWARD_TO_STAND_IN
  cuda::ResetStandIn();
  driver = &cuda::StandInDriver();
#else
  const cuda::Driver* found = nullptr;
  if (const Status status = cuda::LoadDriver(&found); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.text().c_str());
    return kErrorNoDevice;
  }
  driver = found;
#endif
  return kSuccess;
}
EXPORT Error hipRuntimeGetVersion(int* version) { return Of(driver->DriverGetVersion(version)); }
EXPORT Error hipGetDeviceCount(int* count) { return Of(driver->DeviceGetCount(count)); }
EXPORT Error hipGetDevice(int* device) {
  *device = current_device;
  return kSuccess;
}
EXPORT Error hipSetDevice(int device) {
  current_device = device;
  return kSuccess;
}
EXPORT Error hipDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute == kAttributeWaveSize ? kWaveSize : Attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  return kSuccess;
}
EXPORT Error hipDeviceGetPCIBusId(char* text, int length, int device) {
  std::snprintf(text, static_cast<size_t>(length), "%04x:%02x:%02x.0",
                static_cast<unsigned>(Attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device)) & 0xFFFF,
                static_cast<unsigned>(Attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device)) & 0xFF,
                static_cast<unsigned>(Attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device)) & 0xFF);
  return kSuccess;
}
EXPORT Error hipGetDevicePropertiesR0600(void* properties, int device) {
  char* const out = static_cast<char*>(properties);
  std::memset(out, 0, 1472);
  char name[200] = "GPU";
  driver->DeviceGetName(name, sizeof name, device);
  std::snprintf(out, 256, "HIP forwarded to %s", name);
  std::memcpy(out + kPropertiesR0600.wave_size, &kWaveSize, sizeof kWaveSize);
  std::memcpy(out + kPropertiesR0600.architecture, kArchitecture, sizeof kArchitecture);
  return kSuccess;
}
EXPORT const char* hipGetErrorName(Error error) {
  const char* text = nullptr;
  if (driver != nullptr) driver->GetErrorName(static_cast<CUresult>(error), &text);
  return text;
}
EXPORT const char* hipGetErrorString(Error error) {
  const char* text = nullptr;
  if (driver != nullptr) driver->GetErrorString(static_cast<CUresult>(error), &text);
  return text;
}

EXPORT Error hipMalloc(void** address, size_t bytes) {
  CUdeviceptr allocated = 0;
  const Error error = Forward([&] { return driver->MemAlloc(&allocated, bytes); });
  *address = reinterpret_cast<void*>(static_cast<uintptr_t>(allocated));
  return error;
}
EXPORT Error hipFree(void* address) {
  return Forward([&] { return driver->MemFree(Address(address)); });
}
EXPORT Error hipHostMalloc(void** memory, size_t bytes, unsigned flags) {
  return Forward([&] { return driver->MemHostAlloc(memory, bytes, flags); });
}
EXPORT Error hipHostFree(void* memory) {
  return Forward([&] { return driver->MemFreeHost(memory); });
}
EXPORT Error hipMemsetAsync(void* address, int value, size_t bytes, Stream stream) {
  return Forward(
      [&] { return driver->MemsetD8Async(Address(address), static_cast<unsigned char>(value), bytes, Of(stream)); });
}
EXPORT Error hipMemcpy(void* to, const void* from, size_t bytes, int kind) {
  if (kind != kCopyToDevice) return kErrorInvalidValue;
  return Forward([&] { return driver->MemcpyHtoD(Address(to), from, bytes); });
}
EXPORT Error hipMemcpyAsync(void* to, const void* from, size_t bytes, int kind, Stream stream) {
  return Forward([&] {
    return kind == kCopyToHost ? driver->MemcpyDtoHAsync(to, Address(from), bytes, Of(stream))
                               : driver->MemcpyHtoDAsync(Address(to), from, bytes, Of(stream));
  });
}

EXPORT Error hipStreamCreateWithFlags(Stream* stream, unsigned flags) {
  return Forward([&] { return driver->StreamCreate(reinterpret_cast<CUstream*>(stream), flags); });
}
EXPORT Error hipStreamSynchronize(Stream stream) {
  return Forward([&] { return driver->StreamSynchronize(Of(stream)); });
}
EXPORT Error hipStreamDestroy(Stream stream) {
  return Forward([&] { return driver->StreamDestroy(Of(stream)); });
}
EXPORT Error hipStreamWaitEvent(Stream stream, Event event, unsigned flags) {
  return Forward([&] { return driver->StreamWaitEvent(Of(stream), Of(event), flags); });
}
EXPORT Error hipEventCreateWithFlags(Event* event, unsigned flags) {
  return Forward([&] { return driver->EventCreate(reinterpret_cast<CUevent*>(event), flags); });
}
EXPORT Error hipEventRecord(Event event, Stream stream) {
  return Forward([&] { return driver->EventRecord(Of(event), Of(stream)); });
}
EXPORT Error hipEventQuery(Event event) {
  return Forward([&] { return driver->EventQuery(Of(event)); });
}
EXPORT Error hipEventSynchronize(Event event) {
  return Forward([&] { return driver->EventSynchronize(Of(event)); });
}
EXPORT Error hipEventElapsedTime(float* milliseconds, Event start, Event end) {
  return Forward([&] { return driver->EventElapsedTime(milliseconds, Of(start), Of(end)); });
}
EXPORT Error hipEventDestroy(Event event) {
  return Forward([&] { return driver->EventDestroy(Of(event)); });
}

EXPORT Error hipModuleLoadData(Module* module, const void* image) {
  return Forward([&] { return Load(reinterpret_cast<CUmodule*>(module), image); });
}
EXPORT Error hipModuleUnload(Module module) {
  return Forward([&] { return driver->ModuleUnload(reinterpret_cast<CUmodule>(module)); });
}
EXPORT Error hipModuleGetFunction(Function* function, Module module, const char* name) {
  return Forward([&] {
    return driver->ModuleGetFunction(reinterpret_cast<CUfunction*>(function), reinterpret_cast<CUmodule>(module), name);
  });
}
EXPORT Error hipModuleLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   Stream stream, void** parameters, void** extra) {
  if (parameters != nullptr || extra[0] != kLaunchBuffer || extra[2] != kLaunchBufferSize || extra[4] != kLaunchEnd)
    return kErrorInvalidValue;
  void* arguments[] = {extra[1]};  // one structure
  return Forward([&] {
    return driver->LaunchKernel(reinterpret_cast<CUfunction>(function), grid_x, grid_y, grid_z, block_x, block_y,
                                block_z, shared_bytes, Of(stream), arguments, nullptr);
  });
}

EXPORT Error hipImportExternalMemory(ExternalMemory*, const ExternalMemoryHandle*) { return kErrorNotSupported; }
EXPORT Error hipExternalMemoryGetMappedBuffer(void**, ExternalMemory, const ExternalMemoryBuffer*) {
  return kErrorNotSupported;
}
EXPORT Error hipDestroyExternalMemory(ExternalMemory) { return kErrorNotSupported; }
