// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/cuda/stand_in_driver.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include "cuda/modules.h"
#include "tests/host_runner/host_device.h"
#include "tests/host_runner/registry.h"

// The driver's opaque types.
struct CUctx_st {};
struct CUstream_st {
  std::unique_ptr<vmafx::DeviceQueue> queue;
};
struct CUevent_st {
  std::unique_ptr<vmafx::DeviceMark> mark;
  bool recorded = false;
};
struct CUmod_st {
  std::string name;
};
struct CUfunc_st {};

namespace vmafx::cuda {
namespace {

StandIn state;
std::unique_ptr<host_runner::HostDevice> runner;
CUctx_st primary;
// The legacy default stream.
std::unique_ptr<DeviceQueue> default_queue;
std::set<CUstream> streams;

constexpr auto kInvalidValue = static_cast<CUresult>(1);
constexpr auto kNotFound = static_cast<CUresult>(500);
constexpr auto kInvalidContext = static_cast<CUresult>(201);
constexpr auto kLaunchFailed = static_cast<CUresult>(719);

CUresult Enter(const char* name, size_t bytes = 0) {
  state.calls.push_back({name, bytes});
  const int number = static_cast<int>(state.calls.size());
  if (state.failing_call == 0 || number < state.failing_call) return CUDA_SUCCESS;
  if (number != state.failing_call && !state.lost) return CUDA_SUCCESS;
  // A lost device runs nothing any more; here what was enqueued ends first.
  for (CUstream stream : streams) (void)stream->queue->Drain();
  return state.failure;
}

CUresult EnterContext(const char* name, size_t bytes = 0) {
  if (state.context_depth <= 0) return kInvalidContext;
  return Enter(name, bytes);
}

#define STAND_IN_ENTER(...) \
  if (const CUresult entered = Enter(__VA_ARGS__); entered != CUDA_SUCCESS) return entered
#define STAND_IN_ENTER_CONTEXT(...) \
  if (const CUresult entered = EnterContext(__VA_ARGS__); entered != CUDA_SUCCESS) return entered

CUresult Of(const Status& status) { return status.ok() ? CUDA_SUCCESS : kLaunchFailed; }

DeviceQueue& QueueOf(CUstream stream) {
  if (stream != nullptr) return *stream->queue;
  if (!default_queue) (void)runner->MakeQueue(&default_queue);
  return *default_queue;
}

CUresult CUDAAPI Init(unsigned) {
  STAND_IN_ENTER("Init");
  return state.init;
}
CUresult CUDAAPI DriverGetVersion(int* version) {
  *version = 12080;
  return Enter("DriverGetVersion");
}
CUresult CUDAAPI DeviceGetCount(int* count) {
  STAND_IN_ENTER("DeviceGetCount");
  *count = state.devices;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI DeviceGet(CUdevice* device, int ordinal) {
  STAND_IN_ENTER("DeviceGet");
  *device = ordinal;
  return ordinal < state.devices ? CUDA_SUCCESS : kInvalidValue;
}
// Descriptions are not counted: names in messages come through them.
CUresult CUDAAPI DeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 9; break;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: *value = 0x65 + device; break;
    default: *value = 0;
  }
  return CUDA_SUCCESS;
}
CUresult CUDAAPI DeviceGetName(char* name, int length, CUdevice device) {
  std::snprintf(name, static_cast<size_t>(length), "Stand-in %d", device);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI DeviceGetUuid(CUuuid* uuid, CUdevice device) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(16 * i + device);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI CtxPushCurrent(CUcontext) {
  STAND_IN_ENTER("CtxPushCurrent");
  ++state.context_depth;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI CtxPopCurrent(CUcontext* context) {
  --state.context_depth;
  *context = &primary;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI CtxGetDevice(CUdevice* device) {
  STAND_IN_ENTER_CONTEXT("CtxGetDevice");
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI DevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  STAND_IN_ENTER("DevicePrimaryCtxRetain");
  *context = &primary;
  ++state.live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI DevicePrimaryCtxRelease(CUdevice) {
  --state.live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI MemAlloc(CUdeviceptr* pointer, size_t bytes) {
  STAND_IN_ENTER_CONTEXT("MemAlloc", bytes);
  DeviceAddress address = 0;
  if (!runner->Allocate(bytes, &address).ok()) return kErrorOutOfMemory;
  *pointer = address;
  ++state.live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI MemFree(CUdeviceptr pointer) {
  runner->Free(pointer);
  --state.live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI MemHostAlloc(void** memory, size_t bytes, unsigned) {
  STAND_IN_ENTER_CONTEXT("MemHostAlloc", bytes);
  ++state.live;
  return Of(runner->AllocatePinned(bytes, memory));
}
CUresult CUDAAPI MemFreeHost(void* memory) {
  runner->FreePinned(memory);
  --state.live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI MemsetD8Async(CUdeviceptr pointer, unsigned char value, size_t bytes, CUstream stream) {
  STAND_IN_ENTER_CONTEXT("MemsetD8Async", bytes);
  return value == 0 ? Of(QueueOf(stream).Zero(pointer, bytes)) : kInvalidValue;
}
CUresult CUDAAPI MemcpyHtoD(CUdeviceptr pointer, const void* host, size_t bytes) {
  STAND_IN_ENTER_CONTEXT("MemcpyHtoD", bytes);
  return Of(runner->Upload(pointer, host, bytes));
}
CUresult CUDAAPI MemcpyHtoDAsync(CUdeviceptr pointer, const void* host, size_t bytes, CUstream stream) {
  STAND_IN_ENTER_CONTEXT("MemcpyHtoDAsync", bytes);
  return Of(QueueOf(stream).CopyToDevice(pointer, host, bytes));
}
CUresult CUDAAPI MemcpyDtoHAsync(void* host, CUdeviceptr pointer, size_t bytes, CUstream stream) {
  STAND_IN_ENTER_CONTEXT("MemcpyDtoHAsync", bytes);
  return Of(QueueOf(stream).CopyToHost(host, pointer, bytes));
}
CUresult CUDAAPI GetErrorName(CUresult error, const char** text) {
  *text = error == kErrorOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kLaunchFailed   ? "CUDA_ERROR_LAUNCH_FAILED"
                                     : "CUDA_ERROR_UNKNOWN";
  return CUDA_SUCCESS;
}
CUresult CUDAAPI GetErrorString(CUresult, const char** text) {
  *text = "the driver's own words";
  return CUDA_SUCCESS;
}
CUresult CUDAAPI StreamCreate(CUstream* stream, unsigned flags) {
  STAND_IN_ENTER_CONTEXT("StreamCreate");
  if (flags != 1) return kInvalidValue;  // a blocking stream would wait for the frames' producer and it for us
  *stream = new CUstream_st;
  streams.insert(*stream);
  ++state.live;
  return Of(runner->MakeQueue(&(*stream)->queue));
}
CUresult CUDAAPI StreamSynchronize(CUstream stream) {
  const Status drained = QueueOf(stream).Drain();
  STAND_IN_ENTER_CONTEXT("StreamSynchronize");
  return Of(drained);
}
CUresult CUDAAPI StreamDestroy(CUstream stream) {
  streams.erase(stream);
  delete stream;
  --state.live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI StreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  STAND_IN_ENTER_CONTEXT("StreamWaitEvent");
  return Of(QueueOf(stream).WaitFor(*event->mark));
}
CUresult CUDAAPI EventCreate(CUevent* event, unsigned) {
  STAND_IN_ENTER_CONTEXT("EventCreate");
  *event = new CUevent_st;
  ++state.live;
  return Of(runner->MakeMark(false, &(*event)->mark));
}
CUresult CUDAAPI EventDestroy(CUevent event) {
  delete event;
  --state.live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI EventRecord(CUevent event, CUstream stream) {
  STAND_IN_ENTER_CONTEXT("EventRecord");
  return Of(QueueOf(stream).Record(*event->mark));
}
// Polling is not counted: how often it happens depends on the machine.
CUresult CUDAAPI EventQuery(CUevent event) {
  bool done = false;
  const Status status = event->mark->Done(&done);
  return !status.ok() ? kLaunchFailed : done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult CUDAAPI EventSynchronize(CUevent event) {
  const Status waited = event->mark->Wait();
  STAND_IN_ENTER_CONTEXT("EventSynchronize");
  return Of(waited);
}
CUresult CUDAAPI EventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  double elapsed = 0;
  const Status status = end->mark->MillisecondsSince(*start->mark, &elapsed);
  *milliseconds = static_cast<float>(elapsed);
  return Of(status);
}
CUresult CUDAAPI ModuleLoadData(CUmodule* module, const void* image) {
  STAND_IN_ENTER_CONTEXT("ModuleLoadData");
  for (const ModuleImage& known : ModuleImages()) {
    if (known.data != image) continue;
    *module = new CUmod_st{known.name};
    ++state.live;
    return CUDA_SUCCESS;
  }
  // An image of another copy of the library: ModuleGetFunction() looks in all modules.
  *module = new CUmod_st;
  ++state.live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI ModuleUnload(CUmodule module) {
  delete module;
  --state.live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI ModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  STAND_IN_ENTER_CONTEXT("ModuleGetFunction");
  const host_runner::HostKernel* kernel = host_runner::FindHostKernel(module->name, name);
  for (const host_runner::HostKernel* known : host_runner::HostKernels())
    if (module->name.empty() && known->name == name) kernel = known;
  *function = reinterpret_cast<CUfunction>(const_cast<host_runner::HostKernel*>(kernel));
  return kernel != nullptr ? CUDA_SUCCESS : kNotFound;
}
CUresult CUDAAPI LaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
                              void** parameters, void**) {
  const auto* kernel = reinterpret_cast<const host_runner::HostKernel*>(function);
  STAND_IN_ENTER_CONTEXT("LaunchKernel");
  return Of(QueueOf(stream).Launch(kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes,
                                   parameters[0], kernel->argument_bytes));
}

}  // namespace

StandIn& TheStandIn() { return state; }

void ResetStandIn() {
  default_queue.reset();
  state = {};
  runner = host_runner::MakeHostDevice({.wave_size = 32});
}

const Driver& StandInDriver() {
  static const Driver driver = {
      .Init = Init,
      .DeviceGetCount = DeviceGetCount,
      .DeviceGet = DeviceGet,
      .DeviceGetAttribute = DeviceGetAttribute,
      .DeviceGetName = DeviceGetName,
      .DeviceGetUuid = DeviceGetUuid,
      .CtxPushCurrent = CtxPushCurrent,
      .CtxPopCurrent = CtxPopCurrent,
      .CtxGetDevice = CtxGetDevice,
      .DevicePrimaryCtxRetain = DevicePrimaryCtxRetain,
      .DevicePrimaryCtxRelease = DevicePrimaryCtxRelease,
      .MemAlloc = MemAlloc,
      .MemFree = MemFree,
      .MemsetD8Async = MemsetD8Async,
      .MemcpyHtoD = MemcpyHtoD,
      .MemcpyHtoDAsync = MemcpyHtoDAsync,
      .MemcpyDtoHAsync = MemcpyDtoHAsync,
      .GetErrorName = GetErrorName,
      .GetErrorString = GetErrorString,
      .StreamCreate = StreamCreate,
      .StreamSynchronize = StreamSynchronize,
      .StreamDestroy = StreamDestroy,
      .EventCreate = EventCreate,
      .EventDestroy = EventDestroy,
      .EventSynchronize = EventSynchronize,
      .EventQuery = EventQuery,
      .EventRecord = EventRecord,
      .LaunchKernel = LaunchKernel,
      .ModuleLoadData = ModuleLoadData,
      .ModuleUnload = ModuleUnload,
      .ModuleGetFunction = ModuleGetFunction,
      .DriverGetVersion = DriverGetVersion,
      .StreamWaitEvent = StreamWaitEvent,
      .EventElapsedTime = EventElapsedTime,
      .MemHostAlloc = MemHostAlloc,
      .MemFreeHost = MemFreeHost,
  };
  return driver;
}

}  // namespace vmafx::cuda
