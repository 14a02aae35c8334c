// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a DRM frame reaches the device: a table of descriptions as drivers give them, and of wrong ones.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "vmafx/vmafx.h"

namespace {

constexpr uint64_t kLinear = 0, kInvalid = 0x00ffffffffffffff;
// AMD modifiers by their fields: 64K_S_X of GFX9, 64K_D_X with DCC of GFX10.3, 64K_R_X of GFX11, 256K_2D of GFX12.
constexpr uint64_t kAmdGfx9 = 0x0200000000401901, kAmdGfx103Dcc = 0x020000001866ba03, kAmdGfx11 = 0x0200000000601b04,
                   kAmdGfx12 = 0x0200000000000405;
constexpr uint64_t kIntelY = 0x0100000000000002;

uint32_t Fourcc(const char* code) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= static_cast<uint32_t>(static_cast<unsigned char>(code[i])) << 8 * i;
  return value;
}

struct Samples {
  vmafx_layout layout = VMAFX_LAYOUT_420;
  int depth = 8, bytes = 1, shift = 0;
};
constexpr Samples k420 = {}, kP010 = {VMAFX_LAYOUT_420, 10, 2, 6}, kP012 = {VMAFX_LAYOUT_420, 12, 2, 4},
                  kP016 = {VMAFX_LAYOUT_420, 16, 2, 0}, k422 = {VMAFX_LAYOUT_422, 8, 1, 0},
                  k444 = {VMAFX_LAYOUT_444, 8, 1, 0}, kGray = {VMAFX_LAYOUT_GRAY, 8, 1, 0},
                  kQ410 = {VMAFX_LAYOUT_444, 10, 2, 6}, kRgb = {VMAFX_LAYOUT_RGB, 8, 1, 0};

struct Call {
  vmafx_drm_frame frame = {};
  vmafx_picture picture = {};
  vmafx_dmabuf memory = {};
  vmafx_drm_route route = VMAFX_DRM_DOWNLOAD;
  vmafx_error reason = {};

  Call(int width, int height, const Samples& samples) {
    frame.struct_size = sizeof frame;
    picture.struct_size = sizeof picture;
    memory.struct_size = sizeof memory;
    memory.pool = 7;
    memory.surface = 8;
    picture.width = width;
    picture.height = height;
    picture.layout = samples.layout;
    picture.depth = samples.depth;
    picture.bytes_per_sample = samples.bytes;
    picture.shift = samples.shift;
  }
  Call& Object(uint64_t size, uint64_t modifier = kLinear) {
    frame.object[frame.object_count] = {static_cast<int>(10 + frame.object_count), size, modifier};
    ++frame.object_count;
    return *this;
  }
  Call& Layer(const char* format, std::vector<vmafx_drm_plane> planes) {
    vmafx_drm_layer& layer = frame.layer[frame.layer_count++];
    layer.format = Fourcc(format);
    layer.plane_count = static_cast<uint32_t>(planes.size());
    for (size_t i = 0; i < planes.size(); ++i) layer.plane[i] = planes[i];
    return *this;
  }
  Call& Crop(uint32_t left, uint32_t top) {
    frame.crop_left = left;
    frame.crop_top = top;
    return *this;
  }
  int Run() { return vmafx_drm_describe(&frame, &picture, &memory, &route, &reason); }
};

struct Plane {
  uint32_t object;
  intptr_t first;
  ptrdiff_t stride, step;
};

void ExpectImported(Call call, const std::vector<Plane>& planes, const char* reason = "linear") {
  ASSERT_EQ(call.Run(), VMAFX_OK) << call.reason.text;
  ASSERT_EQ(call.route, VMAFX_DRM_IMPORT) << call.reason.text;
  EXPECT_STREQ(call.reason.text, reason);
  EXPECT_EQ(call.picture.memory, VMAFX_MEMORY_DMABUF);
  EXPECT_EQ(call.picture.device_context, &call.memory);
  EXPECT_EQ(call.memory.pool, 7u);
  EXPECT_EQ(call.memory.surface, 8u);
  ASSERT_EQ(call.memory.object_count, call.frame.object_count);
  for (uint32_t i = 0; i < call.frame.object_count; ++i) {
    EXPECT_EQ(call.memory.object[i].fd, call.frame.object[i].fd);
    EXPECT_EQ(call.memory.object[i].size, call.frame.object[i].size);
    EXPECT_EQ(call.memory.object[i].modifier, kLinear);  // assumed or not
  }
  for (size_t c = 0; c < planes.size(); ++c) {
    EXPECT_EQ(call.memory.plane_object[c], planes[c].object) << c;
    EXPECT_EQ(reinterpret_cast<intptr_t>(call.picture.plane[c].data), planes[c].first) << c;
    EXPECT_EQ(call.picture.plane[c].stride, planes[c].stride) << c;
    EXPECT_EQ(call.picture.plane[c].step, planes[c].step) << c;
  }
}

