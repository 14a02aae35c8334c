// SPDX-License-Identifier: BSD-2-Clause-Patent
// From the integers of a pair's rows to its value: on the host, the same for every processor.
#ifndef VMAFX_METRICS_FLOAT_PSNR_SCORE_H_
#define VMAFX_METRICS_FLOAT_PSNR_SCORE_H_

#include <cstdint>
#include <span>

namespace vmafx::float_psnr {

// Mean squared difference in units of 8-bit samples, from the sum of each row in units of scaler^-2, top row first.
double Noise(std::span<const uint64_t> rows, int width, int depth);

// The value in dB. `uncapped`: above the cap, too, when there is any difference at all.
double Score(double noise, int depth, bool uncapped);

}  // namespace vmafx::float_psnr
#endif  // VMAFX_METRICS_FLOAT_PSNR_SCORE_H_
