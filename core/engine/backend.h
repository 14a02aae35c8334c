// SPDX-License-Identifier: BSD-2-Clause-Patent
// A processor that scores pairs. Asynchronous: Submit() hands a pair over and returns, Receive() gives the rows in
// order of submission. The session bounds the number in flight; a backend never holds more than queue().
#ifndef VMAFX_ENGINE_BACKEND_H_
#define VMAFX_ENGINE_BACKEND_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/status.h"
#include "core/metrics/metric.h"

namespace vmafx {

// Calls a picture's release function once, when destroyed.
class PictureHold {
 public:
  PictureHold() = default;
  PictureHold(void (*release)(void*), void* opaque) : release_(release), opaque_(opaque) {}
  PictureHold(PictureHold&& other) noexcept { *this = std::move(other); }
  PictureHold& operator=(PictureHold&& other) noexcept {
    if (this != &other) {
      Release();
      release_ = std::exchange(other.release_, nullptr);
      opaque_ = other.opaque_;
    }
    return *this;
  }
  ~PictureHold() { Release(); }
  void Release() {
    if (auto* release = std::exchange(release_, nullptr)) release(opaque_);
  }

 private:
  void (*release_)(void*) = nullptr;
  void* opaque_ = nullptr;
};

// A pair ready to be measured: agreed formats, component views for sample-domain metrics (lifted) and for the
// others (as stored), and the holds of the two pictures.
struct Job {
  uint64_t index = 0;
  PairFormat format;
  uint64_t active = 0;  // bit i: Plan::metrics[i] measures the pair; the values of the others are kAbsent
  PairView stored;  // lift 0
  PairView lifted;  // both sides at format.depth
  vmafx_memory distorted_memory = VMAFX_MEMORY_HOST;
  vmafx_memory reference_memory = VMAFX_MEMORY_HOST;
  void* context[2] = {nullptr, nullptr};  // by vmafx_side; null unless the memory is VMAFX_MEMORY_CUDA
  void* stream[2] = {nullptr, nullptr};
  const vmafx_dmabuf* dmabuf[2] = {nullptr, nullptr};  // checked; during Submit() only; VMAFX_MEMORY_DMABUF
  PictureHold hold[2];
};

// What the session asked for.
struct Plan {
  std::vector<const Metric*> metrics;  // in table order
  std::vector<size_t> first;           // first[i]: where the values of metrics[i] begin; first.back(): how many there are
  Options options;
  int threads = 0;  // as configured; 0: UsableCores()
  int queue = 0;    // as configured; 0: the backend chooses
  std::string device;
  // Of the first pair's frames in device memory.
  void* context = nullptr;  // CUDA
  std::string frames_on{};  // dma-buf: the PCI address of their GPU, where the caller knows it
};

// One finished pair: the values of all metrics joined, hidden ones included, or an error. Receive() exchanges vectors, so
// that none is allocated from pair to pair.
struct Outcome {
  Status status;
  std::vector<double> values;
};

class Backend {
 public:
  virtual ~Backend() = default;  // waits for what is in flight and releases it
  virtual std::string device() const = 0;
  virtual size_t queue() const = 0;
  // Whether a pair's pictures are where the backend can read them. Submit() asks it itself; the session does for pairs
  // that are passed over.
  virtual Status Check(const Job& /*job*/) const { return {}; }
  // Never called with queue() pairs in flight. Returns before the scores are there.
  virtual Status Submit(Job job) = 0;
  // The oldest pair. False: not finished yet (wait = false). Never called with nothing in flight. Its pictures are
  // released before it is given.
  virtual bool Receive(bool wait, Outcome* outcome) = 0;
  // Gives up what is kept of a pool of dma-buf surfaces (vmafx_session_forget).
  virtual void Forget(uint64_t /*pool*/) {}
};

}  // namespace vmafx
#endif  // VMAFX_ENGINE_BACKEND_H_
