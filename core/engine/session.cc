// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/session.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "core/engine/dmabuf.h"

namespace vmafx {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Status InPair(uint64_t index, const Status& status) {
  if (status.ok()) return status;
  return {status.code(), "pair " + std::to_string(index) + ": " + status.text()};
}

}  // namespace

Session::Session(const Config& config) : config_(config) {}

Status Session::Create(const Config& config, std::unique_ptr<Session>* session) {
  std::unique_ptr<Session> made(new Session(config));
  VMAFX_RETURN_IF_ERROR(made->Prepare());
  *session = std::move(made);
  return {};
}

Status Session::Prepare() {
  if (config_.metrics.empty()) return Status::Invalid("no metric to measure");
  plan_ = {.metrics = config_.metrics,
           .first = {0},
           .options = config_.options,
           .threads = config_.threads,
           .queue = config_.queue,
           .device = config_.device};
  selection_ = {plan_.metrics, &plan_.options, config_.metrics_chosen};
  for (const Metric* metric : plan_.metrics) {
    std::vector<std::string> names = metric->Features(plan_.options);
    plan_.first.push_back(plan_.first.back() + names.size());
    names.resize(names.size() - metric->Hidden(plan_.options));
    reported_.push_back(names.size());
    features_.insert(features_.end(), names.begin(), names.end());
    aggregators_.push_back(metric->MakeAggregator(plan_.options));
    if (!aggregators_.back()) continue;
    const std::vector<std::string> totals = aggregators_.back()->names();
    aggregate_names_.insert(aggregate_names_.end(), totals.begin(), totals.end());
  }
  row_.resize(features_.size());
  backend_name_ = config_.backend;
  if (config_.backend != "auto") {
    entry_ = FindBackend(config_.backend);
    if (!entry_->info.built)
      return Status::Device("backend=" + config_.backend + ": " + entry_->info.description + "; this build has " +
                            BuiltBackends());
    VMAFX_RETURN_IF_ERROR(entry_->check(plan_));
  }
  pending_.resize(queue());
  return {};
}

// Before backend=auto is decided, the greatest queue that any backend would choose.
size_t Session::queue() const {
  if (backend_) return backend_->queue();
  if (plan_.queue > 0) return static_cast<size_t>(plan_.queue);
  if (entry_) return entry_->default_queue;
  size_t greatest = 1;
  for (const BackendEntry& entry : Backends()) greatest = std::max(greatest, entry.default_queue);
  return greatest;
}

double Session::aggregate(size_t index) const {
  for (const auto& aggregator : aggregators_) {
    if (!aggregator) continue;
    const size_t count = aggregator->names().size();
    if (index < count) return aggregator->value(index);
    index -= count;
  }
  return kNan;
}

void Session::Say(const Notice& notice) {
  if (said_.insert(notice.text).second && config_.log) config_.log(config_.log_opaque, notice.level, notice.text.c_str());
}

Status Session::AgreeOn(const Shape& distorted, const Shape& reference) {
  if (agreed_ && distorted == agreed_distorted_ && reference == agreed_reference_) return {};
  agreed_ = false;
  VMAFX_RETURN_IF_ERROR(CheckShape(distorted, "distorted"));
  VMAFX_RETURN_IF_ERROR(CheckShape(reference, "reference"));
  std::vector<Notice> notices;
  VMAFX_RETURN_IF_ERROR(Agree(distorted, reference, selection_, &agreement_, &notices));
  for (const Notice& notice : notices) Say(notice);
  agreed_distorted_ = distorted;
  agreed_reference_ = reference;
  agreed_ = true;
  return {};
}

Status Session::CheckMemory(vmafx_memory memory) const {
  if (memory == entry_->memory || (memory == VMAFX_MEMORY_HOST && entry_->takes_host_memory)) return {};
  return Status::Mismatch("the pictures are in " + MemoryName(memory) + ", which backend=" + entry_->info.name +
                          " does not read: insert hwdownload,format= before both inputs, or choose the backend of that memory");
}

Status Session::OpenBackend(const vmafx_pair& pair) {
  const vmafx_memory memory = pair.distorted.memory;
  const BackendEntry* entry = entry_ ? entry_ : BackendFor(memory);
  if (!entry)
    return Status::Device("the pictures are in " + MemoryName(memory) + " and this build of libvmafx has " +
                          BuiltBackends() + " only: insert hwdownload,format= before both inputs");
  plan_.context = memory == VMAFX_MEMORY_CUDA ? pair.distorted.device_context : nullptr;
  plan_.frames_on.clear();
  for (const vmafx_picture* picture : {&pair.reference, &pair.distorted})
    if (const vmafx_dmabuf* dmabuf = DmabufOf(*picture); dmabuf != nullptr && dmabuf->device != nullptr)
      plan_.frames_on = dmabuf->device;
  if (!entry_) VMAFX_RETURN_IF_ERROR(entry->check(plan_));
  Status status;
  std::unique_ptr<Backend> backend = entry->make(plan_, &status);
  if (!backend) return status;
  std::vector<Pending> pending(backend->queue());
  device_ = backend->device();
  backend_name_ = entry->info.name;
  pending_ = std::move(pending);
  oldest_ = 0;
  entry_ = entry;
  backend_ = std::move(backend);
  return {};
}

