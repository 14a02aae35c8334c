// SPDX-License-Identifier: BSD-2-Clause-Patent
// Exact fractions for time stamps. Never rounded and never reduced: 512 bits hold what pairing makes of a time stamp
// (value: 63 bits, num and den: 31 bits each). A time is 94 bits over 31, a distance 126 over 62, a mean of two
// distances 190 over 125, and comparing it with a distance takes products of at most 252 bits. Where the time bases change
// from frame to frame, the difference of two distances is 190 bits over 124, and comparing one with the sum of two others
// takes products of at most 440 bits.
#ifndef VMAFX_ENGINE_RATIONAL_H_
#define VMAFX_ENGINE_RATIONAL_H_

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>
#include <utility>

namespace vmafx {

class Rational {
 public:
  using Integer = boost::multiprecision::number<
      boost::multiprecision::cpp_int_backend<512, 512, boost::multiprecision::signed_magnitude,
                                             boost::multiprecision::unchecked, void>,
      boost::multiprecision::et_off>;

  Rational() = default;
  Rational(Integer numerator, Integer denominator)  // denominator > 0
      : numerator_(std::move(numerator)), denominator_(std::move(denominator)) {}

  friend Rational operator+(const Rational& a, const Rational& b) {
    if (a.denominator_ == b.denominator_) return {a.numerator_ + b.numerator_, a.denominator_};
    return {a.numerator_ * b.denominator_ + b.numerator_ * a.denominator_, a.denominator_ * b.denominator_};
  }
  friend Rational operator-(const Rational& a, const Rational& b) { return a + Rational(-b.numerator_, b.denominator_); }
  Rational Half() const { return {numerator_, denominator_ * 2}; }

  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    const Integer left = a.numerator_ * b.denominator_, right = b.numerator_ * a.denominator_;
    return left < right ? std::strong_ordering::less : left > right ? std::strong_ordering::greater : std::strong_ordering::equal;
  }
  friend bool operator==(const Rational& a, const Rational& b) { return (a <=> b) == 0; }

  double ToDouble() const {  // reduced first: correctly rounded where both parts are below 2^53
    const Integer divisor = numerator_ == 0 ? denominator_ : boost::multiprecision::gcd(numerator_, denominator_);
    return static_cast<double>(Integer(numerator_ / divisor)) / static_cast<double>(Integer(denominator_ / divisor));
  }

 private:
  Integer numerator_ = 0;
  Integer denominator_ = 1;
};

}  // namespace vmafx
#endif  // VMAFX_ENGINE_RATIONAL_H_