void ExpectRoute(Call call, vmafx_drm_route route, const std::string& part) {
  const vmafx_picture before = call.picture;
  ASSERT_EQ(call.Run(), VMAFX_OK) << call.reason.text;
  EXPECT_EQ(call.route, route) << call.reason.text;
  EXPECT_NE(std::string(call.reason.text).find(part), std::string::npos) << call.reason.text;
  EXPECT_EQ(std::memcmp(&before, &call.picture, sizeof before), 0);
  EXPECT_EQ(call.memory.object_count, 0u);
}

void ExpectRefused(Call call, const std::vector<std::string>& parts) {
  const vmafx_picture before = call.picture;
  ASSERT_EQ(call.Run(), VMAFX_ERROR_INVALID) << call.reason.text;
  const std::string text = call.reason.text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.rfind("the DRM ", 0), 0u) << text;
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  EXPECT_EQ(std::memcmp(&before, &call.picture, sizeof before), 0);
}

// 1920x1080 as a decoder has it: 2048 bytes of pitch, 1088 rows.
Call Nv12(uint64_t modifier = kLinear) {
  return Call(1920, 1080, k420).Object(2048 * 1632, modifier).Layer("NV12", {{0, 0, 2048}, {0, 2048 * 1088, 2048}});
}
const std::vector<Plane> kNv12Planes = {{0, 0, 2048, 1}, {0, 2048 * 1088, 2048, 2}, {0, 2048 * 1088 + 1, 2048, 2}};

TEST(DrmFrame, LinearFormatsInOneLayer) {
  ExpectImported(Nv12(), kNv12Planes);
  ExpectImported(Call(16, 8, k420).Object(192).Layer("NV21", {{0, 0, 16}, {0, 128, 16}}),
                 {{0, 0, 16, 1}, {0, 129, 16, 2}, {0, 128, 16, 2}});
  ExpectImported(Call(16, 8, k422).Object(256).Layer("NV16", {{0, 0, 16}, {0, 128, 16}}),
                 {{0, 0, 16, 1}, {0, 128, 16, 2}, {0, 129, 16, 2}});
  ExpectImported(Call(16, 8, k444).Object(384).Layer("NV42", {{0, 0, 16}, {0, 128, 32}}),
                 {{0, 0, 16, 1}, {0, 129, 32, 2}, {0, 128, 32, 2}});
  ExpectImported(Call(16, 8, kGray).Object(128).Layer("R8  ", {{0, 0, 16}}), {{0, 0, 16, 1}});
  for (const auto& [format, samples] : std::vector<std::pair<const char*, Samples>>{
           {"P010", kP010}, {"P012", kP012}, {"P016", kP016}, {"P016", kP010}})
    ExpectImported(Call(16, 8, samples).Object(384).Layer(format, {{0, 0, 32}, {0, 256, 32}}),
                   {{0, 0, 32, 2}, {0, 256, 32, 4}, {0, 258, 32, 4}});
  ExpectImported(Call(16, 8, k420).Object(192).Layer("YU12", {{0, 0, 16}, {0, 128, 8}, {0, 160, 8}}),
                 {{0, 0, 16, 1}, {0, 128, 8, 1}, {0, 160, 8, 1}});
  ExpectImported(Call(16, 8, k420).Object(192).Layer("YV12", {{0, 0, 16}, {0, 128, 8}, {0, 160, 8}}),
                 {{0, 0, 16, 1}, {0, 160, 8, 1}, {0, 128, 8, 1}});
  ExpectImported(Call(16, 8, kQ410).Object(768).Layer("Q401", {{0, 0, 32}, {0, 256, 32}, {0, 512, 32}}),
                 {{0, 0, 32, 2}, {0, 512, 32, 2}, {0, 256, 32, 2}});
}

