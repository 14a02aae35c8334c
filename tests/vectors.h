// SPDX-License-Identifier: BSD-2-Clause-Patent
// The test vectors: short clips and the exact values that their frames must score (tests/vectors/README.md).
// Found in the folder that the environment variable VMAFX_VECTORS names, else in tests/vectors of the source tree.
#ifndef VMAFX_TESTS_VECTORS_H_
#define VMAFX_TESTS_VECTORS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/metrics/metric.h"

namespace vmafx::test {

// A clip pair with its samples: planar, native words, rows without padding. Views live as long as the clip.
class Clip {
 public:
  // Throws std::runtime_error with the reason when the files are missing or damaged.
  explicit Clip(const std::string& name);

  const std::string& name() const { return name_; }
  const nlohmann::json& json() const { return json_; }
  int frames() const { return frames_; }
  // Limited range and BT.709 on both sides.
  const PairFormat& format() const { return format_; }

  PictureView Reference(int frame) const { return View(reference_, frame); }
  PictureView Distorted(int frame) const { return View(distorted_, frame); }
  PairView Pair(int frame) const { return {Distorted(frame), Reference(frame)}; }
  PairView Swapped(int frame) const { return {Reference(frame), Distorted(frame)}; }
  PairView Identical(int frame) const { return {Reference(frame), Reference(frame)}; }

 private:
  PictureView View(const std::vector<uint8_t>& bytes, int frame) const;

  std::string name_;
  nlohmann::json json_;
  int frames_ = 0;
  PairFormat format_;
  std::vector<uint8_t> reference_, distorted_;
};

// Names of all clips, sorted. Never empty: throws std::runtime_error when the folder has none.
std::vector<std::string> ClipNames();

// NAME.json of the vectors' folder ("stages"). Throws as Clip().
nlohmann::json LoadVectorJson(const std::string& name);

// Reads "0x1.8p+3" as well as plain decimals.
double ParseDouble(const nlohmann::json& value);

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_VECTORS_H_
