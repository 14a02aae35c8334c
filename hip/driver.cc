// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "hip/driver.h"

#include <dlfcn.h>

#include <algorithm>

namespace vmafx::hip {
namespace {

template <class Pointer>
bool Find(void* library, const char* name, Pointer* function) {
  *function = reinterpret_cast<Pointer>(dlsym(library, name));
  return *function != nullptr;
}

// The name of the first required function that the library lacks, or null.
const char* FindAll(void* library, Driver* driver) {
#define VMAFX_HIP_FIND(name, parameters) \
  if (!Find(library, "hip" #name, &driver->name)) return "hip" #name;
  VMAFX_HIP_FUNCTIONS(VMAFX_HIP_FIND)
#undef VMAFX_HIP_FIND
  if (!Find(library, "hipGetErrorName", &driver->GetErrorName)) return "hipGetErrorName";
  if (!Find(library, "hipGetErrorString", &driver->GetErrorString)) return "hipGetErrorString";
  // The new layout first: the plain name fills the old one wherever it is. Who has it is ROCm 6 or newer.
  driver->layout = kPropertiesR0600;
  driver->frees_mappings = true;
  if (!Find(library, "hipGetDevicePropertiesR0600", &driver->GetDeviceProperties)) {
    driver->layout = kPropertiesR0000;
    driver->frees_mappings = false;
    if (!Find(library, "hipGetDeviceProperties", &driver->GetDeviceProperties)) return "hipGetDeviceProperties";
  }
  (void)Find(library, "hipDeviceGetUuid", &driver->DeviceGetUuid);
  (void)Find(library, "hipDrvGetErrorString", &driver->DrvGetErrorString);
  return nullptr;
}

std::string InOneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

struct Loaded {
  Driver driver;
  Status status;
  Loaded() : status(OpenDriver(LibraryNames(), &driver)) {}
};

}  // namespace

std::span<const char* const> LibraryNames() {
  // The number is that of the ROCm release; the plain name comes with its development files. AMD's packages leave it to
  // the owner to let the dynamic linker know of their folder, and the distribution may have an older release.
  static constexpr const char* kNames[] = {"libamdhip64.so.7", "/opt/rocm/lib/libamdhip64.so.7",
                                           "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so.6",
                                           "libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so.5",
                                           "libamdhip64.so"};
  return kNames;
}

Status OpenDriver(std::span<const char* const> names, Driver* driver) {
  std::string reason;
  for (const char* name : names) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      // A library that is there and does not load says more than one that is not there.
      const char* const text = dlerror();
      if (text != nullptr && (reason.empty() || std::string_view(text).find("No such file") == std::string_view::npos))
        reason = InOneLine(text);
      continue;
    }
    driver->file = name;
    if (const char* const missing = FindAll(library, driver); missing != nullptr)
      return Status::Device("HIP: " + driver->file + " has no " + missing + ": it is older than ROCm 5, update it");
    const Error error = driver->Init(0);
    if (error == kErrorNoDevice || error == kErrorInvalidDevice) return NoDevice(*driver, error);
    return Check(*driver, error, "initialising " + driver->file);
  }
  return Status::Device("HIP: no usable libamdhip64 (" + reason + "): install ROCm's HIP runtime, or use backend=cpu");
}

Status LoadDriver(const Driver** driver) {
  static const Loaded loaded;
  *driver = &loaded.driver;
  return loaded.status;
}

std::string Describe(const Driver& driver) {
  int version = 0;
  (void)driver.RuntimeGetVersion(&version);
  return driver.file + ", HIP " + std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100);
}

Status Check(const Driver& driver, Error error, const std::string& what) {
  if (error == kSuccess) return {};
  const char* const name = driver.GetErrorName(error);
  const char* text = nullptr;
  if (driver.DrvGetErrorString == nullptr || driver.DrvGetErrorString(error, &text) != kSuccess)
    text = driver.GetErrorString(error);
  const std::string code = name != nullptr ? name : "error " + std::to_string(error);
  std::string message = "HIP: " + what + ": " + code;
  if (text != nullptr && text != code) message += " (" + InOneLine(text) + ")";  // ROCm 5 says the name twice
  return error == kErrorOutOfMemory ? Status::Memory(message) : Status::Device(message);
}

Status NoDevice(const Driver& driver, Error error) {
  const Status status = Check(driver, error, driver.file + " is there and finds no AMD GPU");
  return Status::Device(
      (status.ok() ? "HIP: " + driver.file + " is there and finds no AMD GPU" : status.text()) +
      ": see that the amdgpu driver is loaded and /dev/kfd may be opened (groups render and video), or "
      "use backend=cpu");
}

}  // namespace vmafx::hip
