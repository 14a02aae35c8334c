// SPDX-License-Identifier: BSD-2-Clause-Patent
// The correctly rounded quotient from an approximate reciprocal, for processors that have one: the steps of the usual
// division in software (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor",
// IBM J. R&D 34, 1990), without what a general division adds for operands near the limits of the exponent.
#ifndef VMAFX_NUMERIC_REFINED_QUOTIENT_H_
#define VMAFX_NUMERIC_REFINED_QUOTIENT_H_

namespace vmafx {

// a / b within the limits of Quotient(), where residuals are exact. The error of `reciprocal` is at most 2^-22,
// relatively.
//
// A Newton step leaves r = (1 / b) (1 - error^2), too small; with 2^-44 more it is 1 / b to at most 2^-44 too large,
// and then rounded. The last step rounds correctly when the reciprocal is off by half a place, or by 2^-20 places
// more unless b is within 2^-20 of a power of two from below. There 1 / b may lie just above a tie, as for 2 - 2^-23,
// but never just below one, so that its rounding is right.
VMAFX_FN float RefinedQuotient(float a, float b, float reciprocal) {
  reciprocal = Fma(reciprocal, Fma(-b, reciprocal, 1.0f) + 0x1p-44f, reciprocal);
  float quotient = a * reciprocal;
  quotient = Fma(Fma(-b, quotient, a), reciprocal, quotient);
  return Fma(Fma(-b, quotient, a), reciprocal, quotient);
}

// The quotients of the cube root in core/metrics/ssimulacra2/definition.h, x / (y*y), where one residual is enough:
// tried over all x and all reciprocals allowed.
VMAFX_FN float RefinedRootQuotient(float a, float b, float reciprocal) {
  reciprocal = Fma(reciprocal, Fma(-b, reciprocal, 1.0f), reciprocal);
  const float quotient = a * reciprocal;
  return Fma(Fma(-b, quotient, a), reciprocal, quotient);
}

}  // namespace vmafx
#endif  // VMAFX_NUMERIC_REFINED_QUOTIENT_H_
