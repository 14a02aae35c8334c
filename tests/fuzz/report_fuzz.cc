// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reports of any names, values and formats. A JSON log always parses and holds what was given; cut anywhere and mended as
// documented (vmafx_log_format), it still does, with the rows that were whole.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/fuzz/input.h"
#include "tests/fuzz/results.h"
#include "vmafx/vmafx.h"

namespace vmafx::fuzz {
namespace {

using Json = nlohmann::json;

// Numbers of all sizes.
double Value(Input& input) {
  static constexpr double kValues[] = {0, 100, -1, 1e17, 1e-5, -0.0, 5e-324, 1.7976931348623157e308, -2, 1.0 / 3};
  const uint8_t choice = input.Byte();
  if (choice >= 248) return input.OneOf({std::nan(""), HUGE_VAL, -HUGE_VAL});
  if (choice >= 128) return input.Double();
  return kValues[choice % std::size(kValues)];
}

// A log, and where it begins to fail.
struct Log {
  std::string text;
  int calls_left;

  static int Write(void* opaque, const void* data, size_t size) {
    auto* log = static_cast<Log*>(opaque);
    if (log->calls_left == 0) return -28;
    if (log->calls_left > 0) --log->calls_left;
    log->text.append(static_cast<const char*>(data), size);
    Require(size > 0 && log->text.back() == '\n');
    return 0;
  }
};

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

std::string Mended(std::string_view json) {
  std::string text(json.substr(0, json.rfind('\n') + 1));
  if (Lines(text).back()[0] != ']') text += "]}";
  return text;
}

// The rows of a log, as they were given.
void CheckRows(const Json& frames, const std::vector<uint64_t>& numbers) {
  Require(frames.size() <= numbers.size());
  for (size_t i = 0; i < frames.size(); ++i)
    Require(frames[i].at("frameNum").get<uint64_t>() == numbers[i] && frames[i].at("metrics").is_object());
}

void CheckJson(const Log& log, const std::vector<uint64_t>& numbers, bool finished, size_t cut) {
  const size_t head = log.text.find('\n');
  if (head == std::string::npos) return;  // nothing was written
  if (finished) {
    const Json whole = Json::parse(log.text);
    CheckRows(whole.at("frames"), numbers);
    Require(whole.at("frames").size() == numbers.size());
  }
  const std::string_view left = std::string_view(log.text).substr(0, head + 1 + cut % (log.text.size() - head));
  CheckRows(Json::parse(Mended(left)).at("frames"), numbers);
}

void CheckNdjson(const Log& log, const std::vector<uint64_t>& numbers, bool finished) {
  const auto lines = Lines(log.text);
  Require(lines.size() <= numbers.size() + 1);
  if (finished) Require(lines.size() == numbers.size() + 1 && Json::parse(lines.back()).contains("pooled_metrics"));
  for (size_t i = 0; i < std::min(lines.size(), numbers.size()); ++i)
    Require(Json::parse(lines[i]).at("frameNum").get<uint64_t>() == numbers[i]);
}

// Lines are elements; the text of an attribute holds no character that ends it or that XML has no place for.
void CheckXml(const Log& log, bool finished) {
  int frames = 0;
  for (const std::string_view line : Lines(log.text)) {
    const std::string_view element = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    Require(element.size() > 2 && element.front() == '<' && element.back() == '>');
    Require(std::none_of(line.begin(), line.end(), [](unsigned char c) { return c < 0x20; }));
    const std::string_view inside = element.substr(1, element.size() - 2);
    Require(inside.find_first_of("<>") == inside.npos && std::count(inside.begin(), inside.end(), '"') % 2 == 0);
    frames += element == "<frames>" ? 1 : element == "</frames>" ? -1 : 0;
  }
  if (finished) Require(frames == 0 && log.text.ends_with("</VMAF>\n"));
}

void CheckDouble(double value) {
  const auto text = std::make_unique<char[]>(40);
  const int length = vmafx_format_double(value, text.get());
  Require(length > 0 && length < 40 && std::strlen(text.get()) == static_cast<size_t>(length));
  const double read = std::strtod(text.get(), nullptr);
  Require(std::isnan(value) ? std::isnan(read) : std::bit_cast<uint64_t>(read) == std::bit_cast<uint64_t>(value));
}

void FillStream(Input& input, const std::string& text, vmafx_stream_info* stream) {
  if (input.Flag()) return;
  stream->struct_size = sizeof *stream;
  stream->width = input.Int();
  stream->height = input.Int();
  stream->pix_fmt = input.Flag() ? text.c_str() : nullptr;
  stream->matrix = text.c_str();
  stream->rate_num = input.Int();
  stream->rate_den = input.Int();
  stream->frames = input.Word();
}

class Caller {
 public:
  explicit Caller(Input& input) : input_(input) {
    static constexpr vmafx_log_format kFormats[] = {VMAFX_FORMAT_JSON, VMAFX_FORMAT_JSON, VMAFX_FORMAT_NDJSON,
                                                    VMAFX_FORMAT_CSV, VMAFX_FORMAT_XML};
    format_ = input.OneOf(kFormats);
    log_.calls_left = input.Byte() >= 224 ? input.From(0, 7) : -1;
    for (int count = input.From(0, 5); count > 0; --count) names_.push_back(input.Flag() ? input.Text() : "psnr_y");
    for (int count = input.From(0, 3); count > 0; --count) texts_.push_back(input.Text());
    text_ = input.Text();
    for (const std::string& name : names_) name_pointers_.push_back(name.c_str());
    for (const std::string& text : texts_) options_.push_back({text.c_str(), text_.c_str()});
  }

