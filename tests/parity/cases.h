// SPDX-License-Identifier: BSD-2-Clause-Patent
// The parity matrix: what every device must measure with the bits of the CPU.
#ifndef VMAFX_TESTS_PARITY_CASES_H_
#define VMAFX_TESTS_PARITY_CASES_H_

#include <memory>
#include <string>
#include <vector>

#include "core/engine/device_program.h"
#include "core/metrics/metric.h"
#include "tests/parity/block_picture.h"
#include "tests/parity/scene.h"
#include "tests/vectors.h"

namespace vmafx::test {

struct ParityCase {
  std::string name;
  std::vector<const Metric*> metrics;  // table order
  Options options;
  PairFormat format;
  BlockLayout distorted, reference;
  bool host_memory = false;  // pictures are given in host memory and uploaded
  bool surfaces = false;     // else: in dma-buf objects that the device imports, not in memory that it allocated
  Scene scene = Scene::kMoving;
  std::shared_ptr<const Clip> clip;  // of the vectors, instead of a scene
  int frames = 1;
  size_t two_lanes_scratch = kTwoLanesScratch;
};

// All cases of one metric that its Check() lets pass; `frames` for those of the full size, 1 for small ones.
std::vector<ParityCase> CasesOf(const Metric& metric, int frames);

// All metrics with a device form in one plan, on 8 and 10 bits: one after another, and the one with the largest scratch
// memory beside the others, as with large frames.
std::vector<ParityCase> JointCases(Device& device, int frames);

// The first `frames` frames of each vector that the metric's Check() lets pass, 0: all.
std::vector<ParityCase> VectorCases(const Metric& metric, int frames);

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_PARITY_CASES_H_
