// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "hip/code_object.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace vmafx::hip {
namespace {

constexpr unsigned kMachineAmdGpu = 224;  // EM_AMDGPU
constexpr size_t kDescriptorBytes = 64;
constexpr size_t kPropertiesOffset = 56;  // kernel_code_properties, 16 bits
constexpr unsigned kWaveOf32 = 1u << 10;  // ENABLE_WAVEFRONT_SIZE32
constexpr std::string_view kDescriptorSuffix = ".kd";

// A copy of the T at `offset`; false past the end.
template <class T>
bool Read(std::span<const std::byte> image, uint64_t offset, T* value) {
  if (offset > image.size() || image.size() - offset < sizeof(T)) return false;
  std::memcpy(value, image.data() + offset, sizeof(T));
  return true;
}

// The text at `offset` up to its zero byte.
std::string_view TextAt(std::span<const std::byte> image, uint64_t offset) {
  if (offset >= image.size()) return {};
  const char* const text = reinterpret_cast<const char*>(image.data()) + offset;
  return {text, strnlen(text, image.size() - offset)};
}

// Where the bytes at a virtual address lie in the file.
bool FileOffset(std::span<const std::byte> image, const Elf64_Ehdr& header, uint64_t address, uint64_t* offset) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!Read(image, header.e_phoff + i * sizeof segment, &segment)) return false;
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
      continue;
    *offset = segment.p_offset + (address - segment.p_vaddr);
    return true;
  }
  return false;
}

}  // namespace

std::vector<CodeObjectKernel> KernelsOf(std::span<const std::byte> image) {
  std::vector<CodeObjectKernel> kernels;
  Elf64_Ehdr header;
  if (!Read(image, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachineAmdGpu)
    return kernels;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr symbols, strings;
    if (!Read(image, header.e_shoff + i * sizeof symbols, &symbols) || symbols.sh_type != SHT_DYNSYM ||
        !Read(image, header.e_shoff + symbols.sh_link * sizeof strings, &strings))
      continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!Read(image, symbols.sh_offset + at, &symbol)) return kernels;
      std::string_view name = TextAt(image, strings.sh_offset + symbol.st_name);
      if (symbol.st_size != kDescriptorBytes || !name.ends_with(kDescriptorSuffix)) continue;
      name.remove_suffix(kDescriptorSuffix.size());
      uint64_t descriptor = 0;
      uint16_t properties = 0;
      if (!FileOffset(image, header, symbol.st_value, &descriptor) ||
          !Read(image, descriptor + kPropertiesOffset, &properties))
        continue;
      kernels.push_back({std::string(name), (properties & kWaveOf32) != 0 ? 32 : 64});
    }
  }
  return kernels;
}

}  // namespace vmafx::hip
