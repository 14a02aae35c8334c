// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pairs for the C interface that count how often each picture is released.
#ifndef VMAFX_TESTS_ENGINE_PAIR_MAKER_H_
#define VMAFX_TESTS_ENGINE_PAIR_MAKER_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "vmafx/vmafx.h"

namespace vmafx::test {

class PairMaker {
 public:
  PairMaker(int width, int height, vmafx_layout layout = VMAFX_LAYOUT_420, int depth = 8)
      : width_(width), height_(height), layout_(layout), depth_(depth) {
    const size_t bytes = static_cast<size_t>(width) * static_cast<size_t>(height) * (depth > 8 ? 2 : 1);
    distorted_plane_.resize(bytes);
    reference_plane_.resize(bytes);
    SetStep(0);
  }

  // Every sample of the distorted picture differs by `step` from the reference.
  void SetStep(int step) {
    Fill(distorted_plane_, 100 + step);
    Fill(reference_plane_, 100);
  }

  vmafx_pair Pair(uint64_t index) {
    vmafx_pair pair = {};
    pair.struct_size = sizeof pair;
    pair.index = index;
    pair.distorted = Describe(distorted_plane_);
    pair.reference = Describe(reference_plane_);
    return pair;
  }

  int released() const { return released_; }

 private:
  void Fill(std::vector<uint8_t>& plane, int value) {
    for (size_t i = 0; i < plane.size(); ++i)
      plane[i] = depth_ > 8 ? static_cast<uint8_t>(i % 2 ? value >> 8 : value) : static_cast<uint8_t>(value);
  }

  vmafx_picture Describe(const std::vector<uint8_t>& plane) {
    vmafx_picture picture = {};
    picture.struct_size = sizeof picture;
    picture.width = width_;
    picture.height = height_;
    picture.layout = layout_;
    picture.depth = depth_;
    picture.bytes_per_sample = depth_ > 8 ? 2 : 1;
    for (vmafx_plane& p : picture.plane)
      p = {plane.data(), static_cast<ptrdiff_t>(width_) * picture.bytes_per_sample, picture.bytes_per_sample};
    picture.range = VMAFX_RANGE_LIMITED;
    picture.matrix = 1;
    picture.transfer = 1;
    picture.chroma_location = VMAFX_CHROMA_LEFT;
    picture.release = [](void* opaque) { ++*static_cast<std::atomic<int>*>(opaque); };
    picture.opaque = &released_;
    return picture;
  }

  int width_, height_;
  vmafx_layout layout_;
  int depth_;
  std::vector<uint8_t> distorted_plane_, reference_plane_;
  std::atomic<int> released_{0};
};

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_ENGINE_PAIR_MAKER_H_
