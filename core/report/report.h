// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pools the rows of a run and writes its log as they come.
#ifndef VMAFX_REPORT_REPORT_H_
#define VMAFX_REPORT_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/status.h"
#include "core/report/log_format.h"
#include "core/report/pooling.h"
#include "vmafx/vmafx.h"

namespace vmafx {

class Report {
 public:
  // `write` null: pooling only.
  Report(const LogFormat& format, LogHead head, vmafx_write_fn write, void* opaque)
      : format_(format), head_(std::move(head)), write_(write), opaque_(opaque), pools_(head_.features.size()) {}

  Status CheckNames() const { return format_.CheckNames(head_.features); }
  void SetDevice(const char* backend, const char* device);
  Status AddRow(const vmafx_row& row);
  Status Finish(const vmafx_run_info* run);

  size_t feature_count() const { return pools_.size(); }
  vmafx_pooled Pooled(size_t index) const { return pools_[index].Result(); }
  std::string Summary(size_t index) const;

 private:
  void BeginLine();
  Status Write(const std::string& what);

  const LogFormat& format_;
  LogHead head_;
  const vmafx_write_fn write_;
  void* const opaque_;
  std::vector<Pool> pools_;
  uint64_t rows_ = 0;
  bool begun_ = false;
  bool finished_ = false;
  Status failure_;  // of the first write that failed: nothing is written after it
  std::string line_;
};

}  // namespace vmafx
#endif  // VMAFX_REPORT_REPORT_H_
