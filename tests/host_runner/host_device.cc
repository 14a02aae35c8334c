// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/host_runner/host_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "core/engine/workers.h"
#include "tests/host_runner/block_runner.h"

namespace vmafx::host_runner {
namespace {

constexpr int kPoison = 0xA5;
constexpr size_t kArgumentBytes = 4096;

using Clock = std::chrono::steady_clock;

// Passed by the queue's thread, waited for by the host and by other queues.
struct MarkState {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t recorded = 0;  // how often
  uint64_t passed = 0;
  Status status;
  Clock::time_point when;

  uint64_t Record() {
    std::lock_guard lock(mutex);
    return ++recorded;
  }
  void Pass(uint64_t turn, const Status& result) {
    std::lock_guard lock(mutex);
    passed = turn;
    status = result;
    when = Clock::now();
    changed.notify_all();
  }
  Status WaitUntil(uint64_t turn) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return passed >= turn; });
    return status;
  }
};

class HostMark final : public DeviceMark {
 public:
  Status Done(bool* done) override {
    std::lock_guard lock(state->mutex);
    *done = state->passed == state->recorded;
    return *done ? state->status : Status();
  }
  Status Wait() override {
    uint64_t turn;
    {
      std::lock_guard lock(state->mutex);
      turn = state->recorded;
    }
    return state->WaitUntil(turn);
  }
  Status MillisecondsSince(const DeviceMark& earlier, double* milliseconds) const override {
    const auto& other = static_cast<const HostMark&>(earlier);
    *milliseconds = std::chrono::duration<double, std::milli>(state->when - other.state->when).count();
    return {};
  }

  std::shared_ptr<MarkState> state = std::make_shared<MarkState>();
};

// An allocation between two pages that fault, its end as close to the second one as alignment lets it. The bytes between
// hold a pattern that is checked when it is freed.
class GuardedMemory {
 public:
  static std::unique_ptr<GuardedMemory> Make(size_t bytes) {
    std::unique_ptr<GuardedMemory> memory(new GuardedMemory);
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    memory->bytes_ = bytes;
    memory->slack_ = AlignDevice(bytes) - bytes;
    const size_t inner = (AlignDevice(bytes) + page - 1) / page * page;
    memory->map_bytes_ = inner + 2 * page;
    void* map = mmap(nullptr, memory->map_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return nullptr;
    memory->map_ = static_cast<char*>(map);
    mprotect(memory->map_, page, PROT_NONE);
    mprotect(memory->map_ + page + inner, page, PROT_NONE);
    memory->data_ = memory->map_ + page + inner - AlignDevice(bytes);
    std::memset(memory->map_ + page, kPoison, inner);
    return memory;
  }
  // The first `bytes` bytes of a file, shared with whoever else has it; past them the pages fault.
  static std::unique_ptr<GuardedMemory> Map(int fd, size_t bytes) {
    std::unique_ptr<GuardedMemory> memory(new GuardedMemory);
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inner = (bytes + page - 1) / page * page;
    memory->bytes_ = bytes;
    memory->map_bytes_ = inner + 2 * page;
    void* map = mmap(nullptr, memory->map_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return nullptr;
    memory->map_ = static_cast<char*>(map);
    memory->data_ = memory->map_ + page;
    if (mmap(memory->data_, inner, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) return nullptr;
    return memory;
  }
  ~GuardedMemory() {
    if (map_ != nullptr) munmap(map_, map_bytes_);
  }

  char* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool Intact() const {
    return std::all_of(data_ + bytes_, data_ + bytes_ + slack_,
                       [](char byte) { return static_cast<unsigned char>(byte) == kPoison; });
  }

 private:
  GuardedMemory() = default;
  char* map_ = nullptr;
  size_t map_bytes_ = 0;
  char* data_ = nullptr;
  size_t bytes_ = 0;
  size_t slack_ = 0;
};

class HostDeviceImpl;

class HostQueue final : public DeviceQueue {
 public:
  explicit HostQueue(HostDeviceImpl& device) : device_(device), thread_([this] { Work(); }) {}
  ~HostQueue() override {
    Enqueue({});
    thread_.join();
  }

  Status Launch(const Kernel* kernel, Dim3 grid, Dim3 block, size_t shared_bytes, const void* arguments,
                size_t argument_bytes) override;
  Status Zero(DeviceAddress address, size_t bytes) override;
  Status CopyToHost(void* host, DeviceAddress device, size_t bytes) override;
  Status CopyToDevice(DeviceAddress device, const void* host, size_t bytes) override;
  Status WaitForProducer(void* stream) override {
    if (stream != nullptr) Enqueue([stream](Status&) { static_cast<Gate*>(stream)->Pass(); });
    return {};
  }
  Status WaitFor(const DeviceMark& mark) override {
    auto state = static_cast<const HostMark&>(mark).state;
    uint64_t turn;
    {
      std::lock_guard lock(state->mutex);
      turn = state->recorded;
    }
    Enqueue([state, turn](Status& status) {
      if (Status other = state->WaitUntil(turn); status.ok()) status = std::move(other);
    });
    return {};
  }
  Status Record(DeviceMark& mark) override {
    auto state = static_cast<HostMark&>(mark).state;
    const uint64_t turn = state->Record();
    Enqueue([state, turn](Status& status) { state->Pass(turn, status); });
    return {};
  }
  Status Drain() override {
    HostMark mark;
    VMAFX_RETURN_IF_ERROR(Record(mark));
    return mark.Wait();
  }

 private:
  // Runs on the queue's thread; sets the queue's status when it fails.
  using Command = std::function<void(Status& status)>;

  void Enqueue(Command command) {
    std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    changed_.notify_all();
  }
  void Work() {
    Status status;
    for (;;) {
      Command command;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !commands_.empty(); });
        command = std::move(commands_.front());
        commands_.pop_front();
      }
      if (!command) return;
      command(status);
    }
  }

