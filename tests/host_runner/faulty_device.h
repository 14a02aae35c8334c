// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device whose n-th call fails, and, if it is lost with it, every call after.
#ifndef VMAFX_TESTS_HOST_RUNNER_FAULTY_DEVICE_H_
#define VMAFX_TESTS_HOST_RUNNER_FAULTY_DEVICE_H_

#include <memory>

#include "core/engine/device.h"

namespace vmafx::host_runner {

struct Fault {
  int call = 0;       // the one that fails, counted from 1; 0: none
  bool lost = false;  // every later one fails, too
  int calls = 0;      // so far

  // What the next call returns before it does anything.
  Status Next(const char* what) {
    ++calls;
    if (call == 0 || calls < call || (calls > call && !lost)) return {};
    return Status::Device(std::string("injected: ") + what);
  }
};

// `fault` outlives the device.
std::unique_ptr<Device> MakeFaultyDevice(std::unique_ptr<Device> inner, Fault* fault);

}  // namespace vmafx::host_runner
#endif  // VMAFX_TESTS_HOST_RUNNER_FAULTY_DEVICE_H_
