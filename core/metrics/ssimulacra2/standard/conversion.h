// SPDX-License-Identifier: BSD-2-Clause-Patent
// The constants that turn one picture's samples into R'G'B'.
#ifndef VMAFX_METRICS_SSIMULACRA2_STANDARD_CONVERSION_H_
#define VMAFX_METRICS_SSIMULACRA2_STANDARD_CONVERSION_H_

#include "core/metrics/metric.h"
#include "core/metrics/ssimulacra2/standard/definition.h"

namespace vmafx::ssimulacra2::standard {

// Whether there are luma weights for this H.273 matrix_coefficients: BT.709, FCC, BT.601 (two numbers), SMPTE 240M,
// BT.2020 non-constant luminance. Grey and RGB pictures need none.
bool KnownMatrix(int matrix);

// Computed in fp64, each constant rounded once. `format` has a known matrix or needs none.
Conversion MakeConversion(const Format& format);

}  // namespace vmafx::ssimulacra2::standard
#endif  // VMAFX_METRICS_SSIMULACRA2_STANDARD_CONVERSION_H_