Status Session::Take(const vmafx_pair& pair, Job* job) {
  VMAFX_RETURN_IF_ERROR(CheckEnumerations(pair.distorted, "distorted"));
  VMAFX_RETURN_IF_ERROR(CheckEnumerations(pair.reference, "reference"));
  VMAFX_RETURN_IF_ERROR(AgreeOn(ShapeOf(pair.distorted), ShapeOf(pair.reference)));
  VMAFX_RETURN_IF_ERROR(CheckPlanes(pair.distorted, "distorted"));
  VMAFX_RETURN_IF_ERROR(CheckPlanes(pair.reference, "reference"));
  VMAFX_RETURN_IF_ERROR(CheckDmabuf(pair.distorted, "distorted"));
  VMAFX_RETURN_IF_ERROR(CheckDmabuf(pair.reference, "reference"));
  if (entry_) VMAFX_RETURN_IF_ERROR(CheckMemory(pair.distorted.memory));
  if (!backend_) VMAFX_RETURN_IF_ERROR(OpenBackend(pair));
  job->index = pair.index;
  job->format = agreement_.format;
  job->active = agreement_.active;
  job->stored = {ViewOf(pair.distorted, 0), ViewOf(pair.reference, 0)};
  job->lifted = {ViewOf(pair.distorted, agreement_.distorted_lift()), ViewOf(pair.reference, agreement_.reference_lift())};
  job->distorted_memory = pair.distorted.memory;
  job->reference_memory = pair.reference.memory;
  for (const vmafx_side side : {VMAFX_DISTORTED, VMAFX_REFERENCE}) {
    const vmafx_picture& picture = side == VMAFX_DISTORTED ? pair.distorted : pair.reference;
    if (picture.memory == VMAFX_MEMORY_CUDA) job->context[side] = picture.device_context;
    if (picture.memory == VMAFX_MEMORY_CUDA) job->stream[side] = picture.device_stream;
    job->dmabuf[side] = DmabufOf(picture);
  }
  return {};
}

Status Session::Submit(const vmafx_pair& pair) {
  Job job;
  job.hold[VMAFX_DISTORTED] = PictureHold(pair.distorted.release, pair.distorted.opaque);
  job.hold[VMAFX_REFERENCE] = PictureHold(pair.reference.release, pair.reference.opaque);
  const bool scored = taken_++ % config_.subsample == 0;
  // A pair that is passed over is checked like the others: whether a run fails must not depend on subsample.
  VMAFX_RETURN_IF_ERROR(InPair(pair.index, Take(pair, &job)));
  const Pending pending = {pair.index, scored, job.format};
  VMAFX_RETURN_IF_ERROR(InPair(pair.index, scored ? backend_->Submit(std::move(job)) : backend_->Check(job)));
  pending_[(oldest_ + in_flight_) % pending_.size()] = pending;
  ++in_flight_;
  return {};
}

// A value is a number or absent; anything else cannot be and must not become a score.
Status Session::CheckValues() const {
  for (size_t i = 0; i < outcome_.values.size(); ++i) {
    const double value = outcome_.values[i];
    if (std::isfinite(value) || IsAbsent(value)) continue;
    size_t metric = 0;
    while (plan_.first[metric + 1] <= i) ++metric;
    const std::vector<std::string> names = plan_.metrics[metric]->Features(plan_.options);
    return Status::Internal("the value of " + names[i - plan_.first[metric]] + " is not finite: a defect of libvmafx");
  }
  return {};
}

void Session::FillRow(const PairFormat& format) {
  size_t feature = 0;
  for (size_t i = 0; i < plan_.metrics.size(); ++i) {
    const std::span<const double> values(outcome_.values.data() + plan_.first[i], plan_.first[i + 1] - plan_.first[i]);
    for (size_t k = 0; k < reported_[i]; ++k) row_[feature++] = IsAbsent(values[k]) ? kNan : values[k];
    if (aggregators_[i]) aggregators_[i]->Add(values, format);
  }
}

Status Session::Receive(bool wait, bool* finished, Row* row) {
  const Pending& pending = pending_[oldest_];
  *finished = !pending.scored || backend_->Receive(wait, &outcome_);
  if (!*finished) return {};
  oldest_ = (oldest_ + 1) % pending_.size();
  --in_flight_;
  *row = {pending.index, pending.scored, &row_};
  if (!pending.scored) {
    std::fill(row_.begin(), row_.end(), kNan);
    return {};
  }
  try {
    VMAFX_RETURN_IF_ERROR(InPair(pending.index, outcome_.status));
    VMAFX_RETURN_IF_ERROR(InPair(pending.index, CheckValues()));
  } catch (const std::bad_alloc&) {  // the pair is done with all the same: the caller is to know its number
    return Status::Memory("out of memory");
  }
  FillRow(pending.format);
  return {};
}

}  // namespace vmafx
