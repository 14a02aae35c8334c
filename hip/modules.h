// SPDX-License-Identifier: BSD-2-Clause-Patent
// The kernels of each metric, as clang left them: code objects (ELF files), one for each architecture, embedded in the
// library. Thread-safe: constants.
#ifndef VMAFX_HIP_MODULES_H_
#define VMAFX_HIP_MODULES_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace vmafx::hip {

// The name alone of what the runtime calls an architecture (gcnArchName): gfx90a of "gfx90a:sramecc+:xnack-". The code
// objects run with every setting of such features.
std::string_view ArchitectureOf(std::string_view gcn_arch_name);

// The code object of a metric (the metric's folder) for a GPU of that gcnArchName; empty when there is none. It is
// aligned to 16 bytes and lives as long as the library.
std::span<const std::byte> FindCodeObject(std::string_view metric, std::string_view gcn_arch_name);

// For messages: "gfx906, gfx908, ...".
const char* CodeObjectArchitectures();

}  // namespace vmafx::hip
#endif  // VMAFX_HIP_MODULES_H_
