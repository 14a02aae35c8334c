// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/config.h"

#include <algorithm>

#include "core/engine/abi.h"
#include "core/engine/backends.h"
#include "core/metrics/option_checks.h"

namespace vmafx {
namespace {

constexpr std::string_view kDefaultMetrics[] = {"ssimulacra2", "float_psnr", "vif"};
constexpr std::string_view kEngineOptions[] = {"metrics", "backend", "device", "threads", "queue", "subsample"};
constexpr int kGreatestThreads = 1024;
constexpr int kGreatestQueue = 64;
constexpr int kGreatestSubsample = 1000000;

std::string KnownMetrics() {
  std::string names;
  for (const Metric* metric : Metrics()) names += (names.empty() ? "" : ", ") + std::string(metric->info().name);
  return names;
}

std::string KnownOptions() {
  std::vector<std::string> names(std::begin(kEngineOptions), std::end(kEngineOptions));
  for (const Metric* metric : Metrics()) {
    for (const OptionInfo& option : metric->options())
      if (std::find(names.begin(), names.end(), option.name) == names.end()) names.emplace_back(option.name);
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

Status ReadInteger(std::string_view name, std::string_view value, int64_t least, int64_t greatest, auto* result) {
  VMAFX_RETURN_IF_ERROR(CheckInteger(name, value, least, greatest));
  *result = static_cast<std::remove_pointer_t<decltype(result)>>(*ParseInteger(value));
  return {};
}

}  // namespace

Config::Config() {
  for (const Metric* metric : Metrics()) {
    if (std::find(std::begin(kDefaultMetrics), std::end(kDefaultMetrics), metric->info().name) != std::end(kDefaultMetrics))
      metrics.push_back(metric);
  }
}

Status Config::Set(std::string_view name, std::string_view value) {
  if (name == "metrics") return SetMetrics(value);
  if (name == "threads") return ReadInteger(name, value, 0, kGreatestThreads, &threads);
  if (name == "queue") return ReadInteger(name, value, 0, kGreatestQueue, &queue);
  if (name == "subsample") return ReadInteger(name, value, 1, kGreatestSubsample, &subsample);
  if (name == "device") {
    device = value;
    return {};
  }
  if (name == "backend") {
    std::vector<std::string_view> names = {"auto"};
    for (const BackendEntry& entry : Backends()) names.push_back(entry.info.name);
    VMAFX_RETURN_IF_ERROR(CheckChoice(name, value, names));
    backend = value;
    return {};
  }
  return SetMetricOption(name, value);
}

Status Config::SetMetrics(std::string_view names) {
  std::vector<const Metric*> wanted;
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find('+', begin), names.size());
    const std::string_view name = names.substr(begin, end - begin);
    if (name.empty())
      return Status::Invalid("option metrics: a name is missing in '" + std::string(names) + "'; known, to be joined with +: " +
                             KnownMetrics());
    const Metric* metric = FindMetric(name);
    if (!metric)
      return Status::Invalid("unknown metric '" + std::string(name) + "'; known, to be joined with +: " + KnownMetrics());
    wanted.push_back(metric);
    begin = end + 1;
  }
  metrics.clear();
  for (const Metric* metric : Metrics())
    if (std::find(wanted.begin(), wanted.end(), metric) != wanted.end()) metrics.push_back(metric);
  metrics_chosen = true;
  return {};
}

Status Config::SetMetricOption(std::string_view name, std::string_view value) {
  bool known = false;
  for (const Metric* metric : Metrics()) {
    for (const OptionInfo& option : metric->options()) {
      if (option.name != name) continue;
      VMAFX_RETURN_IF_ERROR(metric->CheckOption(name, value));
      known = true;
    }
  }
  if (!known) return Status::Invalid("unknown option '" + std::string(name) + "'; known: " + KnownOptions());
  options.Set(name, value);
  return {};
}

}  // namespace vmafx

extern "C" {

vmafx_config* vmafx_config_create(void) {
  vmafx_config* config = nullptr;
  (void)vmafx::Guard(nullptr, [&] {
    config = new vmafx_config;
    return VMAFX_OK;
  });
  return config;
}

void vmafx_config_destroy(vmafx_config* config) { delete config; }

int vmafx_config_set(vmafx_config* config, const char* name, const char* value, vmafx_error* error) {
  return vmafx::Guard(error, [&] {
    if (!config || !name || !value)
      return vmafx::ToResult(vmafx::Status::Invalid("vmafx_config_set: config, name or value is NULL"), error);
    return vmafx::ToResult(config->config.Set(name, value), error);
  });
}

void vmafx_config_set_log(vmafx_config* config, vmafx_log_fn log, void* opaque) {
  if (!config) return;
  config->config.log = log;
  config->config.log_opaque = opaque;
}

}  // extern "C"