TEST(DrmFrame, APlaneInEachLayer) {
  for (const char* chroma : {"GR88", "RG88"})
    ExpectImported(Call(1920, 1080, k420).Object(2048 * 1632).Layer("R8  ", {{0, 0, 2048}}).Layer(chroma, {{0, 2048 * 1088, 2048}}),
                   kNv12Planes);
  for (const char* chroma : {"GR32", "RG32"})
    for (const Samples& samples : {kP010, kP012, kP016})
      ExpectImported(Call(16, 8, samples).Object(384).Layer("R16 ", {{0, 0, 32}}).Layer(chroma, {{0, 256, 32}}),
                     {{0, 0, 32, 2}, {0, 256, 32, 4}, {0, 258, 32, 4}});
  ExpectImported(Call(16, 8, k444).Object(384).Layer("R8  ", {{0, 0, 16}}).Layer("R8  ", {{0, 128, 16}}).Layer("R8  ", {{0, 256, 16}}),
                 {{0, 0, 16, 1}, {0, 128, 16, 1}, {0, 256, 16, 1}});
}

TEST(DrmFrame, SeveralObjects) {
  ExpectImported(Call(16, 8, k420).Object(128).Object(64).Layer("NV12", {{0, 0, 16}, {1, 0, 16}}),
                 {{0, 0, 16, 1}, {1, 0, 16, 2}, {1, 1, 16, 2}});
  ExpectImported(Call(16, 8, k420).Object(32).Object(40).Object(128).Layer("R8  ", {{2, 0, 16}}).Layer("R8  ", {{0, 0, 8}}).Layer("R8  ", {{1, 8, 8}}),
                 {{2, 0, 16, 1}, {0, 0, 8, 1}, {1, 8, 8, 1}});
  // One tiled object is enough.
  ExpectRoute(Call(16, 8, k420).Object(128).Object(64, kAmdGfx9).Layer("NV12", {{0, 0, 16}, {1, 0, 16}}), VMAFX_DRM_COPY,
              "AMD");
}

TEST(DrmFrame, OddSizes) {
  // 5x3: chroma is 3x2, in rows of 6 bytes; every object ends with its last sample.
  ExpectImported(Call(5, 3, k420).Object(15).Object(12).Layer("NV12", {{0, 0, 5}, {1, 0, 6}}),
                 {{0, 0, 5, 1}, {1, 0, 6, 2}, {1, 1, 6, 2}});
  ExpectImported(Call(1, 1, kP010).Object(6).Layer("P010", {{0, 0, 2}, {0, 2, 4}}), {{0, 0, 2, 2}, {0, 2, 4, 4}, {0, 4, 4, 4}});
  ExpectRefused(Call(5, 3, k420).Object(15).Object(11).Layer("NV12", {{0, 0, 5}, {1, 0, 6}}), {"component 1", "byte 12", "of 11"});
}

TEST(DrmFrame, Cropping) {
  ExpectImported(Call(1916, 1076, k420).Object(2048 * 1632).Layer("NV12", {{0, 0, 2048}, {0, 2048 * 1088, 2048}}).Crop(4, 2),
                 {{0, 2 * 2048 + 4, 2048, 1}, {0, 2048 * 1089 + 4, 2048, 2}, {0, 2048 * 1089 + 5, 2048, 2}});
  // An odd cropping begins at the chroma sample that its luma sample has.
  ExpectImported(Call(4, 2, kP010).Object(96).Layer("P010", {{0, 0, 16}, {0, 64, 16}}).Crop(3, 1),
                 {{0, 16 + 6, 16, 2}, {0, 64 + 4, 16, 4}, {0, 64 + 6, 16, 4}});
  ExpectRefused(Call(1920, 1080, k420).Object(2048 * 1632).Layer("NV12", {{0, 0, 2048}, {0, 2048 * 1088, 2048}}).Crop(129, 0),
                {"component 0", "pitch of 2048", "rows of 2049"});
  ExpectRefused(Nv12().Crop(0, 32769), {"cropping is 0,32769"});
  // 1080 rows from row 10 on end where the chroma's object does not reach.
  ExpectRefused(Call(16, 8, k420).Object(128).Object(64).Layer("NV12", {{0, 0, 16}, {1, 0, 16}}).Crop(0, 1),
                {"component 0", "ends at byte 144", "of 128"});
}

