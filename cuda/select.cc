// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "cuda/select.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace vmafx::cuda {
namespace {

int Attribute(const Driver& driver, CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  return driver.DeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

std::string PciText(unsigned domain, unsigned bus, unsigned device) {
  char text[40];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", domain, bus, device);
  return text;
}

std::string PciAddress(const Driver& driver, CUdevice device) {
  const auto number = [&](CUdevice_attribute attribute) {
    return static_cast<unsigned>(Attribute(driver, device, attribute));
  };
  return PciText(number(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID), number(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
                 number(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
}

// A PCI address, with or without its domain, in the form that PciAddress() gives it (nvidia-smi writes domains of eight
// digits); other text as it is.
std::string NormalisedPci(const std::string& text) {
  const std::string whole = (std::count(text.begin(), text.end(), ':') == 1 ? "0:" : "") + text;
  unsigned domain = 0, bus = 0, device = 0;
  int end = 0;
  std::sscanf(whole.c_str(), "%8x:%2x:%2x.0%n", &domain, &bus, &device, &end);
  return end != 0 && whole.size() == static_cast<size_t>(end) ? PciText(domain, bus, device) : text;
}

std::string Uuid(const Driver& driver, CUdevice device) {
  CUuuid uuid{};
  if (driver.DeviceGetUuid == nullptr || driver.DeviceGetUuid(&uuid, device) != CUDA_SUCCESS) return {};
  std::string text = "gpu-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string DeviceName(const Driver& driver, CUdevice device) {
  char name[256] = "GPU";
  driver.DeviceGetName(name, sizeof name, device);
  return std::string(name) + " (" + PciAddress(driver, device) + ", compute capability " +
         std::to_string(Attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) + "." +
         std::to_string(Attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)) + ")";
}

Status SelectDevice(const Driver& driver, const std::string& text, CUdevice* device) {
  int count = 0;
  VMAFX_RETURN_IF_ERROR(Check(driver, driver.DeviceGetCount(&count), "counting GPUs"));
  if (count == 0) return Status::Device("CUDA: the NVIDIA driver is there and has no GPU: use backend=cpu");
  const std::string wanted = NormalisedPci(Lower(text));
  std::string known;
  for (int i = 0; i < count; ++i) {
    VMAFX_RETURN_IF_ERROR(Check(driver, driver.DeviceGet(device, i), "finding GPU " + std::to_string(i)));
    if (wanted.empty() || wanted == std::to_string(i) || wanted == PciAddress(driver, *device) ||
        wanted == Uuid(driver, *device))
      return {};
    known += (i == 0 ? "" : ", ") + std::to_string(i) + " = " + DeviceName(driver, *device);
  }
  return Status::Invalid("CUDA: device '" + text + "' is not there: give an index, a PCI address or a UUID of: " + known);
}

}  // namespace vmafx::cuda
