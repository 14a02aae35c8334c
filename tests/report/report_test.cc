// SPDX-License-Identifier: BSD-2-Clause-Patent
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "vmafx/vmafx.h"

namespace {

using Json = nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Log {
  std::string text;
  size_t room = SIZE_MAX;  // bytes until the write function fails
  int writes = 0;
};

int WriteLog(void* opaque, const void* data, size_t size) {
  auto* log = static_cast<Log*>(opaque);
  ++log->writes;
  if (size > log->room) return -28;
  log->room -= size;
  log->text.append(static_cast<const char*>(data), size);
  return 0;
}

struct Frame {
  uint64_t frame;
  double time;
  std::vector<double> values;
};

class ReportTest : public testing::Test {
 protected:
  ~ReportTest() override { vmafx_report_destroy(report_); }

  int Create(vmafx_log_format format, std::vector<const char*> features = {"a", "b"}, bool write = true) {
    const vmafx_text_pair options[] = {{"metrics", "a+b"}, {"odd \"name\"", "tab\t, line\n, \x01, \xff, \xe2\x82\xac, <&>"}};
    vmafx_report_config config = {};
    config.struct_size = sizeof config;
    config.format = format;
    config.write = write ? WriteLog : nullptr;
    config.opaque = &log_;
    config.feature_count = features.size();
    config.feature_names = features.data();
    config.backend = "auto";
    config.device = "";
    config.option_count = 2;
    config.options = options;
    const int result = vmafx_report_create(&config, &report_, &error_);
    vmafx_report_set_device(report_, "cpu", "AVX2, 2 threads");
    return result;
  }

  int Row(const Frame& frame) {
    vmafx_row row = {sizeof(vmafx_row), frame.frame, frame.time, frame.values.data()};
    return vmafx_report_row(report_, &row, &error_);
  }

  int Finish() {
    static const char* const kNames[] = {"apsnr_y", "apsnr_cb"};
    static const double kValues[] = {41.5, kNan};
    vmafx_run_info run = {};
    run.struct_size = sizeof run;
    run.fps = 123.5;
    run.distorted = {sizeof(vmafx_stream_info), 640, 360, "yuv420p", "tv", nullptr, "bt709", 24, 1, 5};
    run.reference = {sizeof(vmafx_stream_info), 640, 360, "yuv420p10le", "tv", "bt709", "bt709", 0, 0, 6};
    run.pairing.struct_size = sizeof run.pairing;
    run.pairing.pairs = 4;
    run.pairing.unpaired[VMAFX_REFERENCE] = 2;
    run.pairing.first_unpaired_count[VMAFX_REFERENCE] = 2;
    run.pairing.first_unpaired[VMAFX_REFERENCE][0] = 3;
    run.pairing.first_unpaired[VMAFX_REFERENCE][1] = 5;
    run.pairing.undecided[VMAFX_DISTORTED] = 7;
    run.pairing.largest_distance = 0.0005;
    run.pairing.start_offset_known = 1;
    run.pairing.start_offset = -0.25;
    run.aggregate_count = 2;
    run.aggregate_names = kNames;
    run.aggregate_values = kValues;
    return vmafx_report_finish(report_, &run, &error_);
  }

  vmafx_pooled Pool(size_t index) {
    vmafx_pooled pooled = {};
    pooled.struct_size = sizeof pooled;
    EXPECT_EQ(vmafx_report_pool(report_, index, &pooled), VMAFX_OK);
    return pooled;
  }

  std::string Summary(size_t index) {
    char text[512];
    const int length = vmafx_report_summary(report_, index, text, sizeof text);
    EXPECT_EQ(static_cast<size_t>(length), std::strlen(text));
    return text;
  }

