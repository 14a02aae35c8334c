// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the option `device` may say, the same for every kind of GPU.
#ifndef VMAFX_ENGINE_DEVICE_NAME_H_
#define VMAFX_ENGINE_DEVICE_NAME_H_

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>

namespace vmafx {

inline std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// A PCI address in the one form in which addresses are compared: "65:00.0" and "00000000:65:00.0" (tools write domains
// of four or of eight digits, or none) are "0000:65:00.0". Other text in lower case.
inline std::string FullPciAddress(const std::string& text) {
  const std::string whole = (std::count(text.begin(), text.end(), ':') == 1 ? "0:" : "") + text;
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  int end = 0;
  std::sscanf(whole.c_str(), "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end);
  if (end == 0 || whole.size() != static_cast<size_t>(end)) return LowerCase(text);
  char full[40];
  std::snprintf(full, sizeof full, "%04x:%02x:%02x.%x", domain, bus, device, function);
  return full;
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
