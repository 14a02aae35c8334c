// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/recursive/cpu.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <thread>
#include <vector>

#include "core/engine/workers.h"
#include "core/metrics/ssimulacra2/recursive/block.h"
#include "core/metrics/ssimulacra2/recursive/front.h"

namespace vmafx::ssimulacra2::recursive {
namespace {

// How far a block has come: columns done, kFinished with its sums added. On its own cache line.
struct alignas(64) Progress {
  std::atomic<int> columns{0};

  void Wait(int needed) const {
    constexpr int kSpins = 200;  // a tile takes a few microseconds; past that let another thread have the core
    for (int spins = 0; columns.load(std::memory_order_acquire) < needed; ++spins)
      if (spins >= kSpins) std::this_thread::yield();
  }
};
constexpr int kFinished = INT_MAX;

// A block of one channel at one scale.
struct BlockNumber {
  int channel, scale, block;
  int progress;  // its index among all blocks; the block above has the one before
};

}  // namespace

struct CpuFrame::Impl {
  // Planes and column state of one channel at one scale.
  struct Channel {
    AlignedArray<float> reference, distorted, columns;
    int first_progress = 0;
    double sums[kSums];
  };

  Impl(const PairFormat& format, int threads);
  void Front(const PairView& pair, Workers& workers);
  void RunBlock(const BlockNumber& number, BlockScratch& block_scratch);

