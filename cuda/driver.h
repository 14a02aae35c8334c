// SPDX-License-Identifier: BSD-2-Clause-Patent
// The CUDA driver's functions, found at run time by ffnvcodec's loader. A structure of pointers, so that tests may put
// themselves between the library and the driver.
#ifndef VMAFX_CUDA_DRIVER_H_
#define VMAFX_CUDA_DRIVER_H_

#include <ffnvcodec/dynlink_cuda.h>

#include <string>

#include "core/engine/status.h"

namespace vmafx::cuda {

struct Driver {
  tcuInit* Init;
  tcuDeviceGetCount* DeviceGetCount;
  tcuDeviceGet* DeviceGet;
  tcuDeviceGetAttribute* DeviceGetAttribute;
  tcuDeviceGetName* DeviceGetName;
  tcuDeviceGetUuid* DeviceGetUuid;  // may be null
  tcuCtxPushCurrent_v2* CtxPushCurrent;
  tcuCtxPopCurrent_v2* CtxPopCurrent;
  tcuCtxGetDevice* CtxGetDevice;
  tcuDevicePrimaryCtxRetain* DevicePrimaryCtxRetain;
  tcuDevicePrimaryCtxRelease* DevicePrimaryCtxRelease;
  tcuMemAlloc_v2* MemAlloc;
  tcuMemFree_v2* MemFree;
  tcuMemsetD8Async* MemsetD8Async;
  tcuMemcpyHtoD_v2* MemcpyHtoD;
  tcuMemcpyHtoDAsync_v2* MemcpyHtoDAsync;
  tcuMemcpyDtoHAsync_v2* MemcpyDtoHAsync;
  tcuGetErrorName* GetErrorName;
  tcuGetErrorString* GetErrorString;
  tcuStreamCreate* StreamCreate;
  tcuStreamSynchronize* StreamSynchronize;
  tcuStreamDestroy_v2* StreamDestroy;
  tcuEventCreate* EventCreate;
  tcuEventDestroy_v2* EventDestroy;
  tcuEventSynchronize* EventSynchronize;
  tcuEventQuery* EventQuery;
  tcuEventRecord* EventRecord;
  tcuLaunchKernel* LaunchKernel;
  tcuModuleLoadData* ModuleLoadData;
  tcuModuleUnload* ModuleUnload;
  tcuModuleGetFunction* ModuleGetFunction;
  // Not in every version of the loader's table: looked up in the library it opened.
  CUresult(CUDAAPI* DriverGetVersion)(int* version);
  CUresult(CUDAAPI* StreamWaitEvent)(CUstream stream, CUevent event, unsigned flags);
  CUresult(CUDAAPI* EventElapsedTime)(float* milliseconds, CUevent start, CUevent end);
  CUresult(CUDAAPI* MemHostAlloc)(void** memory, size_t bytes, unsigned flags);
  CUresult(CUDAAPI* MemFreeHost)(void* memory);
};

// Opens the driver and initialises it, once per process; it stays open. The error says why there is none.
Status LoadDriver(const Driver** driver);

// Results of cuda.h that the loader's header leaves out.
inline constexpr auto kErrorOutOfMemory = static_cast<CUresult>(2);
inline constexpr auto kErrorNoBinaryForGpu = static_cast<CUresult>(209);
inline constexpr auto kErrorUnsupportedPtxVersion = static_cast<CUresult>(222);

// OK, or "CUDA: <what>: <name> (<text>)" in the driver's words.
Status Check(const Driver& driver, CUresult result, const std::string& what);

// As Check(), where `what` need not be put together on the way without an error.
#define VMAFX_CUDA_RETURN_IF_ERROR(driver, call, what)                                                           \
  do {                                                                                                           \
    if (const CUresult result_ = (call); result_ != CUDA_SUCCESS) return ::vmafx::cuda::Check(driver, result_, what); \
  } while (0)

}  // namespace vmafx::cuda
#endif  // VMAFX_CUDA_DRIVER_H_
