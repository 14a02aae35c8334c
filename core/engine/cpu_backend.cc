// SPDX-License-Identifier: BSD-2-Clause-Patent
// The CPU: one engine thread takes the pairs in order and works on each together with its workers. Pairs are not measured
// side by side: a frame's own parts keep all cores busy, and the memory of one frame's planes is the bound.
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "core/engine/backends.h"
#include "core/engine/workers.h"
#include "hwy/targets.h"

namespace vmafx {
namespace {

constexpr size_t kDefaultQueue = 4;

// The extractors of the formats seen last. A stream that alternates between a few formats keeps them all.
class Extractors {
 public:
  Extractors(const Plan& plan, Workers& workers) : plan_(plan), workers_(workers) {}

  // The extractor of each metric of the plan that measures the pair, null for the others.
  const std::vector<std::unique_ptr<CpuExtractor>>& Of(const Job& job) {
    for (auto entry = cache_.begin(); entry != cache_.end(); ++entry) {
      if (entry->format != job.format || entry->active != job.active) continue;
      cache_.splice(cache_.begin(), cache_, entry);
      return entry->extractors;
    }
    if (cache_.size() == kFormats) cache_.pop_back();
    Entry entry = {job.format, job.active, {}};
    for (size_t i = 0; i < plan_.metrics.size(); ++i) {
      const bool measured = job.active >> i & 1;
      entry.extractors.push_back(measured ? plan_.metrics[i]->MakeCpu(job.format, plan_.options, workers_) : nullptr);
    }
    cache_.push_front(std::move(entry));
    return cache_.front().extractors;
  }

 private:
  struct Entry {
    PairFormat format;
    uint64_t active = 0;
    std::vector<std::unique_ptr<CpuExtractor>> extractors;
  };
  static constexpr size_t kFormats = 4;
  const Plan& plan_;
  Workers& workers_;
  std::list<Entry> cache_;  // the one used last in front
};

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const Plan& plan)
      : plan_(plan),
        workers_(plan.threads > 0 ? plan.threads : UsableCores()),
        extractors_(plan_, workers_),
        slots_(plan.queue > 0 ? static_cast<size_t>(plan.queue) : kDefaultQueue),
        engine_([this] { Work(); }) {}

  ~CpuBackend() override {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;  // pairs not begun are released unmeasured: nobody will receive them
    }
    submitted_cv_.notify_one();
    engine_.join();
  }

  std::string device() const override {
    const int threads = workers_.threads();
    return std::string(hwy::TargetName(hwy::SupportedTargets() & -hwy::SupportedTargets())) + ", " +
           std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }

  size_t queue() const override { return slots_.size(); }

  Status Submit(Job job) override {
    {
      std::lock_guard lock(mutex_);
      slots_[submitted_ % slots_.size()].job = std::move(job);
      ++submitted_;
    }
    submitted_cv_.notify_one();
    return {};
  }

  bool Receive(bool wait, Outcome* outcome) override {
    std::unique_lock lock(mutex_);
    if (!wait && finished_ == received_) return false;
    finished_cv_.wait(lock, [this] { return finished_ != received_; });
    std::swap(*outcome, slots_[received_ % slots_.size()].outcome);
    ++received_;
    return true;
  }

 private:
  struct Slot {
    Job job;
    Outcome outcome;
  };

  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      submitted_cv_.wait(lock, [this] { return stop_ || submitted_ != finished_; });
      if (stop_) return;
      Slot& slot = slots_[finished_ % slots_.size()];
      lock.unlock();
      slot.outcome.status = Measure(slot.job, slot.outcome.values);
      for (PictureHold& hold : slot.job.hold) hold.Release();
      lock.lock();
      ++finished_;
      finished_cv_.notify_one();
    }
  }

  // No exception leaves the engine's thread, not even for want of memory for the text of an error.
  Status Measure(const Job& job, std::vector<double>& values) noexcept {
    try {
      return Extract(job, values);
    } catch (...) {
      return Status::Memory("out of memory");  // short enough to be kept inside a std::string
    }
  }

  Status Extract(const Job& job, std::vector<double>& values) {
    try {
      values.assign(plan_.first.back(), kAbsent);
      const auto& extractors = extractors_.Of(job);
      for (size_t i = 0; i < extractors.size(); ++i) {
        if (!extractors[i]) continue;
        const std::span<double> row(values.data() + plan_.first[i], plan_.first[i + 1] - plan_.first[i]);
        const PairView& view = plan_.metrics[i]->SampleDomain() ? job.lifted : job.stored;
        VMAFX_RETURN_IF_ERROR(extractors[i]->Extract(view, workers_, row));
      }
      return {};
    } catch (const std::bad_alloc&) {
      return Status::Memory("out of memory for pictures of " + std::to_string(job.format.distorted.width) + "x" +
                            std::to_string(job.format.distorted.height));
    } catch (const std::exception& exception) {
      return Status::Internal(exception.what());
    }
  }

  const Plan plan_;
  Workers workers_;
  Extractors extractors_;
  std::mutex mutex_;
  std::condition_variable submitted_cv_, finished_cv_;
  bool stop_ = false;
  // Pairs so far; pair n is in slot n % size.
  uint64_t submitted_ = 0, finished_ = 0, received_ = 0;
  std::vector<Slot> slots_;
  std::thread engine_;  // last: it uses all of the above
};

Status CheckCpu(const Plan& plan) {
  if (!plan.device.empty())
    return Status::Invalid("option device: '" + plan.device + "' is of no use with the CPU: leave it out");
  return {};
}

std::unique_ptr<Backend> MakeCpu(const Plan& plan, Status* status) {
  try {
    return std::make_unique<CpuBackend>(plan);
  } catch (const std::system_error& error) {
    *status = Status::Memory("cannot start the CPU's threads (" + std::string(error.what()) + "): set a smaller threads=");
  } catch (const std::bad_alloc&) {
    *status = Status::Memory("out of memory");
  }
  return nullptr;
}

}  // namespace

BackendEntry CpuBackendEntry() {
  static const std::string description =
      std::string("SIMD with ") + hwy::TargetName(hwy::SupportedTargets() & -hwy::SupportedTargets());
  return {{"cpu", description.c_str(), 1}, VMAFX_MEMORY_HOST, true, kDefaultQueue, CheckCpu, MakeCpu};
}

}  // namespace vmafx
