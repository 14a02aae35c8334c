// SPDX-License-Identifier: BSD-2-Clause-Patent
// The stand-in driver as a libcuda.so.1 that programs load: with it ffmpeg makes CUDA frames (hwupload) and measures
// them without a GPU. It adds what FFmpeg calls, and it knows contexts: whoever uses one that was destroyed, or none,
// ends the program at once, where a driver may or may not. When a context is destroyed it tells how many allocations,
// streams, events and modules were not given back, and how often each function was called.
//
// Environment: VMAFX_STAND_IN_FAIL=CALL:N[:lost] lets the N-th call of that name fail, for want of memory or, with
// "lost", because the device is lost from there on.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tests/cuda/stand_in_driver.h"

namespace vmafx::cuda {
namespace {

constexpr auto kNotSupported = static_cast<CUresult>(801);
constexpr auto kLaunchFailed = static_cast<CUresult>(719);

struct Context {
  CUdevice device = 0;
};

// One call at a time: the stand-in driver is for one thread. Its queues have threads of their own and never call back.
std::recursive_mutex mutex;
std::set<Context*> contexts;
std::map<CUdevice, Context> primary;
std::map<std::string, int> counts;

struct Calls {
  int number = 0;
  size_t bytes = 0;  // of copies and allocations
};
std::map<std::string, Calls> calls;  // from outside
bool lost = false;

// Contexts that a thread has pushed. Never destroyed: what runs at the program's end may still push.
std::vector<Context*>& Stack() {
  thread_local auto* const stack = new std::vector<Context*>;
  return *stack;
}

[[noreturn]] void Complain(const char* what, const char* call) {
  std::fprintf(stderr, "stand-in driver: %s: %s\n", call, what);
  std::abort();
}

const Driver& TheDriver() {
  static const bool reset = (ResetStandIn(), true);
  (void)reset;
  return StandInDriver();
}

bool Known(Context* context) { return contexts.count(context) != 0; }

// What the environment wants of this call.
CUresult Wanted(const char* name) {
  static const std::string fail = std::getenv("VMAFX_STAND_IN_FAIL") ? std::getenv("VMAFX_STAND_IN_FAIL") : "";
  if (fail.empty()) return CUDA_SUCCESS;
  if (lost) return kLaunchFailed;
  const std::string here = std::string(name) + ":" + std::to_string(++counts[name]);
  if (fail == here) return kErrorOutOfMemory;
  if (fail != here + ":lost") return CUDA_SUCCESS;
  lost = true;
  StandIn& state = TheStandIn();
  state.failing_call = static_cast<int>(state.calls.size()) + 1;
  state.lost = true;
  int version = 0;
  return TheDriver().DriverGetVersion(&version);  // the call that fails, and ends what was enqueued
}

// A lost device cannot be entered, and what belongs to it is not given back.
void CheckCurrent(const char* call) {
  if (Stack().empty() && lost) return;
  if (Stack().empty()) Complain("no context is current", call);
  if (!Known(Stack().back())) Complain("the current context was destroyed", call);
}

template <class Function, class... Arguments>
CUresult Forward(const char* name, Function* function, Arguments... arguments) {
  std::lock_guard lock(mutex);
  CheckCurrent(name);
  if (const CUresult wanted = Wanted(name); wanted != CUDA_SUCCESS) return wanted;
  const CUresult result = function(arguments...);
  Calls& of_name = calls[name];
  ++of_name.number;
  of_name.bytes += TheStandIn().calls.back().bytes;
  return result;
}

// The host's side of the copy before.
void* staging = nullptr;

void FreeStaging() {
  if (staging != nullptr) TheDriver().MemFreeHost(staging);
  staging = nullptr;
}

// Rows to the device, in order with the stream's work and later than the call; the source may go at once.
CUresult CopyRows(const CUDA_MEMCPY2D& copy, CUstream stream) {
  const Driver& driver = TheDriver();
  const auto* source = static_cast<const char*>(copy.srcHost);
  const size_t bytes = copy.dstPitch * (copy.Height - 1) + copy.WidthInBytes;
  driver.StreamSynchronize(stream);
  FreeStaging();
  if (const CUresult result = driver.MemHostAlloc(&staging, bytes, 0); result != CUDA_SUCCESS) return result;
  for (size_t y = 0; y < copy.Height; ++y)
    std::memcpy(static_cast<char*>(staging) + y * copy.dstPitch, source + y * copy.srcPitch, copy.WidthInBytes);
  return driver.MemcpyHtoDAsync(copy.dstDevice, staging, bytes, stream);
}

CUresult Copy2D(const CUDA_MEMCPY2D* copy, CUstream stream) {
  if (copy->Height == 0) return CUDA_SUCCESS;
  if (copy->srcMemoryType == CU_MEMORYTYPE_HOST && copy->dstMemoryType == CU_MEMORYTYPE_DEVICE)
    return CopyRows(*copy, stream);
  if (copy->srcMemoryType != CU_MEMORYTYPE_DEVICE || copy->dstMemoryType != CU_MEMORYTYPE_HOST) return kNotSupported;
  TheDriver().StreamSynchronize(stream);
  for (size_t y = 0; y < copy->Height; ++y)
    std::memcpy(static_cast<char*>(copy->dstHost) + y * copy->dstPitch,
                reinterpret_cast<const char*>(copy->srcDevice) + y * copy->srcPitch, copy->WidthInBytes);
  return CUDA_SUCCESS;
}

CUresult Push(Context* context) {
  if (!Known(context)) Complain("the context was destroyed", "cuCtxPushCurrent");
  CUcontext any = nullptr;
  if (const CUresult wanted = Wanted("CtxPushCurrent"); wanted != CUDA_SUCCESS) return wanted;
  Stack().push_back(context);
  return TheDriver().CtxPushCurrent(any);
}

CUresult Unsupported() { return kNotSupported; }

}  // namespace
}  // namespace vmafx::cuda