  PairFormat format;
  int scales = 0;
  ScaleGeometry geometry[kMaxScales];
  Channel channels[kMaxScales][kChannels];
  FrontJob front[2];  // by vmafx_side
  std::vector<BlockNumber> blocks;  // in the order in which they are started
  std::unique_ptr<Progress[]> progress;
  std::vector<FrontScratch> front_scratch;  // by thread
  std::vector<BlockScratch> block_scratch;
};

CpuFrame::Impl::Impl(const PairFormat& pair_format, int threads) : format(pair_format) {
  int width = format.reference.width, height = format.reference.height;
  scales = ScaleCount(width, height);
  if (scales == 0) return;
  int block_count = 0;
  for (int scale = 0; scale < scales; ++scale) {
    geometry[scale] = ScaleGeometry(width, height);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    for (Channel& channel : channels[scale]) {
      channel.reference = MakeAligned<float>(geometry[scale].plane_floats());
      channel.distorted = MakeAligned<float>(geometry[scale].plane_floats());
      channel.columns = MakeAligned<float>(geometry[scale].state_floats());
      channel.first_progress = block_count;
      block_count += geometry[scale].blocks;
    }
  }
  for (const vmafx_side side : {VMAFX_DISTORTED, VMAFX_REFERENCE}) {
    const Format& f = side == VMAFX_DISTORTED ? format.distorted : format.reference;
    FrontJob& job = front[side];
    job.conversion = ConversionOf(f);
    job.shift_x = f.chroma_shift_x();
    job.shift_y = f.chroma_shift_y();
    job.scales = scales;
    job.geometry = geometry;
    for (int scale = 0; scale < scales; ++scale)
      for (int c = 0; c < kChannels; ++c) {
        Channel& channel = channels[scale][c];
        float* const plane = side == VMAFX_DISTORTED ? channel.distorted.get() : channel.reference.get();
        job.plane[scale][c] = plane + kStripColumns;
      }
  }
  // One thread takes channel after channel, whose column state stays in its cache. More threads take as many channels
  // side by side, so that they seldom wait for one another; the last channels of a list that runs out share the
  // threads that are left, one tile apart.
  blocks.reserve(static_cast<size_t>(block_count));
  progress = std::make_unique<Progress[]>(static_cast<size_t>(block_count));
  std::vector<BlockNumber> open;  // next block of each channel side by side
  int next = 0;
  const auto refill = [&] {
    while (static_cast<int>(open.size()) < threads && next < scales * kChannels) {
      const int scale = next / kChannels, channel = next % kChannels;
      open.push_back({channel, scale, 0, channels[scale][channel].first_progress});
      ++next;
    }
  };
  for (refill(); !open.empty(); refill()) {
    for (BlockNumber& number : open) {
      blocks.push_back(number);
      ++number.block;
      ++number.progress;
    }
    std::erase_if(open, [&](const BlockNumber& number) { return number.block == geometry[number.scale].blocks; });
  }
  for (int thread = 0; thread < threads; ++thread) {
    front_scratch.emplace_back(geometry[0]);
    block_scratch.emplace_back(geometry[0]);
  }
}

void CpuFrame::Impl::Front(const PairView& pair, Workers& workers) {
  front[VMAFX_DISTORTED].picture = &pair.distorted;
  front[VMAFX_REFERENCE].picture = &pair.reference;
  const size_t strips = static_cast<size_t>((geometry[0].height + kFrontRows - 1) / kFrontRows);
  workers.Run(2 * strips, [&](size_t part, int thread) {
    FrontStrip(front[part & 1], static_cast<int>(part / 2), front_scratch[static_cast<size_t>(thread)]);
  });
}

void CpuFrame::Impl::RunBlock(const BlockNumber& number, BlockScratch& scratch) {
  Channel& channel = channels[number.scale][number.channel];
  const Progress* const above = number.block > 0 ? &progress[number.progress - 1] : nullptr;
  Progress& own = progress[number.progress];
  BlockJob job;
  job.reference = channel.reference.get() + kStripColumns;
  job.distorted = channel.distorted.get() + kStripColumns;
  job.geometry = geometry[number.scale];
  job.block = number.block;
  job.columns = channel.columns.get();
  if (number.block == 0) {
    std::fill_n(channel.columns.get(), job.geometry.state_floats(), 0.0f);
    std::fill_n(channel.sums, kSums, 0.0);
  }
  StartBlock(scratch);
  for (int first = 0; first < job.geometry.columns; first += kTileColumns) {
    const int count = std::min(kTileColumns, job.geometry.columns - first);
    if (above != nullptr) above->Wait(first + count);
    BlurTile(job, first, count, scratch);
    own.columns.store(first + count, std::memory_order_release);
  }
  if (above != nullptr) above->Wait(kFinished);
  AddBlock(job, scratch, channel.sums);
  own.columns.store(kFinished, std::memory_order_release);
}

CpuFrame::CpuFrame(const PairFormat& format, int threads) : impl_(std::make_unique<Impl>(format, threads)) {}
CpuFrame::~CpuFrame() = default;

Sums CpuFrame::Measure(const PairView& pair, Workers& workers) {
  Impl& frame = *impl_;
  Sums sums;
  sums.width = frame.format.reference.width;
  sums.height = frame.format.reference.height;
  sums.scales = frame.scales;
  if (sums.scales == 0) return sums;
  frame.Front(pair, workers);
  for (size_t i = 0; i < frame.blocks.size(); ++i) frame.progress[i].columns.store(0, std::memory_order_relaxed);
  // Blocks are started in list order, so the block above is always running or done and every wait ends.
  std::atomic<size_t> started{0};
  workers.Run(frame.blocks.size(), [&](size_t, int thread) {
    const size_t number = started.fetch_add(1, std::memory_order_relaxed);
    frame.RunBlock(frame.blocks[number], frame.block_scratch[static_cast<size_t>(thread)]);
  });
  for (int scale = 0; scale < frame.scales; ++scale)
    for (int c = 0; c < kChannels; ++c)
      std::copy_n(frame.channels[scale][c].sums, kSums, sums.value[c][scale]);
  return sums;
}

namespace {

class Extractor : public CpuExtractor {
 public:
  Extractor(const PairFormat& format, int threads) : frame_(format, threads) {}
  Status Extract(const PairView& pair, Workers& workers, std::span<double> values) override {
    return ScoreOf(frame_.Measure(pair, workers), &values[0]);
  }

 private:
  CpuFrame frame_;
};

}  // namespace

std::unique_ptr<CpuExtractor> MakeCpuExtractor(const PairFormat& format, Workers& workers) {
  return std::make_unique<Extractor>(format, workers.threads());
}

}  // namespace vmafx::ssimulacra2::recursive
