// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures in dma-buf objects through the C interface, down to the stand-in for libamdhip64: what is imported and how
// long it is kept, whose descriptors are whose, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>

#include "tests/hip/stand_in_library.h"
#include "tests/open_descriptors.h"
#include "tests/parity/block_picture.h"
#include "tests/parity/scene.h"
#include "tests/parity/surface.h"
#include "tests/pictures.h"
#include "vmafx/vmafx.h"

namespace vmafx::hip {
namespace {

using test::BlockPicture;
using test::OpenDescriptors;
using test::Surface;

constexpr const char* kSecondGpu = "0000:2b:00.0";
const Format kFormat = test::MakeFormat(70, 46, VMAFX_LAYOUT_420, 8);

BlockPicture MakePicture(int frame, vmafx_side side) {
  return BlockPicture(kFormat, {.semi_planar = true, .pitch_alignment = 256}, [&](int component, int x, int y) {
    return test::SceneSample(test::Scene::kMoving, frame, side, 8, component, x, y);
  });
}

int Calls(const std::string& name) {
  const auto& calls = TheStandIn().calls;
  return static_cast<int>(
      std::count_if(calls.begin(), calls.end(), [&](const auto& call) { return call.name == name; }));
}

// A pool of surfaces; frame n is in surface n % size, which is overwritten as soon as it is released.
class Decoder {
 public:
  Decoder(uint64_t pool, vmafx_side side, const char* device = kSecondGpu)
      : pool_(pool), side_(side), device_(device) {}

  vmafx_picture Describe(int frame) {
    const BlockPicture picture = MakePicture(frame, side_);
    std::unique_ptr<Surface>& surface = surfaces_[static_cast<size_t>(frame) % surfaces_.size()];
    if (!surface)
      surface = std::make_unique<Surface>(pool_, static_cast<uint64_t>(frame) % surfaces_.size(),
                                          picture.bytes().size(), device_);
    surface->Write(picture.bytes());
    ++given_;
    vmafx_picture described = Shape(picture.View(nullptr, 0));
    described.memory = VMAFX_MEMORY_DMABUF;
    described.device_context = const_cast<vmafx_dmabuf*>(&surface->Export());
    exported_ = surface.get();
    // The pool's owner counts, the surface is the picture's.
    described.opaque = new std::pair<Decoder*, Surface*>(this, surface.get());
    described.release = [](void* opaque) {
      std::unique_ptr<std::pair<Decoder*, Surface*>> released(static_cast<std::pair<Decoder*, Surface*>*>(opaque));
      released->second->Overwrite();
      ++released->first->released_;
    };
    return described;
  }
  // After submission; false: somebody else has closed the descriptor.
  bool Close() { return exported_->Close(); }
  int held() const { return given_ - released_; }

  // As a picture in host memory, for the CPU.
  static vmafx_picture Shape(const PictureView& view) {
    vmafx_picture picture = {};
    picture.struct_size = sizeof picture;
    picture.width = kFormat.width;
    picture.height = kFormat.height;
    picture.layout = kFormat.layout;
    picture.depth = 8;
    picture.bytes_per_sample = 1;
    for (int c = 0; c < 3; ++c)
      picture.plane[c] = {view.component[c].data, view.component[c].stride, view.component[c].step};
    picture.range = VMAFX_RANGE_LIMITED;
    picture.matrix = picture.transfer = 1;
    picture.chroma_location = VMAFX_CHROMA_LEFT;
    return picture;
  }

 private:
  const uint64_t pool_;
  const vmafx_side side_;
  const char* const device_;
  std::array<std::unique_ptr<Surface>, 6> surfaces_;
  Surface* exported_ = nullptr;
  int given_ = 0, released_ = 0;
};

using Rows = std::vector<std::vector<double>>;

class SessionUnderTest {
 public:
  explicit SessionUnderTest(const char* backend, const char* device = "", const char* metrics = "float_psnr+psnr+vif",
                            const char* subsample = "1") {
    vmafx_config* const config = vmafx_config_create();
    for (const auto& [name, value] :
         {std::pair("backend", backend), std::pair("metrics", metrics), std::pair("subsample", subsample)})
      EXPECT_EQ(vmafx_config_set(config, name, value, &error_), VMAFX_OK) << error_.text;
    if (*device != '\0') {
      EXPECT_EQ(vmafx_config_set(config, "device", device, &error_), VMAFX_OK) << error_.text;
    }
    created_ = vmafx_session_create(config, &session_, &error_);
    vmafx_config_destroy(config);
  }
  ~SessionUnderTest() { vmafx_session_destroy(session_); }
  SessionUnderTest(const SessionUnderTest&) = delete;

