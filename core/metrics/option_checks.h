// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads and checks the text of options, in any locale. What Metric::CheckOption() of each metric is made of.
#ifndef VMAFX_METRICS_OPTION_CHECKS_H_
#define VMAFX_METRICS_OPTION_CHECKS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/engine/status.h"

namespace vmafx {

// "0"/"1" and "false"/"true".
std::optional<bool> ParseFlag(std::string_view text);
// A finite decimal number with '.', all of the text.
std::optional<double> ParseNumber(std::string_view text);
// A decimal integer, all of the text.
std::optional<int64_t> ParseInteger(std::string_view text);

// OK, or VMAFX_ERROR_INVALID with one line that names the option, the value given and what it may be.
Status CheckFlag(std::string_view name, std::string_view value);
Status CheckNumber(std::string_view name, std::string_view value, double least, double greatest);
// Without an upper limit.
Status CheckNumber(std::string_view name, std::string_view value, double least);
Status CheckInteger(std::string_view name, std::string_view value, int64_t least, int64_t greatest);
Status CheckChoice(std::string_view name, std::string_view value, std::span<const std::string_view> choices);

}  // namespace vmafx
#endif  // VMAFX_METRICS_OPTION_CHECKS_H_