#define EXPORT extern "C" __attribute__((visibility("default")))
#define FORWARD(symbol, name, parameters, ...)                                           \
  EXPORT CUresult symbol parameters {                                                    \
    return vmafx::cuda::Forward(#name, vmafx::cuda::TheDriver().name, __VA_ARGS__);      \
  }
// Asked for by the loader, called by nobody here.
#define ABSENT(symbol) \
  EXPORT CUresult symbol() { return vmafx::cuda::Unsupported(); }

using vmafx::cuda::Context;
using vmafx::cuda::contexts;
using vmafx::cuda::mutex;
using vmafx::cuda::Stack;
using vmafx::cuda::TheDriver;

EXPORT CUresult cuInit(unsigned flags) {
  std::lock_guard lock(mutex);
  return TheDriver().Init(flags);
}
EXPORT CUresult cuDriverGetVersion(int* version) { return TheDriver().DriverGetVersion(version); }
EXPORT CUresult cuDeviceGetCount(int* count) {
  std::lock_guard lock(mutex);
  return TheDriver().DeviceGetCount(count);
}
EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  std::lock_guard lock(mutex);
  return TheDriver().DeviceGet(device, ordinal);
}
EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  constexpr int kTextureAlignment = 14;
  if (static_cast<int>(attribute) == kTextureAlignment) {
    *value = 512;
    return CUDA_SUCCESS;
  }
  return TheDriver().DeviceGetAttribute(value, attribute, device);
}
EXPORT CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return TheDriver().DeviceGetName(name, length, device);
}
EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return TheDriver().DeviceGetUuid(uuid, device); }

EXPORT CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  std::lock_guard lock(mutex);
  auto* made = new Context{device};
  contexts.insert(made);
  *context = reinterpret_cast<CUcontext>(made);
  return vmafx::cuda::Push(made);
}
EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  std::lock_guard lock(mutex);
  auto* gone = reinterpret_cast<Context*>(context);
  if (contexts.erase(gone) == 0) vmafx::cuda::Complain("the context was destroyed before", "cuCtxDestroy");
  vmafx::cuda::FreeStaging();
  std::fprintf(stderr, "stand-in driver: a context is destroyed, %d things were not given back\n",
               vmafx::cuda::TheStandIn().live);
  for (const auto& [name, calls] : vmafx::cuda::calls)
    std::fprintf(stderr, "stand-in driver: called %s %d times, %zu bytes\n", name.c_str(), calls.number, calls.bytes);
  return CUDA_SUCCESS;  // never freed, so that its address is not another one's
}
EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  std::lock_guard lock(mutex);
  return vmafx::cuda::Push(reinterpret_cast<Context*>(context));
}
EXPORT CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  std::lock_guard lock(mutex);
  if (Stack().empty() && vmafx::cuda::lost) return vmafx::cuda::kLaunchFailed;  // as FFmpeg does, which never looks
  if (Stack().empty()) vmafx::cuda::Complain("no context is current", "cuCtxPopCurrent");
  CUcontext any;
  TheDriver().CtxPopCurrent(&any);
  *context = reinterpret_cast<CUcontext>(Stack().back());
  Stack().pop_back();
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = Stack().empty() ? nullptr : reinterpret_cast<CUcontext>(Stack().back());
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  std::lock_guard lock(mutex);
  vmafx::cuda::CheckCurrent("cuCtxGetDevice");
  *device = Stack().back()->device;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  std::lock_guard lock(mutex);
  Context* of_device = &vmafx::cuda::primary[device];
  of_device->device = device;
  contexts.insert(of_device);
  const CUresult result = TheDriver().DevicePrimaryCtxRetain(context, device);
  *context = reinterpret_cast<CUcontext>(of_device);
  return result;
}
EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  std::lock_guard lock(mutex);
  return TheDriver().DevicePrimaryCtxRelease(device);
}

