// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sessions through the C interface and, with metrics of the test, through the class behind it.
#include "core/engine/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <future>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/fake_metric.h"
#include "tests/engine/pair_maker.h"

namespace vmafx {
namespace {

using test::FakeMetric;
using test::PairMaker;

using Setting = std::pair<const char*, const char*>;

// A session of the C interface and what it said.
class CSession {
 public:
  CSession(std::initializer_list<Setting> settings) {
    vmafx_config* config = vmafx_config_create();
    for (const auto& [name, value] : settings) EXPECT_EQ(vmafx_config_set(config, name, value, &error_), VMAFX_OK) << error_.text;
    vmafx_config_set_log(
        config,
        [](void* opaque, vmafx_log_level, const char* text) {
          static_cast<CSession*>(opaque)->said.push_back(text);
        },
        this);
    created = vmafx_session_create(config, &session_, &error_);
    vmafx_config_destroy(config);
  }
  ~CSession() { vmafx_session_destroy(session_); }
  CSession(const CSession&) = delete;
  CSession& operator=(const CSession&) = delete;

  int Submit(const vmafx_pair& pair) { return vmafx_session_submit(session_, &pair, &error_); }
  int Receive(bool wait = true) {
    scores = {};
    scores.struct_size = sizeof scores;
    const int result = vmafx_session_receive(session_, wait, &scores, &error_);
    if (result == VMAFX_OK) row.assign(scores.values, scores.values + scores.count);
    return result;
  }
  vmafx_session* get() { return session_; }
  std::string error() const { return error_.text; }

  int created = 0;
  vmafx_scores scores = {};
  std::vector<double> row;
  std::vector<std::string> said;

