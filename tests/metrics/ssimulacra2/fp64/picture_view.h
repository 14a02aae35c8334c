// SPDX-License-Identifier: BSD-2-Clause-Patent
// The library's pictures as pictures of the fp64 evaluation.
#ifndef VMAFX_TESTS_SSIMULACRA2_FP64_PICTURE_VIEW_H_
#define VMAFX_TESTS_SSIMULACRA2_FP64_PICTURE_VIEW_H_

#include "core/metrics/metric.h"
#include "tests/metrics/ssimulacra2/fp64/evaluation.h"

namespace ssimulacra2_fp64 {

// The format has one of the matrices of encoding.h, or needs none.
Picture FromView(const vmafx::Format& format, const vmafx::PictureView& view);

}  // namespace ssimulacra2_fp64
#endif  // VMAFX_TESTS_SSIMULACRA2_FP64_PICTURE_VIEW_H_
