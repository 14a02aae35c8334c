// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/host_runner/block_runner.h"

#include <sys/mman.h>

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#define VMAFX_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VMAFX_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef VMAFX_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace vmafx::host_runner {
namespace {

namespace fibers = boost::context::detail;

constexpr int kMaxThreads = 1024;
constexpr size_t kStackBytes = size_t{256} << 10;  // mapped on first touch
constexpr size_t kSharedBytes = size_t{48} << 10;  // what every device grants without being asked
constexpr size_t kSharedAlignment = 16;
constexpr int kPoison = 0xA5;

enum class LaneState { kReady, kExchange, kBarrier, kFinished };

struct Lane {
  LaneView view{};
  LaneState state = LaneState::kReady;
  fibers::fcontext_t context = nullptr;
  unsigned line = 0;           // where it stopped
  uint64_t posted[2] = {0, 0};  // alternating: a lane may post again before its neighbour has read
  unsigned exchanges = 0;
  char* stack = nullptr;
#ifdef VMAFX_ADDRESS_SANITIZER
  void* fake_stack = nullptr;
#endif
};

struct SharedArray {
  const void* key;
  char* data;
  size_t bytes;
};

}  // namespace

struct BlockRunner::Impl {
  std::vector<Lane> lanes{kMaxThreads};
  char* stacks = nullptr;
  BlockView block{};
  const LaunchView* launch = nullptr;
  Lane* current = nullptr;
  fibers::fcontext_t scheduler = nullptr;
  std::string failure;
  std::vector<SharedArray> shared;
  size_t shared_used = 0;
  std::unique_ptr<char[]> arena{new char[kSharedBytes + kSharedAlignment]};
  char* arena_begin = nullptr;
  MemoryRange last_hit{0, 0};
#ifdef VMAFX_ADDRESS_SANITIZER
  void* scheduler_fake_stack = nullptr;
  const void* scheduler_stack = nullptr;
  size_t scheduler_stack_bytes = 0;
#endif

  std::string RunBlock(const LaunchView& view, Index3 index);
  // Runs the wave's lanes until each waits at the block's barrier or has finished.
  bool RunWave(int first, int last);
  bool ResolveExchange(int first, int last);
  void Resume(Lane& lane);
  void Stop(LaneState state, unsigned line);
  [[noreturn]] void Fail(std::string text);
  static void Main(fibers::transfer_t from);
};

namespace {
thread_local BlockRunner::Impl* active = nullptr;

std::string Where(unsigned line) { return line == 0 ? "its end" : "line " + std::to_string(line); }
}  // namespace

void BlockRunner::Impl::Main(fibers::transfer_t from) {
  Impl& self = *static_cast<Impl*>(from.data);
#ifdef VMAFX_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, &self.scheduler_stack, &self.scheduler_stack_bytes);
#endif
  self.scheduler = from.fctx;
  for (;;) {
    self.launch->kernel->run(self.launch->arguments);
    self.Stop(LaneState::kFinished, 0);
  }
}

void BlockRunner::Impl::Resume(Lane& lane) {
  current = &lane;
  lane.state = LaneState::kReady;
  if (lane.context == nullptr)
    lane.context = fibers::make_fcontext(lane.stack + kStackBytes, kStackBytes, &Impl::Main);
#ifdef VMAFX_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&scheduler_fake_stack, lane.stack, kStackBytes);
#endif
  const fibers::transfer_t back = fibers::jump_fcontext(lane.context, this);
#ifdef VMAFX_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(scheduler_fake_stack, nullptr, nullptr);
#endif
  lane.context = back.fctx;
  current = nullptr;
}

void BlockRunner::Impl::Stop(LaneState state, unsigned line) {
  Lane& lane = *current;
  lane.state = state;
  lane.line = line;
#ifdef VMAFX_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&lane.fake_stack, scheduler_stack, scheduler_stack_bytes);
#endif
  const fibers::transfer_t back = fibers::jump_fcontext(scheduler, nullptr);
#ifdef VMAFX_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(lane.fake_stack, &scheduler_stack, &scheduler_stack_bytes);
#endif
  scheduler = back.fctx;
}