  HostDeviceImpl& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Command> commands_;
  std::thread thread_;
};

class HostDeviceImpl final : public HostDevice {
 public:
  explicit HostDeviceImpl(const HostDeviceOptions& options) : options_(options), workers_(options.threads) {
    for (int i = 0; i < options_.threads; ++i) runners_.push_back(std::make_unique<BlockRunner>());
  }
  ~HostDeviceImpl() override { FreeTables(); }

  std::string name() const override {
    return "host runner, waves of " + std::to_string(options_.wave_size) + (options_.backwards ? ", backwards" : "");
  }
  int wave_size() const override { return options_.wave_size; }
  int multiprocessors() const override { return options_.multiprocessors; }
  Status FindKernel(const char* module, const char* kernel_name, const Kernel** kernel) override {
    *kernel = FindHostKernel(module, kernel_name);
    if (*kernel != nullptr) return {};
    return Status::Device(std::string("module ") + module + " has no kernel " + kernel_name);
  }
  Status Allocate(size_t bytes, DeviceAddress* address) override {
    auto memory = GuardedMemory::Make(bytes);
    if (memory == nullptr) return Status::Memory("the host runner has no memory of " + std::to_string(bytes) + " bytes");
    *address = reinterpret_cast<uintptr_t>(memory->data());
    std::lock_guard lock(mutex_);
    use_.device_bytes += bytes;
    ++use_.allocations;
    memory_.emplace(*address, std::move(memory));
    return {};
  }
  Status Import(int fd, uint64_t bytes, DeviceAddress* address) override {
    auto memory = GuardedMemory::Map(fd, bytes);
    if (memory == nullptr) return Status::Device("the host runner cannot map descriptor " + std::to_string(fd));
    *address = reinterpret_cast<uintptr_t>(memory->data());
    std::lock_guard lock(mutex_);
    use_.device_bytes += bytes;
    ++use_.allocations;
    ++use_.imports;
    memory_.emplace(*address, std::move(memory));
    return {};
  }
  void Release(DeviceAddress address) override { Free(address); }
  void Free(DeviceAddress address) override {
    std::lock_guard lock(mutex_);
    auto found = memory_.find(address);
    if (found == memory_.end()) {
      broken_ = Status::Device("an address was freed that is not allocated");
      return;
    }
    if (!found->second->Intact()) broken_ = Status::Device("bytes past the end of an allocation were written");
    use_.device_bytes -= found->second->bytes();
    --use_.allocations;
    memory_.erase(found);
  }
  Status AllocatePinned(size_t bytes, void** memory) override {
    DeviceAddress address = 0;
    VMAFX_RETURN_IF_ERROR(Allocate(bytes, &address));
    *memory = reinterpret_cast<void*>(address);
    std::lock_guard lock(mutex_);
    use_.device_bytes -= bytes;
    use_.pinned_bytes += bytes;
    return {};
  }
  void FreePinned(void* memory) override {
    const auto address = reinterpret_cast<uintptr_t>(memory);
    {
      std::lock_guard lock(mutex_);
      if (auto found = memory_.find(address); found != memory_.end()) {
        use_.pinned_bytes -= found->second->bytes();
        use_.device_bytes += found->second->bytes();
      }
    }
    Free(address);
  }
  Status Upload(DeviceAddress address, const void* host, size_t bytes) override {
    VMAFX_RETURN_IF_ERROR(Inside(address, bytes));
    std::memcpy(reinterpret_cast<void*>(address), host, bytes);
    return {};
  }
  Status MakeQueue(std::unique_ptr<DeviceQueue>* queue) override {
    *queue = std::make_unique<HostQueue>(*this);
    return {};
  }
  Status MakeMark(bool, std::unique_ptr<DeviceMark>* mark) override {
    *mark = std::make_unique<HostMark>();
    return {};
  }
  HostDeviceUse use() const override {
    std::lock_guard lock(mutex_);
    return use_;
  }

