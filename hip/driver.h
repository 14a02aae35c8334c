// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HIP library's functions, found at run time. Prototypes and constants are our own: nothing of HIP is needed to
// build. Only functions that ROCm 5.0 has are required, and of the structures that changed between releases only what
// is in all of them is used.
#ifndef VMAFX_HIP_DRIVER_H_
#define VMAFX_HIP_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/engine/status.h"

namespace vmafx::hip {

// hipError_t: the same numbers in ROCm 5, 6 and 7.
using Error = int;
inline constexpr Error kSuccess = 0, kErrorInvalidValue = 1, kErrorOutOfMemory = 2, kErrorNoDevice = 100,
                       kErrorInvalidDevice = 101, kErrorNoBinaryForGpu = 209, kErrorNotFound = 500,
                       kErrorNotReady = 600, kErrorLaunchFailure = 719, kErrorNotSupported = 801;

using Stream = struct ihipStream_t*;
using Event = struct ihipEvent_t*;
using Module = struct ihipModule_t*;
using Function = struct ihipModuleSymbol_t*;
using ExternalMemory = void*;

inline constexpr unsigned kStreamNonBlocking = 1;         // hipStreamNonBlocking
inline constexpr unsigned kEventBlockingSync = 1;         // hipEventBlockingSync: the host sleeps while it waits
inline constexpr unsigned kEventDisableTiming = 2;        // hipEventDisableTiming
inline constexpr int kCopyToDevice = 1, kCopyToHost = 2;  // hipMemcpyKind
inline constexpr int kAttributeMultiprocessors = 63, kAttributeWaveSize = 87;  // hipDeviceAttribute_t

// The list that ends `extra` of hipModuleLaunchKernel.
inline void* const kLaunchBuffer = reinterpret_cast<void*>(1);
inline void* const kLaunchBufferSize = reinterpret_cast<void*>(2);
inline void* const kLaunchEnd = reinterpret_cast<void*>(3);

// hipDeviceProp_t: 792 bytes in ROCm 5, 1472 in 6 and 7, where hipGetDeviceProperties still fills the old one. Read by
// offset, with room for a longer one.
struct PropertiesBuffer {
  alignas(16) char bytes[8192];
};
struct PropertiesLayout {
  size_t wave_size;     // int warpSize
  size_t architecture;  // char gcnArchName[256]
};
inline constexpr PropertiesLayout kPropertiesR0000 = {276, 396}, kPropertiesR0600 = {308, 1160};

struct Uuid {
  char bytes[16];
};

// hipExternalMemoryHandleDesc and hipExternalMemoryBufferDesc, as ROCm 6 has them; what ROCm 5 has is their beginning.
struct ExternalMemoryHandle {
  int type = 1;  // hipExternalMemoryHandleTypeOpaqueFd
  union {
    int fd;
    void* pointers[2] = {};
  };
  uint64_t size = 0;
  unsigned flags = 0;
  unsigned reserved[16] = {};
};
static_assert(offsetof(ExternalMemoryHandle, fd) == 8 && offsetof(ExternalMemoryHandle, size) == 24 &&
              sizeof(ExternalMemoryHandle) == 104);
struct ExternalMemoryBuffer {
  uint64_t offset = 0;
  uint64_t size = 0;
  unsigned flags = 0;
  unsigned reserved[16] = {};
};
static_assert(sizeof(ExternalMemoryBuffer) == 88);

// X(name without "hip", parameters), each giving an Error.
#define VMAFX_HIP_FUNCTIONS(X)                                                                                  \
  X(Init, (unsigned flags))                                                                                     \
  X(RuntimeGetVersion, (int* version))                                                                          \
  X(GetDeviceCount, (int* count))                                                                               \
  X(GetDevice, (int* device))                                                                                   \
  X(SetDevice, (int device))                                                                                    \
  X(DeviceGetAttribute, (int* value, int attribute, int device))                                                \
  X(DeviceGetPCIBusId, (char* text, int length, int device))                                                    \
  X(Malloc, (void** address, size_t bytes))                                                                     \
  X(Free, (void* address))                                                                                      \
  X(HostMalloc, (void** memory, size_t bytes, unsigned flags))                                                  \
  X(HostFree, (void* memory))                                                                                   \
  X(MemsetAsync, (void* address, int value, size_t bytes, Stream stream))                                       \
  X(Memcpy, (void* to, const void* from, size_t bytes, int kind))                                               \
  X(MemcpyAsync, (void* to, const void* from, size_t bytes, int kind, Stream stream))                           \
  X(StreamCreateWithFlags, (Stream * stream, unsigned flags))                                                   \
  X(StreamSynchronize, (Stream stream))                                                                         \
  X(StreamDestroy, (Stream stream))                                                                             \
  X(StreamWaitEvent, (Stream stream, Event event, unsigned flags))                                              \
  X(EventCreateWithFlags, (Event * event, unsigned flags))                                                      \
  X(EventRecord, (Event event, Stream stream))                                                                  \
  X(EventQuery, (Event event))                                                                                  \
  X(EventSynchronize, (Event event))                                                                            \
  X(EventElapsedTime, (float* milliseconds, Event start, Event end))                                            \
  X(EventDestroy, (Event event))                                                                                \
  X(ModuleLoadData, (Module * module, const void* image))                                                       \
  X(ModuleUnload, (Module module))                                                                              \
  X(ModuleGetFunction, (Function * function, Module module, const char* name))                                  \
  X(ModuleLaunchKernel,                                                                                         \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,  \
     unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters, void** extra))                  \
  X(ImportExternalMemory, (ExternalMemory * memory, const ExternalMemoryHandle* handle))                        \
  X(ExternalMemoryGetMappedBuffer, (void** address, ExternalMemory memory, const ExternalMemoryBuffer* buffer)) \
  X(DestroyExternalMemory, (ExternalMemory memory))

