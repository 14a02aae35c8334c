// SPDX-License-Identifier: BSD-2-Clause-Patent
// The form of a log. Each call appends whole lines, and a row is one line, so that a log that ends anywhere can be
// mended by dropping what follows its last line feed (vmafx_log_format says what to append then).
#ifndef VMAFX_REPORT_LOG_FORMAT_H_
#define VMAFX_REPORT_LOG_FORMAT_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/status.h"
#include "vmafx/vmafx.h"

namespace vmafx {

// What is known before the first row.
struct LogHead {
  std::vector<std::string> features;
  std::string backend;
  std::string device;
  std::vector<std::pair<std::string, std::string>> options;
};

// What is known after the last one.
struct LogTail {
  std::vector<vmafx_pooled> pooled;  // by feature
  const vmafx_run_info* run = nullptr;  // null: unknown
};

class LogFormat {
 public:
  virtual ~LogFormat() = default;
  // Whether the names can stand in this form.
  virtual Status CheckNames(std::span<const std::string>) const { return {}; }
  virtual void Head(const LogHead& head, std::string* out) const = 0;
  // `number`: rows before this one. Values that are NaN are left out.
  virtual void Row(const LogHead& head, uint64_t number, const vmafx_row& row, std::string* out) const = 0;
  virtual void Tail(const LogHead& head, const LogTail& tail, std::string* out) const = 0;
};

const LogFormat& JsonFormat();
const LogFormat& NdjsonFormat();
const LogFormat& CsvFormat();
const LogFormat& XmlFormat();

}  // namespace vmafx
#endif  // VMAFX_REPORT_LOG_FORMAT_H_
