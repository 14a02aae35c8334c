// SPDX-License-Identifier: BSD-2-Clause-Patent
#include <charconv>
#include <cmath>
#include <string>

#include "core/metrics/metric.h"
#include "core/metrics/option_checks.h"

namespace vmafx {
namespace {

std::string Shortest(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

Status Refuse(std::string_view name, std::string_view value, const std::string& wanted) {
  return Status::Invalid("option " + std::string(name) + ": '" + std::string(value) + "' is not " + wanted);
}

}  // namespace

void Options::Set(std::string_view name, std::string_view value) {
  for (auto& [known, text] : items_) {
    if (known == name) {
      text = value;
      return;
    }
  }
  items_.emplace_back(name, value);
}

std::string_view Options::Get(std::string_view name, std::string_view fallback) const {
  for (const auto& [known, text] : items_)
    if (known == name) return text;
  return fallback;
}

bool Options::Flag(std::string_view name, bool fallback) const {
  return ParseFlag(Get(name, {})).value_or(fallback);
}

double Options::Number(std::string_view name, double fallback) const {
  return ParseNumber(Get(name, {})).value_or(fallback);
}

std::optional<bool> ParseFlag(std::string_view text) {
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  return std::nullopt;
}

std::optional<double> ParseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Status CheckFlag(std::string_view name, std::string_view value) {
  if (ParseFlag(value)) return {};
  return Refuse(name, value, "0 or 1");
}

Status CheckNumber(std::string_view name, std::string_view value, double least, double greatest) {
  const auto number = ParseNumber(value);
  if (number && *number >= least && *number <= greatest) return {};
  return Refuse(name, value, "a number from " + Shortest(least) + " to " + Shortest(greatest));
}

Status CheckNumber(std::string_view name, std::string_view value, double least) {
  const auto number = ParseNumber(value);
  if (number && *number >= least) return {};
  return Refuse(name, value, "a number of at least " + Shortest(least));
}

Status CheckInteger(std::string_view name, std::string_view value, int64_t least, int64_t greatest) {
  const auto number = ParseInteger(value);
  if (number && *number >= least && *number <= greatest) return {};
  return Refuse(name, value, "an integer from " + std::to_string(least) + " to " + std::to_string(greatest));
}

Status CheckChoice(std::string_view name, std::string_view value, std::span<const std::string_view> choices) {
  std::string list;
  for (std::string_view choice : choices) {
    if (choice == value) return {};
    list += (list.empty() ? "one of " : ", ") + std::string(choice);
  }
  return Refuse(name, value, list);
}

}  // namespace vmafx
