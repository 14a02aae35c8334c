// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/hip/code_object_faults.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/host_runner/registry.h"

namespace vmafx::test {
namespace {

constexpr unsigned kMachineAmdGpu = 224;  // EM_AMDGPU
constexpr unsigned kOsHsa = 64;           // ELFOSABI_AMDGPU_HSA
constexpr unsigned kVersion4 = 2;         // ELFABIVERSION_AMDGPU_HSA_V4
constexpr unsigned kXnackMask = 0x300, kXnackAny = 0x100;
constexpr unsigned kSrameccMask = 0xc00, kSrameccAny = 0x400;
constexpr unsigned kMetadataNote = 32;    // NT_AMDGPU_METADATA
constexpr unsigned kFloatModes = 0xf0;    // both widths: round to nearest even (0), keep subnormal numbers (3)
constexpr unsigned kWaveOf32 = 1u << 10;  // ENABLE_WAVEFRONT_SIZE32 of kernel_code_properties
constexpr int64_t kSharedBytes = 48 * 1024;

struct Descriptor {  // of a kernel, the symbol "<kernel>.kd"
  unsigned char before[48];
  uint32_t resources1;
  uint32_t resources2;
  uint16_t properties;
  unsigned char after[6];
};
static_assert(sizeof(Descriptor) == 64);

struct CodeObject {
  Elf64_Ehdr header;
  nlohmann::json metadata;
  std::map<std::string, Descriptor> descriptors;  // by symbol
};

template <class T>
T ReadAt(std::span<const std::byte> bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) throw std::runtime_error("the file ends early");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

nlohmann::json MetadataOfNotes(std::span<const std::byte> bytes, const Elf64_Shdr& section) {
  const auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  for (uint64_t at = section.sh_offset; at < section.sh_offset + section.sh_size;) {
    const auto note = ReadAt<Elf64_Nhdr>(bytes, at);
    const uint64_t content = at + sizeof note + padded(note.n_namesz);
    if (note.n_type == kMetadataNote) {
      const auto packed = bytes.subspan(content, note.n_descsz);
      const auto* begin = reinterpret_cast<const uint8_t*>(packed.data());
      return nlohmann::json::from_msgpack(begin, begin + packed.size());
    }
    at = content + padded(note.n_descsz);
  }
  return {};
}

CodeObject Parse(std::span<const std::byte> bytes) {
  CodeObject object;
  object.header = ReadAt<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(object.header.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("no ELF file");
  std::vector<Elf64_Shdr> sections;
  for (unsigned i = 0; i < object.header.e_shnum; ++i)
    sections.push_back(ReadAt<Elf64_Shdr>(bytes, object.header.e_shoff + i * sizeof(Elf64_Shdr)));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_NOTE) object.metadata = MetadataOfNotes(bytes, section);
    if (section.sh_type != SHT_DYNSYM) continue;
    for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = ReadAt<Elf64_Sym>(bytes, section.sh_offset + at);
      if (symbol.st_size != sizeof(Descriptor) || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
      const Elf64_Shdr& home = sections.at(symbol.st_shndx);
      const std::string name =
          reinterpret_cast<const char*>(bytes.data()) + sections.at(section.sh_link).sh_offset + symbol.st_name;
      object.descriptors[name] = ReadAt<Descriptor>(bytes, home.sh_offset + symbol.st_value - home.sh_addr);
    }
  }
  return object;
}

class Faults {
 public:
  explicit Faults(std::vector<std::string>* lines) : lines_(lines) {}
  template <class T, class U>
  void ExpectEqual(const std::string& what, const T& found, const U& expected) {
    if (found == expected) return;
    const nlohmann::json found_text = found, expected_text = expected;
    lines_->push_back(what + ": " + found_text.dump() + ", expected " + expected_text.dump());
  }

