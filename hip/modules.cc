// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "hip/modules.h"

// VMAFX_HIP_MODULES(X): X(metric, architecture) for each code object. By meson.build.
#include "hip_modules.h"

// In the assembler files that tools/embed.py writes.
#define VMAFX_DECLARE_CODE_OBJECT(metric, architecture)              \
  extern "C" const std::byte vmafx_hip_##metric##_##architecture[]; \
  extern "C" const std::byte vmafx_hip_##metric##_##architecture##_end[];
VMAFX_HIP_MODULES(VMAFX_DECLARE_CODE_OBJECT)
#undef VMAFX_DECLARE_CODE_OBJECT

namespace vmafx::hip {
namespace {

struct CodeObject {
  std::string_view metric;
  std::string_view architecture;
  const std::byte* begin;
  const std::byte* end;
};

#define VMAFX_LIST_CODE_OBJECT(metric, architecture) \
  {#metric, #architecture, vmafx_hip_##metric##_##architecture, vmafx_hip_##metric##_##architecture##_end},
constexpr CodeObject kCodeObjects[] = {VMAFX_HIP_MODULES(VMAFX_LIST_CODE_OBJECT)};
#undef VMAFX_LIST_CODE_OBJECT

}  // namespace

std::string_view ArchitectureOf(std::string_view gcn_arch_name) {
  return gcn_arch_name.substr(0, gcn_arch_name.find(':'));
}

std::span<const std::byte> FindCodeObject(std::string_view metric, std::string_view gcn_arch_name) {
  const std::string_view architecture = ArchitectureOf(gcn_arch_name);
  for (const CodeObject& object : kCodeObjects)
    if (object.metric == metric && object.architecture == architecture) return {object.begin, object.end};
  return {};
}

const char* CodeObjectArchitectures() { return VMAFX_HIP_ARCHITECTURES; }

}  // namespace vmafx::hip
