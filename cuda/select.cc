// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "cuda/select.h"

#include <cstdio>

#include "core/engine/device_name.h"

namespace vmafx::cuda {
namespace {

int Attribute(const Driver& driver, CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  return driver.DeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

std::string PciAddress(const Driver& driver, CUdevice device) {
  const auto number = [&](CUdevice_attribute attribute) {
    return static_cast<unsigned>(Attribute(driver, device, attribute));
  };
  return PciAddressText(number(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID), number(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
                        number(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID), 0);
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
  std::string known;
  for (int i = 0; i < count; ++i) {
    VMAFX_RETURN_IF_ERROR(Check(driver, driver.DeviceGet(device, i), "finding GPU " + std::to_string(i)));
    if (NamesDevice(text, i, PciAddress(driver, *device), Uuid(driver, *device))) return {};
    known += (i == 0 ? "" : ", ") + std::to_string(i) + " = " + DeviceName(driver, *device);
  }
  return Status::Invalid("CUDA: device '" + text + "' is not there: give an index, a PCI address or a UUID of: " + known);
}

}  // namespace vmafx::cuda
