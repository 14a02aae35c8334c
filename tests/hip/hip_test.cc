// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HIP backend's host code over the stand-in for libamdhip64: which calls a frame makes, which GPU is chosen, and
// what becomes of every call that fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "hip/device.h"
#include "hip/select.h"
#include "tests/hip/stand_in_library.h"
#include "tests/parity/compare.h"
#include "tests/pictures.h"

namespace vmafx::hip {
namespace {

using test::MakeFormat;
using test::MakePairFormat;

enum class Memory { kDevice, kHost, kSurfaces };
constexpr Memory kMemories[] = {Memory::kDevice, Memory::kHost, Memory::kSurfaces};

test::ParityCase MakeCase(Memory memory, int frames) {
  test::ParityCase c;
  c.name = "HIP";
  c.metrics = {FindMetric("float_psnr"), FindMetric("psnr"), FindMetric("vif")};
  c.format = MakePairFormat(MakeFormat(97, 61, VMAFX_LAYOUT_420, 8));
  c.distorted = {.semi_planar = true, .pitch_alignment = 256};
  c.host_memory = memory == Memory::kHost;
  c.surfaces = memory == Memory::kSurfaces;
  c.frames = frames;
  return c;
}

const Driver& LoadedDriver() {
  const Driver* driver = nullptr;
  (void)LoadDriver(&driver);
  return *driver;
}

// The second GPU: the calling thread's current one is the first.
Status Open(std::unique_ptr<Device>* device) { return MakeDevice(LoadedDriver(), "1", "", device); }

size_t Calls(const std::string& name) {
  const auto& calls = TheStandIn().calls;
  return static_cast<size_t>(
      std::count_if(calls.begin(), calls.end(), [&](const auto& call) { return call.name == name; }));
}

std::string First(const std::vector<std::string>& texts) { return texts.empty() ? "" : texts.front(); }

class Hip : public testing::Test {
 protected:
  Hip() { ResetStandIn(); }
  ~Hip() override {
    EXPECT_EQ(TheStandIn().live, 0);
    EXPECT_EQ(First(TheStandIn().misuse), "");
    int device = -1;
    EXPECT_EQ(LoadedDriver().GetDevice(&device), kSuccess);
    EXPECT_EQ(device, 0) << "the calling thread's GPU was not given back";
  }
};

TEST_F(Hip, TheHostCodeGivesTheBitsOfTheCpu) {
  for (const char* architecture : {"gfx1100", "gfx90a"})
    for (const Memory memory : kMemories) {
      ResetStandIn();
      TheStandIn().architecture = architecture;
      const test::ParityCase c = MakeCase(memory, 6);
      const test::Tally tally = test::CompareCase(c, test::MeasureOnCpu(c), Open);
      EXPECT_TRUE(tally.perfect()) << architecture << ": " << First(tally.differences);
    }
}

TEST_F(Hip, TheWaveSizeIsTheGpus) {
  for (const auto& [architecture, wave_size] : {std::pair("gfx1100", 32), std::pair("gfx90a", 64)}) {
    ResetStandIn();
    TheStandIn().architecture = architecture;
    std::unique_ptr<Device> device;
    ASSERT_TRUE(Open(&device).ok());
    EXPECT_EQ(device->wave_size(), wave_size);
    EXPECT_EQ(device->multiprocessors(), 4);
    EXPECT_EQ(device->name(), std::string("Stand-in 1 (0000:2b:00.0, ") + architecture + ")");
  }
}

TEST_F(Hip, FramesOnTheDeviceAreNotCopiedAndOneSmallBlockComesBack) {
  for (const Memory memory : {Memory::kDevice, Memory::kSurfaces}) {
    ResetStandIn();
    const test::ParityCase c = MakeCase(memory, 12);
    ASSERT_TRUE(test::CompareCase(c, test::MeasureOnCpu(c), Open).perfect());
    EXPECT_EQ(Calls("MemcpyAsync to device"), 0u);
    EXPECT_EQ(Calls("MemcpyAsync to host"), 12u);
    for (const StandInCall& call : TheStandIn().calls)
      if (call.name == "MemcpyAsync to host") {
        // A sum for each row, three sums, four sums for each of four scales.
        EXPECT_EQ(call.bytes, AlignDevice(61 * 8) + AlignDevice(3 * 8) + AlignDevice(4 * 4 * 8));
      }
    // The host waits once for each row that it asks for.
    EXPECT_EQ(Calls("EventSynchronize"), 12u);
  }
}

// The calling thread's current GPU is another one than the one that measures.
TEST_F(Hip, WhatDependsOnTheCurrentGpuIsCalledWithTheOneThatMeasures) {
  constexpr std::string_view kIndependent[] = {
      "Init", "GetDeviceCount", "GetDevice", "SetDevice", "GetDevicePropertiesR0600", "DeviceGetPCIBusId",
      "DeviceGetAttribute", "DeviceGetUuid", "EventQuery", "EventSynchronize", "EventDestroy",
      "StreamSynchronize", "StreamDestroy", "Free", "HostFree", "ModuleUnload", "DestroyExternalMemory"};
  for (const Memory memory : kMemories) {
    ResetStandIn();
    const test::ParityCase c = MakeCase(memory, 6);
    ASSERT_TRUE(test::CompareCase(c, test::MeasureOnCpu(c), Open).perfect());
    for (const StandInCall& call : TheStandIn().calls)
      if (std::find(std::begin(kIndependent), std::end(kIndependent), call.name) == std::end(kIndependent)) {
        EXPECT_EQ(call.device, 1) << call.name;
      }
  }
}

TEST_F(Hip, ASurfaceIsImportedOnce) {
  const test::ParityCase c = MakeCase(Memory::kSurfaces, 25);
  ASSERT_TRUE(test::CompareCase(c, test::MeasureOnCpu(c), Open).perfect());
  EXPECT_EQ(Calls("ImportExternalMemory"), 10u) << "two decoders of five surfaces each";
  EXPECT_EQ(Calls("DestroyExternalMemory"), 10u);
}

TEST_F(Hip, OptionDeviceIsAnIndexAPciAddressOrAUuid) {
  const Driver& driver = LoadedDriver();
  Gpu gpu;
  for (const char* text :
       {"1", "2b:00.0", "0000:2B:00.0", "00000000:2b:00.0", "GPU-0123456789abcde1", "gpu-0123456789ABCDE1"}) {
    ASSERT_TRUE(SelectGpu(driver, text, "", &gpu).ok()) << text;
    EXPECT_EQ(gpu.index, 1) << text;
  }
  ASSERT_TRUE(SelectGpu(driver, "", "", &gpu).ok());
  EXPECT_EQ(gpu.index, 0);
  const Status status = SelectGpu(driver, "2", "", &gpu);
  EXPECT_EQ(status.code(), VMAFX_ERROR_INVALID);
  EXPECT_NE(status.text().find("0 = Stand-in 0 (0000:2a:00.0, gfx1100), 1 = Stand-in 1 (0000:2b:00.0, gfx1100)"),
            std::string::npos)
      << status.text();
}

TEST_F(Hip, TheGpuThatHoldsTheFramesIsTheOneThatScores) {
  const Driver& driver = LoadedDriver();
  Gpu gpu;
  ASSERT_TRUE(SelectGpu(driver, "", "0000:2B:00.0", &gpu).ok());
  EXPECT_EQ(gpu.index, 1);
  ASSERT_TRUE(SelectGpu(driver, "1", "0000:2b:00.0", &gpu).ok());
  EXPECT_EQ(gpu.index, 1);
  const Status other = SelectGpu(driver, "0", "0000:2b:00.0", &gpu);
  EXPECT_EQ(other.code(), VMAFX_ERROR_INVALID);
  EXPECT_NE(other.text().find("the frames are on Stand-in 1"), std::string::npos) << other.text();
  const Status unseen = SelectGpu(driver, "", "0000:65:00.0", &gpu);
  EXPECT_EQ(unseen.code(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(unseen.text().find("0000:65:00.0, which HIP does not see"), std::string::npos) << unseen.text();
}

// As the parts of one that is divided: each of them reaches its memory.
TEST_F(Hip, GpusOfOnePciAddressAreToldApartByTheOption) {
  TheStandIn().divided = true;
  Gpu gpu;
  for (const auto& [text, index] : {std::pair("", 0), std::pair("0", 0), std::pair("1", 1), std::pair("2a:00.0", 0)}) {
    const Status status = SelectGpu(LoadedDriver(), text, "0000:2a:00.0", &gpu);
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_EQ(gpu.index, index) << text;
  }
}

TEST_F(Hip, WithoutAGpuTheErrorSaysSo) {
  TheStandIn().devices = 0;
  Gpu gpu;
  const Status status = SelectGpu(LoadedDriver(), "", "", &gpu);
  EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(status.text().find("libamdhip64.so.7 is there and finds no AMD GPU: hipErrorNoDevice"), std::string::npos)
      << status.text();
  Driver driver;
  EXPECT_EQ(OpenDriver(LibraryNames(), &driver).text(), status.text());
  TheStandIn().devices = 2;
}

TEST_F(Hip, AMissingArchitectureIsNamed) {
  for (const char* architecture : {"gfx803", "gfx902:xnack+", "gfx1310", "gfx11001", "gfx90"}) {
    TheStandIn().architecture = architecture;
    std::unique_ptr<Device> device;
    ASSERT_TRUE(Open(&device).ok());
    const Kernel* kernel = nullptr;
    const Status status = device->FindKernel("vif", "vif_scale1", &kernel);
    EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
    for (const std::string part : {"no kernels of vif for Stand-in 1 (0000:2b:00.0, gfx", "gfx90a", "gfx1100"})
      EXPECT_NE(status.text().find(part), std::string::npos) << status.text();
    EXPECT_EQ(Calls("ModuleLoadData"), 0u);
  }
}

TEST_F(Hip, AnArchitectureIsNotGuessed) {
  for (const char* architecture : {"", "Radeon"}) {
    TheStandIn().architecture = architecture;
    Gpu gpu;
    const Status status = SelectGpu(LoadedDriver(), "", "", &gpu);
    EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE) << architecture;
    EXPECT_NE(status.text().find("(architecture \"" + std::string(architecture) + "\", waves of 64 and of 64)"),
              std::string::npos)
        << status.text();
  }
}

TEST_F(Hip, ACodeObjectThatTheLibraryRefusesIsNamed) {
  std::unique_ptr<Device> device;
  ASSERT_TRUE(Open(&device).ok());
  TheStandIn().architecture = "gfx90a";  // after all
  const Kernel* kernel = nullptr;
  const Status status = device->FindKernel("vif", "vif_scale1", &kernel);
  EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(status.text().find("loading the kernels of vif on Stand-in 1 (0000:2b:00.0, gfx1100) by "
                               "libamdhip64.so.7, HIP 7.0: hipErrorNoBinaryForGpu"),
            std::string::npos)
      << status.text();
}

TEST_F(Hip, KernelsForAnotherWaveSizeAreNotRun) {
  TheStandIn().reported_wave_size = 64;
  std::unique_ptr<Device> device;
  ASSERT_TRUE(Open(&device).ok());
  const Kernel* kernel = nullptr;
  const Status status = device->FindKernel("vif", "vif_scale1", &kernel);
  EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(status.text().find("compiled for waves of 32 threads"), std::string::npos) << status.text();
}

TEST_F(Hip, AKernelThatIsNotThereIsNamed) {
  std::unique_ptr<Device> device;
  ASSERT_TRUE(Open(&device).ok());
  const Kernel* kernel = nullptr;
  const Status status = device->FindKernel("vif", "vif_nothing", &kernel);
  EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(status.text().find("finding the kernel vif_nothing"), std::string::npos) << status.text();
}

// What a producer's stream has to do when it is named is done before what the queue is given next; what it is given
// later is no matter, nor is any other stream.
TEST_F(Hip, AQueueWaitsForItsProducer) {
  constexpr size_t kBytes = 256;
  const Driver& driver = LoadedDriver();
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceQueue> queue;
  ASSERT_TRUE(Open(&device).ok());
  ASSERT_TRUE(device->MakeQueue(&queue).ok());
  DeviceAddress address = 0;
  void* pinned[2] = {};
  ASSERT_TRUE(device->Allocate(kBytes, &address).ok());
  for (void*& memory : pinned) ASSERT_TRUE(device->AllocatePinned(kBytes, &memory).ok());
  Stream producer = nullptr;
  ASSERT_EQ(driver.SetDevice(1), kSuccess);
  ASSERT_EQ(driver.StreamCreateWithFlags(&producer, kStreamNonBlocking), kSuccess);
  for (const char written : {'a', 'b'}) {
    std::memset(pinned[0], written, kBytes);
    std::memset(pinned[1], 0, kBytes);
    void* const memory = reinterpret_cast<void*>(address);
    ASSERT_EQ(driver.MemcpyAsync(memory, pinned[0], kBytes, kCopyToDevice, producer), kSuccess);
    ASSERT_TRUE(queue->WaitForProducer(producer).ok());
    ASSERT_TRUE(queue->CopyToHost(pinned[1], address, kBytes).ok());
    ASSERT_TRUE(queue->Drain().ok());
    EXPECT_EQ(std::memcmp(pinned[0], pinned[1], kBytes), 0) << written;
  }
  EXPECT_EQ(driver.StreamDestroy(producer), kSuccess);
  EXPECT_EQ(driver.SetDevice(0), kSuccess);
  for (void* memory : pinned) device->FreePinned(memory);
  device->Free(address);
}

// What OpenDriver(), MakeDevice() and a few frames call, each call failing in turn; alone and with the GPU lost from
// there.
TEST_F(Hip, EveryFailingCallEndsInOneErrorInTheLibrarysWords) {
  for (const Memory memory : kMemories) {
    test::ParityCase c = MakeCase(memory, 2);
    c.format = MakePairFormat(MakeFormat(32, 17, VMAFX_LAYOUT_420, 8));
    c.metrics = {FindMetric("psnr"), FindMetric("vif")};
    const auto cpu = test::MeasureOnCpu(c);
    for (const Error failure : {kErrorOutOfMemory, kErrorLaunchFailure}) {
      int errors = 0;
      for (int call = 1;; ++call) {
        ResetStandIn();
        TheStandIn().failing_call = call;
        TheStandIn().failure = failure;
        TheStandIn().lost = failure != kErrorOutOfMemory;
        Driver driver;
        const test::Tally tally = test::CompareCase(c, cpu, [&driver](std::unique_ptr<Device>* device) {
          VMAFX_RETURN_IF_ERROR(OpenDriver(LibraryNames(), &driver));
          return MakeDevice(driver, "1", "", device);
        });
        EXPECT_EQ(TheStandIn().live, 0) << call;
        EXPECT_EQ(First(TheStandIn().misuse), "") << call;
        const bool reached = static_cast<int>(TheStandIn().calls.size()) >= call;
        const std::string failed = reached ? TheStandIn().calls[static_cast<size_t>(call) - 1].name : "";
        TheStandIn().failing_call = 0;
        (void)driver.SetDevice(0);  // which may have been the one that failed
        if (!reached) {
          EXPECT_TRUE(tally.perfect());
          break;
        }
        ASSERT_LT(call, 2000);
        if (tally.perfect()) {
          // Calls of the tidying up, and those that have a second chance: a UUID is optional, polling is repeated.
          continue;
        }
        ++errors;
        ASSERT_EQ(tally.differences.size(), 1u) << failed;
        const std::string& text = tally.differences.front();
        EXPECT_NE(text.find("the library's own words"), std::string::npos) << failed << ": " << text;
        EXPECT_EQ(text.find('\n'), std::string::npos);
      }
      EXPECT_GT(errors, 100);
    }
  }
}

TEST(HipDriver, AnOlderLibraryIsReadByItsOwnLayout) {
  const char* const names[] = {VMAFX_OLD_LIBRARY};
  Driver driver;
  const Status status = OpenDriver(names, &driver);
  ASSERT_TRUE(status.ok()) << status.text();
  EXPECT_EQ(driver.DeviceGetUuid, nullptr);
  EXPECT_EQ(driver.DrvGetErrorString, nullptr);
  Gpu gpu;
  ASSERT_TRUE(SelectGpu(driver, "1", "", &gpu).ok());
  EXPECT_EQ(Describe(gpu), "Stand-in 1 (0000:2b:00.0, gfx1100)");
  EXPECT_EQ(gpu.wave_size, 32);
  EXPECT_EQ(gpu.uuid, "");
  EXPECT_NE(Check(driver, kErrorOutOfMemory, "x").text().find("(the library's own words)"), std::string::npos);
  const test::ParityCase c = MakeCase(Memory::kSurfaces, 2);
  EXPECT_TRUE(test::CompareCase(c, test::MeasureOnCpu(c), [&driver](std::unique_ptr<Device>* device) {
                return MakeDevice(driver, "", "", device);
              }).perfect());
  const StandIn& old = StandInFunction<StandInState>(driver.file, kStandInState)();
  EXPECT_EQ(First(old.misuse), "");
  EXPECT_EQ(old.live, 0);
}

// A distribution's old release beside AMD's own packages, of whose folder the dynamic linker need not know.
TEST(HipDriver, TheNewestReleaseIsTriedFirstWhereverItIs) {
  std::string names;
  for (const std::string_view name : LibraryNames()) names.append(name).append(" ");
  for (const std::string release : {"7", "6", "5"}) {
    const std::string soname = "libamdhip64.so." + release;
    const std::string both = soname + " /opt/rocm/lib/" + soname + " ";
    ASSERT_TRUE(names.starts_with(both)) << names << ", expected " << both;
    names.erase(0, both.size());
  }
}

TEST(HipDriver, ALayoutOfTheFutureIsNotMisread) {
  Driver driver = LoadedDriver();
  ResetStandIn();
  // The old one of what fills the new one; what comes before one of the two has grown.
  for (const PropertiesLayout& layout :
       {kPropertiesR0000, PropertiesLayout{kPropertiesR0600.wave_size - 4, kPropertiesR0600.architecture},
        PropertiesLayout{kPropertiesR0600.wave_size, kPropertiesR0600.architecture + 8}}) {
    driver.layout = layout;
    Gpu gpu;
    const Status status = SelectGpu(driver, "", "", &gpu);
    EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
    EXPECT_NE(status.text().find("in a form that is not known here"), std::string::npos) << status.text();
  }
}

TEST(HipDriver, ALayoutOfThePastIsNotMisread) {
  const char* const names[] = {VMAFX_OLD_LIBRARY};
  Driver driver;
  ASSERT_TRUE(OpenDriver(names, &driver).ok());
  driver.layout = kPropertiesR0600;  // of what fills the old one
  Gpu gpu;
  const Status status = SelectGpu(driver, "", "", &gpu);
  EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(status.text().find("in a form that is not known here"), std::string::npos) << status.text();
}

TEST(HipDriver, WithoutALibraryTheErrorSaysWhatIsMissing) {
  const char* const names[] = {"libamdhip64.so.none", "libamdhip64.so.nothing"};
  Driver driver;
  const Status status = OpenDriver(names, &driver);
  EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(status.text().find("no usable libamdhip64 (libamdhip64.so.none: "), std::string::npos) << status.text();
  EXPECT_EQ(status.text().find('\n'), std::string::npos) << status.text();
}

TEST(HipDriver, ALibraryWithoutTheFunctionsIsNamed) {
  const char* const names[] = {"libc.so.6"};
  Driver driver;
  const Status status = OpenDriver(names, &driver);
  EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(status.text().find("libc.so.6 has no hipInit"), std::string::npos) << status.text();
}

}  // namespace
}  // namespace vmafx::hip