  Status Inside(DeviceAddress address, size_t bytes) {
    std::lock_guard lock(mutex_);
    auto after = memory_.upper_bound(address);
    if (after == memory_.begin() || address + bytes > std::prev(after)->first + std::prev(after)->second->bytes())
      return Status::Device("a command of " + std::to_string(bytes) + " bytes reaches outside every allocation");
    return broken_;
  }
  void Count(size_t HostDeviceUse::*member, size_t amount) {
    std::lock_guard lock(mutex_);
    use_.*member += amount;
  }

  Status Run(const HostKernel& kernel, Dim3 grid, Dim3 block, const void* arguments) {
    if (kernel.module == options_.late_module) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::lock_guard one_launch_at_a_time(launch_mutex_);
    std::vector<MemoryRange> memory;
    {
      std::lock_guard lock(mutex_);
      if (!broken_.ok()) return broken_;
      ++use_.launches;
      for (const auto& [address, allocation] : memory_) memory.push_back({address, address + allocation->bytes()});
    }
    LaunchView view;
    view.kernel = &kernel;
    view.arguments = arguments;
    view.grid = {static_cast<int>(grid.x), static_cast<int>(grid.y), static_cast<int>(grid.z)};
    view.block = {static_cast<int>(block.x), static_cast<int>(block.y), static_cast<int>(block.z)};
    view.wave_size = options_.wave_size;
    view.backwards = options_.backwards;
    view.memory = &memory;
    const int count = view.grid.x * view.grid.y * view.grid.z;
    std::atomic<bool> failed{false};
    std::mutex failure_mutex;
    std::string failure;
    workers_.Run(static_cast<size_t>(count), [&](size_t index, int thread) {
      if (failed) return;
      const int n = options_.backwards ? count - 1 - static_cast<int>(index) : static_cast<int>(index);
      std::string text = runners_[thread]->Run(
          view, {n % view.grid.x, n / view.grid.x % view.grid.y, n / (view.grid.x * view.grid.y)});
      if (text.empty()) return;
      std::lock_guard lock(failure_mutex);
      if (!failed.exchange(true)) failure = std::move(text);
    });
    return failure.empty() ? Status() : Status::Device(failure);
  }