 private:
  std::vector<std::string>* lines_;
};

void CheckKernel(const nlohmann::json& kernel, const Descriptor& descriptor, const host_runner::HostKernel& host,
                 int wave_size, Faults faults) {
  const std::string& name = host.name;
  faults.ExpectEqual(name + ": threads of a wave", kernel.at(".wavefront_size").get<int>(), wave_size);
  faults.ExpectEqual(name + ": threads of a wave in the descriptor", (descriptor.properties & kWaveOf32) != 0 ? 32 : 64,
                     wave_size);
  faults.ExpectEqual(name + ": rounding and subnormal modes", descriptor.resources1 >> 12 & 0xff, kFloatModes);
  faults.ExpectEqual(name + ": threads of the largest block", kernel.at(".max_flat_workgroup_size").get<int>(),
                     host.max_threads);
  const int64_t shared = kernel.at(".group_segment_fixed_size");
  faults.ExpectEqual(name + ": bytes of shared memory above 48 KiB", shared > kSharedBytes ? shared : 0, 0);
  const nlohmann::json& arguments = kernel.at(".args").at(0);
  faults.ExpectEqual(name + ": kind of the argument", arguments.at(".value_kind").get<std::string>(), "by_value");
  faults.ExpectEqual(name + ": offset of the argument", arguments.at(".offset").get<int>(), 0);
  faults.ExpectEqual(name + ": bytes of the argument", arguments.at(".size").get<size_t>(), host.argument_bytes);
}

}  // namespace

std::vector<std::string> CodeObjectFaults(std::span<const std::byte> bytes, const std::string& metric,
                                          const std::string& architecture, int wave_size) {
  std::vector<std::string> lines;
  Faults faults(&lines);
  try {
    const CodeObject object = Parse(bytes);
    const unsigned xnack = object.header.e_flags & kXnackMask, sramecc = object.header.e_flags & kSrameccMask;
    faults.ExpectEqual("processor", object.header.e_machine, kMachineAmdGpu);
    faults.ExpectEqual("operating system", unsigned{object.header.e_ident[EI_OSABI]}, kOsHsa);
    faults.ExpectEqual("code object version", unsigned{object.header.e_ident[EI_ABIVERSION]}, kVersion4);
    faults.ExpectEqual("one setting of xnack only", xnack != 0 && xnack != kXnackAny, false);
    faults.ExpectEqual("one setting of sramecc only", sramecc != 0 && sramecc != kSrameccAny, false);
    faults.ExpectEqual("target", object.metadata.at("amdhsa.target").get<std::string>(),
                       "amdgcn-amd-amdhsa--" + architecture);
    std::map<std::string, const nlohmann::json*> kernels;
    for (const nlohmann::json& kernel : object.metadata.at("amdhsa.kernels")) kernels[kernel.at(".name")] = &kernel;
    size_t expected = 0;
    for (const host_runner::HostKernel* host : host_runner::HostKernels()) {
      if (host->module != metric) continue;
      ++expected;
      const auto kernel = kernels.find(host->name);
      const auto descriptor = object.descriptors.find(host->name + ".kd");
      if (kernel == kernels.end() || descriptor == object.descriptors.end())
        lines.push_back(host->name + ": not there");
      else
        CheckKernel(*kernel->second, descriptor->second, *host, wave_size, faults);
    }
    faults.ExpectEqual("kernels", kernels.size(), expected);
  } catch (const std::exception& error) {
    lines.push_back(error.what());
  }
  return lines;
}

std::string ScratchOf(std::span<const std::byte> bytes) {
  const CodeObject object = Parse(bytes);
  std::string text;
  for (const nlohmann::json& kernel : object.metadata.at("amdhsa.kernels")) {
    const int64_t scratch = kernel.at(".private_segment_fixed_size");
    if (scratch == 0) continue;
    text.append(" ").append(kernel.at(".name").get<std::string>()).append(" ").append(std::to_string(scratch));
  }
  return text;
}

}  // namespace vmafx::test
