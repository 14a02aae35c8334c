// SPDX-License-Identifier: BSD-2-Clause-Patent
// AMD's own library on a machine without a GPU of theirs: one clear line, every time, and no crash. Passed over, with a
// word on why, where there is no such library or there is a GPU.
#include <cstdio>
#include <string>

#include "hip/driver.h"
#include "vmafx/vmafx.h"

namespace {

constexpr int kPass = 0, kFail = 1, kSkip = 77;  // as Meson has them

bool Expect(bool holds, const char* what, const std::string& text) {
  if (!holds) std::printf("%s: %s\n", what, text.c_str());
  return holds;
}

// The text of the error with which a session of backend=hip cannot be had.
std::string RefusedSession(int* result) {
  vmafx_error error = {};
  vmafx_session* session = nullptr;
  vmafx_config* const config = vmafx_config_create();
  *result = vmafx_config_set(config, "backend", "hip", &error);
  if (*result == VMAFX_OK) *result = vmafx_session_create(config, &session, &error);
  vmafx_session_destroy(session);
  vmafx_config_destroy(config);
  return error.text;
}

}  // namespace

int main() {
  const vmafx::hip::Driver* driver = nullptr;
  const vmafx::Status status = vmafx::hip::LoadDriver(&driver);
  if (driver->file.empty()) {
    std::printf("libamdhip64 is not installed: %s\n", status.text().c_str());
    return kSkip;
  }
  int count = 0;
  if (status.ok() && driver->GetDeviceCount(&count) == vmafx::hip::kSuccess && count > 0) {
    std::printf("%s finds %d GPUs: nothing to see here, vmafx_parity --backend=hip is for them\n",
                driver->file.c_str(), count);
    return kSkip;
  }
  std::printf("%s is there and no GPU\n", driver->file.c_str());
  for (int i = 0; i < 2; ++i) {
    int result = VMAFX_OK;
    const std::string text = RefusedSession(&result);
    std::printf("%s\n", text.c_str());
    if (!Expect(result == VMAFX_ERROR_DEVICE, "the code is not VMAFX_ERROR_DEVICE", std::to_string(result)) ||
        !Expect(text.starts_with("HIP: " + driver->file + " is there and finds no AMD GPU"), "the text is", text) ||
        !Expect(text.find("backend=cpu") != std::string::npos, "what to do is not said", text) ||
        !Expect(text.find('\n') == std::string::npos, "more than one line", text))
      return kFail;
  }
  return kPass;
}