 private:
  const HostDeviceOptions options_;
  mutable std::mutex mutex_;
  std::mutex launch_mutex_;
  std::map<DeviceAddress, std::unique_ptr<GuardedMemory>> memory_;
  HostDeviceUse use_;
  Status broken_;
  Workers workers_;
  std::vector<std::unique_ptr<BlockRunner>> runners_;  // one for each of the workers
};

Status HostQueue::Launch(const Kernel* kernel, Dim3 grid, Dim3 block, size_t shared_bytes, const void* arguments,
                         size_t argument_bytes) {
  const auto& host_kernel = static_cast<const HostKernel&>(*kernel);
  const size_t threads = size_t{block.x} * block.y * block.z;
  if (size_t{grid.x} * grid.y * grid.z == 0) return Status::Device(host_kernel.name + ": launched with an empty grid");
  if (threads == 0 || threads % 64 != 0 || threads > static_cast<size_t>(host_kernel.max_threads))
    return Status::Device(host_kernel.name + ": launched with a block of " + std::to_string(threads) + " threads");
  if (argument_bytes != host_kernel.argument_bytes || argument_bytes > kArgumentBytes)
    return Status::Device(host_kernel.name + ": launched with " + std::to_string(argument_bytes) + " bytes of arguments");
  if (shared_bytes != 0) return Status::Device(host_kernel.name + ": dynamic shared memory is not supported");
  const auto* bytes = static_cast<const char*>(arguments);
  struct alignas(16) Copy {
    char bytes[kArgumentBytes];
  };
  auto copy = std::make_shared<Copy>();
  std::copy(bytes, bytes + argument_bytes, copy->bytes);
  Enqueue([this, &host_kernel, grid, block, copy](Status& status) {
    if (status.ok()) status = device_.Run(host_kernel, grid, block, copy->bytes);
  });
  return {};
}

Status HostQueue::Zero(DeviceAddress address, size_t bytes) {
  Enqueue([this, address, bytes](Status& status) {
    if (!status.ok()) return;
    status = device_.Inside(address, bytes);
    if (status.ok()) std::memset(reinterpret_cast<void*>(address), 0, bytes);
  });
  return {};
}

Status HostQueue::CopyToHost(void* host, DeviceAddress device, size_t bytes) {
  Enqueue([this, host, device, bytes](Status& status) {
    if (!status.ok()) return;
    status = device_.Inside(device, bytes);
    if (status.ok()) status = device_.Inside(reinterpret_cast<uintptr_t>(host), bytes);
    if (!status.ok()) return;
    std::memcpy(host, reinterpret_cast<const void*>(device), bytes);
    device_.Count(&HostDeviceUse::bytes_to_host, bytes);
  });
  return {};
}

Status HostQueue::CopyToDevice(DeviceAddress device, const void* host, size_t bytes) {
  Enqueue([this, device, host, bytes](Status& status) {
    if (!status.ok()) return;
    status = device_.Inside(device, bytes);
    if (status.ok()) status = device_.Inside(reinterpret_cast<uintptr_t>(host), bytes);
    if (!status.ok()) return;
    std::memcpy(reinterpret_cast<void*>(device), host, bytes);
    device_.Count(&HostDeviceUse::bytes_to_device, bytes);
  });
  return {};
}

}  // namespace

std::unique_ptr<HostDevice> MakeHostDevice(const HostDeviceOptions& options) {
  return std::make_unique<HostDeviceImpl>(options);
}

}  // namespace vmafx::host_runner
