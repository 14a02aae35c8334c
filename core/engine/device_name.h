// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the option `device` may say, the same for every kind of GPU.
#ifndef VMAFX_ENGINE_DEVICE_NAME_H_
#define VMAFX_ENGINE_DEVICE_NAME_H_

#include <algorithm>
#include <cctype>
#include <string>

namespace vmafx {

inline std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// A PCI address in the one form in which addresses are compared: "65:00.0" and "0000:65:00.0" are "0000:65:00.0".
inline std::string FullPciAddress(const std::string& text) {
  const std::string lower = LowerCase(text);
  return std::count(lower.begin(), lower.end(), ':') == 1 ? "0000:" + lower : lower;
}

// Whether `text` names this GPU: an index in the driver's order ("0"; "" is the first), a PCI address or a UUID. An
// empty uuid: the driver tells none.
inline bool NamesDevice(const std::string& text, int index, const std::string& pci_address, const std::string& uuid) {
  if (text.empty()) return index == 0;
  return text == std::to_string(index) || FullPciAddress(text) == FullPciAddress(pci_address) ||
         (!uuid.empty() && LowerCase(text) == LowerCase(uuid));
}

}  // namespace vmafx
#endif  // VMAFX_ENGINE_DEVICE_NAME_H_