EXPORT CUresult cuGetErrorName(CUresult error, const char** text) { return TheDriver().GetErrorName(error, text); }
EXPORT CUresult cuGetErrorString(CUresult error, const char** text) { return TheDriver().GetErrorString(error, text); }

FORWARD(cuMemAlloc_v2, MemAlloc, (CUdeviceptr* pointer, size_t bytes), pointer, bytes)
FORWARD(cuMemHostAlloc, MemHostAlloc, (void** memory, size_t bytes, unsigned flags), memory, bytes, flags)
FORWARD(cuMemsetD8Async, MemsetD8Async, (CUdeviceptr pointer, unsigned char value, size_t bytes, CUstream stream),
        pointer, value, bytes, stream)
FORWARD(cuMemcpyHtoD_v2, MemcpyHtoD, (CUdeviceptr pointer, const void* host, size_t bytes), pointer, host, bytes)
FORWARD(cuMemcpyHtoDAsync_v2, MemcpyHtoDAsync, (CUdeviceptr pointer, const void* host, size_t bytes, CUstream stream),
        pointer, host, bytes, stream)
FORWARD(cuMemcpyDtoHAsync_v2, MemcpyDtoHAsync, (void* host, CUdeviceptr pointer, size_t bytes, CUstream stream), host,
        pointer, bytes, stream)
FORWARD(cuStreamCreate, StreamCreate, (CUstream* stream, unsigned flags), stream, flags)
FORWARD(cuStreamSynchronize, StreamSynchronize, (CUstream stream), stream)
FORWARD(cuStreamWaitEvent, StreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), stream, event, flags)
FORWARD(cuEventCreate, EventCreate, (CUevent* event, unsigned flags), event, flags)
FORWARD(cuEventSynchronize, EventSynchronize, (CUevent event), event)
FORWARD(cuEventQuery, EventQuery, (CUevent event), event)
FORWARD(cuEventRecord, EventRecord, (CUevent event, CUstream stream), event, stream)
FORWARD(cuEventElapsedTime, EventElapsedTime, (float* milliseconds, CUevent start, CUevent end), milliseconds, start,
        end)
FORWARD(cuModuleLoadData, ModuleLoadData, (CUmodule* module, const void* image), module, image)
FORWARD(cuModuleGetFunction, ModuleGetFunction, (CUfunction* function, CUmodule module, const char* name), function,
        module, name)
FORWARD(cuLaunchKernel, LaunchKernel,
        (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
         unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra),
        function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters, extra)
EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return vmafx::cuda::Forward("Memcpy2DAsync", vmafx::cuda::Copy2D, copy, stream);
}

// What gives things back works on a lost device, too, and needs a context all the same.
#define GIVE_BACK(symbol, name, Type)          \
  EXPORT CUresult symbol(Type given) {         \
    std::lock_guard lock(mutex);               \
    vmafx::cuda::CheckCurrent(#name);          \
    return TheDriver().name(given);            \
  }
GIVE_BACK(cuMemFree_v2, MemFree, CUdeviceptr)
GIVE_BACK(cuMemFreeHost, MemFreeHost, void*)
GIVE_BACK(cuStreamDestroy_v2, StreamDestroy, CUstream)
GIVE_BACK(cuEventDestroy_v2, EventDestroy, CUevent)
GIVE_BACK(cuModuleUnload, ModuleUnload, CUmodule)

ABSENT(cuDeviceComputeCapability)
ABSENT(cuCtxSetLimit)
ABSENT(cuMemAllocPitch_v2)
ABSENT(cuMemAllocManaged)
ABSENT(cuMemcpy)
ABSENT(cuMemcpyAsync)
ABSENT(cuMemcpy2D_v2)
ABSENT(cuMemcpyDtoH_v2)
ABSENT(cuMemcpyDtoD_v2)
ABSENT(cuMemcpyDtoDAsync_v2)
ABSENT(cuDevicePrimaryCtxSetFlags)
ABSENT(cuDevicePrimaryCtxGetState)
ABSENT(cuDevicePrimaryCtxReset)
ABSENT(cuStreamQuery)
ABSENT(cuStreamAddCallback)
ABSENT(cuLinkCreate)
ABSENT(cuLinkAddData)
ABSENT(cuLinkComplete)
ABSENT(cuLinkDestroy)
ABSENT(cuModuleGetGlobal)
ABSENT(cuTexObjectCreate)
ABSENT(cuTexObjectDestroy)
ABSENT(cuGLGetDevices_v2)
ABSENT(cuGraphicsGLRegisterImage)
ABSENT(cuGraphicsUnregisterResource)
ABSENT(cuGraphicsMapResources)
ABSENT(cuGraphicsUnmapResources)
ABSENT(cuGraphicsSubResourceGetMappedArray)
ABSENT(cuGraphicsResourceGetMappedPointer_v2)
ABSENT(cuArrayCreate_v2)
ABSENT(cuArray3DCreate_v2)
ABSENT(cuArrayDestroy)
