// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs metrics on single pairs, without a session.
#ifndef VMAFX_TESTS_EXTRACT_H_
#define VMAFX_TESTS_EXTRACT_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/metrics/metric.h"

namespace vmafx::test {

Options MakeOptions(std::initializer_list<std::pair<const char*, const char*>> items);

// The values of one pair on the CPU, in the order of Metric::Features(), hidden ones included. Fails the test on errors.
std::vector<double> Extract(const Metric& metric, const PairFormat& format, const PairView& pair,
                            const Options& options = {}, int threads = 1);

// Bit for bit; any NaN equals any other.
bool SameValue(double a, double b);
bool SameValues(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_EXTRACT_H_
