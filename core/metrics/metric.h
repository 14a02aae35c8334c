// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a metric is to the rest of the library. A metric is one folder under core/metrics/ and one line in
// table.cc. Its folder holds
//   definition.h   the arithmetic shared by every processor (constants, per-sample steps, what is read back)
//   plain.h/.cc    the plain form: the definition as readable loops, the reference of every test
//   cpu.cc         the SIMD form (Highway), same bits as the plain form on every target
//   kernels.h      the device kernels, written once for CUDA, HIP and the host runner
//   device.cc      the order of the kernels' launches on one frame
//   metric.cc      options, features, checks, and how the numbers of a frame become scores
#ifndef VMAFX_METRICS_METRIC_H_
#define VMAFX_METRICS_METRIC_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/status.h"
#include "vmafx/vmafx.h"

namespace vmafx {

class Workers;      // core/engine/workers.h
class Device;       // core/engine/device.h
class DeviceTask;   // core/engine/device.h

// One component of one picture as a metric reads it: a host or a device address.
//   value(x, y) = (word at data + y*stride + x*step) >> shift << lift
// Words are `bytes` long (1 or 2), little-endian unless big_endian.
struct Component {
  const uint8_t* data = nullptr;
  ptrdiff_t stride = 0;
  ptrdiff_t step = 0;
  int width = 0;
  int height = 0;
  int bytes = 1;
  int shift = 0;
  int lift = 0;  // sample-domain metrics: brings the shallower picture to the deeper one's depth
  bool big_endian = false;

  // True when samples are adjacent right-aligned native words: a row may be read as an array.
  bool Direct() const { return step == bytes && shift == 0 && lift == 0 && !big_endian; }
};

// Properties of one picture after everything unspecified has been resolved (core/engine/agreement.h).
struct Format {
  int width = 0;
  int height = 0;
  vmafx_layout layout = VMAFX_LAYOUT_420;
  int depth = 8;  // bits of the samples as stored, before any lift
  vmafx_range range = VMAFX_RANGE_LIMITED;
  int matrix = 1;    // H.273, never 2
  int transfer = 2;  // H.273
  vmafx_chroma_location chroma_location = VMAFX_CHROMA_LEFT;

