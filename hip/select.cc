// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "hip/select.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/engine/device_name.h"
#include "hip/modules.h"

namespace vmafx::hip {
namespace {

std::string TextAt(const PropertiesBuffer& properties, size_t offset) {
  const char* const text = properties.bytes + offset;
  return {text, strnlen(text, 256)};
}

// The library's 16 bytes are the digits that rocminfo prints; any other bytes are written as hexadecimal ones.
std::string UuidOf(const Driver& driver, int index) {
  Uuid uuid{};
  if (driver.DeviceGetUuid == nullptr || driver.DeviceGetUuid(&uuid, index) != kSuccess) return {};
  const auto digit = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  std::string text = "GPU-";
  if (std::all_of(std::begin(uuid.bytes), std::end(uuid.bytes), digit))
    return text.append(uuid.bytes, sizeof uuid.bytes);
  for (char byte : uuid.bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

Status Inspect(const Driver& driver, int index, Gpu* gpu) {
  const std::string what = "asking about GPU " + std::to_string(index);
  PropertiesBuffer properties{};
  char pci_address[64] = "";
  VMAFX_HIP_RETURN_IF_ERROR(driver, driver.GetDeviceProperties(&properties, index), what);
  VMAFX_HIP_RETURN_IF_ERROR(driver, driver.DeviceGetPCIBusId(pci_address, sizeof pci_address, index), what);
  VMAFX_HIP_RETURN_IF_ERROR(driver, driver.DeviceGetAttribute(&gpu->wave_size, kAttributeWaveSize, index), what);
  VMAFX_HIP_RETURN_IF_ERROR(driver, driver.DeviceGetAttribute(&gpu->multiprocessors, kAttributeMultiprocessors, index),
                            what);
  int wave_size = 0;
  std::memcpy(&wave_size, properties.bytes + driver.layout.wave_size, sizeof wave_size);
  gpu->index = index;
  gpu->name = TextAt(properties, 0);
  gpu->pci_address = FullPciAddress(pci_address);
  gpu->uuid = UuidOf(driver, index);
  gpu->architecture = TextAt(properties, driver.layout.architecture);
  if (!gpu->architecture.starts_with("gfx") || wave_size != gpu->wave_size)
    return Status::Device("HIP: " + driver.file + " describes GPU " + std::to_string(index) +
                          " in a form that is not known here (architecture \"" + gpu->architecture + "\", waves of " +
                          std::to_string(wave_size) + " and of " + std::to_string(gpu->wave_size) +
                          "): use a newer libvmafx, or backend=cpu");
  return {};
}

}  // namespace

std::string Describe(const Gpu& gpu) {
  return gpu.name + " (" + gpu.pci_address + ", " + std::string(ArchitectureOf(gpu.architecture)) + ")";
}

Status SelectGpu(const Driver& driver, const std::string& text, const std::string& frames_on, Gpu* gpu) {
  int count = 0;
  const Error error = driver.GetDeviceCount(&count);
  if (error == kErrorNoDevice || (error == kSuccess && count == 0)) return NoDevice(driver, error);
  VMAFX_RETURN_IF_ERROR(Check(driver, error, "counting GPUs"));
  std::vector<Gpu> gpus(static_cast<size_t>(count));
  const Gpu* named = nullptr;    // by the option
  const Gpu* holding = nullptr;  // the frames
  std::string known;
  for (Gpu& each : gpus) {
    VMAFX_RETURN_IF_ERROR(Inspect(driver, static_cast<int>(&each - gpus.data()), &each));
    if (named == nullptr && NamesDevice(text, each.index, each.pci_address, each.uuid)) named = &each;
    // The parts of a GPU that is divided have one address; any of them reaches the frames.
    if (!frames_on.empty() && FullPciAddress(frames_on) == each.pci_address &&
        (holding == nullptr || (!text.empty() && named == &each)))
      holding = &each;
    known += (each.index == 0 ? "" : ", ") + std::to_string(each.index) + " = " + Describe(each);
  }
  if (named == nullptr)
    return Status::Invalid("HIP: device '" + text +
                           "' is not there: give an index, a PCI address or a UUID of: " + known);
  if (!frames_on.empty() && holding == nullptr)
    return Status::Device("HIP: the frames are on the GPU at " + frames_on +
                          ", which HIP does not see: insert "
                          "hwdownload,format= before both inputs, or decode on one of: " +
                          known);
  if (!text.empty() && holding != nullptr && named != holding)
    return Status::Invalid("HIP: device '" + text + "' is " + Describe(*named) + ", the frames are on " +
                           Describe(*holding) + ": leave the option out, it is for frames in host memory");
  *gpu = holding != nullptr ? *holding : *named;
  return {};
}

}  // namespace vmafx::hip