void BlockRunner::Impl::Fail(std::string text) {
  const Lane& lane = *current;
  failure = "thread (" + std::to_string(lane.view.thread.x) + ", " + std::to_string(lane.view.thread.y) + "): " + text;
  std::string().swap(text);  // nothing on this stack is destroyed any more
  Stop(LaneState::kFinished, 0);
  std::abort();  // not reached: a failed block's lanes are never resumed
}

bool BlockRunner::Impl::ResolveExchange(int first, int last) {
  const Lane& leader = lanes[first];
  for (int i = first; i < last; ++i) {
    const Lane& lane = lanes[i];
    if (lane.state == leader.state && lane.line == leader.line) continue;
    failure = "divergent exchange in a wave: thread " + std::to_string(leader.view.number) + " is at " +
              Where(leader.line) + ", thread " + std::to_string(lane.view.number) + " at " + Where(lane.line);
    return false;
  }
  return true;
}

bool BlockRunner::Impl::RunWave(int first, int last) {
  for (;;) {
    for (int i = 0; i < last - first; ++i) {
      Resume(lanes[launch->backwards ? last - 1 - i : first + i]);
      if (!failure.empty()) return false;
    }
    const bool exchanging = std::any_of(lanes.begin() + first, lanes.begin() + last,
                                        [](const Lane& lane) { return lane.state == LaneState::kExchange; });
    if (!exchanging) return true;
    if (!ResolveExchange(first, last)) return false;
  }
}

std::string BlockRunner::Impl::RunBlock(const LaunchView& view, Index3 index) {
  launch = &view;
  block = {index, view.block, view.grid, view.wave_size};
  shared.clear();
  shared_used = 0;
  last_hit = {0, 0};
  failure.clear();
  const int count = view.block.x * view.block.y * view.block.z;
  for (int i = 0; i < count; ++i) {
    Lane& lane = lanes[i];
    lane.view = {&block, {i % view.block.x, i / view.block.x % view.block.y, i / (view.block.x * view.block.y)}, i};
    lane.exchanges = 0;
  }
  const int waves = (count + view.wave_size - 1) / view.wave_size;
  do {
    for (int i = 0; i < waves; ++i) {
      const int first = (view.backwards ? waves - 1 - i : i) * view.wave_size;
      if (!RunWave(first, std::min(first + view.wave_size, count))) break;
    }
    for (int i = 1; failure.empty() && i < count; ++i)
      if (lanes[i].state != lanes[0].state || lanes[i].line != lanes[0].line)
        failure = "divergent barrier: thread 0 is at " + Where(lanes[0].line) + ", thread " + std::to_string(i) + " at " +
                  Where(lanes[i].line);
  } while (failure.empty() && lanes[0].state == LaneState::kBarrier);
  if (failure.empty()) return {};
  // The lanes stand somewhere inside the kernel, which holds nothing that wants destruction: forget them.
  for (Lane& lane : lanes) lane.context = nullptr;
  return "kernel " + view.kernel->name + ", block (" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + "): " + failure;
}

BlockRunner::BlockRunner() : impl_(new Impl) {
  void* stacks = mmap(nullptr, kMaxThreads * kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) throw std::bad_alloc();
  impl_->stacks = static_cast<char*>(stacks);
  for (int i = 0; i < kMaxThreads; ++i) impl_->lanes[i].stack = impl_->stacks + i * kStackBytes;
  const auto address = reinterpret_cast<uintptr_t>(impl_->arena.get());
  impl_->arena_begin = impl_->arena.get() + (-address & (kSharedAlignment - 1));
}

