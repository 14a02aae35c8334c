// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/vif/cpu.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/engine/workers.h"
#include "core/metrics/vif/plain.h"
#include "core/metrics/vif/tile.h"
#include "hwy/aligned_allocator.h"

namespace vmafx::vif {

struct CpuFilter::Impl {
  struct Part {
    Tile tile;
    Sums sums;
  };

  int depth;
  Settings settings;
  bool avx_vnni;
  size_t scratch_bytes;
  hwy::AlignedFreeUniquePtr<uint8_t[]> scratch;  // of each thread
  std::vector<uint16_t> planes[kScales][2];      // reference and distorted of the reduced scales
  Component components[kScales][2];              // views of them
  std::vector<Part> parts[kScales];
  Scale scale;  // in work

  void Work(Part& part, int thread) {
    part.sums = FilterTile(scale, part.tile, scratch.get() + scratch_bytes * static_cast<size_t>(thread));
  }
};

CpuFilter::CpuFilter(int width, int height, int depth, const Settings& settings, Workers& workers, bool avx_vnni)
    : impl_(new Impl{depth, settings, avx_vnni, TileScratchBytes(), nullptr, {}, {}, {}, {}}) {
  const size_t bytes = impl_->scratch_bytes * static_cast<size_t>(workers.threads());
  impl_->scratch = hwy::AllocateAligned<uint8_t>(bytes);
  if (impl_->scratch == nullptr) throw std::bad_alloc();
  std::memset(impl_->scratch.get(), 0, bytes);
  for (int scale = 0; scale < kScales; ++scale, width /= 2, height /= 2) {
    for (int y = 0; y < height; y += kTileHeight)
      for (int x = 0; x < width; x += kTileWidth)
        impl_->parts[scale].push_back(
            {{x, std::min(x + kTileWidth, width), y, std::min(y + kTileHeight, height)}, {}});
    if (scale == 0) continue;
    for (int side = 0; side < 2; ++side) {
      auto& plane = impl_->planes[scale][side];
      plane.resize(static_cast<size_t>(width) * static_cast<size_t>(height));
      Component& component = impl_->components[scale][side];
      component.data = reinterpret_cast<const uint8_t*>(plane.data());
      component.width = width;
      component.height = height;
      component.bytes = 2;
      component.step = 2;
      component.stride = ptrdiff_t{2} * width;
    }
  }
}

CpuFilter::~CpuFilter() = default;

std::array<Sums, kScales> CpuFilter::Measure(const PairView& pair, Workers& workers) {
  if (!CanFilterTiles()) return PlainSums(pair, impl_->depth, impl_->settings.gain_limit);
  impl_->components[0][0] = pair.reference.component[0];
  impl_->components[0][1] = pair.distorted.component[0];
  std::array<Sums, kScales> sums{};
  for (int number = 0; number < kScales; ++number) {
    Scale& scale = impl_->scale;
    scale = {};
    scale.number = number;
    scale.depth = impl_->depth;
    scale.reference = impl_->components[number][0];
    scale.distorted = impl_->components[number][1];
    scale.measure = number != 0 || !impl_->settings.skip_scale0;
    scale.gain_limit = impl_->settings.gain_limit;
    scale.avx_vnni = impl_->avx_vnni;
    if (number + 1 < kScales) {
      scale.reduced_reference = impl_->planes[number + 1][0].data();
      scale.reduced_distorted = impl_->planes[number + 1][1].data();
      scale.reduced_stride = scale.reference.width / 2;
    }
    auto& parts = impl_->parts[number];
    workers.Run(parts.size(), [impl = impl_.get()](size_t index, int thread) {
      impl->Work(impl->parts[impl->scale.number][index], thread);
    });
    Sums& total = sums[static_cast<size_t>(number)];
    for (const Impl::Part& part : parts) {
      total.numlog += part.sums.numlog;
      total.denlog += part.sums.denlog;
      total.numnon += part.sums.numnon;
      total.dennon += part.sums.dennon;
    }
  }
  return sums;
}

namespace {

class VifExtractor final : public CpuExtractor {
 public:
  VifExtractor(const PairFormat& format, const Settings& settings, Workers& workers)
      : settings_(settings),
        filter_(format.reference.width, format.reference.height, format.depth, settings, workers) {}

  Status Extract(const PairView& pair, Workers& workers, std::span<double> values) override {
    const std::array<Sums, kScales> sums = filter_.Measure(pair, workers);
    Score(settings_, sums, values);
    return {};
  }

 private:
  const Settings settings_;
  CpuFilter filter_;
};

}  // namespace

std::unique_ptr<CpuExtractor> MakeCpuExtractor(const PairFormat& format, const Settings& settings, Workers& workers) {
  return std::make_unique<VifExtractor>(format, settings, workers);
}

}  // namespace vmafx::vif
