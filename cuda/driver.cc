// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "cuda/driver.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>

namespace {

// The loader's messages go into the error instead of to stderr.
void AppendLoaderMessage(void* text, const char* format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  *static_cast<std::string*>(text) += line;
}

}  // namespace

#define FFNV_LOG_FUNC(logctx, msg, ...) AppendLoaderMessage(logctx, msg, __VA_ARGS__)
#define FFNV_DEBUG_LOG_FUNC(logctx, msg, ...)
#include <ffnvcodec/dynlink_loader.h>

namespace vmafx::cuda {
namespace {

struct Loaded {
  Driver driver{};
  Status status;
};

template <class Function>
bool Find(const CudaFunctions& table, const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(dlsym(table.lib, name));
  return *function != nullptr;
}

std::string Trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Loaded Load() {
  Loaded loaded;
  std::string messages;
  CudaFunctions* table = nullptr;
  dlerror();
  if (cuda_load_functions(&table, &messages) != 0) {
    const char* reason = dlerror();
    // A library that is there and lacks a function; the loader names one or the other.
    if (messages.find("libcuda") == std::string::npos) {
      loaded.status = Status::Device("CUDA: the NVIDIA driver is too old (" + Trimmed(messages) +
                                     "): update it, or use backend=cpu");
      return loaded;
    }
    loaded.status = Status::Device("CUDA: no usable NVIDIA driver: " + Trimmed(messages) +
                                   (reason != nullptr ? std::string(" (") + reason + ")" : std::string()) +
                                   ": install the driver, or use backend=cpu");
    return loaded;
  }
  Driver& driver = loaded.driver;
  driver.Init = table->cuInit;
  driver.DeviceGetCount = table->cuDeviceGetCount;
  driver.DeviceGet = table->cuDeviceGet;
  driver.DeviceGetAttribute = table->cuDeviceGetAttribute;
  driver.DeviceGetName = table->cuDeviceGetName;
  driver.DeviceGetUuid = table->cuDeviceGetUuid;
  driver.CtxPushCurrent = table->cuCtxPushCurrent;
  driver.CtxPopCurrent = table->cuCtxPopCurrent;
  driver.CtxGetDevice = table->cuCtxGetDevice;
  driver.DevicePrimaryCtxRetain = table->cuDevicePrimaryCtxRetain;
  driver.DevicePrimaryCtxRelease = table->cuDevicePrimaryCtxRelease;
  driver.MemAlloc = table->cuMemAlloc;
  driver.MemFree = table->cuMemFree;
  driver.MemsetD8Async = table->cuMemsetD8Async;
  driver.MemcpyHtoD = table->cuMemcpyHtoD;
  driver.MemcpyHtoDAsync = table->cuMemcpyHtoDAsync;
  driver.MemcpyDtoHAsync = table->cuMemcpyDtoHAsync;
  driver.GetErrorName = table->cuGetErrorName;
  driver.GetErrorString = table->cuGetErrorString;
  driver.StreamCreate = table->cuStreamCreate;
  driver.StreamSynchronize = table->cuStreamSynchronize;
  driver.StreamDestroy = table->cuStreamDestroy;
  driver.EventCreate = table->cuEventCreate;
  driver.EventDestroy = table->cuEventDestroy;
  driver.EventSynchronize = table->cuEventSynchronize;
  driver.EventQuery = table->cuEventQuery;
  driver.EventRecord = table->cuEventRecord;
  driver.LaunchKernel = table->cuLaunchKernel;
  driver.ModuleLoadData = table->cuModuleLoadData;
  driver.ModuleUnload = table->cuModuleUnload;
  driver.ModuleGetFunction = table->cuModuleGetFunction;
  if (!Find(*table, "cuDriverGetVersion", &driver.DriverGetVersion) ||
      !Find(*table, "cuStreamWaitEvent", &driver.StreamWaitEvent) ||
      !Find(*table, "cuEventElapsedTime", &driver.EventElapsedTime) ||
      !Find(*table, "cuMemHostAlloc", &driver.MemHostAlloc) || !Find(*table, "cuMemFreeHost", &driver.MemFreeHost)) {
    loaded.status = Status::Device("CUDA: the NVIDIA driver is too old (it lacks functions of CUDA 4): update it");
    return loaded;
  }
  loaded.status = Check(driver, driver.Init(0), "initialising the NVIDIA driver");
  return loaded;
}

}  // namespace

Status LoadDriver(const Driver** driver) {
  static const Loaded loaded = Load();
  *driver = &loaded.driver;
  return loaded.status;
}

Status Check(const Driver& driver, CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  driver.GetErrorName(result, &name);
  driver.GetErrorString(result, &text);
  const std::string code = name != nullptr ? name : "error " + std::to_string(static_cast<int>(result));
  const std::string message = "CUDA: " + what + ": " + code + (text != nullptr ? std::string(" (") + text + ")" : "");
  return result == kErrorOutOfMemory ? Status::Memory(message) : Status::Device(message);
}

}  // namespace vmafx::cuda
