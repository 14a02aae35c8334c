// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "vmafx/vmafx.h"

#define VMAFX_TEXT(x) #x
#define VMAFX_DOTTED(major, minor, patch) VMAFX_TEXT(major) "." VMAFX_TEXT(minor) "." VMAFX_TEXT(patch)

extern "C" {

unsigned vmafx_version(void) { return VMAFX_VERSION_MAJOR << 16 | VMAFX_VERSION_MINOR << 8 | VMAFX_VERSION_PATCH; }

const char* vmafx_version_string(void) {
  return VMAFX_DOTTED(VMAFX_VERSION_MAJOR, VMAFX_VERSION_MINOR, VMAFX_VERSION_PATCH);
}

}  // extern "C"
