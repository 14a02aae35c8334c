// SPDX-License-Identifier: BSD-2-Clause-Patent
// A session: checks each pair, gives it to the backend, and brings the rows back in order.
#ifndef VMAFX_ENGINE_SESSION_H_
#define VMAFX_ENGINE_SESSION_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/engine/agreement.h"
#include "core/engine/backend.h"
#include "core/engine/backends.h"
#include "core/engine/config.h"
#include "core/engine/status.h"
#include "vmafx/vmafx.h"

namespace vmafx {

class Session {
 public:
  static Status Create(const Config& config, std::unique_ptr<Session>* session);

  const std::vector<std::string>& features() const { return features_; }
  const std::vector<std::string>& aggregates() const { return aggregate_names_; }
  double aggregate(size_t index) const;
  const std::string& backend() const { return backend_name_; }
  const std::string& device() const { return device_; }
  size_t queue() const;

  void Forget(uint64_t pool) {
    if (backend_) backend_->Forget(pool);
  }

  bool full() const { return in_flight_ >= queue(); }
  // Not when full(). Takes both pictures over, whatever comes of it.
  Status Submit(const vmafx_pair& pair);

  bool idle() const { return in_flight_ == 0; }
  struct Row {
    uint64_t index = 0;
    bool scored = false;
    const std::vector<double>* values = nullptr;
  };
  // Not when idle(). *finished false: the oldest pair is not there yet (wait = false).
  Status Receive(bool wait, bool* finished, Row* row);

 private:
  explicit Session(const Config& config);
  Status Prepare();
  Status Take(const vmafx_pair& pair, Job* job);
  Status AgreeOn(const Shape& distorted, const Shape& reference);
  Status OpenBackend(const vmafx_pair& pair);
  Status CheckMemory(vmafx_memory memory) const;
  void Say(const Notice& notice);
  Status CheckValues() const;
  void FillRow(const PairFormat& format);

  // Of a pair in flight.
  struct Pending {
    uint64_t index = 0;
    bool scored = false;
    PairFormat format;
  };

  const Config config_;
  Plan plan_;
  Selection selection_;
  std::vector<std::string> features_;
  std::vector<size_t> reported_;  // values of each metric that are not hidden
  std::vector<std::unique_ptr<Aggregator>> aggregators_;  // one for each metric, null: none
  std::vector<std::string> aggregate_names_;

  const BackendEntry* entry_ = nullptr;  // null: backend=auto before the first pair
  std::string backend_name_;
  std::string device_;
  std::set<std::string> said_;

  // What the pairs so far agreed on last; most pairs look like the one before.
  bool agreed_ = false;
  Shape agreed_distorted_, agreed_reference_;
  Agreement agreement_;

  uint64_t taken_ = 0;  // pairs taken over, for subsample
  std::vector<Pending> pending_;
  size_t oldest_ = 0;
  size_t in_flight_ = 0;
  Outcome outcome_;
  std::vector<double> row_;

  std::unique_ptr<Backend> backend_;
};

}  // namespace vmafx
#endif  // VMAFX_ENGINE_SESSION_H_
