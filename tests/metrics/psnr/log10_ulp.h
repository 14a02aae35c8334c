// SPDX-License-Identifier: BSD-2-Clause-Patent
#ifndef VMAFX_TESTS_METRICS_PSNR_LOG10_ULP_H_
#define VMAFX_TESTS_METRICS_PSNR_LOG10_ULP_H_

#include <cmath>
#include <limits>

namespace vmafx::test {

// The vectors' values were made with a maths library whose log10 is not always correctly rounded. True when both are
// 10 * log10 of one argument and the two logarithms are equal or neighbours.
inline bool EqualButForLog10(double score, double expected) {
  if (score == expected) return true;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double logarithm = score / 10;  // within an ulp of it
  logarithm = std::nextafter(std::nextafter(logarithm, -kInfinity), -kInfinity);
  for (int i = 0; i < 5; ++i, logarithm = std::nextafter(logarithm, kInfinity)) {
    if (10 * logarithm != score) continue;
    if (10 * std::nextafter(logarithm, kInfinity) == expected || 10 * std::nextafter(logarithm, -kInfinity) == expected)
      return true;
  }
  return false;
}

}  // namespace vmafx::test
#endif  // VMAFX_TESTS_METRICS_PSNR_LOG10_ULP_H_
