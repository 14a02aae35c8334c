// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pools the values of one feature over the rows of a run (vmafx_pooled).
#ifndef VMAFX_REPORT_POOLING_H_
#define VMAFX_REPORT_POOLING_H_

#include <cstdint>
#include <vector>

#include "vmafx/vmafx.h"

namespace vmafx {

class Pool {
 public:
  // Makes room for one value: the next Add() allocates nothing.
  void Reserve();
  // Values in row order, finite.
  void Add(uint64_t frame, double time, double value);
  vmafx_pooled Result() const;

 private:
  std::vector<double> values_;
  double sum_ = 0;             // in row order
  double reciprocal_sum_ = 0;  // of 1 / (value + 1), in row order
  bool harmonic_ = true;       // no value is -1 or less
  double max_ = 0, min_ = 0;
  uint64_t min_frame_ = 0;
  double min_time_ = 0;
};

}  // namespace vmafx
#endif  // VMAFX_REPORT_POOLING_H_
