// SPDX-License-Identifier: BSD-2-Clause-Patent
// Measures pairs on a device, through the engine's device backend, and on the CPU, and compares every value bit for bit.
#ifndef VMAFX_TESTS_PARITY_COMPARE_H_
#define VMAFX_TESTS_PARITY_COMPARE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/device.h"
#include "tests/parity/cases.h"

namespace vmafx::test {

using OpenDevice = std::function<Status(std::unique_ptr<Device>* device)>;

struct Tally {
  uint64_t values = 0;
  uint64_t equal = 0;
  uint64_t pairs = 0;
  std::vector<std::string> differences;  // the first few, and every error

  void Add(const Tally& other);
  bool perfect() const { return values > 0 && values == equal && differences.empty(); }
};

// The values of a case's pairs, one row for each, on the CPU.
std::vector<std::vector<double>> MeasureOnCpu(const ParityCase& c);

Tally CompareCase(const ParityCase& c, const std::vector<std::vector<double>>& cpu, const OpenDevice& open);

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_PARITY_COMPARE_H_
