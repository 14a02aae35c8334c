// SPDX-License-Identifier: BSD-2-Clause-Patent
#include <cmath>

#include "core/report/log_format.h"
#include "core/report/text.h"

namespace vmafx {
namespace {

class Csv final : public LogFormat {
 public:
  void Head(const LogHead& head, std::string* out) const override {
    *out += "Frame,pts_time";
    for (const std::string& name : head.features) {
      *out += ',';
      AppendCsvField(name, out);
    }
    *out += '\n';
  }

  void Row(const LogHead& head, uint64_t, const vmafx_row& row, std::string* out) const override {
    *out += std::to_string(row.frame);
    AppendValue(row.pts_time, out);
    for (size_t i = 0; i < head.features.size(); ++i) AppendValue(row.values[i], out);
    *out += '\n';
  }

  void Tail(const LogHead&, const LogTail&, std::string*) const override {}

 private:
  static void AppendValue(double value, std::string* out) {
    *out += ',';
    if (std::isfinite(value)) AppendDouble(value, out);
  }
};

}  // namespace

const LogFormat& CsvFormat() {
  static const Csv format;
  return format;
}

}  // namespace vmafx
