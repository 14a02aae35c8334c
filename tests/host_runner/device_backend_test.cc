// SPDX-License-Identifier: BSD-2-Clause-Patent
// The engine's device backend over the host runner: asynchronous, bounded, in order, and what becomes of it when a call of
// the device fails.
#include "core/engine/device_backend.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <thread>

#include "core/engine/device_imports.h"
#include "tests/extract.h"
#include "tests/host_runner/faulty_device.h"
#include "tests/host_runner/host_device.h"
#include "tests/parity/surface.h"
#include "tests/pictures.h"

namespace vmafx {
namespace {

using host_runner::Fault;
using host_runner::Gate;
using host_runner::HostDevice;
using test::Content;
using test::MakeFormat;
using test::MakePairFormat;
using test::Picture;

// A pair of pictures, in host memory and copied to allocations of a device.
class DevicePair {
 public:
  DevicePair(HostDevice& device, const PairFormat& format, uint32_t seed)
      : device_(device),
        format_(format),
        distorted_(format.distorted, Content::kTexture, seed),
        reference_(format.reference, Content::kTexture, seed + 1) {
    for (int c = 0; c < format.reference.components(); ++c) {
      Copy(distorted_.view().component[c], &on_device_.distorted.component[c]);
      Copy(reference_.view().component[c], &on_device_.reference.component[c]);
    }
  }
  ~DevicePair() {
    for (DeviceAddress address : addresses_) device_.Free(address);
  }
  DevicePair(const DevicePair&) = delete;

  // `gate` is the stream of one side's producer.
  Job MakeJob(bool host_memory, Gate* gate = nullptr, vmafx_side side = VMAFX_REFERENCE) {
    Job job;
    job.format = format_;
    job.active = 3;
    job.stored = job.lifted = host_memory ? on_host() : on_device_;
    job.distorted_memory = job.reference_memory = host_memory ? VMAFX_MEMORY_HOST : VMAFX_MEMORY_CUDA;
    job.stream[side] = gate;
    for (PictureHold& hold : job.hold)
      hold = PictureHold([](void* opaque) { ++static_cast<DevicePair*>(opaque)->released_; }, this);
    return job;
  }
  PairView on_host() const { return {distorted_.view(), reference_.view()}; }
  int released() const { return released_; }

 private:
  void Copy(const Component& from, Component* to) {
    *to = from;
    to->stride = from.width * from.bytes;
    DeviceAddress address = 0;
    EXPECT_TRUE(device_.Allocate(static_cast<size_t>(to->stride) * from.height, &address).ok());
    addresses_.push_back(address);
    for (int y = 0; y < from.height; ++y)
      EXPECT_TRUE(device_.Upload(address + static_cast<DeviceAddress>(y * to->stride), from.data + y * from.stride,
                                 static_cast<size_t>(to->stride)).ok());
    to->data = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(address));
  }

  HostDevice& device_;
  const PairFormat format_;
  Picture distorted_, reference_;
  PairView on_device_;
  std::vector<DeviceAddress> addresses_;
  int released_ = 0;
};

// A pair of surfaces of two decoders, each component in a dma-buf object of its own.
class SurfacePair {
 public:
  SurfacePair(const PairFormat& format, uint64_t pool, uint64_t surface, uint32_t seed)
      : format_(format),
        pictures_{Picture(format.distorted, Content::kTexture, seed), Picture(format.reference, Content::kTexture, seed + 1)} {
    for (int side = 0; side < 2; ++side) {
      dmabuf_[side].struct_size = sizeof(vmafx_dmabuf);
      dmabuf_[side].pool = pool + static_cast<uint64_t>(side);
      dmabuf_[side].surface = surface;
      for (int c = 0; c < 3; ++c) {
        const Component& from = pictures_[side].view().component[c];
        std::vector<uint8_t> bytes;
        for (int y = 0; y < from.height; ++y)
          bytes.insert(bytes.end(), from.data + y * from.stride, from.data + y * from.stride + from.width * from.bytes);
        // The third object first: the objects' order says nothing.
        std::unique_ptr<test::Surface>& object = objects_[side][c];
        object = std::make_unique<test::Surface>(0, 0, bytes.size() + 32);
        bytes.insert(bytes.begin(), 32, 0x55);
        object->Write(bytes);
        dmabuf_[side].plane_object[c] = static_cast<uint32_t>(2 - c);
        view_[side].component[c] = from;
        view_[side].component[c].stride = from.width * from.bytes;
        view_[side].component[c].data = reinterpret_cast<const uint8_t*>(uintptr_t{32});
      }
    }
  }