  int created() const { return created_; }
  vmafx_session* get() const { return session_; }
  std::string error() const { return error_.text; }
  int Submit(vmafx_picture distorted, vmafx_picture reference) {
    error_.text[0] = '\0';
    vmafx_pair pair = {sizeof(vmafx_pair), index_++, distorted, reference};
    return vmafx_session_submit(session_, &pair, &error_);
  }
  int Receive(Rows* rows) {
    vmafx_scores scores = {};
    scores.struct_size = sizeof scores;
    const int result = vmafx_session_receive(session_, 1, &scores, &error_);
    if (result == VMAFX_OK) rows->emplace_back(scores.values, scores.values + scores.count);
    return result;
  }

 private:
  vmafx_session* session_ = nullptr;
  int created_ = 0;
  vmafx_error error_ = {};
  uint64_t index_ = 0;
};

// What the CPU says of the same frames.
Rows Expected(int frames, const char* metrics = "float_psnr+psnr+vif") {
  SessionUnderTest session("cpu", "", metrics);
  Rows rows;
  for (int frame = 0; frame < frames; ++frame) {
    const BlockPicture distorted = MakePicture(frame, VMAFX_DISTORTED), reference = MakePicture(frame, VMAFX_REFERENCE);
    EXPECT_EQ(session.Submit(Decoder::Shape(distorted.View(distorted.bytes().data(), 0)),
                             Decoder::Shape(reference.View(reference.bytes().data(), 0))),
              VMAFX_OK)
        << session.error();
    EXPECT_EQ(session.Receive(&rows), VMAFX_OK);
  }
  return rows;
}

class HipSession : public testing::Test {
 protected:
  HipSession() {
    ResetStandIn();
    descriptors_ = OpenDescriptors();
  }
  ~HipSession() override {
    EXPECT_EQ(TheStandIn().live, 0);
    EXPECT_TRUE(TheStandIn().misuse.empty());
    EXPECT_EQ(OpenDescriptors(), descriptors_) << "a descriptor was left open, or one of another's was closed";
  }

