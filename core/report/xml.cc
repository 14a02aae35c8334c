// SPDX-License-Identifier: BSD-2-Clause-Patent
// XML in libvmaf's shape. What libvmaf writes before the frames but is known only after them (params, fyi) follows them.
#include <cmath>
#include <string_view>

#include "core/report/log_format.h"
#include "core/report/text.h"

namespace vmafx {
namespace {

// One element without content on a line of its own, complete with End(): a destructor could not say that memory is short.
// What is unknown (NULL, not finite) is left out.
class Element {
 public:
  Element(std::string_view indent, std::string_view name, std::string* out) : out_(out) {
    *out_ += indent;
    *out_ += '<';
    *out_ += name;
  }
  void End() { *out_ += " />\n"; }

  void Text(std::string_view name, const char* text) {
    if (!text) return;
    Name(name);
    AppendXmlAttribute(text, out_);
    *out_ += '"';
  }
  void Number(std::string_view name, double value) {
    if (!std::isfinite(value)) return;
    Name(name);
    AppendDouble(value, out_);
    *out_ += '"';
  }
  void Integer(std::string_view name, uint64_t value) {
    Name(name);
    *out_ += std::to_string(value) + '"';
  }

 private:
  void Name(std::string_view name) {
    *out_ += ' ';
    *out_ += name;
    *out_ += "=\"";
  }
  std::string* out_;
};

void AddStream(std::string_view name, const vmafx_stream_info& stream, std::string* out) {
  if (stream.struct_size == 0) return;
  Element element("  ", name, out);
  element.Integer("width", static_cast<uint64_t>(stream.width));
  element.Integer("height", static_cast<uint64_t>(stream.height));
  element.Text("pix_fmt", stream.pix_fmt);
  element.Text("range", stream.range);
  element.Text("matrix", stream.matrix);
  element.Text("transfer", stream.transfer);
  if (stream.rate_num > 0 && stream.rate_den > 0)
    element.Text("frame_rate", (std::to_string(stream.rate_num) + "/" + std::to_string(stream.rate_den)).c_str());
  element.Integer("frames", stream.frames);
  element.End();
}

void AddRun(const vmafx_run_info& run, std::string* out) {
  if (run.reference.struct_size != 0) {
    Element params("  ", "params", out);
    params.Integer("qualityWidth", static_cast<uint64_t>(run.reference.width));
    params.Integer("qualityHeight", static_cast<uint64_t>(run.reference.height));
    params.End();
  }
  if (std::isfinite(run.fps)) {
    Element fyi("  ", "fyi", out);
    fyi.Number("fps", run.fps);
    fyi.End();
  }
  AddStream("distorted", run.distorted, out);
  AddStream("reference", run.reference, out);
  if (run.pairing.struct_size == 0) return;
  Element pairing("  ", "pairing", out);
  pairing.Integer("pairs", run.pairing.pairs);
  pairing.Integer("unpaired_distorted", run.pairing.unpaired[VMAFX_DISTORTED]);
  pairing.Integer("unpaired_reference", run.pairing.unpaired[VMAFX_REFERENCE]);
  pairing.Integer("undecided_distorted", run.pairing.undecided[VMAFX_DISTORTED]);
  pairing.Integer("undecided_reference", run.pairing.undecided[VMAFX_REFERENCE]);
  pairing.Number("largest_distance", run.pairing.largest_distance);
  if (run.pairing.start_offset_known) pairing.Number("start_offset", run.pairing.start_offset);
  pairing.End();
}

class Xml final : public LogFormat {
 public:
  // Names become attributes.
  Status CheckNames(std::span<const std::string> names) const override {
    for (const std::string& name : names) {
      bool good = !name.empty() && !(name[0] >= '0' && name[0] <= '9') && name[0] != '-' && name[0] != '.';
      for (const char c : name)
        good = good && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.');
      if (!good) return Status::Invalid("'" + name + "' cannot be an attribute of XML: choose another log format");
    }
    return {};
  }

  void Head(const LogHead& head, std::string* out) const override {
    *out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<VMAF version=\"" + std::string(vmafx_version_string()) + "\" backend=\"";
    AppendXmlAttribute(head.backend, out);
    *out += "\" device=\"";
    AppendXmlAttribute(head.device, out);
    *out += "\">\n";
    for (const auto& [name, value] : head.options) {
      Element option("  ", "option", out);
      option.Text("name", name.c_str());
      option.Text("value", value.c_str());
      option.End();
    }
    *out += "  <frames>\n";
  }

  void Row(const LogHead& head, uint64_t, const vmafx_row& row, std::string* out) const override {
    Element frame("    ", "frame", out);
    frame.Integer("frameNum", row.frame);
    frame.Number("pts_time", row.pts_time);
    for (size_t i = 0; i < head.features.size(); ++i) frame.Number(head.features[i], row.values[i]);
    frame.End();
  }

  void Tail(const LogHead& head, const LogTail& tail, std::string* out) const override {
    *out += "  </frames>\n";
    if (tail.run) AddRun(*tail.run, out);
    *out += "  <pooled_metrics>\n";
    for (size_t i = 0; i < head.features.size(); ++i) {
      const vmafx_pooled& pooled = tail.pooled[i];
      if (pooled.count == 0) continue;
      Element metric("    ", "metric", out);
      metric.Text("name", head.features[i].c_str());
      metric.Number("min", pooled.min);
      metric.Number("max", pooled.max);
      metric.Number("mean", pooled.mean);
      metric.Number("harmonic_mean", pooled.harmonic_mean);
      metric.Number("p1", pooled.p1);
      metric.Number("p5", pooled.p5);
      metric.Number("p50", pooled.p50);
      metric.Integer("count", pooled.count);
      metric.End();
    }
    *out += "  </pooled_metrics>\n";
    Element aggregate("  ", "aggregate_metrics", out);
    for (size_t i = 0; tail.run && i < tail.run->aggregate_count; ++i)
      aggregate.Number(tail.run->aggregate_names[i], tail.run->aggregate_values[i]);
    aggregate.End();
    *out += "</VMAF>\n";
  }
};

}  // namespace

const LogFormat& XmlFormat() {
  static const Xml format;
  return format;
}

}  // namespace vmafx
