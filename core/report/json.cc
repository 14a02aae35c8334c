// SPDX-License-Identifier: BSD-2-Clause-Patent
// JSON in libvmaf's shape, and the same objects one per line (NDJSON).
#include <cmath>
#include <string_view>

#include "core/report/log_format.h"
#include "core/report/text.h"

namespace vmafx {
namespace {

// Appends the members of an object, with commas between them. What is unknown (NULL, not finite) is left out.
class Members {
 public:
  explicit Members(std::string* out) : out_(out) {}

  std::string* Name(std::string_view name) {
    if (!first_) *out_ += ',';
    first_ = false;
    AppendJsonString(name, out_);
    *out_ += ':';
    return out_;
  }
  void Text(std::string_view name, const char* text) {
    if (text) AppendJsonString(text, Name(name));
  }
  void Number(std::string_view name, double value) {
    if (std::isfinite(value)) AppendDouble(value, Name(name));
  }
  void Integer(std::string_view name, uint64_t value) { *Name(name) += std::to_string(value); }
  // The value of the member is what `fill` adds to an object.
  template <class Fill>
  void Object(std::string_view name, Fill&& fill) {
    *Name(name) += '{';
    Members members(out_);
    fill(members);
    *out_ += '}';
  }

 private:
  std::string* out_;
  bool first_ = true;
};

void AddHead(const LogHead& head, Members* members) {
  members->Text("version", vmafx_version_string());
  members->Text("backend", head.backend.c_str());
  members->Text("device", head.device.c_str());
  members->Object("options", [&](Members& options) {
    for (const auto& [name, value] : head.options) options.Text(name, value.c_str());
  });
}

void AddRow(const LogHead& head, const vmafx_row& row, Members* members) {
  members->Integer("frameNum", row.frame);
  members->Number("pts_time", row.pts_time);
  members->Object("metrics", [&](Members& metrics) {
    for (size_t i = 0; i < head.features.size(); ++i) metrics.Number(head.features[i], row.values[i]);
  });
}

void AddStream(std::string_view name, const vmafx_stream_info& stream, Members* members) {
  if (stream.struct_size == 0) return;
  members->Object(name, [&](Members& object) {
    object.Integer("width", static_cast<uint64_t>(stream.width));
    object.Integer("height", static_cast<uint64_t>(stream.height));
    object.Text("pix_fmt", stream.pix_fmt);
    object.Text("range", stream.range);
    object.Text("matrix", stream.matrix);
    object.Text("transfer", stream.transfer);
    if (stream.rate_num > 0 && stream.rate_den > 0)
      object.Text("frame_rate", (std::to_string(stream.rate_num) + "/" + std::to_string(stream.rate_den)).c_str());
    object.Integer("frames", stream.frames);
  });
}

void AddPairing(const vmafx_pairing_stats& stats, Members* members) {
  if (stats.struct_size == 0) return;
  members->Object("pairing", [&](Members& object) {
    object.Integer("pairs", stats.pairs);
    static constexpr const char* kNames[] = {"unpaired_distorted", "unpaired_reference"};
    static constexpr const char* kFirstNames[] = {"first_unpaired_distorted", "first_unpaired_reference"};
    for (int side = 0; side < 2; ++side) {
      object.Integer(kNames[side], stats.unpaired[side]);
      std::string* out = object.Name(kFirstNames[side]);
      *out += '[';
      for (uint32_t i = 0; i < stats.first_unpaired_count[side]; ++i) {
        if (i > 0) *out += ',';
        *out += std::to_string(stats.first_unpaired[side][i]);
      }
      *out += ']';
    }
    object.Integer("undecided_distorted", stats.undecided[VMAFX_DISTORTED]);
    object.Integer("undecided_reference", stats.undecided[VMAFX_REFERENCE]);
    object.Number("largest_distance", stats.largest_distance);
    if (stats.start_offset_known) object.Number("start_offset", stats.start_offset);
  });
}

void AddTail(const LogHead& head, const LogTail& tail, Members* members) {
  members->Object("pooled_metrics", [&](Members& features) {
    for (size_t i = 0; i < head.features.size(); ++i) {
      const vmafx_pooled& pooled = tail.pooled[i];
      if (pooled.count == 0) continue;
      features.Object(head.features[i], [&](Members& object) {
        object.Number("min", pooled.min);
        object.Number("max", pooled.max);
        object.Number("mean", pooled.mean);
        object.Number("harmonic_mean", pooled.harmonic_mean);
        object.Number("p1", pooled.p1);
        object.Number("p5", pooled.p5);
        object.Number("p50", pooled.p50);
        object.Integer("min_frame", pooled.min_frame);
        object.Number("min_time", pooled.min_time);
        object.Integer("count", pooled.count);
      });
    }
  });
  members->Object("aggregate_metrics", [&](Members& object) {
    for (size_t i = 0; tail.run && i < tail.run->aggregate_count; ++i)
      object.Number(tail.run->aggregate_names[i], tail.run->aggregate_values[i]);
  });
  if (!tail.run) return;
  AddStream("distorted", tail.run->distorted, members);
  AddStream("reference", tail.run->reference, members);
  AddPairing(tail.run->pairing, members);
  members->Number("fps", tail.run->fps);
}

class Json final : public LogFormat {
 public:
  void Head(const LogHead& head, std::string* out) const override {
    *out += '{';
    Members members(out);
    AddHead(head, &members);
    *members.Name("frames") += "[\n";
  }

  void Row(const LogHead& head, uint64_t number, const vmafx_row& row, std::string* out) const override {
    // The comma stands before the row: the rows so far are a whole list at any time.
    *out += number ? ",{" : "{";
    Members members(out);
    AddRow(head, row, &members);
    *out += "}\n";
  }

  void Tail(const LogHead& head, const LogTail& tail, std::string* out) const override {
    *out += "],";
    Members members(out);
    AddTail(head, tail, &members);
    *out += "}\n";
  }
};

class Ndjson final : public LogFormat {
 public:
  void Head(const LogHead&, std::string*) const override {}

  void Row(const LogHead& head, uint64_t, const vmafx_row& row, std::string* out) const override {
    *out += '{';
    Members members(out);
    AddRow(head, row, &members);
    *out += "}\n";
  }

  void Tail(const LogHead& head, const LogTail& tail, std::string* out) const override {
    *out += '{';
    Members members(out);
    AddHead(head, &members);
    AddTail(head, tail, &members);
    *out += "}\n";
  }
};

}  // namespace

const LogFormat& JsonFormat() {
  static const Json format;
  return format;
}

const LogFormat& NdjsonFormat() {
  static const Ndjson format;
  return format;
}

}  // namespace vmafx
