// SPDX-License-Identifier: BSD-2-Clause-Patent
// The few functions of a maths library that a score needs, correctly rounded (to nearest, ties to even), so that a
// score does not depend on the host's libm. Evaluated in extended precision and rounded once; microseconds per call,
// used a handful of times per frame. Thread-safety: safe.
#ifndef VMAFX_NUMERIC_EXACT_MATH_H_
#define VMAFX_NUMERIC_EXACT_MATH_H_

namespace vmafx {

// x^y for finite x > 0; x = 0 with y > 0 gives 0. Correctly rounded, subnormal results included.
double ExactPow(double x, double y);

// log10(x) for finite x > 0, correctly rounded.
double ExactLog10(double x);

}  // namespace vmafx
#endif  // VMAFX_NUMERIC_EXACT_MATH_H_
