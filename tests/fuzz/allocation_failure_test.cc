// SPDX-License-Identifier: BSD-2-Clause-Patent
// Whole runs of the C interface in which each allocation fails in turn, once or with all after it. A run ends with
// VMAFX_ERROR_MEMORY or with its scores; every picture is released, and what was scored has its right value.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/fuzz/failing_memory.h"
#include "vmafx/vmafx.h"

namespace vmafx::fuzz {
namespace {

constexpr int kWidth = 19, kHeight = 17;
constexpr int kPairs = 3;
constexpr size_t kGreatestCount = 32;

struct Options {
  const char* metrics;
  const char* profile;
  const char* threads;
};

// What came of a run. Nothing here allocates: memory is short.
struct Outcome {
  int worst = VMAFX_OK;             // the first error
  vmafx_error error = {};
  bool strange = false;             // a result that no call may give
  int taken = 0;                    // pictures that the library took over
  std::atomic<int> released{0};
  std::array<bool, kPairs> scored = {};
  std::array<std::array<double, kGreatestCount>, kPairs> values = {};
  uint64_t pooled = 0;

  // Whether the call was right.
  bool Note(int result, const vmafx_error& text) {
    if (result < 0 && worst == VMAFX_OK) {
      worst = result;
      error = text;
    }
    strange |= result > 0;
    return result == VMAFX_OK;
  }
  // The same of a call that gives an object or nothing.
  bool Note(const void* object) {
    if (!object && worst == VMAFX_OK) worst = VMAFX_ERROR_MEMORY;
    return object != nullptr;
  }
};

// 10 bits with rows that are not adjacent, so that samples are converted.
const uint16_t* Samples() {
  static const auto samples = [] {
    std::array<uint16_t, 2 * kHeight * (kWidth + 1)> made;
    for (size_t i = 0; i < made.size(); ++i) made[i] = static_cast<uint16_t>((64 + (i * i * 7 + i / 3) % 800) << 6);
    return made;
  }();
  return samples.data();
}

vmafx_picture Picture(int first_row, Outcome* outcome) {
  vmafx_picture picture = {};
  picture.struct_size = sizeof picture;
  picture.width = kWidth;
  picture.height = kHeight;
  picture.layout = VMAFX_LAYOUT_444;
  picture.depth = 10;
  picture.bytes_per_sample = 2;
  picture.shift = 6;
  for (vmafx_plane& plane : picture.plane)
    plane = {reinterpret_cast<const uint8_t*>(Samples() + first_row * (kWidth + 1)), 2 * (kWidth + 1), 2};
  picture.matrix = picture.transfer = 2;
  picture.release = [](void* opaque) { ++static_cast<Outcome*>(opaque)->released; };
  picture.opaque = outcome;
  return picture;
}

void Submit(vmafx_session* session, uint64_t index, Outcome* outcome) {
  vmafx_pair pair = {};
  pair.struct_size = sizeof pair;
  pair.index = index;
  pair.distorted = Picture(static_cast<int>(index), outcome);
  pair.reference = Picture(4, outcome);
  vmafx_error error = {};
  outcome->Note(vmafx_session_submit(session, &pair, &error), error);
  outcome->taken += 2;
}

void Receive(vmafx_session* session, vmafx_report* report, Outcome* outcome) {
  vmafx_scores scores = {};
  scores.struct_size = sizeof scores;
  scores.index = kPairs;
  vmafx_error error = {};
  const int result = vmafx_session_receive(session, 1, &scores, &error);
  if (result == VMAFX_END) return;  // a pair was refused before
  if (scores.index >= kPairs || scores.count > kGreatestCount) outcome->strange = true;
  if (!outcome->Note(result, error) || outcome->strange) return;
  outcome->scored[scores.index] = true;
  std::memcpy(outcome->values[scores.index].data(), scores.values, scores.count * sizeof(double));
  vmafx_row row = {};
  row.struct_size = sizeof row;
  row.frame = scores.index;
  row.pts_time = 0.04 * static_cast<double>(scores.index);
  row.values = scores.values;
  error = {};
  outcome->Note(vmafx_report_row(report, &row, &error), error);
}

vmafx_session* OpenSession(const Options& options, Outcome* outcome) {
  vmafx_config* config = vmafx_config_create();
  if (!outcome->Note(config)) return nullptr;
  vmafx_error error = {};
  vmafx_session* session = nullptr;
  vmafx_config_set_log(config, [](void*, vmafx_log_level, const char*) {}, nullptr);
  if (outcome->Note(vmafx_config_set(config, "metrics", options.metrics, &error), error) &&
      outcome->Note(vmafx_config_set(config, "threads", options.threads, &error), error) &&
      outcome->Note(vmafx_config_set(config, "psnr_apsnr", "1", &error), error) &&
      outcome->Note(vmafx_config_set(config, "ssimulacra2_profile", options.profile, &error), error))
    outcome->Note(vmafx_session_create(config, &session, &error), error);
  vmafx_config_destroy(config);
  return session;
}

vmafx_report* OpenReport(vmafx_session* session, vmafx_log_format format, Outcome* outcome) {
  std::array<const char*, kGreatestCount> names;
  const size_t count = vmafx_session_feature_count(session);
  for (size_t i = 0; i < count; ++i) names[i] = vmafx_session_feature_name(session, i);
  vmafx_report_config config = {};
  config.struct_size = sizeof config;
  config.format = format;
  config.write = [](void*, const void*, size_t) { return 0; };
  config.feature_count = count;
  config.feature_names = names.data();
  config.backend = vmafx_session_backend(session);
  config.device = "a name that is too long for the inside of a string";
  vmafx_error error = {};
  vmafx_report* report = nullptr;
  outcome->Note(vmafx_report_create(&config, &report, &error), error);
  return report;
}

void Finish(vmafx_report* report, size_t features, Outcome* outcome) {
  vmafx_run_info run = {};
  run.struct_size = sizeof run;
  run.fps = 25;
  vmafx_error error = {};
  outcome->Note(vmafx_report_finish(report, &run, &error), error);
  char text[200];
  if (const int length = vmafx_report_summary(report, 0, text, sizeof text); length < 0) outcome->Note(length, {});
  // A row is in all pools or in none.
  vmafx_pooled pooled = {};
  pooled.struct_size = sizeof pooled;
  if (!outcome->Note(vmafx_report_pool(report, 0, &pooled), {})) return;
  outcome->pooled = pooled.count;
  for (size_t i = 1; i < features && outcome->Note(vmafx_report_pool(report, i, &pooled), {}); ++i)
    outcome->strange |= pooled.count != outcome->pooled;
}

void Measure(const Options& options, vmafx_log_format format, Outcome* outcome) {
  vmafx_session* session = OpenSession(options, outcome);
  vmafx_report* report = session ? OpenReport(session, format, outcome) : nullptr;
  if (report) {
    for (uint64_t i = 0; i < kPairs; ++i) Submit(session, i, outcome);
    for (int i = 0; i < kPairs; ++i) Receive(session, report, outcome);
    Finish(report, vmafx_session_feature_count(session), outcome);
  }
  vmafx_report_destroy(report);
  vmafx_session_destroy(session);
}

void Pair(Outcome* outcome) {
  vmafx_pairer* pairer = vmafx_pairer_create(VMAFX_SYNC_TIME);
  if (!outcome->Note(pairer)) return;
  vmafx_error error = {};
  vmafx_pairing pairing = {};
  uint64_t decided = 0;
  for (int64_t i = 0; i < 100; ++i) {
    for (const vmafx_side side : {VMAFX_DISTORTED, VMAFX_REFERENCE})
      outcome->Note(vmafx_pairer_push(pairer, side, {i * 40, 1, 1000}, &error), error);
    int result;
    while ((result = vmafx_pairer_next(pairer, &pairing)) == VMAFX_OK) ++decided;
    if (result != VMAFX_AGAIN) outcome->Note(result, {});
  }
  vmafx_pairer_end(pairer, VMAFX_DISTORTED);
  vmafx_pairer_end(pairer, VMAFX_REFERENCE);
  while (vmafx_pairer_next(pairer, &pairing) == VMAFX_OK) ++decided;
  outcome->pooled = decided;
  vmafx_pairer_destroy(pairer);
}

// Runs until no allocation is left to fail.
template <class Body>
void FailEachAllocation(Body&& body) {
  Outcome expected;
  body(&expected);
  ASSERT_EQ(expected.worst, VMAFX_OK) << expected.error.text;
  for (const Shortage shortage : {Shortage::kOnce, Shortage::kForGood}) {
    uint64_t after = 0;
    for (bool failed = true; failed; ++after) {
      Outcome outcome;
      RunOutOfMemory(after, shortage);
      body(&outcome);
      failed = EndShortage();
      SCOPED_TRACE("allocation " + std::to_string(after));
      ASSERT_EQ(outcome.worst, failed ? VMAFX_ERROR_MEMORY : VMAFX_OK) << outcome.error.text;
      ASSERT_FALSE(outcome.strange);
      ASSERT_EQ(outcome.released, outcome.taken);
      for (size_t i = 0; i < kPairs; ++i) {
        if (!outcome.scored[i]) continue;
        ASSERT_EQ(std::memcmp(&outcome.values[i], &expected.values[i], sizeof expected.values[i]), 0) << "pair " << i;
      }
      if (!failed) {
        EXPECT_EQ(outcome.pooled, expected.pooled);
      }
    }
    EXPECT_GT(after, 20u);
  }
}

TEST(AllocationFailure, Psnr) {
  FailEachAllocation([](Outcome* outcome) {
    Measure({"float_psnr+psnr", "standard", "1"}, VMAFX_FORMAT_JSON, outcome);
  });
}

TEST(AllocationFailure, Vif) {
  FailEachAllocation([](Outcome* outcome) { Measure({"vif", "standard", "2"}, VMAFX_FORMAT_XML, outcome); });
}

TEST(AllocationFailure, Ssimulacra2) {
  FailEachAllocation([](Outcome* outcome) { Measure({"ssimulacra2", "standard", "2"}, VMAFX_FORMAT_CSV, outcome); });
}

TEST(AllocationFailure, Ssimulacra2Recursive) {
  FailEachAllocation([](Outcome* outcome) { Measure({"ssimulacra2", "recursive", "2"}, VMAFX_FORMAT_NDJSON, outcome); });
}

TEST(AllocationFailure, Pairing) { FailEachAllocation(Pair); }

}  // namespace
}  // namespace vmafx::fuzz
