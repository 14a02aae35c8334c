// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/recursive/cpu.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <thread>
#include <vector>

#include "core/engine/workers.h"
#include "core/metrics/ssimulacra2/recursive/block.h"
#include "core/metrics/ssimulacra2/recursive/block_sums.h"
#include "core/metrics/ssimulacra2/recursive/front.h"

namespace vmafx::ssimulacra2::recursive {
namespace {

// How far a block has come: columns done, then one of the values below. On its own cache line.
struct alignas(64) Progress {
  std::atomic<int> columns{0};
  double estimate[kSums];  // from kEstimated on: approximate sums of the plane up to the block's end

  void Wait(int needed) const {
    constexpr int kSpins = 200;  // a tile takes a few microseconds; past that let another thread have the core
    for (int spins = 0; columns.load(std::memory_order_acquire) < needed; ++spins)
      if (spins >= kSpins) std::this_thread::yield();
  }
  void Reach(int state) { columns.store(state, std::memory_order_release); }
};
constexpr int kFinished = INT_MAX;  // the channel's sums have the block's terms
constexpr int kEstimated = kFinished - 1;

}  // namespace

struct CpuFrame::Impl {
  // One channel at one scale.
  struct Channel {
    ScaleGeometry geometry;
    AlignedArray<float> reference, distorted, columns;  // planes and column state
    std::unique_ptr<Progress[]> progress;               // by block
    std::atomic<int> started{0};                        // blocks
    double sums[kSums];
  };

  Impl(const PairFormat& format, int threads);
  void Front(const PairView& pair, Workers& workers);
  void Work(int thread);
  bool RunNextBlock(Channel& channel, int thread);
  void AddBlock(Channel& channel, const BlockJob& job, BlockScratch& scratch);

  Channel& channel(int scale, int c) { return channels[scale * kChannels + c]; }

  PairFormat format;
  int scales = 0;
  ScaleGeometry geometry[kMaxScales];
  Channel channels[kMaxScales * kChannels];  // those of scales*kChannels exist
  std::atomic<int> channels_started{0};
  FrontJob front[2];                        // by vmafx_side
  std::vector<FrontScratch> front_scratch;  // by thread
  std::vector<BlockScratch> block_scratch;
};

CpuFrame::Impl::Impl(const PairFormat& pair_format, int threads) : format(pair_format) {
  int width = format.reference.width, height = format.reference.height;
  scales = ScaleCount(width, height);
  if (scales == 0) return;
  for (int scale = 0; scale < scales; ++scale) {
    geometry[scale] = ScaleGeometry(width, height);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    for (int c = 0; c < kChannels; ++c) {
      Channel& made = channel(scale, c);
      made.geometry = geometry[scale];
      made.reference = MakeAligned<float>(geometry[scale].plane_floats());
      made.distorted = MakeAligned<float>(geometry[scale].plane_floats());
      made.columns = MakeAligned<float>(geometry[scale].state_floats());
      made.progress = std::make_unique<Progress[]>(static_cast<size_t>(geometry[scale].blocks));
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
        Channel& made = channel(scale, c);
        job.plane[scale][c] = (side == VMAFX_DISTORTED ? made.distorted : made.reference).get() + kStripColumns;
      }
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

// Starts the channel's next block and finishes it; false when all are started. A block's predecessor is therefore
// always running or done, and every wait for it ends.
bool CpuFrame::Impl::RunNextBlock(Channel& channel, int thread) {
  const int block = channel.started.fetch_add(1, std::memory_order_relaxed);
  if (block >= channel.geometry.blocks) return false;
  BlockScratch& scratch = block_scratch[static_cast<size_t>(thread)];
  const Progress* const above = block > 0 ? &channel.progress[static_cast<size_t>(block) - 1] : nullptr;
  Progress& own = channel.progress[static_cast<size_t>(block)];
  BlockJob job;
  job.reference = channel.reference.get() + kStripColumns;
  job.distorted = channel.distorted.get() + kStripColumns;
  job.geometry = channel.geometry;
  job.block = block;
  job.columns = channel.columns.get();
  if (block == 0) {
    std::fill_n(channel.columns.get(), job.geometry.state_floats(), 0.0f);
    std::fill_n(channel.sums, kSums, 0.0);
  }
  StartBlock(scratch);
  for (int first = 0; first < job.geometry.columns; first += kTileColumns) {
    const int count = std::min(kTileColumns, job.geometry.columns - first);
    if (above != nullptr) above->Wait(first + count);
    BlurTile(job, first, count, scratch);
    own.Reach(first + count);
  }
  AddBlock(channel, job, scratch);
  own.Reach(kFinished);
  return true;
}

// The sums go from block to block. Each thread forms the increments of its own block before the sums get to it, so that
// what one does after the other is short; the plans come of estimates, which are handed on early. With vectors that is
// as fast as adding the terms one by one, so a thread that has the channel to itself does the same.
void CpuFrame::Impl::AddBlock(Channel& channel, const BlockJob& job, BlockScratch& scratch) {
  const Progress* const above = job.block > 0 ? &channel.progress[static_cast<size_t>(job.block) - 1] : nullptr;
  Progress& own = channel.progress[static_cast<size_t>(job.block)];
  EstimateChunks(job, scratch, own.estimate);
  double before[kSums] = {};
  if (above != nullptr) {
    above->Wait(kEstimated);
    std::copy_n(above->estimate, kSums, before);
  }
  for (int sum = 0; sum < kSums; ++sum) own.estimate[sum] += before[sum];
  own.Reach(kEstimated);
  PlanChunks(job, before, scratch);
  FormIncrements(job, scratch);
  if (above != nullptr) above->Wait(kFinished);
  AddIncrements(job, scratch, channel.sums);
}

// A thread stays with a channel, whose column state is in its cache. Once every channel has its thread, those that are
// free follow in the channel with the most blocks left, a tile behind the block above.
void CpuFrame::Impl::Work(int thread) {
  const int count = scales * kChannels;
  for (int c; (c = channels_started.fetch_add(1, std::memory_order_relaxed)) < count;)
    while (RunNextBlock(channels[c], thread)) continue;
  for (;;) {
    Channel* busiest = nullptr;
    int most = 0;
    for (int c = 0; c < count; ++c) {
      const int left = channels[c].geometry.blocks - channels[c].started.load(std::memory_order_relaxed);
      if (left <= most) continue;
      most = left;
      busiest = &channels[c];
    }
    if (busiest == nullptr) return;
    RunNextBlock(*busiest, thread);
  }
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
  const int channels = frame.scales * kChannels;
  frame.channels_started.store(0, std::memory_order_relaxed);
  for (int c = 0; c < channels; ++c) {
    Impl::Channel& channel = frame.channels[c];
    channel.started.store(0, std::memory_order_relaxed);
    for (int block = 0; block < channel.geometry.blocks; ++block)
      channel.progress[static_cast<size_t>(block)].columns.store(0, std::memory_order_relaxed);
  }
  workers.Run(frame.block_scratch.size(), [&](size_t, int thread) { frame.Work(thread); });
  for (int c = 0; c < channels; ++c)
    std::copy_n(frame.channels[c].sums, kSums, sums.value[c % kChannels][c / kChannels]);
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
