// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/standard/device.h"

#include <cstring>

#include "core/engine/device.h"
#include "core/metrics/device_component.h"
#include "core/metrics/ssimulacra2/score.h"
#include "core/metrics/ssimulacra2/standard/conversion.h"
#include "core/metrics/ssimulacra2/standard/kernel_arguments.h"

namespace vmafx::ssimulacra2::standard {
namespace {

int Blocks(int x, int unit) { return (x + unit - 1) / unit; }
int RoundUp(int x, int unit) { return Blocks(x, unit) * unit; }

ColorModel ModelOf(const Format& format) {
  return format.layout == VMAFX_LAYOUT_GRAY ? kGrey : format.layout == VMAFX_LAYOUT_RGB ? kRgb : kYcc;
}

FrontPicture Describe(const Format& format) {
  FrontPicture picture{};
  picture.conversion = MakeConversion(format);
  picture.taps_x = PairTapsOf(picture.conversion.siting_x);
  picture.taps_y = PairTapsOf(picture.conversion.siting_y);
  picture.model = ModelOf(format);
  return picture;
}

// Tiles that a multiprocessor works on at a time, and how many rounds of them even out the last one.
constexpr int kTilesAtOnce = 8;
constexpr int kRounds = 3;
constexpr int kMostSteps = 8;
constexpr int kLeastSteps = 2;

class StandardDevice final : public DeviceMeter {
 public:
  StandardDevice(const PairFormat& format, Formed formed) : scales_(format.reference.width, format.reference.height) {
    front_.picture[0] = Describe(format.reference);
    front_.picture[1] = Describe(format.distorted);
    front_.scales = scales_.count;
    size_t floats = 0;
    // Offsets in the scratch memory until Enqueue() adds its address.
    const auto take = [&](size_t count) {
      const size_t offset = floats * sizeof(float);
      floats += AlignDevice(count * sizeof(float)) / sizeof(float);
      return offset;
    };
    for (int scale = 0; scale < scales_.count; ++scale) {
      const int pitch = RoundUp(scales_.width[scale], 8);
      front_.scale[scale] = {0, scales_.width[scale], scales_.height[scale], pitch};
      front_.scale[scale].data =
          take(2 * size_t{kChannels} * static_cast<size_t>(pitch) * static_cast<size_t>(scales_.height[scale]));
    }
    // Tiles without ssim take half as long: last, they leave less of the device idle in the end.
    for (const bool ssim : {true, false})
      for (int scale = 0; scale < scales_.count; ++scale)
        for (int channel = 0; channel < kChannels; ++channel) {
          const SumSet needed = formed == Formed::kAll ? kAllSums : NeededSums(scales_.count, channel, scale);
          if (needed != 0 && ((needed & kSsimSums) != 0) == ssim) AddJob(channel, scale, needed, take);
        }
    scratch_bytes_ = floats * sizeof(float);
  }

  Status Prepare(Device& device) override {
    VMAFX_RETURN_IF_ERROR(device.FindKernel("ssimulacra2", "ssimulacra2_standard_front", &front_kernel_));
    VMAFX_RETURN_IF_ERROR(device.FindKernel("ssimulacra2", "ssimulacra2_standard_cells", &cells_kernel_));
    VMAFX_RETURN_IF_ERROR(device.FindKernel("ssimulacra2", "ssimulacra2_standard_sums", &sums_kernel_));
    VMAFX_RETURN_IF_ERROR(device.Table(std::as_bytes(std::span(kTransferTable)), &front_.table));
    const int enough = kRounds * kTilesAtOnce * device.multiprocessors();
    cells_.steps = kMostSteps;
    while (CountTiles() < enough && cells_.steps > kLeastSteps) cells_.steps /= 2;
    tiles_ = CountTiles();
    return {};
  }
  size_t scratch_bytes() const override { return scratch_bytes_; }
  size_t result_bytes() const override { return sizeof(FrameSums); }