struct Driver {
  std::string file;  // the name it was opened by
#define VMAFX_HIP_MEMBER(name, parameters) Error(*name) parameters = nullptr;
  VMAFX_HIP_FUNCTIONS(VMAFX_HIP_MEMBER)
#undef VMAFX_HIP_MEMBER
  Error (*GetDeviceProperties)(void* properties, int device) = nullptr;  // fills what `layout` says
  PropertiesLayout layout = kPropertiesR0000;
  // Whether memory mapped of external memory is given back by Free(), before the external memory. In ROCm 5 it goes with
  // the external memory, and Free() would take it for an allocation.
  bool frees_mappings = false;
  const char* (*GetErrorName)(Error error) = nullptr;
  const char* (*GetErrorString)(Error error) = nullptr;
  // Null in older releases.
  Error (*DeviceGetUuid)(Uuid* uuid, int device) = nullptr;
  Error (*DrvGetErrorString)(Error error, const char** text) = nullptr;
};

// Names of the library, newest first.
std::span<const char* const> LibraryNames();

// Opens the first of the libraries that is there and initialises it; it stays open. The error says why there is none.
Status OpenDriver(std::span<const char* const> names, Driver* driver);

// OpenDriver() of LibraryNames(), once per process.
Status LoadDriver(const Driver** driver);

// "libamdhip64.so.6, HIP 6.2".
std::string Describe(const Driver& driver);

// OK, or "HIP: <what>: <name> (<text>)" in the library's words.
Status Check(const Driver& driver, Error error, const std::string& what);

// What is said where the library finds no GPU; `error` is what it returned.
Status NoDevice(const Driver& driver, Error error);

// As Check(), where `what` need not be put together on the way without an error.
#define VMAFX_HIP_RETURN_IF_ERROR(driver, call, what)                                \
  do {                                                                               \
    if (const ::vmafx::hip::Error error_ = (call); error_ != ::vmafx::hip::kSuccess) \
      return ::vmafx::hip::Check(driver, error_, what);                              \
  } while (0)

}  // namespace vmafx::hip
#endif  // VMAFX_HIP_DRIVER_H_
