// SPDX-License-Identifier: BSD-2-Clause-Patent
// One metric's kernels for the host runner: VMAFX_KERNELS_MODULE is the metric's name, VMAFX_KERNELS_HEADER its kernels.h.
#include VMAFX_KERNELS_HEADER