  Job MakeJob() {
    Job job;
    job.format = format_;
    job.active = 3;
    job.stored = job.lifted = {view_[0], view_[1]};
    job.distorted_memory = job.reference_memory = VMAFX_MEMORY_DMABUF;
    for (int side = 0; side < 2; ++side) {
      dmabuf_[side].object_count = 3;
      for (int c = 0; c < 3; ++c) dmabuf_[side].object[2 - c] = objects_[side][c]->Export().object[0];
      job.dmabuf[side] = &dmabuf_[side];
      job.hold[side] = PictureHold([](void* opaque) { ++static_cast<SurfacePair*>(opaque)->released_; }, this);
    }
    return job;
  }
  // After Submit(); false: somebody else has closed a descriptor.
  bool Close() {
    bool closed = true;
    for (auto& side : objects_)
      for (auto& object : side) closed = object->Close() && closed;
    return closed;
  }
  PairView on_host() const { return {pictures_[0].view(), pictures_[1].view()}; }
  int released() const { return released_; }

 private:
  const PairFormat format_;
  Picture pictures_[2];
  std::unique_ptr<test::Surface> objects_[2][3];
  vmafx_dmabuf dmabuf_[2] = {};
  PictureView view_[2];
  int released_ = 0;
};

using Names = std::vector<const char*>;
const Names kSmall = {"float_psnr", "psnr"};
// With a limit of no bytes vif has a queue of its own, since it needs scratch memory, and psnr has the other one.
const Names kSplit = {"psnr", "vif"};

Plan MakePlan(int queue, const Names& names = kSmall) {
  Plan plan;
  plan.first = {0};
  for (const char* name : names) {
    plan.metrics.push_back(FindMetric(name));
    plan.first.push_back(plan.first.back() + plan.metrics.back()->Features({}).size());
  }
  plan.queue = queue;
  return plan;
}

template <class AnyPair>
std::vector<double> Expected(const AnyPair& pair, const PairFormat& format, const Names& names = kSmall) {
  std::vector<double> values;
  for (const char* name : names)
    for (double value : test::Extract(*FindMetric(name), format, pair.on_host())) values.push_back(value);
  return values;
}

const PairFormat kFormat = MakePairFormat(MakeFormat(70, 33, VMAFX_LAYOUT_420, 8));

// One device for the pictures and the backend, as CheckAccess() wants.
struct Opened {
  explicit Opened(int queue, const Names& names = kSmall, size_t two_lanes_scratch = kTwoLanesScratch,
                  const host_runner::HostDeviceOptions& options = {}) {
    auto made = host_runner::MakeHostDevice(options);
    device = made.get();
    Status status;
    backend = MakeDeviceBackend(MakePlan(queue, names), std::move(made), &status, two_lanes_scratch);
    EXPECT_TRUE(status.ok()) << status.text();
  }
  HostDevice* device = nullptr;
  std::unique_ptr<Backend> backend;
};

TEST(DeviceBackend, ReturnsBeforeTheScoresAreThereAndHoldsThePictures) {
  for (const vmafx_side side : {VMAFX_DISTORTED, VMAFX_REFERENCE}) {
    Opened opened(2);
    Gate gate;
    auto pair = std::make_unique<DevicePair>(*opened.device, kFormat, 1);
    ASSERT_TRUE(opened.backend->Submit(pair->MakeJob(false, &gate, side)).ok());
    Outcome outcome;
    // Long enough for a backend that does not wait for the producer.
    for (int i = 0; i < 100; ++i) {
      ASSERT_FALSE(opened.backend->Receive(false, &outcome)) << side;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(pair->released(), 0);
    gate.Open();
    ASSERT_TRUE(opened.backend->Receive(true, &outcome));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.text();
    EXPECT_EQ(pair->released(), 2);
    EXPECT_TRUE(test::SameValues(outcome.values, Expected(*pair, kFormat)));
  }
}

void ExpectRowsInOrder(int queue, const Names& names, size_t two_lanes_scratch) {
  Opened opened(queue, names, two_lanes_scratch);
  const PairFormat formats[] = {kFormat, MakePairFormat(MakeFormat(131, 97, VMAFX_LAYOUT_444, 10)),
                                MakePairFormat(MakeFormat(16, 20, VMAFX_LAYOUT_420, 16))};
  std::deque<DevicePair> pairs;
  for (uint32_t i = 0; i < 12; ++i) pairs.emplace_back(*opened.device, formats[i % 3], i);
  size_t received = 0;
  const auto receive = [&] {
    Outcome outcome;
    ASSERT_TRUE(opened.backend->Receive(true, &outcome));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.text();
    EXPECT_TRUE(test::SameValues(outcome.values, Expected(pairs[received], formats[received % 3], names))) << received;
    EXPECT_EQ(pairs[received].released(), 2);
    ++received;
  };
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (i - received == opened.backend->queue()) receive();
    ASSERT_TRUE(opened.backend->Submit(pairs[i].MakeJob(i % 4 == 3)).ok());
  }
  while (received < pairs.size()) receive();
}

TEST(DeviceBackend, RowsComeInOrderFromAnyMemoryAndGeometry) { ExpectRowsInOrder(3, kSmall, kTwoLanesScratch); }

TEST(DeviceBackend, RowsComeInOrderWhereMetricsHaveQueuesOfTheirOwn) {
  for (int queue : {1, 2, 3}) ExpectRowsInOrder(queue, kSplit, 0);
}

TEST(DeviceBackend, ARowWaitsForBothQueues) {
  for (const char* late : {"vif", "psnr"}) {
    SCOPED_TRACE(late);
    Opened opened(2, kSplit, 0, {.late_module = late});
    DevicePair pair(*opened.device, kFormat, 1);
    ASSERT_TRUE(opened.backend->Submit(pair.MakeJob(false)).ok());
    Outcome outcome;
    ASSERT_TRUE(opened.backend->Receive(true, &outcome));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.text();
    EXPECT_TRUE(test::SameValues(outcome.values, Expected(pair, kFormat, kSplit)));
  }
}

TEST(DeviceBackend, BothQueuesWaitForThePictures) {
  Opened opened(2, kSplit, 0);
  Gate gate;
  DevicePair pair(*opened.device, kFormat, 1);
  ASSERT_TRUE(opened.backend->Submit(pair.MakeJob(false, &gate)).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(opened.device->use().launches, 0u);
  gate.Open();
  Outcome outcome;
  ASSERT_TRUE(opened.backend->Receive(true, &outcome));
  EXPECT_TRUE(test::SameValues(outcome.values, Expected(pair, kFormat, kSplit)));
}

TEST(DeviceBackend, ASurfaceIsImportedOnceUntilItsPoolIsForgotten) {
  Opened opened(2);
  std::deque<SurfacePair> pairs;
  for (uint32_t i = 0; i < 3; ++i) pairs.emplace_back(kFormat, 7, i, i);
  const auto measure_all = [&] {
    for (SurfacePair& pair : pairs) {
      ASSERT_TRUE(opened.backend->Submit(pair.MakeJob()).ok());
      EXPECT_TRUE(pair.Close());
      Outcome outcome;
      ASSERT_TRUE(opened.backend->Receive(true, &outcome));
      ASSERT_TRUE(outcome.status.ok()) << outcome.status.text();
      EXPECT_TRUE(test::SameValues(outcome.values, Expected(pair, kFormat)));
    }
  };
  measure_all();
  measure_all();
  EXPECT_EQ(opened.device->use().imports, 3u * 2 * 3);
  const size_t kept = opened.device->use().allocations;
  opened.backend->Forget(7);
  EXPECT_EQ(opened.device->use().allocations, kept - 9);
  opened.backend->Forget(7);
  measure_all();
  EXPECT_EQ(opened.device->use().imports, 3u * 2 * 3 + 9);
  EXPECT_EQ(opened.device->use().allocations, kept);
}

// And those that come again and again are not the ones that go.
TEST(DeviceBackend, WhatIsKeptOfSurfacesIsBounded) {
  Opened opened(2);
  const size_t before = opened.device->use().allocations;
  const auto measure = [&](SurfacePair& pair) {
    ASSERT_TRUE(opened.backend->Submit(pair.MakeJob()).ok());
    EXPECT_TRUE(pair.Close());
    Outcome outcome;
    ASSERT_TRUE(opened.backend->Receive(true, &outcome));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.text();
  };
  SurfacePair often(kFormat, 17, 0, 1000);
  for (uint32_t i = 0; i < 200; ++i) {  // six objects each
    SurfacePair pair(kFormat, 7, i, i);
    measure(pair);
    if (i % 50 == 0) measure(often);
    if (i == 199) measure(pair);
  }
  EXPECT_EQ(opened.device->use().imports, 6u * (200 + 1));
  EXPECT_GE(opened.device->use().allocations, kMostImports);
  EXPECT_LE(opened.device->use().allocations, before + kMostImports + 16);
}

TEST(DeviceBackend, MemoryIsBoundedAndReadBackIsSmall) {
  Opened opened(2);
  DevicePair pair(*opened.device, kFormat, 1);
  Outcome outcome;
  const auto once = [&](bool host_memory) {
    ASSERT_TRUE(opened.backend->Submit(pair.MakeJob(host_memory)).ok());
    ASSERT_TRUE(opened.backend->Receive(true, &outcome));
    ASSERT_TRUE(outcome.status.ok());
  };
  for (int i = 0; i < 4; ++i) once(i % 2 == 0);
  for (int i = 0; i < 4; ++i) once(i % 2 != 0);
  const auto before = opened.device->use();
  for (int i = 0; i < 50; ++i) once(false);
  const auto after = opened.device->use();
  EXPECT_EQ(after.device_bytes, before.device_bytes);
  EXPECT_EQ(after.pinned_bytes, before.pinned_bytes);
  EXPECT_EQ(after.bytes_to_device, before.bytes_to_device);  // frames in device memory are not copied
  EXPECT_EQ((after.bytes_to_host - before.bytes_to_host) / 50, AlignDevice(33 * 8) + AlignDevice(3 * 8));
}

TEST(DeviceBackend, AnotherContextIsRefusedAndTheNextPairIsMeasured) {
  Opened opened(2);
  DevicePair pair(*opened.device, kFormat, 1);
  Job job = pair.MakeJob(false);
  int other = 0;
  job.context[VMAFX_REFERENCE] = &other;
  const Status status = opened.backend->Submit(std::move(job));
  EXPECT_EQ(status.code(), VMAFX_ERROR_MISMATCH);
  EXPECT_NE(status.text().find("reference"), std::string::npos);
  EXPECT_EQ(pair.released(), 2);
  ASSERT_TRUE(opened.backend->Submit(pair.MakeJob(false)).ok());
  Outcome outcome;
  ASSERT_TRUE(opened.backend->Receive(true, &outcome));
  EXPECT_TRUE(outcome.status.ok());
}

TEST(DeviceBackend, DestroyedWithPairsInFlightItReleasesThem) {
  int released = 0;
  {
    Opened opened(3);
    const Picture picture(kFormat.reference, Content::kNoise, 1);
    for (int i = 0; i < 2; ++i) {
      Job job;
      job.format = kFormat;
      job.active = 3;
      job.stored = job.lifted = {picture.view(), picture.view()};
      for (PictureHold& hold : job.hold) hold = PictureHold([](void* count) { ++*static_cast<int*>(count); }, &released);
      ASSERT_TRUE(opened.backend->Submit(std::move(job)).ok());
    }
  }
  EXPECT_EQ(released, 4);
}

// Every call of the device fails once, in turn; once alone and once with the device lost from there on.
TEST(DeviceBackend, EveryFailureEndsInOneClearErrorAndLeavesNothing) {
  for (const auto& [names, lost] : {std::pair(kSmall, false), {kSmall, true}, {kSplit, false}}) {
    const size_t two_lanes_scratch = names == kSplit ? 0 : kTwoLanesScratch;
    const Plan plan = MakePlan(2, names);
    bool reached_the_end = false;
    for (int call = 1; !reached_the_end; ++call) {
      SCOPED_TRACE(std::string(names.back()) + (lost ? ", lost at call " : ", failing call ") + std::to_string(call));
      ASSERT_LT(call, 500);
      auto made = host_runner::MakeHostDevice({});
      HostDevice* const device = made.get();
      Fault fault = {.call = call, .lost = lost};
      Status status;
      auto backend = MakeDeviceBackend(plan, host_runner::MakeFaultyDevice(std::move(made), &fault), &status,
                                       two_lanes_scratch);
      Status first_error = status;
      if (backend) {
        std::deque<DevicePair> pairs;
        for (uint32_t i = 0; i < 4; ++i) pairs.emplace_back(*device, kFormat, i);
        std::deque<SurfacePair> surfaces;
        for (uint32_t i = 0; i < 2; ++i) surfaces.emplace_back(kFormat, 7, i, 10 + i);
        size_t submitted = 0, received = 0;
        const auto note = [&](const Status& s) {
          if (s.ok()) return;
          if (first_error.ok()) first_error = s;
          if (s.code() == VMAFX_ERROR_DEVICE && first_error.code() == VMAFX_ERROR_DEVICE) {
            EXPECT_EQ(s.text(), first_error.text()) << "the first error is what every later pair gets";
          }
        };
        const auto receive = [&] {
          Outcome outcome;
          ASSERT_TRUE(backend->Receive(true, &outcome));
          note(outcome.status);
          EXPECT_EQ(outcome.values.size(), plan.first.back());
          ++received;
        };
        for (size_t i = 0; i < pairs.size(); ++i) {
          if (submitted - received == backend->queue()) receive();
          const Status s = backend->Submit(pairs[i].MakeJob(i % 2 != 0));
          note(s);
          submitted += s.ok();
          EXPECT_TRUE(s.ok() || pairs[i].released() == 2);
        }
        for (SurfacePair& pair : surfaces) {
          if (submitted - received == backend->queue()) receive();
          const Status s = backend->Submit(pair.MakeJob());
          note(s);
          submitted += s.ok();
          EXPECT_TRUE(s.ok() || pair.released() == 2);
          EXPECT_TRUE(pair.Close());
          backend->Forget(8);
        }
        while (received < submitted) receive();
        for (const DevicePair& pair : pairs) EXPECT_EQ(pair.released(), 2);
        for (const SurfacePair& pair : surfaces) EXPECT_EQ(pair.released(), 2);
        pairs.clear();
      }
      reached_the_end = fault.calls < call;
      EXPECT_EQ(first_error.ok(), reached_the_end);
      EXPECT_TRUE(first_error.ok() || first_error.text().find("injected: ") != std::string::npos) << first_error.text();
    }
  }
}

}  // namespace
}  // namespace vmafx
