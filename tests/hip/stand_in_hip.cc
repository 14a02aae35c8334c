// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/hip/stand_in_hip.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "hip/code_object.h"
#include "tests/host_runner/host_device.h"
#include "tests/host_runner/registry.h"

namespace vmafx::hip {
namespace {

using host_runner::HostKernel;

struct Architecture {
  const char* name;
  int wave_size;
  unsigned machine;  // EF_AMDGPU_MACH of the code objects
};
constexpr Architecture kArchitectures[] = {{"gfx1100", 32, 0x41}, {"gfx90a", 64, 0x3f}};

// Commands that were enqueued and not yet run.
struct LazyStream {
  int device = 0;
  std::unique_ptr<DeviceQueue> queue;  // that runs one command at a time
  std::deque<std::function<Error()>> commands;
  uint64_t enqueued = 0, done = 0;
  Error error = kSuccess;  // of the first command that failed: none runs after it

  void Enqueue(std::function<Error()> command) {
    commands.push_back(std::move(command));
    ++enqueued;
  }
  Error RunUntil(uint64_t position) {
    while (done < position) {
      const std::function<Error()> command = std::move(commands.front());
      commands.pop_front();
      ++done;
      if (error == kSuccess) error = command();
    }
    return error;
  }
};

struct LazyEvent {
  std::shared_ptr<LazyStream> stream;  // null: never recorded
  uint64_t position = 0;
};

struct LoadedModule {
  std::map<std::string, const HostKernel*> kernels;
};

struct Imported {
  int fd = -1;
  uint64_t bytes = 0;
};

StandIn state;
std::unique_ptr<host_runner::HostDevice> runner;
std::map<Stream, std::shared_ptr<LazyStream>> streams;
std::map<int, std::shared_ptr<LazyStream>> default_streams;  // of each GPU
std::map<DeviceAddress, Imported*> mappings;
thread_local int current_device = 0;
std::string words = "the library's own words";

const Architecture* ArchitectureOfGpus() {
  for (const Architecture& architecture : kArchitectures)
    if (state.architecture == architecture.name) return &architecture;
  return nullptr;
}

int WaveSize() { return ArchitectureOfGpus() != nullptr ? ArchitectureOfGpus()->wave_size : 64; }

host_runner::HostDevice& Runner() {
  if (!runner) runner = host_runner::MakeHostDevice({.wave_size = WaveSize(), .threads = 2});
  return *runner;
}

std::vector<std::shared_ptr<LazyStream>> AllStreams() {
  std::vector<std::shared_ptr<LazyStream>> all;
  for (const auto& [handle, stream] : streams) all.push_back(stream);
  for (const auto& [device, stream] : default_streams) all.push_back(stream);
  return all;
}

Error Enter(const char* name, size_t bytes = 0) {
  state.calls.push_back({name, bytes, current_device});
  const int number = static_cast<int>(state.calls.size());
  if (state.failing_call == 0 || number < state.failing_call) return kSuccess;
  if (number != state.failing_call && !state.lost) return kSuccess;
  // A lost device runs nothing any more.
  if (state.lost)
    for (const std::shared_ptr<LazyStream>& stream : AllStreams()) stream->error = state.failure;
  return state.failure;
}

#define STAND_IN_ENTER(...) \
  if (const Error entered = Enter(__VA_ARGS__); entered != kSuccess) return entered

Error Misuse(const std::string& what) {
  state.misuse.push_back(what);
  return kErrorInvalidValue;
}

// What a command of the runner came to.
Error Of(Status status) {
  if (status.ok()) return kSuccess;
  words = status.text();
  return kErrorLaunchFailure;
}

std::shared_ptr<LazyStream> MakeStream() {
  auto made = std::make_shared<LazyStream>();
  made->device = current_device;
  (void)Runner().MakeQueue(&made->queue);
  return made;
}

// Null is the current GPU's default stream. With `used`, a command is to be enqueued, which the stream's GPU must be the
// current one for.
Error Find(Stream handle, bool used, std::shared_ptr<LazyStream>* found) {
  if (handle == nullptr) {
    std::shared_ptr<LazyStream>& stream = default_streams[current_device];
    if (!stream) stream = MakeStream();
    *found = stream;
    return kSuccess;
  }
  const auto stream = streams.find(handle);
  if (stream == streams.end()) return Misuse("a stream that is not there");
  if (used && stream->second->device != current_device) return Misuse("a stream of another GPU than the current one");
  *found = stream->second;
  return kSuccess;
}

// Enqueues a call of the runner's queue, to be run to its end when its turn comes.
Error Enqueue(Stream handle, std::function<Status(DeviceQueue& queue)> call) {
  std::shared_ptr<LazyStream> stream;
  if (const Error error = Find(handle, true, &stream); error != kSuccess) return error;
  stream->Enqueue([queue = stream->queue.get(), call = std::move(call)] {
    Status status = call(*queue);
    return Of(status.ok() ? queue->Drain() : std::move(status));
  });
  return kSuccess;
}

void Fill(void* properties, size_t bytes, const PropertiesLayout& layout, int device) {
  char* const out = static_cast<char*>(properties);
  std::memset(out, 0, bytes);
  std::snprintf(out, 256, "Stand-in %d", device);
  const int wave_size = state.reported_wave_size != 0 ? state.reported_wave_size : WaveSize();
  std::memcpy(out + layout.wave_size, &wave_size, sizeof wave_size);
  // As the library spells it where the GPU has such features.
  std::snprintf(out + layout.architecture, 256, "%s%s", state.architecture.c_str(),
                state.architecture == "gfx90a" ? ":sramecc+:xnack-" : "");
}

DeviceAddress Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

}  // namespace
}  // namespace vmafx::hip

