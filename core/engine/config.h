// SPDX-License-Identifier: BSD-2-Clause-Patent
// The options of a session: those of the engine, and those that the metrics of the table list as theirs.
#ifndef VMAFX_ENGINE_CONFIG_H_
#define VMAFX_ENGINE_CONFIG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/status.h"
#include "core/metrics/metric.h"
#include "vmafx/vmafx.h"

namespace vmafx {

struct Config {
  std::vector<const Metric*> metrics;  // in table order
  bool metrics_chosen = false;         // false: the default list
  std::string backend = "auto";
  std::string device;
  int threads = 0;
  int queue = 0;
  uint64_t subsample = 1;
  Options options;
  vmafx_log_fn log = nullptr;
  void* log_opaque = nullptr;

  Config();
  Status Set(std::string_view name, std::string_view value);

 private:
  Status SetMetrics(std::string_view names);
  Status SetMetricOption(std::string_view name, std::string_view value);
};

}  // namespace vmafx

struct vmafx_config {
  vmafx::Config config;
};

#endif  // VMAFX_ENGINE_CONFIG_H_
