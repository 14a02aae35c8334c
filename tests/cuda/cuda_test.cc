// SPDX-License-Identifier: BSD-2-Clause-Patent
// The CUDA backend's host code, over a stand-in driver: which calls a frame makes, which GPU an option means, and what
// becomes of every call that fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/engine/device_backend.h"
#include "cuda/device.h"
#include "cuda/select.h"
#include "tests/cuda/stand_in_driver.h"
#include "tests/parity/compare.h"
#include "tests/pictures.h"

namespace vmafx::cuda {
namespace {

using test::MakeFormat;
using test::MakePairFormat;

test::ParityCase MakeCase(bool host_memory) {
  test::ParityCase c;
  c.name = "CUDA";
  c.metrics = {FindMetric("float_psnr"), FindMetric("psnr"), FindMetric("vif")};
  c.format = MakePairFormat(MakeFormat(97, 61, VMAFX_LAYOUT_420, 8));
  c.host_memory = host_memory;
  c.frames = 6;
  return c;
}

Status Open(std::unique_ptr<Device>* device) { return MakeDevice(StandInDriver(), nullptr, "1", device); }

class Cuda : public testing::Test {
 protected:
  Cuda() { ResetStandIn(); }
  ~Cuda() override {
    EXPECT_EQ(TheStandIn().live, 0);
    EXPECT_EQ(TheStandIn().context_depth, 0);
  }
};

TEST_F(Cuda, TheHostCodeGivesTheBitsOfTheCpu) {
  for (const bool host_memory : {false, true}) {
    const test::ParityCase c = MakeCase(host_memory);
    const test::Tally tally = test::CompareCase(c, test::MeasureOnCpu(c), Open);
    EXPECT_TRUE(tally.perfect()) << (tally.differences.empty() ? "" : tally.differences.front());
  }
}

TEST_F(Cuda, FramesOnTheDeviceAreNotCopiedAndOneSmallBlockComesBack) {
  const test::ParityCase c = MakeCase(false);
  const auto cpu = test::MeasureOnCpu(c);
  ASSERT_TRUE(test::CompareCase(c, cpu, Open).perfect());
  size_t read_back = 0, read_backs = 0;
  for (const DriverCall& call : TheStandIn().calls) {
    EXPECT_NE(call.name, "MemcpyHtoDAsync");
    if (call.name != "MemcpyDtoHAsync") continue;
    ++read_backs;
    read_back = call.bytes;
  }
  EXPECT_EQ(read_backs, 6u);
  // A sum for each row, three sums, four sums for each of four scales.
  EXPECT_EQ(read_back, AlignDevice(61 * 8) + AlignDevice(3 * 8) + AlignDevice(4 * 4 * 8));
  // The host waits once for each row that it asks for, and never otherwise.
  EXPECT_EQ(std::count_if(TheStandIn().calls.begin(), TheStandIn().calls.end(),
                          [](const DriverCall& call) { return call.name == "EventSynchronize"; }), 6);
}

TEST_F(Cuda, OptionDeviceIsAnIndexAPciAddressOrAUuid) {
  const Driver& driver = StandInDriver();
  CUdevice device = -1;
  for (const char* text : {"1", "66:00.0", "0000:66:00.0", "00000000:66:00.0", "66:0.0",
                           "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1"}) {
    ASSERT_TRUE(SelectDevice(driver, text, &device).ok()) << text;
    EXPECT_EQ(device, 1) << text;
  }
  ASSERT_TRUE(SelectDevice(driver, "", &device).ok());
  EXPECT_EQ(device, 0);
  for (const char* text : {"0000:67:00.0", "66:00.1", "66:00", "1:66:00.0", "66:00.0x", "00000000:66:00.00", "01"})
    EXPECT_EQ(SelectDevice(driver, text, &device).code(), VMAFX_ERROR_INVALID) << text;
  const Status status = SelectDevice(driver, "2", &device);
  EXPECT_EQ(status.code(), VMAFX_ERROR_INVALID);
  EXPECT_NE(status.text().find("0 = Stand-in 0 (0000:65:00.0, compute capability 9.0), 1 = Stand-in 1"),
            std::string::npos) << status.text();
  TheStandIn().devices = 0;
  EXPECT_EQ(SelectDevice(driver, "", &device).code(), VMAFX_ERROR_DEVICE);
}

TEST_F(Cuda, TheFramesDeviceWinsOverTheOption) {
  std::unique_ptr<Device> device;
  int context = 0;
  EXPECT_TRUE(MakeDevice(StandInDriver(), reinterpret_cast<CUcontext>(&context), "0", &device).ok());
  const Status status = MakeDevice(StandInDriver(), reinterpret_cast<CUcontext>(&context), "1", &device);
  EXPECT_EQ(status.code(), VMAFX_ERROR_INVALID);
}

TEST_F(Cuda, AMissingArchitectureIsNamed) {
  std::unique_ptr<Device> device;
  ASSERT_TRUE(Open(&device).ok());
  // The next calls: entering the context, loading the module.
  TheStandIn().failing_call = static_cast<int>(TheStandIn().calls.size()) + 2;
  TheStandIn().failure = kErrorNoBinaryForGpu;
  const Kernel* kernel = nullptr;
  const Status status = device->FindKernel("vif", "vif_scale1", &kernel);
  EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
  for (const char* part : {"the kernels of vif on Stand-in 1", "the driver's own words", "sm_", "CUDA 12.8"})
    EXPECT_NE(status.text().find(part), std::string::npos) << status.text();
  EXPECT_EQ(device->FindKernel("nothing", "nothing", &kernel).code(), VMAFX_ERROR_UNSUPPORTED);
}

TEST_F(Cuda, EveryFailingCallEndsInOneErrorInTheDriversWords) {
  for (const bool host_memory : {false, true}) {
    test::ParityCase c = MakeCase(host_memory);
    c.metrics = {FindMetric("psnr"), FindMetric("vif")};
    c.frames = 2;
    const auto cpu = test::MeasureOnCpu(c);
    for (const CUresult failure : {kErrorOutOfMemory, static_cast<CUresult>(719)}) {
      for (int call = 1;; ++call) {
        ResetStandIn();
        TheStandIn().failing_call = call;
        TheStandIn().failure = failure;
        TheStandIn().lost = failure != kErrorOutOfMemory;
        const test::Tally tally = test::CompareCase(c, cpu, Open);
        EXPECT_EQ(TheStandIn().live, 0) << call;
        EXPECT_EQ(TheStandIn().context_depth, 0) << call;
        if (static_cast<int>(TheStandIn().calls.size()) < call) {
          EXPECT_TRUE(tally.perfect());
          break;
        }
        ASSERT_LT(call, 1000);
        if (tally.perfect()) continue;  // it was a call of the tidying up
        ASSERT_EQ(tally.differences.size(), 1u);
        EXPECT_NE(tally.differences.front().find("the driver's own words"), std::string::npos)
            << tally.differences.front();
        EXPECT_EQ(tally.differences.front().find('\n'), std::string::npos);
      }
    }
  }
}

TEST(CudaDriver, WithoutADriverTheErrorSaysWhatIsMissing) {
  const Driver* driver = nullptr;
  const Status status = LoadDriver(&driver);
  if (status.ok()) GTEST_SKIP() << "a driver is installed";
  EXPECT_EQ(status.code(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(status.text().find("CUDA"), std::string::npos);
  EXPECT_EQ(status.text().find('\n'), std::string::npos) << status.text();
}

}  // namespace
}  // namespace vmafx::cuda