using namespace vmafx;
using namespace vmafx::hip;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT StandIn& vmafx_stand_in_state() { return state; }

EXPORT void vmafx_stand_in_reset() {
  streams.clear();
  default_streams.clear();
  mappings.clear();
  runner.reset();
  state = {};
  words = "the library's own words";
  const char* const architecture = std::getenv("VMAFX_STAND_IN_ARCHITECTURE");
  state.architecture = architecture != nullptr ? architecture : "gfx1100";
}

EXPORT Error hipInit(unsigned) {
  if (state.architecture.empty()) vmafx_stand_in_reset();
  STAND_IN_ENTER("Init");
  return state.devices > 0 ? kSuccess : kErrorNoDevice;
}
EXPORT Error hipRuntimeGetVersion(int* version) {
  STAND_IN_ENTER("RuntimeGetVersion");
  *version = VMAFX_STAND_IN_ROCM * 10000000;
  return kSuccess;
}
EXPORT Error hipGetDeviceCount(int* count) {
  STAND_IN_ENTER("GetDeviceCount");
  *count = state.devices;
  return state.devices > 0 ? kSuccess : kErrorNoDevice;
}
EXPORT Error hipGetDevice(int* device) {
  STAND_IN_ENTER("GetDevice");
  *device = current_device;
  return kSuccess;
}
EXPORT Error hipSetDevice(int device) {
  STAND_IN_ENTER("SetDevice");
  if (device < 0 || device >= state.devices) return kErrorInvalidDevice;
  current_device = device;
  return kSuccess;
}
EXPORT Error hipDeviceGetAttribute(int* value, int attribute, int) {
  STAND_IN_ENTER("DeviceGetAttribute");
  *value = attribute == kAttributeWaveSize ? WaveSize() : attribute == kAttributeMultiprocessors ? 4 : -1;
  if (attribute == kAttributeWaveSize && state.reported_wave_size != 0) *value = state.reported_wave_size;
  return kSuccess;
}
EXPORT Error hipDeviceGetPCIBusId(char* text, int length, int device) {
  STAND_IN_ENTER("DeviceGetPCIBusId");
  std::snprintf(text, static_cast<size_t>(length), "0000:%02X:00.0", state.divided ? 0x2a : 0x2a + device);
  return kSuccess;
}
// The old layout in every release.
EXPORT Error hipGetDeviceProperties(void* properties, int device) {
  STAND_IN_ENTER("GetDeviceProperties");
  Fill(properties, 792, kPropertiesR0000, device);
  return kSuccess;
}
#if VMAFX_STAND_IN_ROCM >= 6
EXPORT Error hipGetDevicePropertiesR0600(void* properties, int device) {
  STAND_IN_ENTER("GetDevicePropertiesR0600");
  Fill(properties, 1472, kPropertiesR0600, device);
  return kSuccess;
}
EXPORT Error hipDeviceGetUuid(Uuid* uuid, int device) {
  STAND_IN_ENTER("DeviceGetUuid");
  std::memcpy(uuid->bytes, "0123456789abcde", 15);
  uuid->bytes[15] = static_cast<char>('0' + device);
  return kSuccess;
}
EXPORT Error hipDrvGetErrorString(Error, const char** text) {
  *text = words.c_str();
  return kSuccess;
}
#endif
EXPORT const char* hipGetErrorName(Error error) {
  switch (error) {
    case kErrorOutOfMemory:
      return "hipErrorOutOfMemory";
    case kErrorNoDevice:
      return "hipErrorNoDevice";
    case kErrorNoBinaryForGpu:
      return "hipErrorNoBinaryForGpu";
    case kErrorLaunchFailure:
      return "hipErrorLaunchFailure";
    default:
      return "hipErrorUnknown";
  }
}
EXPORT const char* hipGetErrorString(Error) { return words.c_str(); }

