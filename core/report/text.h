// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pieces of a log. Nothing here depends on the locale.
#ifndef VMAFX_REPORT_TEXT_H_
#define VMAFX_REPORT_TEXT_H_

#include <string>
#include <string_view>

namespace vmafx {

// Appends vmafx_format_double(value).
void AppendDouble(double value, std::string* out);

// Appends `text` as a JSON string with its quotes (RFC 8259). What is not UTF-8 becomes U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

// Appends `text` as the inside of a quoted XML attribute (XML 1.0). What is not UTF-8, and what XML cannot hold, becomes
// U+FFFD.
void AppendXmlAttribute(std::string_view text, std::string* out);

// Appends one field of a CSV line (RFC 4180), quoted where needed.
void AppendCsvField(std::string_view text, std::string* out);

}  // namespace vmafx
#endif  // VMAFX_REPORT_TEXT_H_