  bool operator==(const Format&) const = default;
  int components() const { return layout == VMAFX_LAYOUT_GRAY ? 1 : 3; }
  // Log2 of the subsampling of components 1 and 2.
  int chroma_shift_x() const { return layout == VMAFX_LAYOUT_420 || layout == VMAFX_LAYOUT_422; }
  int chroma_shift_y() const { return layout == VMAFX_LAYOUT_420 || layout == VMAFX_LAYOUT_440; }
  int component_width(int c) const { return c == 0 ? width : (width + chroma_shift_x()) >> chroma_shift_x(); }
  int component_height(int c) const { return c == 0 ? height : (height + chroma_shift_y()) >> chroma_shift_y(); }
};

// The two formats of a pair. Sizes are equal. For sample-domain metrics `depth` is the common depth
// (the larger of the two) and the components' lifts bring each picture there.
struct PairFormat {
  Format distorted;
  Format reference;
  int depth = 8;
  bool operator==(const PairFormat&) const = default;
};

// One picture and one pair, as given to an extractor. Component sizes are those of the format.
struct PictureView {
  Component component[3];
};
struct PairView {
  PictureView distorted;
  PictureView reference;
};

// Options of all metrics, by full name ("vif_debug"), as text; only names of the table, validated by the metric
// that owns them (Metric::CheckOption).
class Options {
 public:
  void Set(std::string_view name, std::string_view value);
  // The value given, or `fallback`.
  std::string_view Get(std::string_view name, std::string_view fallback) const;
  bool Flag(std::string_view name, bool fallback) const;      // "0"/"1" (also true/false)
  double Number(std::string_view name, double fallback) const;  // decimal, any locale
  const std::vector<std::pair<std::string, std::string>>& items() const { return items_; }

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

// An option of a metric, for listings and checks.
struct OptionInfo {
  const char* name;      // "vif_enhn_gain_limit"
  const char* fallback;  // default, as text
  const char* help;      // one line, with the range
};

// A message said once per session.
struct Notice {
  vmafx_log_level level;
  std::string text;
};

// What an extractor delivers for a value that a pair does not have (psnr_cb of a grey picture). A NaN with a payload of
// its own: any other NaN, and an infinity, is a defect, and the session makes it an error of that pair.
inline constexpr double kAbsent = std::bit_cast<double>(uint64_t{0x7ff8'0000'00ab'5e47});
inline bool IsAbsent(double value) { return std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(kAbsent); }

// Extracts the numbers of one pair on the CPU, for one PairFormat. Allocates in its constructor only.
// Not thread-safe: one Extract() at a time; it may use all of `workers` itself.
class CpuExtractor {
 public:
  virtual ~CpuExtractor() = default;
  // Fills values[0..features) of the metric; kAbsent for those the pair does not have.
  virtual Status Extract(const PairView& pair, Workers& workers, std::span<double> values) = 0;
};

// The same on a device: enqueues its kernels; the numbers come back later as one block.
// See core/engine/device.h for the life of a task.
class DeviceExtractor {
 public:
  virtual ~DeviceExtractor() = default;
  // Finds its kernels and uploads its tables. Called once, before anything else.
  virtual Status Prepare(Device& device) = 0;
  // Bytes that one pair needs of device scratch memory and of the block that is read back.
  virtual size_t scratch_bytes() const = 0;
  virtual size_t result_bytes() const = 0;
  // Enqueues the launches of one pair. `task` gives scratch, the result block's address and the queue.
  virtual Status Enqueue(const PairView& pair, DeviceTask& task) = 0;
  // On the host, after the block was read back: the same values as CpuExtractor::Extract.
  virtual Status Finish(std::span<const std::byte> result, std::span<double> values) = 0;
};

// Adds up what a metric reports over all pairs (apsnr).
class Aggregator {
 public:
  virtual ~Aggregator() = default;
  virtual std::vector<std::string> names() const = 0;
  // Row of the metric's values (features() order, hidden ones included), in pair order.
  virtual void Add(std::span<const double> values, const PairFormat& format) = 0;
  virtual double value(size_t index) const = 0;
};

class Metric {
 public:
  virtual ~Metric() = default;
  virtual const vmafx_metric_info& info() const = 0;
  virtual std::span<const OptionInfo> options() const = 0;
  // Checks one option's text; the error says the range.
  virtual Status CheckOption(std::string_view name, std::string_view value) const = 0;
  // Names of the values of one pair. The first features().size() - hidden() are reported.
  virtual std::vector<std::string> Features(const Options& options) const = 0;
  // Number of trailing values that serve the aggregator only and are not reported.
  virtual size_t Hidden(const Options&) const { return 0; }
  // True: compares samples as numbers (psnr, vif): equal range needed, depth lifted. False: normalises
  // each picture by its own tags (ssimulacra2).
  virtual bool SampleDomain() const = 0;
  // True when chroma samples are compared one by one: equal subsampling needed.
  virtual bool ComparesChroma(const Options&) const { return false; }
  // Refuses what the metric cannot take (size, layout, matrix) with one line that says what to do; adds notices.
  virtual Status Check(const PairFormat& format, const Options& options, std::vector<Notice>* notices) const = 0;
  virtual std::unique_ptr<CpuExtractor> MakeCpu(const PairFormat& format, const Options& options, Workers& workers) const = 0;
  // Null: the metric has no device form (yet).
  virtual std::unique_ptr<DeviceExtractor> MakeDevice(const PairFormat&, const Options&, Device&) const { return nullptr; }
  virtual std::unique_ptr<Aggregator> MakeAggregator(const Options&) const { return nullptr; }
};

// The table (table.cc), in reporting order.
std::span<const Metric* const> Metrics();
// Null when unknown.
const Metric* FindMetric(std::string_view name);

}  // namespace vmafx
#endif  // VMAFX_METRICS_METRIC_H_
