// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/recursive/device.h"

#include <algorithm>
#include <cstring>

#include "core/engine/device.h"
#include "core/metrics/device_component.h"
#include "core/metrics/ssimulacra2/recursive/kernel_arguments.h"

namespace vmafx::ssimulacra2::recursive {
namespace {

using ResultBlock = double[kChannels][kMaxScales][kSums];

int RoundUp(int x, int unit) { return (x + unit - 1) / unit * unit; }
int Blocks(int x, int unit) { return (x + unit - 1) / unit; }

constexpr uint32_t kSsimSums = 0x03;
constexpr uint32_t kAllSums = (1u << kSums) - 1;

// The sums whose weight is not zero: bit 2*kind + norm.
uint32_t NeededSums(int channel, int scale) {
  uint32_t set = 0;
  for (int norm = 0; norm < kNorms; ++norm)
    for (int kind = 0; kind < kKinds; ++kind)
      if (kWeightTable[WeightIndex(Numbering::kFixed, kMaxScales, channel, scale, norm, kind)] != 0)
        set |= 1u << (kNorms * kind + norm);
  return set;
}

FrontPicture Describe(const Format& format) {
  FrontPicture picture{};
  picture.conversion = ConversionOf(format);
  picture.shift_x = format.chroma_shift_x();
  picture.shift_y = format.chroma_shift_y();
  return picture;
}

// Hands out scratch memory: offsets until Enqueue() adds its address.
class Layout {
 public:
  size_t Take(size_t bytes) {
    const size_t offset = used_;
    used_ += AlignDevice(bytes);
    most_ = std::max(most_, used_);
    return offset;
  }
  size_t used() const { return used_; }
  void Return(size_t used) { used_ = used; }
  size_t most() const { return most_; }

 private:
  size_t used_ = 0, most_ = 0;
};

// The launches from XYB to sums, for some of the scales.
struct Pass {
  BlurArguments blur{};
  WalkArguments walk{};
  int rows_blocks = 0, columns_blocks = 0, terms_blocks = 0, chunk_blocks = 0;
  int sums = 0;
  int chunks = 0;
  int most_chunks = 0;  // of one sum

  static int32_t ChunksOf(const ScalePlanes& planes) {
    return static_cast<int32_t>((int64_t{planes.width} * planes.height + kChunk - 1) / kChunk);
  }

  void AddScale(const ScalePlanes& planes, int scale, Formed formed, Layout& layout) {
    for (int channel = 0; channel < kChannels; ++channel) {
      const uint32_t needed = formed == Formed::kAll ? kAllSums : NeededSums(channel, scale);
      if (needed == 0) continue;
      const bool ssim = (needed & kSsimSums) != 0;
      BlurJob& job = blur.job[blur.jobs++];
      job = {PlaneAddress(planes, 0, channel),
             PlaneAddress(planes, 1, channel),
             0,
             planes.width,
             planes.height,
             planes.pitch,
             ssim ? kWorkPlanes : kEdgePlanes,
             rows_blocks,
             columns_blocks,
             terms_blocks,
             ChunksOf(planes),
             chunks,
             needed};
      const size_t plane_bytes = static_cast<size_t>(planes.width) * static_cast<size_t>(planes.height) * sizeof(float);
      job.work = layout.Take(static_cast<size_t>(job.planes) * plane_bytes);
      rows_blocks += Blocks(job.planes * Blocks(planes.height, kTileRows), kRowsGroups);
      columns_blocks += Blocks(job.planes * Blocks(planes.width, 32), kColumnsGroups);
      terms_blocks += Blocks(job.chunks, kChunkGroups);
      const int first_slot = (channel * kMaxScales + scale) * kSums;
      if (ssim) AddTerms(job, kSsimHigh, kSsimLow, needed & kSsimSums, plane_bytes, first_slot);
      if ((needed & ~kSsimSums) != 0) AddTerms(job, kEdgeHigh, kEdgeLow, needed & ~kSsimSums, plane_bytes, first_slot);
    }
  }

