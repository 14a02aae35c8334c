// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C interface of a report.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "core/engine/abi.h"
#include "core/report/report.h"

struct vmafx_report {
  vmafx::Report report;
};

namespace vmafx {
namespace {

struct NamedFormat {
  const char* name;
  vmafx_log_format value;
  const LogFormat& (*format)();
};
constexpr NamedFormat kFormats[] = {{"json", VMAFX_FORMAT_JSON, JsonFormat},
                                    {"ndjson", VMAFX_FORMAT_NDJSON, NdjsonFormat},
                                    {"csv", VMAFX_FORMAT_CSV, CsvFormat},
                                    {"xml", VMAFX_FORMAT_XML, XmlFormat}};

const LogFormat* FindFormat(int value) {
  for (const NamedFormat& named : kFormats)
    if (named.value == value) return &named.format();
  return nullptr;
}

Status Create(const vmafx_report_config& config, std::unique_ptr<vmafx_report>* report) {
  const LogFormat* format = FindFormat(Raw(config.format));
  if (!format) return Status::Invalid("vmafx_report_config: format is no vmafx_log_format: " + std::to_string(Raw(config.format)));
  if ((config.feature_count && !config.feature_names) || (config.option_count && !config.options))
    return Status::Invalid("vmafx_report_config: feature_names or options is NULL");
  LogHead head;
  for (size_t i = 0; i < config.feature_count; ++i) {
    if (!config.feature_names[i]) return Status::Invalid("vmafx_report_config: feature name " + std::to_string(i) + " is NULL");
    head.features.emplace_back(config.feature_names[i]);
  }
  for (size_t i = 0; i < config.option_count; ++i) {
    const vmafx_text_pair& option = config.options[i];
    if (!option.name || !option.value) return Status::Invalid("vmafx_report_config: option " + std::to_string(i) + " is NULL");
    head.options.emplace_back(option.name, option.value);
  }
  auto made = std::make_unique<vmafx_report>(vmafx_report{Report(*format, std::move(head), config.write, config.opaque)});
  made->report.SetDevice(config.backend, config.device);
  VMAFX_RETURN_IF_ERROR(made->report.CheckNames());
  *report = std::move(made);
  return {};
}

// The structures inside move what follows them, so their lengths must be this version's; 0: left out of the log.
Status CheckRun(const vmafx_run_info* run) {
  if (!run) return {};
  VMAFX_RETURN_IF_ERROR(CheckStruct(run, "vmafx_run_info"));
  const auto fits = [](uint32_t size, size_t expected) { return size == 0 || size == expected; };
  if (run->struct_size != sizeof *run || !fits(run->distorted.struct_size, sizeof run->distorted) ||
      !fits(run->reference.struct_size, sizeof run->reference) || !fits(run->pairing.struct_size, sizeof run->pairing))
    return Status::Invalid("vmafx_run_info: set its struct_size and those of distorted, reference and pairing to their sizeof");
  if (run->aggregate_count && (!run->aggregate_names || !run->aggregate_values))
    return Status::Invalid("vmafx_run_info: aggregate_names or aggregate_values is NULL");
  if (run->pairing.first_unpaired_count[0] > std::size(run->pairing.first_unpaired[0]) ||
      run->pairing.first_unpaired_count[1] > std::size(run->pairing.first_unpaired[1]))
    return Status::Invalid("vmafx_run_info: first_unpaired_count is above the length of first_unpaired");
  return {};
}

}  // namespace
}  // namespace vmafx

extern "C" {

int vmafx_log_format_parse(const char* name, vmafx_log_format* format, vmafx_error* error) {
  return vmafx::Guard(error, [&] {
    for (const vmafx::NamedFormat& named : vmafx::kFormats) {
      if (!name || !format || std::strcmp(name, named.name) != 0) continue;
      *format = named.value;
      return static_cast<int>(VMAFX_OK);
    }
    return vmafx::ToResult(vmafx::Status::Invalid("unknown log format '" + std::string(name ? name : "") +
                                                "'; known: json, ndjson, csv, xml"), error);
  });
}

int vmafx_report_create(const vmafx_report_config* config, vmafx_report** report, vmafx_error* error) {
  return vmafx::Guard(error, [&] {
    if (report) *report = nullptr;
    vmafx::Status status = vmafx::CheckStruct(config, "vmafx_report_config");
    if (status.ok() && !report) status = vmafx::Status::Invalid("vmafx_report_create: report is NULL");
    std::unique_ptr<vmafx_report> made;
    if (status.ok()) status = vmafx::Create(*config, &made);
    if (status.ok()) *report = made.release();
    return vmafx::ToResult(status, error);
  });
}

void vmafx_report_destroy(vmafx_report* report) { delete report; }

void vmafx_report_set_device(vmafx_report* report, const char* backend, const char* device) {
  (void)vmafx::Guard(nullptr, [&] {
    if (report) report->report.SetDevice(backend, device);
    return VMAFX_OK;
  });
}

int vmafx_report_row(vmafx_report* report, const vmafx_row* row, vmafx_error* error) {
  return vmafx::Guard(error, [&] {
    vmafx::Status status = vmafx::CheckStruct(row, "vmafx_row");
    if (status.ok() && (!report || (!row->values && report->report.feature_count() > 0)))
      status = vmafx::Status::Invalid("vmafx_report_row: report or values is NULL");
    if (status.ok()) status = report->report.AddRow(*row);
    return vmafx::ToResult(status, error);
  });
}

int vmafx_report_finish(vmafx_report* report, const vmafx_run_info* run, vmafx_error* error) {
  return vmafx::Guard(error, [&] {
    vmafx::Status status = vmafx::CheckRun(run);
    if (status.ok() && !report) status = vmafx::Status::Invalid("vmafx_report_finish: report is NULL");
    if (status.ok()) status = report->report.Finish(run);
    return vmafx::ToResult(status, error);
  });
}

int vmafx_report_pool(const vmafx_report* report, size_t index, vmafx_pooled* pooled) {
  return vmafx::Guard(nullptr, [&]() -> int {
    if (!report || index >= report->report.feature_count() || !vmafx::CheckStruct(pooled, "vmafx_pooled").ok())
      return VMAFX_ERROR_INVALID;
    const uint32_t size = pooled->struct_size;
    *pooled = report->report.Pooled(index);
    pooled->struct_size = size;
    return VMAFX_OK;
  });
}

int vmafx_report_summary(const vmafx_report* report, size_t index, char* text, size_t size) {
  return vmafx::Guard(nullptr, [&]() -> int {
    if (!report || index >= report->report.feature_count() || (!text && size > 0)) return VMAFX_ERROR_INVALID;
    const std::string line = report->report.Summary(index);
    if (size > 0) {
      const size_t length = std::min(line.size(), size - 1);
      std::memcpy(text, line.data(), length);
      text[length] = '\0';
    }
    return static_cast<int>(line.size());
  });
}

}  // extern "C"
