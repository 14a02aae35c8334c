// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which GPU the option `device` and the frames mean.
#ifndef VMAFX_HIP_SELECT_H_
#define VMAFX_HIP_SELECT_H_

#include <string>

#include "hip/driver.h"

namespace vmafx::hip {

// What is asked of the library about a GPU, once.
struct Gpu {
  int index = 0;
  std::string name;          // "AMD Radeon RX 7900 XTX"
  std::string pci_address;   // "0000:03:00.0"
  std::string uuid;          // "GPU-..." as rocminfo prints it; empty: the library tells none
  std::string architecture;  // "gfx1100", "gfx90a:sramecc+:xnack-"
  int wave_size = 0;
  int multiprocessors = 0;
};

// `text`: an index in the library's order ("0"), a PCI address ("03:00.0", "0000:03:00.0") or a UUID; "" leaves the
// choice to the frames. `frames_on` is the PCI address of the GPU that holds the frames; "" where they are in host
// memory or their holder is not known: then the first GPU is chosen. The errors list the GPUs there are.
Status SelectGpu(const Driver& driver, const std::string& text, const std::string& frames_on, Gpu* gpu);

// "AMD Radeon RX 7900 XTX (0000:03:00.0, gfx1100)".
std::string Describe(const Gpu& gpu);

}  // namespace vmafx::hip
#endif  // VMAFX_HIP_SELECT_H_