TEST(DrmFrame, Modifiers) {
  ExpectRoute(Nv12(kAmdGfx9), VMAFX_DRM_COPY, "tiled (AMD modifier 0x0200000000401901)");
  ExpectRoute(Nv12(kAmdGfx103Dcc), VMAFX_DRM_COPY, "tiled and compressed (AMD modifier 0x020000001866ba03)");
  ExpectRoute(Nv12(kAmdGfx11), VMAFX_DRM_COPY, "tiled (AMD modifier");
  ExpectRoute(Nv12(kAmdGfx12), VMAFX_DRM_COPY, "tiled (AMD modifier");
  ExpectRoute(Nv12(kIntelY), VMAFX_DRM_COPY, "tiled (Intel modifier 0x0100000000000002)");
  ExpectRoute(Nv12(1), VMAFX_DRM_COPY, "tiled (modifier 0x0000000000000001)");
  ExpectRoute(Nv12(kInvalid), VMAFX_DRM_COPY, "unknown tiling (no modifier)");
  Call assumed = Nv12(kInvalid);
  assumed.frame.assume_linear = 1;
  ExpectImported(assumed, kNv12Planes, "taken as linear (no modifier)");
  // Assuming changes nothing about a tiling that is known.
  Call tiled = Nv12(kAmdGfx9);
  tiled.frame.assume_linear = 1;
  ExpectRoute(tiled, VMAFX_DRM_COPY, "tiled");
  // A tiled plane's pitch and extent are the driver's matter.
  ExpectRoute(Call(1920, 1080, k420).Object(4096, kAmdGfx9).Layer("NV12", {{0, 0, 256}, {0, 2048, 256}}), VMAFX_DRM_COPY, "tiled");
}

TEST(DrmFrame, LinearButNotReadInPlace) {
  ExpectRoute(Call(16, 8, kP010).Object(400).Layer("P010", {{0, 1, 32}, {0, 258, 32}}), VMAFX_DRM_DOWNLOAD, "odd addresses");
  ExpectRoute(Call(16, 8, kP010).Object(400).Layer("P010", {{0, 0, 33}, {0, 266, 32}}), VMAFX_DRM_DOWNLOAD, "odd addresses");
  ExpectRoute(Call(16, 8, k422).Object(256).Layer("YUYV", {{0, 0, 32}}), VMAFX_DRM_DOWNLOAD, "YUYV");
  ExpectRoute(Call(16, 8, k420).Object(256).Layer("R8  ", {{0, 0, 16}}).Layer("XR24", {{0, 128, 16}}), VMAFX_DRM_DOWNLOAD, "R8 + XR24");
  ExpectRoute(Call(16, 8, k420).Object(256).Layer("GR88", {{0, 0, 32}}).Layer("R8  ", {{0, 128, 16}}), VMAFX_DRM_DOWNLOAD, "GR88 + R8");
  ExpectRoute(Call(16, 8, k420).Object(256).Layer("R8  ", {{0, 0, 16}}).Layer("GR32", {{0, 128, 16}}), VMAFX_DRM_DOWNLOAD, "R8 + GR32");
  ExpectRoute(Call(16, 8, kRgb).Object(512).Layer("R8  ", {{0, 0, 16}}).Layer("R8  ", {{0, 128, 16}}).Layer("R8  ", {{0, 256, 16}}),
              VMAFX_DRM_DOWNLOAD, "R8 + R8 + R8");
}

TEST(DrmFrame, ContradictsThePicture) {
  ExpectRefused(Call(16, 8, kP010).Object(512).Layer("NV12", {{0, 0, 32}, {0, 256, 32}}), {"NV12", "4:2:0 of 10 bits"});
  ExpectRefused(Call(16, 8, kP012).Object(512).Layer("P010", {{0, 0, 32}, {0, 256, 32}}), {"P010", "12 bits"});
  ExpectRefused(Call(16, 8, k420).Object(512).Layer("NV16", {{0, 0, 16}, {0, 256, 16}}), {"NV16", "4:2:0"});
  ExpectRefused(Call(16, 8, {VMAFX_LAYOUT_420, 10, 2, 0}).Object(512).Layer("P010", {{0, 0, 32}, {0, 256, 32}}), {"P010"});
  ExpectRefused(Call(16, 8, k420).Object(512).Layer("R8  ", {{0, 0, 16}}), {"R8", "4:2:0"});
  ExpectRefused(Call(16, 8, kGray).Object(512).Layer("R8  ", {{0, 0, 16}}).Layer("GR88", {{0, 128, 16}}), {"R8 + GR88", "gray"});
  ExpectRefused(Call(16, 8, kP010).Object(512).Layer("R8  ", {{0, 0, 32}}).Layer("GR88", {{0, 256, 32}}), {"R8 + GR88", "10 bits"});
  ExpectRefused(Call(16, 8, k420).Object(512).Layer("NV12", {{0, 0, 16}}), {"NV12 has 2 planes", "has 1"});
}

