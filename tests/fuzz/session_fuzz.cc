// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sessions fed with pairs of any description, in any order of calls.
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tests/fuzz/input.h"
#include "tests/fuzz/picture.h"
#include "tests/fuzz/results.h"
#include "vmafx/vmafx.h"

namespace vmafx::fuzz {
namespace {

class Caller {
 public:
  explicit Caller(Input& input) : input_(input) {
    static constexpr const char* kMetrics[] = {"psnr", "ssimulacra2", "vif", "float_psnr",
                                               "ssimulacra2+float_psnr+psnr+vif", "psnr+vif"};
    static constexpr const char* kThreads[] = {"1", "2", "3"};
    static constexpr const char* kQueues[] = {"0", "1", "2", "3"};
    vmafx_config* config = vmafx_config_create();
    Require(config);
    Set(config, "threads", input.OneOf(kThreads));
    Set(config, "queue", input.OneOf(kQueues));
    const uint8_t choice = input.Byte();
    if (choice < 240) Set(config, "metrics", kMetrics[choice % std::size(kMetrics)]);
    if (input.Flag()) Set(config, "ssimulacra2_profile", "recursive");
    if (input.Flag()) Set(config, "psnr_apsnr", "1");
    if (input.Byte() >= 192) Set(config, "subsample", "2");
    if (input.Byte() >= 192) Set(config, "psnr_chroma", "0");
    vmafx_config_set_log(config, [](void*, vmafx_log_level, const char* text) { Require(text && *text); }, nullptr);
    vmafx_error error = Unwritten();
    Require(vmafx_session_create(config, &session_, &error) == VMAFX_OK);
    vmafx_config_destroy(config);
  }

  ~Caller() {
    vmafx_session_destroy(session_);
    for (const auto& picture : pictures_) Require(picture->released());
  }

  void Submit() {
    auto distorted = std::make_unique<Picture>(input_, nullptr);
    auto reference = std::make_unique<Picture>(input_, &distorted->description());
    vmafx_pair pair = {};
    pair.struct_size = sizeof pair;
    pair.index = input_.Byte();
    pair.distorted = distorted->description();
    pair.reference = reference->description();
    const bool readable = input_.Byte() < 253;
    if (!readable) pair.distorted.struct_size = static_cast<uint32_t>(input_.Int());
    const bool full = in_flight_.size() == vmafx_session_queue(session_);
    vmafx_error error = Unwritten();
    const int result = vmafx_session_submit(session_, &pair, &error);
    RequireResult(result, {VMAFX_OK, VMAFX_AGAIN, VMAFX_ERROR_INVALID, VMAFX_ERROR_UNSUPPORTED, VMAFX_ERROR_MISMATCH,
                           VMAFX_ERROR_DEVICE}, error);
    if (readable) Require((result == VMAFX_AGAIN) == full);
    if (distorted->mistaken() || reference->mistaken()) Require(result != VMAFX_OK);
    if (result == VMAFX_OK) in_flight_.push_back(pair.index);
    const bool taken = result != VMAFX_AGAIN && (readable || pair.distorted.struct_size == sizeof pair.distorted);
    if (result < 0 || !taken) Require(distorted->released() == taken && reference->released() == taken);
    if (!taken) return;
    pictures_.push_back(std::move(distorted));
    pictures_.push_back(std::move(reference));
  }

  void Receive() {
    vmafx_scores scores = {};
    scores.struct_size = sizeof scores;
    const bool wait = input_.Flag();
    vmafx_error error = Unwritten();
    const int result = vmafx_session_receive(session_, wait, &scores, &error);
    RequireResult(result, {VMAFX_OK, VMAFX_AGAIN, VMAFX_END}, error);
    Require((result == VMAFX_END) == in_flight_.empty() && !(wait && result == VMAFX_AGAIN));
    if (result != VMAFX_OK) return;
    Require(scores.index == in_flight_.front() && scores.count == vmafx_session_feature_count(session_));
    in_flight_.pop_front();
    bool measured = false;
    for (size_t i = 0; i < scores.count; ++i) {
      Require(!std::isinf(scores.values[i]));
      measured |= !std::isnan(scores.values[i]);
    }
    Require(measured == (scores.scored != 0));
  }

  void Ask() {
    for (size_t i = 0; i <= vmafx_session_feature_count(session_); ++i)
      Require((vmafx_session_feature_name(session_, i) == nullptr) == (i == vmafx_session_feature_count(session_)));
    for (size_t i = 0; i <= vmafx_session_aggregate_count(session_); ++i)
      Require(!std::isinf(vmafx_session_aggregate_value(session_, i)));
    Require(vmafx_session_backend(session_) && vmafx_session_device(session_));
  }

 private:
  static void Set(vmafx_config* config, const char* name, const char* value) {
    Require(vmafx_config_set(config, name, value, nullptr) == VMAFX_OK);
  }

  Input& input_;
  vmafx_session* session_ = nullptr;
  std::deque<uint64_t> in_flight_;
  std::vector<std::unique_ptr<Picture>> pictures_;
};

}  // namespace
}  // namespace vmafx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vmafx::fuzz::Input input(data, size);
  vmafx::fuzz::Caller caller(input);
  do {
    const uint8_t call = input.Byte();
    if (call < 160) caller.Submit();
    if (call >= 96 && call < 240) caller.Receive();
    if (call >= 240) caller.Ask();
  } while (!input.empty());
  return 0;
}
