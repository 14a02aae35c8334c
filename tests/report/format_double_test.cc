// SPDX-License-Identifier: BSD-2-Clause-Patent
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "vmafx/vmafx.h"

namespace {

std::string Text(double value) {
  char text[40];
  std::memset(text, 'x', sizeof text);
  const int length = vmafx_format_double(value, text);
  EXPECT_EQ(static_cast<size_t>(length), std::strlen(text));
  return text;
}

TEST(FormatDouble, KnownTexts) {
  EXPECT_EQ(Text(0), "0");
  EXPECT_EQ(Text(-0.0), "-0");
  EXPECT_EQ(Text(100), "100");
  EXPECT_EQ(Text(0.1), "0.1");
  EXPECT_EQ(Text(-49.968183666870729), "-49.96818366687073");
  EXPECT_EQ(Text(1e-5), "0.00001");
  EXPECT_EQ(Text(9.9999999999999991e-6), "9.999999999999999e-06");
  EXPECT_EQ(Text(99999999999999984.0), "99999999999999984");
  EXPECT_EQ(Text(1e17), "1e+17");
  EXPECT_EQ(Text(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(Text(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

TEST(FormatDouble, NotFinite) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Text(infinity), "inf");
  EXPECT_EQ(Text(-infinity), "-inf");
  EXPECT_EQ(Text(nan), "nan");
  EXPECT_EQ(Text(std::copysign(nan, -1.0)), "nan");
}

TEST(FormatDouble, ReadsBackToTheSameBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    // Half of them anywhere, half of them in the range of plain decimals.
    double value = std::bit_cast<double>(random());
    if (i % 2) value = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 80) - 76);
    if (!std::isfinite(value)) continue;
    const std::string text = Text(value);
    double back = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), back);
    ASSERT_EQ(error, std::errc()) << text;
    ASSERT_EQ(end, text.data() + text.size()) << text;
    ASSERT_EQ(std::bit_cast<uint64_t>(back), std::bit_cast<uint64_t>(value)) << text;
    const double magnitude = std::fabs(value);
    ASSERT_EQ(text.find('e') == std::string::npos, magnitude == 0 || (magnitude >= 1e-5 && magnitude < 1e17)) << text;
  }
}

TEST(Version, NumberAndTextAgree) {
  const unsigned version = vmafx_version();
  EXPECT_EQ(vmafx_version_string(), std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 255) + "." +
                                        std::to_string(version & 255));
}

}  // namespace
