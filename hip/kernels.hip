// SPDX-License-Identifier: BSD-2-Clause-Patent
// One metric's kernels for AMD: VMAFX_KERNELS_HEADER is its kernels.h.
#include VMAFX_KERNELS_HEADER