 private:
  vmafx_session* session_ = nullptr;
  vmafx_error error_ = {};
};

testing::AssertionResult Contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    if (text.find(part) == std::string::npos) return testing::AssertionFailure() << "no '" << part << "' in: " << text;
  return testing::AssertionSuccess();
}

TEST(Session, ScoresInOrderOfSubmission) {
  CSession session{{"metrics", "psnr"}, {"threads", "2"}, {"queue", "3"}};
  ASSERT_EQ(session.created, VMAFX_OK);
  EXPECT_STREQ(vmafx_session_feature_name(session.get(), 0), "psnr_y");
  EXPECT_EQ(vmafx_session_feature_name(session.get(), 3), nullptr);
  EXPECT_EQ(vmafx_session_queue(session.get()), 3u);
  EXPECT_STREQ(vmafx_session_device(session.get()), "");
  std::vector<std::unique_ptr<PairMaker>> makers;
  uint64_t received = 0;
  const auto receive = [&](bool wait) {
    const int result = session.Receive(wait);
    if (result != VMAFX_OK) return result;
    EXPECT_EQ(session.scores.index, 1000 + received);
    EXPECT_EQ(session.scores.scored, 1);
    const double step = static_cast<double>(received % 50 + 1);
    EXPECT_NEAR(session.row[0], 10 * std::log10(255.0 * 255.0 / (step * step)), 1e-12);
    ++received;
    return result;
  };
  for (uint64_t i = 0; i < 100; ++i) {
    makers.push_back(std::make_unique<PairMaker>(48, 32));
    makers.back()->SetStep(static_cast<int>(i % 50) + 1);
    const vmafx_pair pair = makers.back()->Pair(1000 + i);
    while (session.Submit(pair) == VMAFX_AGAIN) ASSERT_EQ(receive(true), VMAFX_OK);
  }
  while (received < 100) ASSERT_EQ(receive(true), VMAFX_OK);
  EXPECT_EQ(receive(false), VMAFX_END);
  for (const auto& maker : makers) EXPECT_EQ(maker->released(), 2);
  EXPECT_STREQ(vmafx_session_backend(session.get()), "cpu");
  EXPECT_TRUE(Contains(vmafx_session_device(session.get()), {", 2 threads"}));
}

TEST(Session, SameBitsForAnyNumberOfThreads) {
  std::vector<std::vector<uint64_t>> results;
  for (const char* threads : {"1", "2", "7"}) {
    CSession session{{"metrics", "psnr+float_psnr"}, {"threads", threads}};
    ASSERT_EQ(session.created, VMAFX_OK);
    PairMaker maker(357, 353, VMAFX_LAYOUT_420, 10);
    maker.SetStep(3);
    ASSERT_EQ(session.Submit(maker.Pair(0)), VMAFX_OK) << session.error();
    ASSERT_EQ(session.Receive(), VMAFX_OK) << session.error();
    results.emplace_back();
    for (const double value : session.row) results.back().push_back(std::bit_cast<uint64_t>(value));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Session, AFullQueueTakesNothing) {
  CSession session{{"metrics", "psnr"}, {"queue", "2"}};
  PairMaker maker(32, 32);
  EXPECT_EQ(session.Submit(maker.Pair(0)), VMAFX_OK);
  EXPECT_EQ(session.Submit(maker.Pair(1)), VMAFX_OK);
  PairMaker refused(32, 32);
  EXPECT_EQ(session.Submit(refused.Pair(2)), VMAFX_AGAIN);
  EXPECT_EQ(session.Receive(), VMAFX_OK);
  EXPECT_EQ(refused.released(), 0);
  EXPECT_EQ(session.Submit(refused.Pair(2)), VMAFX_OK);
  EXPECT_EQ(session.Receive(), VMAFX_OK);
  EXPECT_EQ(session.Receive(), VMAFX_OK);
  EXPECT_EQ(session.scores.index, 2u);
  EXPECT_EQ(session.Receive(), VMAFX_END);
  EXPECT_EQ(maker.released(), 4);
  EXPECT_EQ(refused.released(), 2);
}

TEST(Session, AnErrorKeepsEarlierPairs) {
  CSession session{{"metrics", "psnr"}};
  PairMaker maker(32, 32), other(48, 32);
  ASSERT_EQ(session.Submit(maker.Pair(0)), VMAFX_OK);
  vmafx_pair mixed = maker.Pair(1);
  mixed.reference = other.Pair(1).reference;
  EXPECT_EQ(session.Submit(mixed), VMAFX_ERROR_MISMATCH);
  EXPECT_TRUE(Contains(session.error(), {"pair 1", "32x32", "48x32", "scale=48:32"}));
  ASSERT_EQ(session.Submit(maker.Pair(2)), VMAFX_OK);
  EXPECT_EQ(session.Receive(), VMAFX_OK);
  EXPECT_EQ(session.scores.index, 0u);
  EXPECT_EQ(session.Receive(), VMAFX_OK);
  EXPECT_EQ(session.scores.index, 2u);
  EXPECT_EQ(session.Receive(), VMAFX_END);
  EXPECT_EQ(maker.released(), 5);
  EXPECT_EQ(other.released(), 1);
}

TEST(Session, SubsampleScoresTheFirstOfEachN) {
  CSession session{{"metrics", "psnr"}, {"subsample", "3"}};
  PairMaker maker(32, 32);
  for (uint64_t i = 0; i < 8; ++i) {
    ASSERT_EQ(session.Submit(maker.Pair(i)), VMAFX_OK);
    ASSERT_EQ(session.Receive(), VMAFX_OK);
    EXPECT_EQ(session.scores.index, i);
    EXPECT_EQ(session.scores.scored, i % 3 == 0);
    for (const double value : session.row) EXPECT_EQ(std::isnan(value), i % 3 != 0);
  }
  EXPECT_EQ(maker.released(), 16);
}

TEST(Session, GreyHasNoChroma) {
  CSession session{{"metrics", "psnr"}};
  PairMaker maker(32, 32, VMAFX_LAYOUT_GRAY);
  ASSERT_EQ(session.Submit(maker.Pair(0)), VMAFX_OK) << session.error();
  ASSERT_EQ(session.Receive(), VMAFX_OK) << session.error();
  EXPECT_EQ(session.row[0], 60);
  EXPECT_TRUE(std::isnan(session.row[1]));
  EXPECT_TRUE(std::isnan(session.row[2]));
}

TEST(Session, AggregatesTheReceivedPairs) {
  CSession session{{"metrics", "psnr"}, {"psnr_apsnr", "1"}};
  ASSERT_EQ(vmafx_session_aggregate_count(session.get()), 3u);
  EXPECT_STREQ(vmafx_session_aggregate_name(session.get(), 0), "apsnr_y");
  EXPECT_EQ(vmafx_session_aggregate_name(session.get(), 3), nullptr);
  EXPECT_EQ(vmafx_session_feature_count(session.get()), 3u);
  EXPECT_TRUE(std::isnan(vmafx_session_aggregate_value(session.get(), 0)));
  PairMaker maker(32, 32);
  maker.SetStep(5);
  for (uint64_t i = 0; i < 2; ++i) {
    ASSERT_EQ(session.Submit(maker.Pair(i)), VMAFX_OK);
    ASSERT_EQ(session.Receive(), VMAFX_OK);
  }
  EXPECT_NEAR(vmafx_session_aggregate_value(session.get(), 0), 10 * std::log10(255.0 * 255.0 / 25), 1e-12);
}

TEST(Session, DestroyedWithPairsInFlight) {
  for (int i = 0; i < 100; ++i) {
    PairMaker maker(64, 64);
    {
      CSession session{{"metrics", "psnr"}, {"threads", "2"}, {"queue", "8"}};
      for (uint64_t n = 0; n < static_cast<uint64_t>(i % 9); ++n) ASSERT_EQ(session.Submit(maker.Pair(n)), VMAFX_OK);
    }
    EXPECT_EQ(maker.released(), 2 * (i % 9));
  }
}

TEST(Session, ThousandsOfShortOnes) {
  PairMaker maker(32, 32);
  for (int i = 0; i < 2000; ++i) {
    CSession session{{"metrics", "psnr"}, {"threads", i % 3 == 0 ? "1" : i % 3 == 1 ? "2" : "64"}};
    for (uint64_t n = 0; n < 2; ++n) ASSERT_EQ(session.Submit(maker.Pair(n)), VMAFX_OK);
    for (uint64_t n = 0; n < 2; ++n) ASSERT_EQ(session.Receive(), VMAFX_OK);
    ASSERT_EQ(session.Receive(), VMAFX_END);
  }
  EXPECT_EQ(maker.released(), 8000);
}

TEST(Session, NamesWhatIsWrong) {
  vmafx_error error = {};
  vmafx_config* config = vmafx_config_create();
  EXPECT_EQ(vmafx_config_set(config, "metrics", "psnr+ssim", &error), VMAFX_ERROR_INVALID);
  EXPECT_TRUE(Contains(error.text, {"'ssim'", "float_psnr, psnr"}));
  for (const char* incomplete : {"", "+", "psnr+", "+psnr", "psnr++vif"}) {
    EXPECT_EQ(vmafx_config_set(config, "metrics", incomplete, &error), VMAFX_ERROR_INVALID);
    EXPECT_TRUE(Contains(error.text, {"a name is missing in '" + std::string(incomplete) + "'", "float_psnr, psnr"}));
  }
  EXPECT_EQ(vmafx_config_set(config, "metric", "psnr", &error), VMAFX_ERROR_INVALID);
  EXPECT_TRUE(Contains(error.text, {"'metric'", "metrics, backend", "psnr_chroma"}));
  for (const Setting& wrong : {Setting{"threads", "1025"}, {"threads", "-1"}, {"threads", "2x"}, {"queue", "65"},
                              {"subsample", "0"}, {"backend", "gpu"}, {"psnr_min_sse", "-1"}, {"psnr_min_sse", "0,5"},
                              {"psnr_chroma", "2"}}) {
    EXPECT_EQ(vmafx_config_set(config, wrong.first, wrong.second, &error), VMAFX_ERROR_INVALID) << wrong.second;
    EXPECT_TRUE(Contains(error.text, {wrong.first, wrong.second}));
  }
  EXPECT_EQ(vmafx_config_set(nullptr, "threads", "1", &error), VMAFX_ERROR_INVALID);
  EXPECT_EQ(vmafx_config_set(config, "threads", nullptr, nullptr), VMAFX_ERROR_INVALID);
  vmafx_session* session = nullptr;
  EXPECT_EQ(vmafx_session_create(nullptr, &session, &error), VMAFX_ERROR_INVALID);
  EXPECT_EQ(vmafx_config_set(config, "backend", "cpu", &error), VMAFX_OK);
  EXPECT_EQ(vmafx_config_set(config, "metrics", "psnr", &error), VMAFX_OK);
  EXPECT_EQ(vmafx_config_set(config, "device", "0", &error), VMAFX_OK);
  EXPECT_EQ(vmafx_session_create(config, &session, &error), VMAFX_ERROR_INVALID);
  EXPECT_EQ(session, nullptr);
  EXPECT_TRUE(Contains(error.text, {"device", "CPU"}));
  vmafx_config_destroy(config);
}

TEST(Session, PicturesThatCannotBeRead) {
  CSession session{{"metrics", "psnr"}};
  PairMaker maker(32, 32);
  int taken = 0;
  const auto refused = [&](auto&& change, vmafx_result code, const std::vector<std::string>& parts) {
    vmafx_pair pair = maker.Pair(7);
    change(pair.reference);
    EXPECT_EQ(session.Submit(pair), code);
    EXPECT_TRUE(Contains(session.error(), parts));
    taken += 2;
    EXPECT_EQ(maker.released(), taken);
  };
  const auto invalid = [&](auto&& change, const std::vector<std::string>& parts) {
    refused(change, VMAFX_ERROR_INVALID, parts);
  };
  invalid([](vmafx_picture& p) { p.width = 0; }, {"pair 7", "reference", "0x32"});
  invalid([](vmafx_picture& p) { p.height = 32769; }, {"32x32769"});
  invalid([](vmafx_picture& p) { p.depth = 11; }, {"11"});
  invalid([](vmafx_picture& p) { p.depth = 10; }, {"10 bits"});
  invalid([](vmafx_picture& p) { p.bytes_per_sample = 4; }, {"bytes_per_sample"});
  invalid([](vmafx_picture& p) { p.shift = 1; }, {"shifted by 1"});
  const auto put = [](auto& field, int number) { std::memcpy(&field, &number, sizeof number); };
  invalid([&](vmafx_picture& p) { put(p.layout, 9); }, {"layout", "9"});
  invalid([&](vmafx_picture& p) { put(p.memory, -1); }, {"memory", "-1"});
  invalid([&](vmafx_picture& p) { put(p.range, 3); }, {"range"});
  invalid([&](vmafx_picture& p) { put(p.chroma_location, 7); }, {"chroma_location"});
  invalid([](vmafx_picture& p) { p.matrix = -5; }, {"-5"});
  invalid([](vmafx_picture& p) { p.plane[2].data = nullptr; }, {"plane 2", "no data"});
  invalid([](vmafx_picture& p) { p.plane[0].stride = 31; }, {"plane 0", "stride 31"});
  invalid([](vmafx_picture& p) { p.plane[0].stride = 0; }, {"stride 0"});
  invalid([](vmafx_picture& p) { p.plane[1].stride = std::numeric_limits<ptrdiff_t>::min(); }, {"plane 1"});
  invalid([](vmafx_picture& p) { p.plane[1].step = 0; }, {"step 0"});
  refused([](vmafx_picture& p) { p.memory = VMAFX_MEMORY_CUDA; }, VMAFX_ERROR_MISMATCH,
          {"host memory", "CUDA memory", "hwdownload"});
  // Nothing of the structure can be read, so nothing is taken over.
  vmafx_pair pair = maker.Pair(8);
  pair.struct_size = 8;
  EXPECT_EQ(session.Submit(pair), VMAFX_ERROR_INVALID);
  EXPECT_TRUE(Contains(session.error(), {"vmafx_pair", "struct_size"}));
  EXPECT_EQ(maker.released(), taken);
}

// What is said of dma-buf objects is checked before anybody asks for a device.
TEST(Session, DmabufsThatCannotBe) {
  PairMaker maker(32, 32);
  CSession session{{"metrics", "psnr"}, {"backend", "cpu"}};
  const vmafx_dmabuf good = {.struct_size = sizeof good,
                             .object_count = 2,
                             .object = {{0, 1024, 0}, {0, 2048, 0}},
                             .plane_object = {0, 1, 1},
                             .pool = 1,
                             .surface = 1,
                             .device = nullptr};
  int submitted = 0;
  const auto result = [&](const std::function<void(vmafx_dmabuf& dmabuf, vmafx_picture& picture)>& change) {
    vmafx_dmabuf dmabuf = good;
    vmafx_pair pair = maker.Pair(0);
    for (vmafx_picture* picture : {&pair.distorted, &pair.reference}) {
      picture->memory = VMAFX_MEMORY_DMABUF;
      picture->device_context = &dmabuf;
      for (vmafx_plane& plane : picture->plane) plane = {nullptr, 32, 1};
      picture->plane[2].data = reinterpret_cast<const uint8_t*>(uintptr_t{2048 - 16 - 15 * 32});
    }
    change(dmabuf, pair.distorted);
    const int code = session.Submit(pair);
    EXPECT_EQ(maker.released(), 2 * ++submitted);
    return code;
  };
  EXPECT_EQ(result([](auto&, auto&) {}), VMAFX_ERROR_MISMATCH);
  EXPECT_TRUE(Contains(session.error(), {"dma-buf memory", "backend=cpu", "hwdownload"}));
  EXPECT_EQ(result([](auto&, auto& picture) { picture.device_context = nullptr; }), VMAFX_ERROR_INVALID);
  EXPECT_TRUE(Contains(session.error(), {"distorted", "device_context is NULL"}));
  EXPECT_EQ(result([](auto& dmabuf, auto&) { dmabuf.object[1].modifier = 1; }), VMAFX_ERROR_UNSUPPORTED);
  EXPECT_TRUE(Contains(session.error(), {"object 1", "0x0000000000000001"}));
  EXPECT_EQ(result([](auto& dmabuf, auto&) { dmabuf.object[0].size = 1023; }), VMAFX_ERROR_INVALID);
  EXPECT_TRUE(Contains(session.error(), {"plane 0", "inside dma-buf object 0 of 2"}));
  EXPECT_EQ(result([](auto& dmabuf, auto&) { dmabuf.object[1].size = 2047; }), VMAFX_ERROR_INVALID);
  EXPECT_TRUE(Contains(session.error(), {"plane 2", "inside dma-buf object 1 of 2"}));
  EXPECT_EQ(result([](auto& dmabuf, auto&) { dmabuf.plane_object[1] = 2; }), VMAFX_ERROR_INVALID);
  EXPECT_EQ(result([](auto& dmabuf, auto&) { dmabuf.object[0].size = ~uint64_t{0}; }), VMAFX_ERROR_INVALID);
  EXPECT_EQ(result([](auto& dmabuf, auto&) { dmabuf.struct_size = 8; }), VMAFX_ERROR_INVALID);
  vmafx_session_forget(session.get(), 1);  // of a backend that keeps nothing
}

TEST(Session, DeviceMemoryWithoutItsBackend) {
  ASSERT_STREQ(vmafx_backend_get(1)->name, "cuda");
  if (vmafx_backend_get(1)->built) GTEST_SKIP() << "this build has CUDA";
  PairMaker maker(32, 32);
  vmafx_pair pair = maker.Pair(0);
  pair.distorted.memory = pair.reference.memory = VMAFX_MEMORY_CUDA;
  CSession automatic{{"metrics", "psnr"}};
  EXPECT_STREQ(vmafx_session_backend(automatic.get()), "auto");
  EXPECT_EQ(automatic.Submit(pair), VMAFX_ERROR_DEVICE);
  EXPECT_TRUE(Contains(automatic.error(), {"CUDA memory", "hwdownload", "has cpu", " only"}));
  CSession cpu{{"metrics", "psnr"}, {"backend", "cpu"}};
  EXPECT_EQ(cpu.Submit(pair), VMAFX_ERROR_MISMATCH);
  EXPECT_TRUE(Contains(cpu.error(), {"CUDA memory", "backend=cpu", "hwdownload"}));
  CSession cuda{{"metrics", "psnr"}, {"backend", "cuda"}};
  EXPECT_EQ(cuda.created, VMAFX_ERROR_DEVICE);
  EXPECT_TRUE(Contains(cuda.error(), {"backend=cuda", "cpu"}));
  EXPECT_EQ(maker.released(), 4);
}

TEST(Session, EachAssumptionIsSaidOnce) {
  CSession session{{"metrics", "psnr"}};
  PairMaker maker(32, 32);
  for (uint64_t i = 0; i < 6; ++i) {
    vmafx_pair pair = maker.Pair(i);
    // Alternates, so that each form is agreed on three times.
    pair.reference.range = i % 2 ? VMAFX_RANGE_UNSPECIFIED : VMAFX_RANGE_LIMITED;
    ASSERT_EQ(session.Submit(pair), VMAFX_OK);
    ASSERT_EQ(session.Receive(), VMAFX_OK);
  }
  ASSERT_EQ(session.said.size(), 1u);
  EXPECT_TRUE(Contains(session.said[0], {"reference", "limited (tv)"}));
}

// ---------------------------------------------------------- with metrics of the test

class FakeSession {
 public:
  explicit FakeSession(const std::vector<const Metric*>& metrics, int queue = 4) {
    Config config;
    config.metrics = metrics;
    config.metrics_chosen = true;
    config.threads = 2;
    config.queue = queue;
    EXPECT_TRUE(Session::Create(config, &session_).ok());
  }
  Status Submit(const vmafx_pair& pair) { return session_->Submit(pair); }
  Status Receive() {
    bool finished = false;
    return session_->Receive(true, &finished, &row);
  }
  Session* operator->() { return session_.get(); }
  Session::Row row;

 private:
  std::unique_ptr<Session> session_;
};

TEST(SessionValues, HiddenOnesServeTheAggregatorOnly) {
  struct Sum final : Aggregator {
    std::vector<std::string> names() const override { return {"sum"}; }
    void Add(std::span<const double> values, const PairFormat&) override { sum += values[1]; }
    double value(size_t) const override { return sum; }
    double sum = 0;
  };
  FakeMetric first("first"), second("second");
  first.features = {"a", "hidden"};
  first.hidden = 1;
  first.extract = [](const PairView&, Workers&, std::span<double> values) {
    values[0] = 1, values[1] = 20;
    return Status();
  };
  first.make_aggregator = [] { return std::make_unique<Sum>(); };
  FakeSession session({&first, &second});
  EXPECT_EQ(session->features(), (std::vector<std::string>{"a", "second"}));
  EXPECT_EQ(session->aggregates(), std::vector<std::string>{"sum"});
  PairMaker maker(8, 8);
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(session.Submit(maker.Pair(i)).ok());
    ASSERT_TRUE(session.Receive().ok());
    EXPECT_EQ(*session.row.values, (std::vector<double>{1, 100}));
  }
  EXPECT_EQ(session->aggregate(0), 60);
}

TEST(SessionValues, NotFiniteIsAnErrorOfThatPairAndAbsentIsNot) {
  for (const double value : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    FakeMetric metric("m");
    metric.features = {"one", "two"};
    int calls = 0;
    metric.extract = [&](const PairView&, Workers&, std::span<double> values) {
      values[0] = kAbsent;
      values[1] = ++calls == 2 ? value : 5.0;
      return Status();
    };
    FakeSession session({&metric});
    PairMaker maker(8, 8);
    for (uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(session.Submit(maker.Pair(i)).ok());
    ASSERT_TRUE(session.Receive().ok());
    EXPECT_TRUE(std::isnan(session.row.values->at(0)));
    EXPECT_EQ(session.row.values->at(1), 5);
    const Status status = session.Receive();
    EXPECT_EQ(status.code(), VMAFX_ERROR_INTERNAL);
    EXPECT_TRUE(Contains(status.text(), {"pair 1", "two"}));
    EXPECT_TRUE(session.Receive().ok());
    EXPECT_TRUE(session->idle());
  }
}

TEST(SessionErrors, OfAnExtractorConcernItsPair) {
  FakeMetric metric("m");
  std::atomic<int> calls{0};
  metric.extract = [&](const PairView&, Workers&, std::span<double> values) -> Status {
    values[0] = 1;
    switch (calls++) {
      case 1: return Status::Unsupported("not this one");
      case 2: throw std::bad_alloc();
      case 3: throw std::runtime_error("broken");
      default: return {};
    }
  };
  FakeSession session({&metric}, 8);
  PairMaker maker(8, 8);
  for (uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(session.Submit(maker.Pair(i)).ok());
  const vmafx_result expected[] = {VMAFX_OK, VMAFX_ERROR_UNSUPPORTED, VMAFX_ERROR_MEMORY, VMAFX_ERROR_INTERNAL, VMAFX_OK};
  for (const vmafx_result code : expected) EXPECT_EQ(session.Receive().code(), code);
  EXPECT_EQ(maker.released(), 10);
}

TEST(SessionPictures, AreReleasedBeforeTheirScoresAreGiven) {
  FakeMetric metric("m");
  std::promise<void> go;
  std::shared_future<void> gone = go.get_future().share();
  metric.extract = [gone](const PairView&, Workers&, std::span<double> values) {
    gone.wait();
    values[0] = 1;
    return Status();
  };
  FakeSession session({&metric});
  PairMaker first(8, 8), second(8, 8);
  ASSERT_TRUE(session.Submit(first.Pair(0)).ok());
  ASSERT_TRUE(session.Submit(second.Pair(1)).ok());
  bool finished = true;
  ASSERT_TRUE(session->Receive(false, &finished, &session.row).ok());
  EXPECT_FALSE(finished);
  EXPECT_EQ(first.released(), 0);
  go.set_value();
  ASSERT_TRUE(session.Receive().ok());
  EXPECT_EQ(first.released(), 2);
  ASSERT_TRUE(session.Receive().ok());
  EXPECT_EQ(second.released(), 2);
}

TEST(SessionFormats, AlternatingOnesKeepTheirExtractors) {
  FakeMetric metric("m");
  FakeSession session({&metric});
  std::vector<std::unique_ptr<PairMaker>> makers;
  for (const int size : {8, 16, 24, 32, 40}) makers.push_back(std::make_unique<PairMaker>(size, size));
  const auto score = [&](size_t maker) {
    ASSERT_TRUE(session.Submit(makers[maker]->Pair(0)).ok());
    ASSERT_TRUE(session.Receive().ok());
  };
  for (int round = 0; round < 10; ++round)
    for (size_t i = 0; i < 4; ++i) score(i);
  EXPECT_EQ(metric.made, 4);
  score(4);  // in the place of the first, used longest ago
  score(1), score(2), score(3), score(4);
  EXPECT_EQ(metric.made, 5);
  score(0);
  EXPECT_EQ(metric.made, 6);
}

TEST(SessionViews, SamplesAreLiftedForMetricsThatCompareThem) {
  FakeMetric samples("samples"), colours("colours");
  colours.sample_domain = false;
  const auto lifts = [](const PairView& pair, Workers&, std::span<double> values) {
    values[0] = pair.distorted.component[0].lift * 10 + pair.reference.component[0].lift;
    return Status();
  };
  samples.extract = colours.extract = lifts;
  FakeSession session({&samples, &colours});
  PairMaker shallow(8, 8), deep(8, 8, VMAFX_LAYOUT_420, 10);
  vmafx_pair pair = shallow.Pair(0);
  pair.reference = deep.Pair(0).reference;
  ASSERT_TRUE(session.Submit(pair).ok());
  ASSERT_TRUE(session.Receive().ok());
  EXPECT_EQ(*session.row.values, (std::vector<double>{20, 0}));
}

}  // namespace
}  // namespace vmafx