EXPORT Error hipMalloc(void** address, size_t bytes) {
  STAND_IN_ENTER("Malloc", bytes);
  DeviceAddress allocated = 0;
  if (!Runner().Allocate(bytes, &allocated).ok()) return kErrorOutOfMemory;
  *address = reinterpret_cast<void*>(allocated);
  ++state.live;
  return kSuccess;
}
// Frees what is mapped of external memory, too; the external memory itself lives on. Not so in ROCm 5, which takes such
// an address for an allocation.
EXPORT Error hipFree(void* address) {
  const Error entered = Enter("Free");  // what is freed is freed, whatever is said of it
  if (mappings.erase(Address(address)) != 0 && VMAFX_STAND_IN_ROCM < 6)
    (void)Misuse("a mapping freed as an allocation");
  Runner().Free(Address(address));
  --state.live;
  return entered;
}
EXPORT Error hipHostMalloc(void** memory, size_t bytes, unsigned) {
  STAND_IN_ENTER("HostMalloc", bytes);
  ++state.live;
  return Runner().AllocatePinned(bytes, memory).ok() ? kSuccess : kErrorOutOfMemory;
}
EXPORT Error hipHostFree(void* memory) {
  const Error entered = Enter("HostFree");
  Runner().FreePinned(memory);
  --state.live;
  return entered;
}
EXPORT Error hipMemsetAsync(void* address, int value, size_t bytes, Stream stream) {
  STAND_IN_ENTER("MemsetAsync", bytes);
  if (value != 0) return kErrorInvalidValue;
  return Enqueue(stream, [=](DeviceQueue& queue) { return queue.Zero(Address(address), bytes); });
}
// Returns once host memory has been read: the copy may still be under way on the default stream.
EXPORT Error hipMemcpy(void* to, const void* from, size_t bytes, int kind) {
  STAND_IN_ENTER("Memcpy", bytes);
  if (kind != kCopyToDevice) return kErrorInvalidValue;
  const char* const text = static_cast<const char*>(from);
  return Enqueue(nullptr, [=, read = std::vector<char>(text, text + bytes)](DeviceQueue&) {
    return Runner().Upload(Address(to), read.data(), bytes);
  });
}
EXPORT Error hipMemcpyAsync(void* to, const void* from, size_t bytes, int kind, Stream stream) {
  STAND_IN_ENTER(kind == kCopyToHost ? "MemcpyAsync to host" : "MemcpyAsync to device", bytes);
  if (kind == kCopyToHost)
    return Enqueue(stream, [=](DeviceQueue& queue) { return queue.CopyToHost(to, Address(from), bytes); });
  return Enqueue(stream, [=](DeviceQueue& queue) { return queue.CopyToDevice(Address(to), from, bytes); });
}