  void AddTerms(const BlurJob& job, int high, int low, uint32_t needed, size_t plane_bytes, int first_slot) {
    SumArguments& terms = walk.terms;
    TermPlane& plane = terms.plane[terms.planes];
    plane.high = job.work + static_cast<size_t>(high) * plane_bytes;
    plane.low = job.work + static_cast<size_t>(low) * plane_bytes;
    plane.count = int64_t{job.width} * job.height;
    plane.chunks = job.chunks;
    plane.first_block = chunk_blocks;
    plane.first_chunk = chunks;
    plane.needed = needed;
    chunk_blocks += Blocks(plane.chunks, kChunkGroups);
    most_chunks = std::max(most_chunks, plane.chunks);
    for (int sum = 0; sum < kSums; ++sum) {
      if ((needed >> sum & 1) == 0) continue;
      walk.sum[sums++] = {static_cast<uint64_t>(first_slot + sum) * sizeof(double), terms.planes, sum, chunks};
      chunks += plane.chunks;
    }
    ++terms.planes;
  }

  void Finish(Layout& layout) {
    const auto count = static_cast<size_t>(chunks);
    walk.terms.chunk_sums = layout.Take(count * sizeof(double));
    walk.terms.increments = layout.Take(count * 2 * sizeof(int64_t));
    walk.terms.plans = layout.Take(count * sizeof(int16_t));
  }

  // A scan over few chunks is quicker in a small block.
  unsigned walk_threads() const { return most_chunks > 512 ? kMaxWalkThreads : 64; }
};

class RecursiveDevice final : public DeviceMeter {
 public:
  RecursiveDevice(const PairFormat& format, Formed formed)
      : width_(format.reference.width), height_(format.reference.height), scales_(ScaleCount(width_, height_)) {
    front_.picture[0] = Describe(format.reference);
    front_.picture[1] = Describe(format.distorted);
    front_.scales = scales_;
    Layout layout;
    int w = width_, h = height_;
    for (int scale = 0; scale < scales_; ++scale) {
      const int pitch = RoundUp(w, 8);
      const size_t bytes = 2 * size_t{kChannels} * static_cast<size_t>(pitch) * static_cast<size_t>(h) * sizeof(float);
      front_.scale[scale] = {layout.Take(bytes), w, h, pitch};
      w = (w + 1) / 2;
      h = (h + 1) / 2;
    }
    const size_t shared = layout.used();
    for (int scale = 0; scale < scales_; ++scale) {
      Pass& pass = passes_[scale == 0 ? 0 : 1];
      pass.AddScale(front_.scale[scale], scale, formed, layout);
      if (scale != 0 && scale + 1 != scales_) continue;
      pass.Finish(layout);
      layout.Return(shared);
    }
    scratch_bytes_ = layout.most();
  }

  Status Prepare(Device& device) override {
    const auto find = [&](const char* name, const Kernel** kernel) {
      return device.FindKernel("ssimulacra2", name, kernel);
    };
    VMAFX_RETURN_IF_ERROR(find("ssimulacra2_recursive_front", &front_kernel_));
    VMAFX_RETURN_IF_ERROR(find("ssimulacra2_recursive_rows", &rows_kernel_));
    VMAFX_RETURN_IF_ERROR(find("ssimulacra2_recursive_columns", &columns_kernel_));
    VMAFX_RETURN_IF_ERROR(find("ssimulacra2_recursive_terms", &terms_kernel_));
    VMAFX_RETURN_IF_ERROR(find("ssimulacra2_recursive_plans", &plans_kernel_));
    VMAFX_RETURN_IF_ERROR(find("ssimulacra2_recursive_increments", &increments_kernel_));
    VMAFX_RETURN_IF_ERROR(find("ssimulacra2_recursive_walk", &walk_kernel_));
    return device.Table(std::as_bytes(std::span(kTransferTable)), &front_.table);
  }
  size_t scratch_bytes() const override { return scratch_bytes_; }
  size_t result_bytes() const override { return sizeof(ResultBlock); }