TEST(DrmFrame, Malformed) {
  const auto spoil = [](const std::function<void(vmafx_drm_frame&)>& change) {
    Call call = Nv12();
    change(call.frame);
    return call;
  };
  ExpectRefused(spoil([](auto& f) { f.object_count = 0; }), {"objects is 0"});
  ExpectRefused(spoil([](auto& f) { f.object_count = 5; }), {"objects is 5"});
  ExpectRefused(spoil([](auto& f) { f.layer_count = 0; }), {"layers is 0"});
  ExpectRefused(spoil([](auto& f) { f.layer_count = 0xffffffff; }), {"layers is 4294967295"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane_count = 0; }), {"planes in a layer is 0"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane_count = 5; }), {"planes in a layer is 5"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[1].object = 1; }), {"plane 1 of layer 0", "object 1, of 1"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[1].object = 0xffffffff; }), {"plane 1 of layer 0"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[0].pitch = 1919; }), {"component 0", "pitch of 1919", "rows of 1920"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[1].pitch = 1919; }), {"component 1", "pitch of 1919"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[0].pitch = 0; }), {"pitch of 0"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[0].pitch = -2048; }), {"pitch of -2048"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[0].pitch = INT64_MAX; }), {"pitch of 9223372036854775807"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[0].pitch = int64_t{1} << 32; }), {"component 0", "ends at byte"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[1].offset = 2048 * 1632; }), {"plane 1 of layer 0", "begins at byte 3342336"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[1].offset = INT64_MAX; }), {"begins at byte"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[1].offset = -1; }), {"begins at byte -1"});
  ExpectRefused(spoil([](auto& f) { f.layer[0].plane[1].offset += 2048 * 5; }), {"component 1", "ends at byte"});
  ExpectRefused(spoil([](auto& f) { f.object[0].size = 0; }), {"object 0 has no size"});
  ExpectRefused(spoil([](auto& f) { f.object[0].size = (uint64_t{1} << 48) + 1; }),
                {"object 0 has 281474976710657 bytes"});
  ExpectRefused(spoil([](auto& f) {
                  f.object[0].size = UINT64_MAX;
                  f.layer[0].plane[1] = {0, INT64_MAX, int64_t{1} << 32};
                }),
                {"object 0 has 18446744073709551615 bytes"});
  ExpectRefused(spoil([](auto& f) { f.object[0].fd = -1; }), {"object 0 has no file descriptor"});
  // Whatever the tiling.
  ExpectRefused(spoil([](auto& f) { f.object[0].modifier = kAmdGfx9, f.layer[0].plane[1].object = 1; }), {"object 1, of 1"});
  ExpectRefused(Call(0, 8, k420).Object(192).Layer("NV12", {{0, 0, 16}, {0, 128, 16}}), {"0x8"});
  ExpectRefused(Call(16, 8, {VMAFX_LAYOUT_420, 11, 2, 5}).Object(384).Layer("P010", {{0, 0, 32}, {0, 256, 32}}), {"depth is 11"});
  ExpectRefused(Call(16, 8, {static_cast<vmafx_layout>(6), 8, 1, 0}).Object(192).Layer("NV12", {{0, 0, 16}, {0, 128, 16}}), {"layout"});
}

TEST(DrmFrame, WrongArguments) {
  Call call = Nv12();
  vmafx_error& error = call.reason;
  EXPECT_EQ(vmafx_drm_describe(nullptr, &call.picture, &call.memory, &call.route, &error), VMAFX_ERROR_INVALID);
  EXPECT_EQ(vmafx_drm_describe(&call.frame, nullptr, &call.memory, &call.route, &error), VMAFX_ERROR_INVALID);
  EXPECT_EQ(vmafx_drm_describe(&call.frame, &call.picture, nullptr, &call.route, &error), VMAFX_ERROR_INVALID);
  EXPECT_EQ(vmafx_drm_describe(&call.frame, &call.picture, &call.memory, nullptr, &error), VMAFX_ERROR_INVALID);
  call.frame.struct_size = 4;
  EXPECT_EQ(call.Run(), VMAFX_ERROR_INVALID);
  EXPECT_NE(std::string(error.text).find("vmafx_drm_frame"), std::string::npos);
  call.frame.struct_size = sizeof call.frame;
  EXPECT_EQ(vmafx_drm_describe(&call.frame, &call.picture, &call.memory, &call.route, nullptr), VMAFX_OK);
}

}  // namespace