  Log log_;
  vmafx_report* report_ = nullptr;
  vmafx_error error_ = {};
};

const std::vector<Frame> kFrames = {
    {0, 0, {34.5, 1}}, {1, 0.04, {30.25, kNan}}, {2, kNan, {1e-7, -2}}, {4, 0.16, {100, 1.0 / 3}}};

TEST_F(ReportTest, JsonHasTheShapeOfLibvmaf) {
  ASSERT_EQ(Create(VMAFX_FORMAT_JSON), VMAFX_OK);
  EXPECT_EQ(log_.writes, 0);  // nothing before the first row
  for (const Frame& frame : kFrames) ASSERT_EQ(Row(frame), VMAFX_OK);
  ASSERT_EQ(Finish(), VMAFX_OK);
  const Json json = Json::parse(log_.text);
  EXPECT_EQ(json["version"], vmafx_version_string());
  EXPECT_EQ(json["fps"], 123.5);
  EXPECT_EQ(json["backend"], "cpu");
  EXPECT_EQ(json["device"], "AVX2, 2 threads");
  EXPECT_EQ(json["options"]["metrics"], "a+b");
  EXPECT_EQ(json["options"]["odd \"name\""], "tab\t, line\n, \x01, \xef\xbf\xbd, \xe2\x82\xac, <&>");
  ASSERT_EQ(json["frames"].size(), 4u);
  EXPECT_EQ(json["frames"][0], Json({{"frameNum", 0}, {"pts_time", 0}, {"metrics", {{"a", 34.5}, {"b", 1}}}}));
  EXPECT_EQ(json["frames"][1]["metrics"], Json({{"a", 30.25}}));
  EXPECT_FALSE(json["frames"][2].contains("pts_time"));
  EXPECT_EQ(json["frames"][3]["frameNum"], 4);
  EXPECT_EQ(json["pooled_metrics"]["a"]["min"], 1e-7);
  EXPECT_EQ(json["pooled_metrics"]["a"]["count"], 4);
  EXPECT_FALSE(json["pooled_metrics"]["b"].contains("harmonic_mean"));
  EXPECT_EQ(json["aggregate_metrics"], Json({{"apsnr_y", 41.5}}));
  EXPECT_EQ(json["distorted"], Json({{"width", 640}, {"height", 360}, {"pix_fmt", "yuv420p"}, {"range", "tv"}, {"transfer", "bt709"}, {"frame_rate", "24/1"}, {"frames", 5}}));
  EXPECT_FALSE(json["reference"].contains("frame_rate"));
  EXPECT_EQ(json["pairing"], Json({{"pairs", 4}, {"unpaired_distorted", 0}, {"unpaired_reference", 2}, {"first_unpaired_distorted", Json::array()}, {"first_unpaired_reference", {3, 5}}, {"undecided_distorted", 7}, {"undecided_reference", 0}, {"largest_distance", 0.0005}, {"start_offset", -0.25}}));
}

TEST_F(ReportTest, JsonCutAnywhereIsMended) {
  ASSERT_EQ(Create(VMAFX_FORMAT_JSON), VMAFX_OK);
  for (const Frame& frame : kFrames) ASSERT_EQ(Row(frame), VMAFX_OK);
  ASSERT_EQ(Finish(), VMAFX_OK);
  size_t lines = 0;
  for (size_t length = log_.text.find('\n') + 1; length < log_.text.size(); ++length) {
    std::string cut = log_.text.substr(0, length);
    cut.resize(cut.rfind('\n') + 1);
    lines = static_cast<size_t>(std::count(cut.begin(), cut.end(), '\n'));
    const Json json = Json::parse(cut + "]}");
    ASSERT_EQ(json["frames"].size(), lines - 1) << length;
  }
  EXPECT_EQ(lines, 5u);
}

TEST_F(ReportTest, NoRowsGiveAnEmptyList) {
  for (const vmafx_log_format format : {VMAFX_FORMAT_JSON, VMAFX_FORMAT_NDJSON, VMAFX_FORMAT_CSV, VMAFX_FORMAT_XML}) {
    log_ = Log();
    ASSERT_EQ(Create(format), VMAFX_OK);
    ASSERT_EQ(vmafx_report_finish(report_, nullptr, &error_), VMAFX_OK);
    if (format == VMAFX_FORMAT_JSON) {
      const Json json = Json::parse(log_.text);
      EXPECT_EQ(json["frames"], Json::array());
      EXPECT_EQ(json["pooled_metrics"], Json::object());
    }
    if (format == VMAFX_FORMAT_CSV) {
      EXPECT_EQ(log_.text, "Frame,pts_time,a,b\n");
    }
    EXPECT_FALSE(log_.text.empty());
    vmafx_report_destroy(std::exchange(report_, nullptr));
  }
}

TEST_F(ReportTest, NdjsonIsOneObjectPerLine) {
  ASSERT_EQ(Create(VMAFX_FORMAT_NDJSON), VMAFX_OK);
  for (const Frame& frame : kFrames) ASSERT_EQ(Row(frame), VMAFX_OK);
  EXPECT_EQ(std::count(log_.text.begin(), log_.text.end(), '\n'), 4);
  ASSERT_EQ(Finish(), VMAFX_OK);
  std::istringstream lines(log_.text);
  std::vector<Json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(Json::parse(line));
  ASSERT_EQ(objects.size(), 5u);
  EXPECT_EQ(objects[3]["metrics"]["b"], 1.0 / 3);
  EXPECT_FALSE(objects[4].contains("frameNum"));
  EXPECT_EQ(objects[4]["pooled_metrics"]["a"]["max"], 100);
  EXPECT_EQ(objects[4]["backend"], "cpu");
}

TEST_F(ReportTest, Csv) {
  ASSERT_EQ(Create(VMAFX_FORMAT_CSV, {"a", "b,\"c\""}), VMAFX_OK);
  for (const Frame& frame : kFrames) ASSERT_EQ(Row(frame), VMAFX_OK);
  ASSERT_EQ(Finish(), VMAFX_OK);
  EXPECT_EQ(log_.text,
            "Frame,pts_time,a,\"b,\"\"c\"\"\"\n0,0,34.5,1\n1,0.04,30.25,\n2,,1e-07,-2\n4,0.16,100,0.3333333333333333\n");
}

TEST_F(ReportTest, Xml) {
  ASSERT_EQ(Create(VMAFX_FORMAT_XML), VMAFX_OK);
  for (const Frame& frame : kFrames) ASSERT_EQ(Row(frame), VMAFX_OK);
  ASSERT_EQ(Finish(), VMAFX_OK);
  EXPECT_EQ(log_.text, R"(<?xml version="1.0" encoding="UTF-8"?>
<VMAF version="0.1.0" backend="cpu" device="AVX2, 2 threads">
  <option name="metrics" value="a+b" />
  <option name="odd &quot;name&quot;" value="tab&#9;, line&#10;, )" "\xef\xbf\xbd, \xef\xbf\xbd, \xe2\x82\xac, " R"(&lt;&amp;&gt;" />
  <frames>
    <frame frameNum="0" pts_time="0" a="34.5" b="1" />
    <frame frameNum="1" pts_time="0.04" a="30.25" />
    <frame frameNum="2" a="1e-07" b="-2" />
    <frame frameNum="4" pts_time="0.16" a="100" b="0.3333333333333333" />
  </frames>
  <params qualityWidth="640" qualityHeight="360" />
  <fyi fps="123.5" />
  <distorted width="640" height="360" pix_fmt="yuv420p" range="tv" transfer="bt709" frame_rate="24/1" frames="5" />
  <reference width="640" height="360" pix_fmt="yuv420p10le" range="tv" matrix="bt709" transfer="bt709" frames="6" />
  <pairing pairs="4" unpaired_distorted="0" unpaired_reference="2" undecided_distorted="7" undecided_reference="0" largest_distance="0.0005" start_offset="-0.25" />
  <pooled_metrics>
    <metric name="a" min="1e-07" max="100" mean="41.187500025" harmonic_mean="2.7380735448793287" p1="0.9075000969999999" p5="4.537500085" p50="32.375" count="4" />
    <metric name="b" min="-2" max="1" mean="-0.22222222222222224" p1="-1.9533333333333334" p5="-1.7666666666666666" p50="0.3333333333333333" count="3" />
  </pooled_metrics>
  <aggregate_metrics apsnr_y="41.5" />
</VMAF>
)");
}

TEST_F(ReportTest, XmlRefusesNamesThatAreNoAttributes) {
  EXPECT_EQ(Create(VMAFX_FORMAT_XML, {"good_1", "not good"}), VMAFX_ERROR_INVALID);
  EXPECT_NE(std::string(error_.text).find("'not good'"), std::string::npos);
  EXPECT_EQ(report_, nullptr);
}

TEST_F(ReportTest, PooledIsWhatOneComputesFromTheLogsRows) {
  ASSERT_EQ(Create(VMAFX_FORMAT_JSON), VMAFX_OK);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(-0.9, 100);
  for (uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(Row({i, static_cast<double>(i) / 24, {value(random), i % 3 ? value(random) : kNan}}), VMAFX_OK);
  ASSERT_EQ(Finish(), VMAFX_OK);
  const Json json = Json::parse(log_.text);
  for (const char* name : {"a", "b"}) {
    std::vector<double> values;
    double sum = 0, reciprocals = 0;
    for (const Json& frame : json["frames"]) {
      if (!frame["metrics"].contains(name)) continue;
      values.push_back(frame["metrics"][name]);
      sum += values.back();
      reciprocals += 1 / (values.back() + 1);
    }
    const auto count = static_cast<double>(values.size());
    const Json& logged = json["pooled_metrics"][name];
    const vmafx_pooled pooled = Pool(*name == 'a' ? 0 : 1);
    EXPECT_EQ(values.size(), *name == 'a' ? 1000u : 666u);
    EXPECT_EQ(logged["count"], values.size());
    EXPECT_EQ(logged["mean"].get<double>(), sum / count);
    EXPECT_EQ(logged["harmonic_mean"].get<double>(), count / reciprocals - 1);
    EXPECT_EQ(pooled.mean, sum / count);
    const auto least = std::min_element(values.begin(), values.end());
    EXPECT_EQ(logged["min"].get<double>(), *least);
    EXPECT_EQ(logged["max"].get<double>(), *std::max_element(values.begin(), values.end()));
    EXPECT_EQ(json["frames"][static_cast<size_t>(pooled.min_frame)]["metrics"][name].get<double>(), *least);
    EXPECT_EQ(pooled.min_time, static_cast<double>(pooled.min_frame) / 24);
    std::sort(values.begin(), values.end());
    for (const auto& [percent, key] : {std::pair(1, "p1"), {5, "p5"}, {50, "p50"}}) {
      const double t = percent * (count - 1) / 100, low = values[static_cast<size_t>(t)];
      const double high = values[std::min(static_cast<size_t>(std::ceil(t)), values.size() - 1)];
      EXPECT_EQ(logged[key].get<double>(), low + (t - std::floor(t)) * (high - low)) << key;
    }
    char expected[40];
    vmafx_format_double(sum / count, expected);
    EXPECT_EQ(Summary(*name == 'a' ? 0 : 1).find(std::string(name) + ": mean=" + expected + " "), 0u);
  }
}

TEST_F(ReportTest, SummaryLine) {
  ASSERT_EQ(Create(VMAFX_FORMAT_JSON), VMAFX_OK);
  EXPECT_EQ(Summary(0), "a: count=0");
  ASSERT_EQ(Row({0, 0, {3, -1}}), VMAFX_OK);
  ASSERT_EQ(Row({1, 0.5, {1, 7}}), VMAFX_OK);
  ASSERT_EQ(Row({2, kNan, {1, 7}}), VMAFX_OK);
  EXPECT_EQ(Summary(0), "a: mean=1.6666666666666667 harmonic_mean=1.4 min=1 min_frame=1 min_time=0.5 p1=1 p5=1 p50=1 count=3");
  EXPECT_EQ(Summary(1), "b: mean=4.333333333333333 min=-1 min_frame=0 min_time=0 p1=-0.84 p5=-0.19999999999999996 p50=7 count=3");
  char text[8];
  EXPECT_EQ(vmafx_report_summary(report_, 0, text, sizeof text), static_cast<int>(Summary(0).size()));
  EXPECT_STREQ(text, "a: mean");
  EXPECT_EQ(vmafx_report_summary(report_, 0, nullptr, 0), static_cast<int>(Summary(0).size()));
  EXPECT_EQ(vmafx_report_summary(report_, 2, text, sizeof text), VMAFX_ERROR_INVALID);
}

TEST_F(ReportTest, AFailedWriteIsRememberedAndPoolingGoesOn) {
  ASSERT_EQ(Create(VMAFX_FORMAT_NDJSON), VMAFX_OK);
  ASSERT_EQ(Row(kFrames[0]), VMAFX_OK);
  const std::string before = log_.text;
  log_.room = 10;
  EXPECT_EQ(Row(kFrames[1]), VMAFX_ERROR_IO);
  EXPECT_NE(std::string(error_.text).find("row 1"), std::string::npos);
  log_.room = SIZE_MAX;
  EXPECT_EQ(Row(kFrames[3]), VMAFX_ERROR_IO);
  EXPECT_EQ(Finish(), VMAFX_ERROR_IO);
  EXPECT_EQ(log_.text, before);
  EXPECT_EQ(log_.writes, 2);
  EXPECT_EQ(Pool(0).count, 3u);
  EXPECT_EQ(Pool(0).max, 100);
}

TEST_F(ReportTest, NotFiniteIsRefused) {
  ASSERT_EQ(Create(VMAFX_FORMAT_JSON), VMAFX_OK);
  for (const double value : {kInfinity, -kInfinity}) EXPECT_EQ(Row({0, 0, {1, value}}), VMAFX_ERROR_INVALID);
  EXPECT_EQ(log_.text, "");
  EXPECT_EQ(Pool(0).count, 0u);
  EXPECT_TRUE(std::isnan(Pool(0).mean));
  ASSERT_EQ(Row({0, kInfinity, {1, 2}}), VMAFX_OK);
  EXPECT_EQ(log_.text.find("inf"), std::string::npos);
}

TEST_F(ReportTest, TheEndComesOnce) {
  ASSERT_EQ(Create(VMAFX_FORMAT_JSON), VMAFX_OK);
  ASSERT_EQ(Finish(), VMAFX_OK);
  EXPECT_EQ(Finish(), VMAFX_ERROR_INVALID);
  EXPECT_EQ(Row(kFrames[0]), VMAFX_ERROR_INVALID);
}

TEST_F(ReportTest, WithoutALogItPools) {
  ASSERT_EQ(Create(VMAFX_FORMAT_JSON, {"a", "b"}, false), VMAFX_OK);
  for (const Frame& frame : kFrames) ASSERT_EQ(Row(frame), VMAFX_OK);
  ASSERT_EQ(Finish(), VMAFX_OK);
  EXPECT_EQ(log_.writes, 0);
  EXPECT_EQ(Pool(1).count, 3u);
  EXPECT_EQ(Pool(1).min_frame, 2u);
  EXPECT_TRUE(std::isnan(Pool(1).min_time));
}

TEST_F(ReportTest, NamesOfFormats) {
  vmafx_log_format format;
  EXPECT_EQ(vmafx_log_format_parse("xml", &format, nullptr), VMAFX_OK);
  EXPECT_EQ(format, VMAFX_FORMAT_XML);
  EXPECT_EQ(vmafx_log_format_parse("yaml", &format, &error_), VMAFX_ERROR_INVALID);
  EXPECT_STREQ(error_.text, "unknown log format 'yaml'; known: json, ndjson, csv, xml");
  EXPECT_EQ(vmafx_log_format_parse(nullptr, &format, nullptr), VMAFX_ERROR_INVALID);
}

TEST_F(ReportTest, SameTextInALocaleWithADecimalComma) {
  const auto log = [&] {
    log_ = Log();
    EXPECT_EQ(Create(VMAFX_FORMAT_JSON), VMAFX_OK);
    for (const Frame& frame : kFrames) EXPECT_EQ(Row(frame), VMAFX_OK);
    EXPECT_EQ(Finish(), VMAFX_OK);
    std::string text = log_.text + Summary(0);
    vmafx_report_destroy(std::exchange(report_, nullptr));
    return text;
  };
  const std::string plain = log();
  // C++'s locale always; C's where the machine has one of these.
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
    if (std::setlocale(LC_ALL, name)) break;
  const std::string localised = log();
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  EXPECT_EQ(localised, plain);
}

}  // namespace
