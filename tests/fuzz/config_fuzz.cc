// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of any name and value. What is accepted makes a session that measures; what is refused changes nothing.
#include <cmath>
#include <cstdint>
#include <string>
#include <algorithm>

#include "tests/fuzz/input.h"
#include "tests/fuzz/results.h"
#include "vmafx/vmafx.h"

namespace vmafx::fuzz {
namespace {

constexpr int kSide = 16;

void Measure(vmafx_session* session) {
  static constexpr uint8_t kSamples[2][kSide * kSide] = {{16, 200, 3}, {17, 100, 3}};
  vmafx_pair pair = {};
  pair.struct_size = sizeof pair;
  for (vmafx_picture* picture : {&pair.distorted, &pair.reference}) {
    picture->struct_size = sizeof *picture;
    picture->width = picture->height = kSide;
    picture->layout = VMAFX_LAYOUT_444;
    picture->depth = 8;
    picture->bytes_per_sample = 1;
    for (vmafx_plane& plane : picture->plane) plane = {kSamples[picture == &pair.reference], kSide, 1};
    picture->matrix = picture->transfer = 1;
  }
  vmafx_error error = Unwritten();
  Require(vmafx_session_submit(session, &pair, &error) == VMAFX_OK);
  vmafx_scores scores = {};
  scores.struct_size = sizeof scores;
  Require(vmafx_session_receive(session, 1, &scores, &error) == VMAFX_OK && scores.scored);
  for (size_t i = 0; i < scores.count; ++i) Require(std::isfinite(scores.values[i]));
  for (size_t i = 0; i < vmafx_session_aggregate_count(session); ++i)
    Require(std::isfinite(vmafx_session_aggregate_value(session, i)));
}

}  // namespace
}  // namespace vmafx::fuzz

// Lines "name=value".
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vmafx::fuzz;
  vmafx_config* config = vmafx_config_create();
  Require(config);
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const size_t equals = std::min(line.find('='), line.size());
    const std::string name = line.substr(0, equals), value = equals < line.size() ? line.substr(equals + 1) : "";
    vmafx_error error = Unwritten();
    const int result = vmafx_config_set(config, name.c_str(), value.c_str(), &error);
    RequireResult(result, {VMAFX_OK, VMAFX_ERROR_INVALID}, error);
    begin = end + 1;
  }
  // A thousand threads are no matter of the parser.
  Require(vmafx_config_set(config, "threads", "1", nullptr) == VMAFX_OK);
  vmafx_session* session = nullptr;
  vmafx_error error = Unwritten();
  const int result = vmafx_session_create(config, &session, &error);
  vmafx_config_destroy(config);
  RequireResult(result, {VMAFX_OK, VMAFX_ERROR_INVALID, VMAFX_ERROR_DEVICE}, error);
  Require((result == VMAFX_OK) == (session != nullptr));
  if (!session) return 0;
  Require(vmafx_session_feature_count(session) > 0);
  // Measuring takes many times as long as parsing: some of the inputs have to do. A device is no option of the CPU.
  if (size % 8 == 0 && text.find("device") == std::string::npos) Measure(session);
  vmafx_session_destroy(session);
  return 0;
}