EXPORT Error hipStreamCreateWithFlags(Stream* stream, unsigned flags) {
  STAND_IN_ENTER("StreamCreateWithFlags");
  if (flags != kStreamNonBlocking) return kErrorInvalidValue;  // a blocking one would wait for the default stream
  std::shared_ptr<LazyStream> made = MakeStream();
  *stream = reinterpret_cast<Stream>(made.get());
  streams[*stream] = std::move(made);
  ++state.live;
  return kSuccess;
}
EXPORT Error hipStreamSynchronize(Stream handle) {
  std::shared_ptr<LazyStream> stream;
  const Error found = Find(handle, false, &stream);
  const Error error = found == kSuccess ? stream->RunUntil(stream->enqueued) : found;
  STAND_IN_ENTER("StreamSynchronize");
  return error;
}
EXPORT Error hipStreamDestroy(Stream handle) {
  const Error entered = Enter("StreamDestroy");
  std::shared_ptr<LazyStream> stream;
  if (const Error error = Find(handle, false, &stream); error != kSuccess) return error;
  if (stream->RunUntil(stream->enqueued) != kSuccess && state.failing_call == 0)
    (void)Misuse("a stream's end: " + words);
  streams.erase(handle);
  --state.live;
  return entered;
}
EXPORT Error hipStreamWaitEvent(Stream handle, Event event, unsigned) {
  STAND_IN_ENTER("StreamWaitEvent");
  std::shared_ptr<LazyStream> stream;
  if (const Error error = Find(handle, true, &stream); error != kSuccess) return error;
  const LazyEvent waited = *reinterpret_cast<LazyEvent*>(event);
  if (waited.stream != nullptr) stream->Enqueue([waited] { return waited.stream->RunUntil(waited.position); });
  return kSuccess;
}

EXPORT Error hipEventCreateWithFlags(Event* event, unsigned) {
  STAND_IN_ENTER("EventCreateWithFlags");
  *event = reinterpret_cast<Event>(new LazyEvent);
  ++state.live;
  return kSuccess;
}
EXPORT Error hipEventDestroy(Event event) {
  const Error entered = Enter("EventDestroy");
  delete reinterpret_cast<LazyEvent*>(event);
  --state.live;
  return entered;
}
EXPORT Error hipEventRecord(Event event, Stream handle) {
  STAND_IN_ENTER("EventRecord");
  std::shared_ptr<LazyStream> stream;
  if (const Error error = Find(handle, true, &stream); error != kSuccess) return error;
  stream->Enqueue([] { return kSuccess; });
  *reinterpret_cast<LazyEvent*>(event) = {stream, stream->enqueued};
  return kSuccess;
}
// Asking brings the stream on by one command: whoever asks often enough sees the event pass.
EXPORT Error hipEventQuery(Event event) {
  STAND_IN_ENTER("EventQuery");
  const LazyEvent& asked = *reinterpret_cast<LazyEvent*>(event);
  if (asked.stream == nullptr) return kSuccess;
  if (asked.stream->done < asked.position) {
    (void)asked.stream->RunUntil(asked.stream->done + 1);
    return kErrorNotReady;
  }
  return asked.stream->error;
}
EXPORT Error hipEventSynchronize(Event event) {
  const LazyEvent waited = *reinterpret_cast<LazyEvent*>(event);
  const Error error = waited.stream != nullptr ? waited.stream->RunUntil(waited.position) : kSuccess;
  STAND_IN_ENTER("EventSynchronize");
  return error;
}
EXPORT Error hipEventElapsedTime(float* milliseconds, Event, Event) {
  STAND_IN_ENTER("EventElapsedTime");
  *milliseconds = 0;
  return kSuccess;
}

