// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/report/text.h"

#include <cstdint>

#include "vmafx/vmafx.h"

namespace vmafx {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// The length of the well-formed UTF-8 sequence at the start of `text`, and its code point; 0: there is none
// (Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
size_t ReadUtf8(std::string_view text, uint32_t* code) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) {
    *code = lead;
    return 1;
  }
  const size_t length = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 0;
  if (length == 0 || text.size() < length) return 0;
  *code = lead & (0xff >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (byte(i) & 0x3f);
  }
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = *code >= 0xd800 && *code < 0xe000;
  return *code < kLeast[length] || surrogate || *code > 0x10ffff ? 0 : length;
}

// Calls escape(code, sequence) for each character of `text`; malformed bytes come one by one as U+FFFD.
template <class Escape>
void ForEachCharacter(std::string_view text, Escape&& escape) {
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t length = ReadUtf8(text, &code);
    if (length == 0)
      escape(uint32_t{0xfffd}, kReplacement);
    else
      escape(code, text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

}  // namespace

void AppendDouble(double value, std::string* out) {
  char text[40];
  out->append(text, static_cast<size_t>(vmafx_format_double(value, text)));
}

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  ForEachCharacter(text, [out](uint32_t code, std::string_view sequence) {
    if (code == '"' || code == '\\') {
      *out += '\\';
      *out += static_cast<char>(code);
    } else if (code < 0x20 || code == 0x7f) {
      static constexpr char kHex[] = "0123456789abcdef";
      *out += "\\u00";
      *out += kHex[code >> 4];
      *out += kHex[code & 15];
    } else {
      *out += sequence;
    }
  });
  *out += '"';
}

void AppendXmlAttribute(std::string_view text, std::string* out) {
  ForEachCharacter(text, [out](uint32_t code, std::string_view sequence) {
    switch (code) {
      case '&': *out += "&amp;"; return;
      case '<': *out += "&lt;"; return;
      case '>': *out += "&gt;"; return;
      case '"': *out += "&quot;"; return;
      case '\t': *out += "&#9;"; return;
      case '\n': *out += "&#10;"; return;
      case '\r': *out += "&#13;"; return;
      default: *out += code < 0x20 || code == 0xfffe || code == 0xffff ? kReplacement : sequence;
    }
  });
}

void AppendCsvField(std::string_view text, std::string* out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    *out += text;
    return;
  }
  *out += '"';
  for (const char c : text) {
    if (c == '"') *out += '"';
    *out += c == '\n' || c == '\r' ? ' ' : c;  // a line is a row
  }
  *out += '"';
}

}  // namespace vmafx