BlockRunner::~BlockRunner() {
#ifdef VMAFX_ADDRESS_SANITIZER
  // The fibers' frames have left marks on their stacks; the address range may be mapped again for something else.
  __asan_unpoison_memory_region(impl_->stacks, kMaxThreads * kStackBytes);
#endif
  munmap(impl_->stacks, kMaxThreads * kStackBytes);
}

std::string BlockRunner::Run(const LaunchView& launch, Index3 index) {
  active = impl_.get();
  std::string failure = impl_->RunBlock(launch, index);
  active = nullptr;
  return failure;
}

const LaneView& CurrentLane() { return active->current->view; }

void BlockBarrier(unsigned line) { active->Stop(LaneState::kBarrier, line); }

uint64_t Exchange(uint64_t value, int source, unsigned line) {
  BlockRunner::Impl& runner = *active;
  Lane& lane = *runner.current;
  const unsigned turn = lane.exchanges++ % 2;
  lane.posted[turn] = value;
  runner.Stop(LaneState::kExchange, line);
  const int wave = lane.view.number / runner.block.wave_size * runner.block.wave_size;
  const int count = runner.block.size.x * runner.block.size.y * runner.block.size.z;
  if (source < 0 || source >= runner.block.wave_size || wave + source >= count)
    runner.Fail("line " + std::to_string(line) + " reads lane " + std::to_string(source) + ", which is not there");
  return runner.lanes[wave + source].posted[turn];
}

uint64_t Ballot(bool predicate, unsigned line) {
  BlockRunner::Impl& runner = *active;
  Lane& lane = *runner.current;
  const unsigned turn = lane.exchanges++ % 2;
  lane.posted[turn] = predicate;
  runner.Stop(LaneState::kExchange, line);
  const int wave = lane.view.number / runner.block.wave_size * runner.block.wave_size;
  const int count = runner.block.size.x * runner.block.size.y * runner.block.size.z;
  uint64_t bits = 0;
  for (int i = 0; i < std::min(runner.block.wave_size, count - wave); ++i)
    bits |= runner.lanes[wave + i].posted[turn] << i;
  return bits;
}

void CheckShuffle(int operand, int width) {
  if (width < 2 || width > 32 || (width & (width - 1)) != 0 || operand < 0 || operand >= width)
    active->Fail("a shuffle by " + std::to_string(operand) + " in groups of " + std::to_string(width));
}

void* SharedMemory(const void* key, size_t bytes) {
  BlockRunner::Impl& runner = *active;
  for (const SharedArray& array : runner.shared)
    if (array.key == key) return array.data;
  const size_t begin = (runner.shared_used + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
  if (begin + bytes > kSharedBytes)
    runner.Fail("more than " + std::to_string(kSharedBytes) + " bytes of shared memory");
  char* data = runner.arena_begin + begin;
  std::memset(data, kPoison, bytes);
  runner.shared_used = begin + bytes;
  runner.shared.push_back({key, data, bytes});
  return data;
}

void CheckAccess(const void* address, size_t bytes) {
  BlockRunner::Impl& runner = *active;
  const auto begin = reinterpret_cast<uintptr_t>(address);
  if (begin % bytes != 0) runner.Fail("an access of " + std::to_string(bytes) + " bytes that is not aligned");
  if (begin >= runner.last_hit.begin && begin + bytes <= runner.last_hit.end) return;
  for (const SharedArray& array : runner.shared) {
    const auto data = reinterpret_cast<uintptr_t>(array.data);
    if (begin >= data && begin + bytes <= data + array.bytes) return;
  }
  const std::vector<MemoryRange>& memory = *runner.launch->memory;
  auto after = std::upper_bound(memory.begin(), memory.end(), begin,
                                [](uintptr_t value, const MemoryRange& range) { return value < range.begin; });
  if (after == memory.begin() || begin + bytes > (after - 1)->end)
    runner.Fail("an access of " + std::to_string(bytes) + " bytes outside every allocation");
  runner.last_hit = *(after - 1);
}

}  // namespace vmafx::host_runner