  ~Caller() { vmafx_report_destroy(report_); }

  // False: the names are none for the format.
  bool Create() {
    vmafx_report_config config = {};
    config.struct_size = sizeof config;
    config.format = format_;
    config.write = input_.Byte() >= 250 ? nullptr : Log::Write;
    config.opaque = &log_;
    config.feature_count = names_.size();
    config.feature_names = name_pointers_.data();
    config.backend = text_.c_str();
    config.option_count = options_.size();
    config.options = options_.data();
    written_ = config.write != nullptr;
    vmafx_error error = Unwritten();
    const int result = vmafx_report_create(&config, &report_, &error);
    RequireResult(result, {VMAFX_OK, VMAFX_ERROR_INVALID}, error);
    Require((result == VMAFX_OK) == (report_ != nullptr) && (report_ || format_ == VMAFX_FORMAT_XML));
    if (report_ && input_.Flag()) vmafx_report_set_device(report_, input_.Flag() ? "cpu" : nullptr, text_.c_str());
    return report_ != nullptr;
  }

  void Row() {
    const auto values = std::make_unique<double[]>(names_.size());
    bool infinite = false;
    for (size_t i = 0; i < names_.size(); ++i) infinite |= std::isinf(values[i] = Value(input_));
    vmafx_row row = {};
    row.struct_size = sizeof row;
    row.frame = input_.Byte() < 224 ? numbers_.size() : input_.Word();
    row.pts_time = Value(input_);
    row.values = values.get();
    vmafx_error error = Unwritten();
    const int result = vmafx_report_row(report_, &row, &error);
    RequireResult(result, {VMAFX_OK, VMAFX_ERROR_INVALID, VMAFX_ERROR_IO}, error);
    Require((result == VMAFX_ERROR_INVALID) == (infinite || finished_));
    if (result != VMAFX_ERROR_INVALID) numbers_.push_back(row.frame);
    failed_ |= result == VMAFX_ERROR_IO;
    if (failed_) Require(result != VMAFX_OK);
  }

  void Finish() {
    vmafx_run_info run = {};
    run.struct_size = sizeof run;
    run.fps = Value(input_);
    FillStream(input_, text_, &run.distorted);
    FillStream(input_, text_, &run.reference);
    if (input_.Flag()) {
      run.pairing.struct_size = sizeof run.pairing;
      run.pairing.unpaired[0] = input_.Word();
      run.pairing.first_unpaired_count[0] = input_.Byte() % 10;
      run.pairing.largest_distance = Value(input_);
      run.pairing.start_offset_known = input_.Flag();
      run.pairing.start_offset = Value(input_);
    }
    std::vector<double> aggregates;
    if (input_.Flag()) {
      for (size_t i = 0; i < names_.size(); ++i) aggregates.push_back(Value(input_));
      run.aggregate_count = names_.size();
      run.aggregate_names = name_pointers_.data();
      run.aggregate_values = aggregates.data();
    }
    const bool known = input_.Byte() < 224;
    vmafx_error error = Unwritten();
    const int result = vmafx_report_finish(report_, known ? &run : nullptr, &error);
    RequireResult(result, {VMAFX_OK, VMAFX_ERROR_INVALID, VMAFX_ERROR_IO}, error);
    Require((result == VMAFX_ERROR_INVALID) == (finished_ || (known && run.pairing.first_unpaired_count[0] > 8)));
    if (result != VMAFX_ERROR_INVALID) finished_ = true;
    failed_ |= result == VMAFX_ERROR_IO;
  }

  void Pool() {
    for (size_t i = 0; i <= names_.size(); ++i) {
      vmafx_pooled pooled = {};
      pooled.struct_size = sizeof pooled;
      Require(vmafx_report_pool(report_, i, &pooled) == (i < names_.size() ? VMAFX_OK : VMAFX_ERROR_INVALID));
      Require(pooled.count <= numbers_.size());
      const auto size = static_cast<size_t>(input_.Byte());
      const auto text = std::make_unique<char[]>(size);
      const int length = vmafx_report_summary(report_, i, text.get(), size);
      Require((length >= 0) == (i < names_.size()));
      if (length >= 0 && size > 0) Require(std::strlen(text.get()) == std::min(size - 1, static_cast<size_t>(length)));
    }
  }

  void Check() {
    const bool whole = finished_ && !failed_ && written_;
    switch (format_) {
      case VMAFX_FORMAT_JSON: return CheckJson(log_, numbers_, whole, static_cast<size_t>(input_.Word()));
      case VMAFX_FORMAT_NDJSON: return CheckNdjson(log_, numbers_, whole);
      case VMAFX_FORMAT_XML: return CheckXml(log_, whole);
      case VMAFX_FORMAT_CSV: return;
    }
  }

 private:
  Input& input_;
  vmafx_log_format format_;
  Log log_;
  std::vector<std::string> names_, texts_;
  std::string text_;
  std::vector<const char*> name_pointers_;
  std::vector<vmafx_text_pair> options_;
  vmafx_report* report_ = nullptr;
  std::vector<uint64_t> numbers_;  // of the rows that were taken
  bool written_ = false, finished_ = false, failed_ = false;
};

}  // namespace
}  // namespace vmafx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vmafx::fuzz;
  Input input(data, size);
  CheckDouble(input.Double());
  Caller caller(input);
  if (!caller.Create()) return 0;
  for (int calls = input.From(0, 15); calls > 0; --calls) {
    const uint8_t call = input.Byte();
    if (call < 208) caller.Row();
    else if (call < 240) caller.Pool();
    else caller.Finish();
  }
  if (input.Byte() < 224) caller.Finish();
  caller.Check();
  return 0;
}