  Status Enqueue(const PairView& pair, DeviceTask& task) override {
    FrontArguments front = front_;
    for (int c = 0; c < kChannels; ++c) {
      front.picture[0].component[c] = ToKernel(pair.reference.component[c]);
      front.picture[1].component[c] = ToKernel(pair.distorted.component[c]);
    }
    for (ScalePlanes& scale : front.scale) scale.data += task.scratch();
    CellsArguments cells = cells_;
    for (CellsJob& job : cells.job) {
      job.reference += task.scratch();
      job.distorted += task.scratch();
      job.cells += task.scratch();
    }
    SumsArguments sums = sums_;
    for (PlaneSum& sum : sums.sum) {
      sum.cells += task.scratch();
      sum.result += task.result();
    }
    const auto tiles = [](int side) { return static_cast<unsigned>(Blocks(side, kFrontTile)); };
    VMAFX_RETURN_IF_ERROR(task.Launch(front_kernel_, {tiles(scales_.width[0]), tiles(scales_.height[0]), 2},
                                      {kFrontThreads}, 0, front));
    VMAFX_RETURN_IF_ERROR(task.Launch(cells_kernel_, {static_cast<unsigned>(tiles_)}, {kCellsThreads}, 0, cells));
    return task.Launch(sums_kernel_, {static_cast<unsigned>(sum_count_)}, {kSumsThreads}, 0, sums);
  }

  FrameSums SumsOf(std::span<const std::byte> result) const override {
    FrameSums sums;
    std::memcpy(&sums, result.data(), sizeof sums);
    return sums;
  }

  Status Finish(std::span<const std::byte> result, std::span<double> values) override {
    return ScoreOf(scales_, SumsOf(result), &values[0]);
  }

 private:
  template <class Take>
  void AddJob(int channel, int scale, SumSet needed, const Take& take) {
    const ScalePlanes& planes = front_.scale[scale];
    CellsJob& job = cells_.job[jobs_++];
    job.reference = PlaneAddress(planes, 0, channel);
    job.distorted = PlaneAddress(planes, 1, channel);
    job.width = planes.width;
    job.height = planes.height;
    job.pitch = planes.pitch;
    job.cell_columns = Blocks(planes.width, kCellWidth);
    job.cell_rows = Blocks(planes.height, kCellHeight);
    job.tiles_per_row = Blocks(job.cell_columns, kStrips);
    job.needed = needed;
    const size_t cells = static_cast<size_t>(job.cell_columns) * static_cast<size_t>(job.cell_rows);
    job.cells = take(kSums * cells);
    for (unsigned sum = 0; sum < kSums; ++sum) {
      if ((needed >> sum & 1) == 0) continue;
      const size_t slot = (static_cast<size_t>(scale) * kChannels + static_cast<size_t>(channel)) * kSums + sum;
      sums_.sum[sum_count_++] = {job.cells + sum * cells * sizeof(float), slot * sizeof(double), job.cell_columns,
                                 job.cell_rows};
    }
  }

  // Tiles of `cells_.steps` rows of cells; numbers those of each job.
  int CountTiles() {
    int count = 0;
    for (int n = 0; n < kJobs; ++n) {
      const CellsJob& job = cells_.job[n];
      cells_.first_tile[n] = n < jobs_ ? count : kNoTile;
      if (n < jobs_) count += job.tiles_per_row * Blocks(job.cell_rows, cells_.steps);
    }
    return count;
  }

  const Scales scales_;
  FrontArguments front_{};
  CellsArguments cells_{};
  SumsArguments sums_{};
  int jobs_ = 0;
  int sum_count_ = 0;
  int tiles_ = 0;
  size_t scratch_bytes_ = 0;
  const Kernel* front_kernel_ = nullptr;
  const Kernel* cells_kernel_ = nullptr;
  const Kernel* sums_kernel_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceMeter> MakeDeviceMeter(const PairFormat& format, Formed formed) {
  return std::make_unique<StandardDevice>(format, formed);
}

}  // namespace vmafx::ssimulacra2::standard
