// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/extract.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/engine/workers.h"

namespace vmafx::test {

Options MakeOptions(std::initializer_list<std::pair<const char*, const char*>> items) {
  Options options;
  for (const auto& [name, value] : items) options.Set(name, value);
  return options;
}

std::vector<double> Extract(const Metric& metric, const PairFormat& format, const PairView& pair,
                            const Options& options, int threads) {
  Workers workers(threads);
  const auto extractor = metric.MakeCpu(format, options, workers);
  std::vector<double> values(metric.Features(options).size());
  const Status status = extractor->Extract(pair, workers, values);
  EXPECT_TRUE(status.ok()) << status.text();
  return values;
}

bool SameValue(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

bool SameValues(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!SameValue(a[i], b[i])) return false;
  return true;
}

}  // namespace vmafx::test