  Status Enqueue(const PairView& pair, DeviceTask& task) override {
    FrontArguments front = front_;
    for (int c = 0; c < kChannels; ++c) {
      front.picture[0].component[c] = ToKernel(pair.reference.component[c]);
      front.picture[1].component[c] = ToKernel(pair.distorted.component[c]);
    }
    for (ScalePlanes& scale : front.scale) scale.data += task.scratch();
    const auto tiles = [](int side) { return static_cast<unsigned>(Blocks(side, kFrontTile)); };
    VMAFX_RETURN_IF_ERROR(
        task.Launch(front_kernel_, {tiles(width_), tiles(height_), 2}, {kFrontThreads}, 0, front));
    for (const Pass& pass : passes_)
      if (pass.blur.jobs > 0) VMAFX_RETURN_IF_ERROR(Enqueue(pass, task));
    return {};
  }

  Sums SumsOf(std::span<const std::byte> result) const override {
    Sums sums;
    sums.width = width_;
    sums.height = height_;
    sums.scales = scales_;
    static_assert(sizeof sums.value == sizeof(ResultBlock));
    std::memcpy(sums.value, result.data(), sizeof sums.value);
    return sums;
  }

  Status Finish(std::span<const std::byte> result, std::span<double> values) override {
    return ScoreOf(SumsOf(result), &values[0]);
  }

 private:
  Status Enqueue(const Pass& pass, DeviceTask& task) const {
    BlurArguments blur = pass.blur;
    for (BlurJob& job : blur.job) {
      job.reference += task.scratch();
      job.distorted += task.scratch();
      job.work += task.scratch();
    }
    WalkArguments walk = pass.walk;
    SumArguments& terms = walk.terms;
    for (TermPlane& plane : terms.plane) {
      plane.high += task.scratch();
      plane.low += task.scratch();
    }
    terms.chunk_sums += task.scratch();
    terms.increments += task.scratch();
    terms.plans += task.scratch();
    for (PlaneSum& sum : walk.sum) sum.result += task.result();
    const auto grid = [](int blocks) { return Dim3{static_cast<unsigned>(blocks)}; };
    VMAFX_RETURN_IF_ERROR(task.Launch(rows_kernel_, grid(pass.rows_blocks), {kRowsThreads}, 0, blur));
    VMAFX_RETURN_IF_ERROR(task.Launch(columns_kernel_, grid(pass.columns_blocks), {kColumnsThreads}, 0, blur));
    VMAFX_RETURN_IF_ERROR(task.Launch(terms_kernel_, grid(pass.terms_blocks), {kChunkThreads}, 0,
                                      TermsArguments{blur, terms.chunk_sums}));
    VMAFX_RETURN_IF_ERROR(task.Launch(plans_kernel_, grid(pass.sums), {pass.walk_threads()}, 0, walk));
    VMAFX_RETURN_IF_ERROR(task.Launch(increments_kernel_, grid(pass.chunk_blocks), {kChunkThreads}, 0, terms));
    return task.Launch(walk_kernel_, grid(pass.sums), {pass.walk_threads()}, 0, walk);
  }

  const int width_, height_;
  const int scales_;
  FrontArguments front_{};
  Pass passes_[2];  // the first scale, then the others, in the same memory
  size_t scratch_bytes_ = 0;
  const Kernel* front_kernel_ = nullptr;
  const Kernel* rows_kernel_ = nullptr;
  const Kernel* columns_kernel_ = nullptr;
  const Kernel* terms_kernel_ = nullptr;
  const Kernel* plans_kernel_ = nullptr;
  const Kernel* increments_kernel_ = nullptr;
  const Kernel* walk_kernel_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceMeter> MakeDeviceMeter(const PairFormat& format, Formed formed) {
  return std::make_unique<RecursiveDevice>(format, formed);
}

}  // namespace vmafx::ssimulacra2::recursive
