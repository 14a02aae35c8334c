// SPDX-License-Identifier: BSD-2-Clause-Patent
// The code objects in the library: found by the names that the runtime uses, and compiled as the architecture needs.
#include "hip/modules.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "tests/hip/code_object_faults.h"
#include "tests/host_runner/registry.h"

namespace vmafx::hip {
namespace {

struct Architecture {
  const char* name;
  int wave_size;
};
constexpr Architecture kArchitectures[] = {VMAFX_HIP_WAVE_SIZES};  // by meson.build

std::set<std::string> Metrics() {
  std::set<std::string> metrics;
  for (const host_runner::HostKernel* kernel : host_runner::HostKernels()) metrics.insert(kernel->module);
  return metrics;
}

std::string Lines(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += fault + "\n";
  return text;
}

TEST(HipModules, EachMetricHasAFaultlessCodeObjectForEachArchitecture) {
  ASSERT_FALSE(Metrics().empty());
  for (const std::string& metric : Metrics()) {
    for (const Architecture& architecture : kArchitectures) {
      const auto object = FindCodeObject(metric, architecture.name);
      ASSERT_FALSE(object.empty()) << metric << " " << architecture.name;
      EXPECT_EQ(Lines(test::CodeObjectFaults(object, metric, architecture.name, architecture.wave_size)), "")
          << metric << " " << architecture.name;
      const std::string scratch = test::ScratchOf(object);
      if (!scratch.empty()) std::cout << metric << " " << architecture.name << ": bytes of scratch:" << scratch << "\n";
    }
  }
}

TEST(HipModules, FeaturesInTheRuntimesNameAreOfNoAccount) {
  const std::string name = kArchitectures[0].name;
  const auto object = FindCodeObject("psnr", name);
  ASSERT_FALSE(object.empty());
  for (const char* features : {":sramecc+:xnack-", ":sramecc-:xnack+", ":xnack-", ":"})
    EXPECT_EQ(FindCodeObject("psnr", name + features).data(), object.data()) << features;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(object.data()) % 16, 0u);
}

TEST(HipModules, NothingIsFoundForOtherNames) {
  const std::string name = kArchitectures[0].name;
  for (const std::string& other : {std::string(), std::string(":xnack-"), std::string("gfx803"), std::string("gfx"),
                                   name + "0", name.substr(0, name.size() - 1)})
    EXPECT_TRUE(FindCodeObject("psnr", other).empty()) << other;
  EXPECT_TRUE(FindCodeObject("nothing", name).empty());
  EXPECT_TRUE(FindCodeObject("", name).empty());
}

TEST(HipModules, MessagesNameEveryArchitecture) {
  const std::string names = CodeObjectArchitectures();
  for (const Architecture& architecture : kArchitectures)
    EXPECT_NE((names + ",").find(architecture.name + std::string(",")), std::string::npos) << names;
}

// Code objects of psnr that meson.build had compiled wrongly.
std::string FaultsOfPlanted(const std::string& name, const std::string& architecture, int wave_size) {
  std::ifstream file(VMAFX_PLANTED_FOLDER "/" + name + ".hsaco", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  return Lines(test::CodeObjectFaults(std::as_bytes(std::span(bytes)), "psnr", architecture, wave_size));
}

TEST(HipModules, PlantedFaultsAreFound) {
  EXPECT_EQ(FaultsOfPlanted("wave64", "gfx1030", 64), "");  // the planted fault, and nothing else
  EXPECT_EQ(FaultsOfPlanted("wave64", "gfx1030", 32),
            "psnr_sum: threads of a wave: 64, expected 32\n"
            "psnr_sum: threads of a wave in the descriptor: 64, expected 32\n");
  EXPECT_EQ(FaultsOfPlanted("flushed", "gfx1030", 32), "psnr_sum: rounding and subnormal modes: 192, expected 240\n");
  EXPECT_EQ(FaultsOfPlanted("version5", "gfx1030", 32), "code object version: 3, expected 2\n");
  EXPECT_EQ(FaultsOfPlanted("xnack", "gfx90a", 64),
            "one setting of xnack only: true, expected false\n"
            "target: \"amdgcn-amd-amdhsa--gfx90a:xnack+\", expected \"amdgcn-amd-amdhsa--gfx90a\"\n");
  EXPECT_EQ(FaultsOfPlanted("nothing", "gfx1030", 32), "the file ends early\n");
}

}  // namespace
}  // namespace vmafx::hip