 private:
  int descriptors_ = 0;
};

// Submits frames [from, to) and receives as the queue fills up; the first error ends it.
int Measure(SessionUnderTest& session, Decoder& distorted, Decoder& reference, int from, int to, Rows* rows) {
  for (int frame = from; frame < to; ++frame) {
    if (static_cast<size_t>(frame - from) >= vmafx_session_queue(session.get()))
      if (const int result = session.Receive(rows); result != VMAFX_OK) return result;
    const int result = session.Submit(distorted.Describe(frame), reference.Describe(frame));
    EXPECT_TRUE(distorted.Close() && reference.Close()) << "the library closed its caller's descriptor";
    if (result != VMAFX_OK) return result;
  }
  int result;
  while ((result = session.Receive(rows)) == VMAFX_OK) {
  }
  return result == VMAFX_END ? VMAFX_OK : result;
}

TEST_F(HipSession, AutoMeasuresDmabufsOnTheGpuThatHoldsThem) {
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  SessionUnderTest session("auto");
  Rows rows;
  ASSERT_EQ(Measure(session, distorted, reference, 0, 20, &rows), VMAFX_OK) << session.error();
  EXPECT_STREQ(vmafx_session_backend(session.get()), "hip");
  EXPECT_STREQ(vmafx_session_device(session.get()), "Stand-in 1 (0000:2b:00.0, gfx1100)");
  EXPECT_EQ(rows, Expected(20));
  EXPECT_EQ(distorted.held() + reference.held(), 0);
  EXPECT_EQ(Calls("ImportExternalMemory"), 12) << "six surfaces of each decoder";
  EXPECT_EQ(Calls("DestroyExternalMemory"), 0) << "kept as long as the session";
}

TEST_F(HipSession, OneSideMayNotKnowItsGpu) {
  Decoder distorted(1, VMAFX_DISTORTED, nullptr), reference(2, VMAFX_REFERENCE, "00000000:2B:00.0");
  SessionUnderTest session("hip");
  Rows rows;
  ASSERT_EQ(Measure(session, distorted, reference, 0, 2, &rows), VMAFX_OK) << session.error();
  EXPECT_STREQ(vmafx_session_device(session.get()), "Stand-in 1 (0000:2b:00.0, gfx1100)");
  EXPECT_EQ(rows, Expected(2));
}

TEST_F(HipSession, AForgottenPoolIsGivenUpAndImportedAnew) {
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  SessionUnderTest session("hip");
  Rows rows;
  ASSERT_EQ(Measure(session, distorted, reference, 0, 6, &rows), VMAFX_OK) << session.error();
  vmafx_session_forget(session.get(), 1);
  EXPECT_EQ(Calls("DestroyExternalMemory"), 6);
  vmafx_session_forget(session.get(), 1);
  vmafx_session_forget(session.get(), 77);
  vmafx_session_forget(nullptr, 1);
  EXPECT_EQ(Calls("DestroyExternalMemory"), 6);
  ASSERT_EQ(Measure(session, distorted, reference, 6, 12, &rows), VMAFX_OK) << session.error();
  EXPECT_EQ(Calls("ImportExternalMemory"), 18);
  EXPECT_EQ(rows, Expected(12));
}

TEST_F(HipSession, APairInFlightKeepsItsSurfaces) {
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  SessionUnderTest session("hip");
  Rows rows;
  for (int frame = 0; frame < 2; ++frame) {
    ASSERT_EQ(session.Submit(distorted.Describe(frame), reference.Describe(frame)), VMAFX_OK);
    EXPECT_TRUE(distorted.Close() && reference.Close());
  }
  vmafx_session_forget(session.get(), 1);
  vmafx_session_forget(session.get(), 2);
  EXPECT_EQ(distorted.held() + reference.held(), 4);
  EXPECT_EQ(Calls("DestroyExternalMemory"), 0);
  ASSERT_EQ(session.Receive(&rows), VMAFX_OK) << session.error();
  EXPECT_EQ(Calls("DestroyExternalMemory"), 2);
  ASSERT_EQ(session.Receive(&rows), VMAFX_OK) << session.error();
  EXPECT_EQ(Calls("DestroyExternalMemory"), 4);
  EXPECT_EQ(rows, Expected(2));
}

TEST_F(HipSession, WithoutAPoolNothingIsKept) {
  Decoder distorted(0, VMAFX_DISTORTED), reference(0, VMAFX_REFERENCE);
  SessionUnderTest session("hip");
  Rows rows;
  ASSERT_EQ(Measure(session, distorted, reference, 0, 9, &rows), VMAFX_OK) << session.error();
  EXPECT_EQ(rows, Expected(9));
  EXPECT_EQ(Calls("ImportExternalMemory"), 18);
  EXPECT_EQ(Calls("DestroyExternalMemory"), 18);
}

TEST_F(HipSession, DestroyedWithPairsInFlightItReleasesThem) {
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  {
    SessionUnderTest session("hip");
    for (int frame = 0; frame < 3; ++frame) {
      ASSERT_EQ(session.Submit(distorted.Describe(frame), reference.Describe(frame)), VMAFX_OK);
      EXPECT_TRUE(distorted.Close() && reference.Close());
    }
  }
  EXPECT_EQ(distorted.held() + reference.held(), 0);
}

// Each is one clear error of its pair, and the next good pair is measured.
TEST_F(HipSession, WhatCannotBeReadIsRefused) {
  struct Refusal {
    const char* text;
    int code;
    std::function<void(vmafx_picture& picture, vmafx_dmabuf& dmabuf)> change;
  };
  const Refusal refusals[] = {
      {"its device_context is NULL", VMAFX_ERROR_INVALID,
       [](auto& picture, auto&) { picture.device_context = nullptr; }},
      {"struct_size is 4", VMAFX_ERROR_INVALID, [](auto&, auto& dmabuf) { dmabuf.struct_size = 4; }},
      {"has 0 dma-buf objects", VMAFX_ERROR_INVALID, [](auto&, auto& dmabuf) { dmabuf.object_count = 0; }},
      {"has 5 dma-buf objects", VMAFX_ERROR_INVALID, [](auto&, auto& dmabuf) { dmabuf.object_count = 5; }},
      {"object 0 has descriptor -1", VMAFX_ERROR_INVALID, [](auto&, auto& dmabuf) { dmabuf.object[0].fd = -1; }},
      {"and 0 bytes", VMAFX_ERROR_INVALID, [](auto&, auto& dmabuf) { dmabuf.object[0].size = 0; }},
      {"object 0 is not linear (modifier 0x00ffffffffffffff)", VMAFX_ERROR_UNSUPPORTED,
       [](auto&, auto& dmabuf) { dmabuf.object[0].modifier = 0x00ffffffffffffff; }},
      {"object 0 is not linear (modifier 0x0200000000000001)", VMAFX_ERROR_UNSUPPORTED,
       [](auto&, auto& dmabuf) { dmabuf.object[0].modifier = 0x0200000000000001; }},
      {"plane 1 (offset 11776, stride 256, step 2) does not lie inside dma-buf object 1 of 1", VMAFX_ERROR_INVALID,
       [](auto&, auto& dmabuf) { dmabuf.plane_object[1] = 1; }},
      {"plane 2 (offset 11778, stride 256, step 2) does not lie inside", VMAFX_ERROR_INVALID,
       [](auto& picture, auto&) { ++picture.plane[2].data; }},
      {"plane 0 (offset 0, stride -256, step 1) does not lie inside", VMAFX_ERROR_INVALID,
       [](auto& picture, auto&) { picture.plane[0].stride = -256; }},
      {"plane 0 (offset 18446744073709551360, stride 256, step 1) does not", VMAFX_ERROR_INVALID,
       [](auto& picture, auto&) { picture.plane[0].data = reinterpret_cast<const uint8_t*>(~uintptr_t{255}); }},
      {"object of 17478 bytes and now has 17000", VMAFX_ERROR_INVALID,
       [](auto& picture, auto& dmabuf) {
         dmabuf.object[0].size = 17000;
         picture.plane[1].data = picture.plane[2].data = nullptr;
       }},
      {"the frames are on the GPU at 0000:2A:00.0", VMAFX_ERROR_MISMATCH,
       [](auto&, auto& dmabuf) { dmabuf.device = "0000:2A:00.0"; }},
  };
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  SessionUnderTest session("hip");
  Rows rows;
  ASSERT_EQ(Measure(session, distorted, reference, 0, 6, &rows), VMAFX_OK) << session.error();
  for (const bool distorted_side : {true, false})
    for (const Refusal& refusal : refusals) {
      vmafx_picture pictures[] = {distorted.Describe(0), reference.Describe(0)};
      vmafx_picture& changed = pictures[distorted_side ? 0 : 1];
      vmafx_dmabuf copy = *static_cast<const vmafx_dmabuf*>(changed.device_context);
      changed.device_context = &copy;
      refusal.change(changed, copy);
      EXPECT_EQ(session.Submit(pictures[0], pictures[1]), refusal.code) << session.error();
      std::string text = refusal.text;
      if (const size_t at = text.find("the frames"); at == 0)
        text = std::string(distorted_side ? "the distorted" : "the reference") + text.substr(3);
      EXPECT_NE(session.error().find(text), std::string::npos) << session.error() << "\nexpected: " << text;
      EXPECT_TRUE(distorted.Close() && reference.Close());
      EXPECT_EQ(distorted.held() + reference.held(), 0);
    }
  EXPECT_EQ(Calls("ImportExternalMemory"), 12);
  rows.clear();
  ASSERT_EQ(Measure(session, distorted, reference, 0, 3, &rows), VMAFX_OK) << session.error();
  EXPECT_EQ(rows, Expected(3));
}

TEST_F(HipSession, ADescriptorOfLessMemoryIsRefused) {
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  SessionUnderTest session("hip");
  vmafx_picture pictures[] = {distorted.Describe(0), reference.Describe(0)};
  vmafx_dmabuf copy = *static_cast<const vmafx_dmabuf*>(pictures[0].device_context);
  copy.object[0].size += 4096;
  pictures[0].device_context = &copy;
  EXPECT_EQ(session.Submit(pictures[0], pictures[1]), VMAFX_ERROR_INVALID);
  EXPECT_NE(session.error().find("has 17478 bytes, the picture says 21574"), std::string::npos) << session.error();
  EXPECT_TRUE(distorted.Close() && reference.Close());
  EXPECT_EQ(Calls("ImportExternalMemory"), 0);
}

// HIP gives one error, a lack of memory, for every dma-buf that it does not take.
TEST_F(HipSession, ADmabufThatIsNotImportedSaysWhatToDo) {
  for (const char* name : {"ImportExternalMemory", "ExternalMemoryGetMappedBuffer"}) {
    int call = 0;
    for (const bool fails : {false, true}) {
      ResetStandIn();
      TheStandIn().failing_call = call;
      TheStandIn().failure = kErrorOutOfMemory;
      Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
      SessionUnderTest session("hip");
      Rows rows;
      const int result = Measure(session, distorted, reference, 0, 1, &rows);
      EXPECT_EQ(result, fails ? VMAFX_ERROR_MEMORY : VMAFX_OK) << session.error();
      EXPECT_EQ(session.error().ends_with(": insert hwdownload,format= before both inputs"), fails) << session.error();
      const auto& calls = TheStandIn().calls;
      const auto found = std::find_if(calls.begin(), calls.end(), [&](const auto& c) { return c.name == name; });
      ASSERT_NE(found, calls.end());
      call = static_cast<int>(found - calls.begin()) + 1;
    }
  }
}

TEST_F(HipSession, ADmabufThatIsMappedNowhereIsNotRead) {
  TheStandIn().maps_nothing = true;
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  SessionUnderTest session("hip");
  EXPECT_EQ(session.Submit(distorted.Describe(0), reference.Describe(0)), VMAFX_ERROR_DEVICE);
  EXPECT_NE(session.error().find("mapping a dma-buf of 17478 bytes on Stand-in 1"), std::string::npos) << session.error();
  EXPECT_TRUE(distorted.Close() && reference.Close());
  EXPECT_EQ(distorted.held() + reference.held(), 0);
}

TEST_F(HipSession, TheOptionAndTheFramesMustMeanOneGpu) {
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  SessionUnderTest session("hip", "0");
  EXPECT_EQ(session.Submit(distorted.Describe(0), reference.Describe(0)), VMAFX_ERROR_INVALID);
  EXPECT_NE(session.error().find("device '0' is Stand-in 0"), std::string::npos) << session.error();
  EXPECT_TRUE(distorted.Close() && reference.Close());
  EXPECT_EQ(distorted.held() + reference.held(), 0);
}

// A pair that is passed over is refused like any other.
TEST_F(HipSession, APairOnAnotherGpuIsRefusedWhetherItIsScoredOrNot) {
  for (const char* subsample : {"1", "2"}) {
    Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE), other(3, VMAFX_REFERENCE, "0000:2a:00.0");
    SessionUnderTest session("hip", "", "psnr", subsample);
    EXPECT_EQ(session.Submit(distorted.Describe(0), reference.Describe(0)), VMAFX_OK) << session.error();
    EXPECT_TRUE(distorted.Close() && reference.Close());
    EXPECT_EQ(session.Submit(distorted.Describe(1), other.Describe(1)), VMAFX_ERROR_MISMATCH) << subsample;
    EXPECT_NE(session.error().find("the reference frames are on the GPU at 0000:2a:00.0"), std::string::npos)
        << session.error();
    EXPECT_TRUE(distorted.Close() && other.Close());
    EXPECT_EQ(other.held(), 0);
  }
}

TEST_F(HipSession, ABackendOfOtherMemorySaysSo) {
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  SessionUnderTest session("cpu");
  EXPECT_EQ(session.Submit(distorted.Describe(0), reference.Describe(0)), VMAFX_ERROR_MISMATCH);
  EXPECT_NE(session.error().find("the pictures are in dma-buf memory, which backend=cpu does not read"),
            std::string::npos)
      << session.error();
  EXPECT_TRUE(distorted.Close() && reference.Close());
  const BlockPicture on_host = MakePicture(0, VMAFX_REFERENCE);
  EXPECT_EQ(session.Submit(distorted.Describe(0), Decoder::Shape(on_host.View(on_host.bytes().data(), 0))),
            VMAFX_ERROR_MISMATCH);
  EXPECT_NE(
      session.error().find("insert hwdownload,format= before the distorted input or hwupload before the reference"),
      std::string::npos)
      << session.error();
  EXPECT_TRUE(distorted.Close());
}

TEST_F(HipSession, AMissingArchitectureIsAnErrorOfTheSession) {
  TheStandIn().architecture = "gfx803";
  SessionUnderTest named("hip", "1");
  EXPECT_EQ(named.created(), VMAFX_ERROR_DEVICE);
  EXPECT_NE(named.error().find("for Stand-in 1 (0000:2b:00.0, gfx803); it has them for"), std::string::npos)
      << named.error();
  SessionUnderTest unnamed("hip");  // the frames may be on another GPU
  ASSERT_EQ(unnamed.created(), VMAFX_OK);
  Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
  EXPECT_EQ(unnamed.Submit(distorted.Describe(0), reference.Describe(0)), VMAFX_ERROR_DEVICE);
  EXPECT_NE(unnamed.error().find("gfx803); it has them for"), std::string::npos) << unnamed.error();
  EXPECT_TRUE(distorted.Close() && reference.Close());
}

// Each call of a whole session fails in turn, pools being forgotten on the way.
TEST_F(HipSession, EveryFailingCallEndsInOneClearErrorAndLeavesNothing) {
  const Rows expected = Expected(5, "psnr");
  for (const bool lost : {false, true}) {
    bool reached = true;
    for (int call = 1; reached; ++call) {
      ASSERT_LT(call, 3000);
      const int descriptors = OpenDescriptors();
      ResetStandIn();
      TheStandIn().failing_call = call;
      TheStandIn().lost = lost;
      Rows rows;
      std::string error;
      {
        Decoder distorted(1, VMAFX_DISTORTED), reference(2, VMAFX_REFERENCE);
        auto session = std::make_unique<SessionUnderTest>("hip", "", "psnr");
        int result = session->created();
        if (result == VMAFX_OK) result = Measure(*session, distorted, reference, 0, 3, &rows);
        if (result == VMAFX_OK) vmafx_session_forget(session->get(), 2);
        if (result == VMAFX_OK) result = Measure(*session, distorted, reference, 3, 5, &rows);
        if (result != VMAFX_OK) error = session->error();
        EXPECT_EQ(result == VMAFX_OK, rows == expected) << call;
        EXPECT_TRUE(result == VMAFX_OK || error.find("HIP: ") != std::string::npos) << call << ": " << error;
        session.reset();
        EXPECT_EQ(distorted.held() + reference.held(), 0) << call;
      }
      reached = static_cast<int>(TheStandIn().calls.size()) >= call;
      TheStandIn().failing_call = 0;
      EXPECT_EQ(TheStandIn().live, 0) << call;
      EXPECT_EQ(OpenDescriptors(), descriptors) << call;
      EXPECT_EQ(error.find('\n'), std::string::npos);
      const Driver* driver = nullptr;
      if (LoadDriver(&driver).ok()) (void)driver->SetDevice(0);  // giving it back may have failed
    }
    EXPECT_EQ(TheStandIn().misuse, std::vector<std::string>());
  }
}

}  // namespace
}  // namespace vmafx::hip