EXPORT Error hipModuleLoadData(Module* module, const void* image) {
  STAND_IN_ENTER("ModuleLoadData");
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  const size_t bytes = header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
  const Architecture* const architecture = ArchitectureOfGpus();
  if (architecture == nullptr || (header.e_flags & 0xff) != architecture->machine) return kErrorNoBinaryForGpu;
  auto loaded = std::make_unique<LoadedModule>();
  for (const CodeObjectKernel& kernel : KernelsOf({static_cast<const std::byte*>(image), bytes})) {
    if (kernel.wave_size != architecture->wave_size) return Misuse(kernel.name + " is for waves of another size");
    for (const HostKernel* known : host_runner::HostKernels())
      if (known->name == kernel.name) loaded->kernels[kernel.name] = known;
  }
  *module = reinterpret_cast<Module>(loaded.release());
  ++state.live;
  return kSuccess;
}
EXPORT Error hipModuleUnload(Module module) {
  const Error entered = Enter("ModuleUnload");
  delete reinterpret_cast<LoadedModule*>(module);
  --state.live;
  return entered;
}
EXPORT Error hipModuleGetFunction(Function* function, Module module, const char* name) {
  STAND_IN_ENTER("ModuleGetFunction");
  const auto& kernels = reinterpret_cast<LoadedModule*>(module)->kernels;
  const auto found = kernels.find(name);
  if (found == kernels.end()) return kErrorNotFound;
  *function = reinterpret_cast<Function>(const_cast<HostKernel*>(found->second));
  return kSuccess;
}
EXPORT Error hipModuleLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   Stream stream, void** parameters, void** extra) {
  STAND_IN_ENTER("ModuleLaunchKernel");
  if (parameters != nullptr || extra[0] != kLaunchBuffer || extra[2] != kLaunchBufferSize || extra[4] != kLaunchEnd)
    return kErrorInvalidValue;
  const auto* const kernel = reinterpret_cast<const HostKernel*>(function);
  const char* const bytes = static_cast<const char*>(extra[1]);
  std::vector<char> arguments(bytes, bytes + *static_cast<const size_t*>(extra[3]));
  return Enqueue(stream, [=, arguments = std::move(arguments)](DeviceQueue& queue) {
    return queue.Launch(kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, arguments.data(),
                        arguments.size());
  });
}

EXPORT Error hipImportExternalMemory(ExternalMemory* memory, const ExternalMemoryHandle* handle) {
  STAND_IN_ENTER("ImportExternalMemory", handle->size);
  const int own = handle->type == 1 && handle->flags == 0 ? fcntl(handle->fd, F_DUPFD_CLOEXEC, 0) : -1;
  if (own < 0) return kErrorInvalidValue;
  *memory = new Imported{own, handle->size};
  ++state.live;
  return kSuccess;
}
EXPORT Error hipExternalMemoryGetMappedBuffer(void** address, ExternalMemory memory,
                                              const ExternalMemoryBuffer* buffer) {
  STAND_IN_ENTER("ExternalMemoryGetMappedBuffer", buffer->size);
  auto* const imported = static_cast<Imported*>(memory);
  if (buffer->offset != 0 || buffer->size > imported->bytes || buffer->flags != 0) return kErrorInvalidValue;
  if (state.maps_nothing) return kSuccess;
  DeviceAddress mapped = 0;
  if (const Error error = Of(Runner().Import(imported->fd, buffer->size, &mapped)); error != kSuccess) return error;
  mappings[mapped] = imported;
  *address = reinterpret_cast<void*>(mapped);
  ++state.live;
  return kSuccess;
}
EXPORT Error hipDestroyExternalMemory(ExternalMemory memory) {
  const Error entered = Enter("DestroyExternalMemory");
  auto* const imported = static_cast<Imported*>(memory);
  for (auto mapping = mappings.begin(); mapping != mappings.end();) {
    const auto [address, owner] = *mapping++;
    if (owner != imported) continue;
    if (VMAFX_STAND_IN_ROCM >= 6) {
      (void)Misuse("external memory destroyed before its mapping");
      continue;
    }
    mappings.erase(address);
    Runner().Free(address);
    --state.live;
  }
  close(imported->fd);
  delete imported;
  --state.live;
  return entered;
}
