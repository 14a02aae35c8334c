// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/report/report.h"

#include <cmath>

#include "core/report/text.h"

namespace vmafx {

void Report::SetDevice(const char* backend, const char* device) {
  head_.backend = backend ? backend : "";
  head_.device = device ? device : "";
}

// Empties line_, but for the head the first time.
void Report::BeginLine() {
  line_.clear();
  if (write_ && !begun_) format_.Head(head_, &line_);
}

// Writes line_.
Status Report::Write(const std::string& what) {
  if (!write_) return {};
  if (!failure_.ok()) return failure_;
  begun_ = true;
  if (line_.empty()) return {};
  if (const int result = write_(opaque_, line_.data(), line_.size()); result < 0) {
    failure_ = Status::Io("write failed");  // kept inside a std::string: holds even where memory for more is short
    failure_ = Status::Io("writing " + what + " of the log failed (" + std::to_string(result) + "): the log ends before it");
  }
  return failure_;
}

Status Report::AddRow(const vmafx_row& row) {
  if (finished_) return Status::Invalid("row " + std::to_string(row.frame) + " comes after the end of the report");
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (std::isinf(row.values[i]))
      return Status::Invalid("row " + std::to_string(row.frame) + ": " + head_.features[i] + " is not finite");
  }
  // All that needs memory comes first: a row is added as a whole or not at all.
  const std::string what = "row " + std::to_string(row.frame);
  BeginLine();
  if (write_) format_.Row(head_, rows_, row, &line_);
  for (Pool& pool : pools_) pool.Reserve();
  for (size_t i = 0; i < pools_.size(); ++i)
    if (!std::isnan(row.values[i])) pools_[i].Add(row.frame, row.pts_time, row.values[i]);
  ++rows_;
  return Write(what);
}

Status Report::Finish(const vmafx_run_info* run) {
  if (finished_) return Status::Invalid("the report was finished before");
  if (run) {
    std::vector<std::string> names(run->aggregate_names, run->aggregate_names + run->aggregate_count);
    VMAFX_RETURN_IF_ERROR(format_.CheckNames(names));
  }
  LogTail tail = {{}, run};
  for (const Pool& pool : pools_) tail.pooled.push_back(pool.Result());
  BeginLine();
  if (write_) format_.Tail(head_, tail, &line_);
  finished_ = true;
  return Write("the end");
}

std::string Report::Summary(size_t index) const {
  const vmafx_pooled pooled = Pooled(index);
  std::string text = head_.features[index] + ":";
  const auto number = [&](const char* name, double value) {
    if (!std::isfinite(value)) return;
    text += std::string(" ") + name + "=";
    AppendDouble(value, &text);
  };
  number("mean", pooled.mean);
  number("harmonic_mean", pooled.harmonic_mean);
  number("min", pooled.min);
  if (pooled.count > 0) text += " min_frame=" + std::to_string(pooled.min_frame);
  number("min_time", pooled.min_time);
  number("p1", pooled.p1);
  number("p5", pooled.p5);
  number("p50", pooled.p50);
  return text + " count=" + std::to_string(pooled.count);
}

}  // namespace vmafx
