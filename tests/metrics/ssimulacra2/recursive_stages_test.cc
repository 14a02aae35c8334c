// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2, shared steps and profile recursive: values of single stages.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/metrics/ssimulacra2/recursive/plain.h"
#include "tests/pictures.h"
#include "tests/vectors.h"

namespace vmafx::ssimulacra2::recursive {
namespace {

using test::LoadVectorJson;
using test::ParseDouble;

float ParseFloat(const nlohmann::json& value) { return static_cast<float>(ParseDouble(value)); }

std::vector<float> ParseFloats(const nlohmann::json& list) {
  std::vector<float> values;
  for (const auto& value : list) values.push_back(ParseFloat(value));
  return values;
}

TEST(RecursiveStages, TransferTableIsTheCorrectlyRoundedOne) {
  // FNV-1a of the little-endian bytes.
  uint64_t hash = 14695981039346656037u;
  for (const float value : kTransferTable) {
    const uint32_t bits = Bits(value);
    for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (bits >> (8 * byte) & 0xff)) * 1099511628211u;
  }
  EXPECT_EQ(hash, 0xd11dd8a472976e4cu);
}

TEST(RecursiveStages, WeightsAreThePublishedOnes) {
  int used = 0;
  for (const double weight : kWeightTable) used += weight != 0.0;
  EXPECT_EQ(used, 52);
  // Places at both ends of the table and of each channel.
  EXPECT_EQ(kWeightTable[1], 0.0007376606707406586);
  EXPECT_EQ(kWeightTable[WeightIndex(Numbering::kFixed, 6, 1, 2, 0, 0)], 225.20515300849274);
  EXPECT_EQ(kWeightTable[WeightIndex(Numbering::kFixed, 2, 2, 4, 1, 1)], 171.2667255897307);
  EXPECT_EQ(kWeightTable[kWeights - 1], 0.00010854057858411537);
  EXPECT_EQ(WeightIndex(Numbering::kSlipping, 4, 1, 0, 0, 0), 24);
  EXPECT_EQ(WeightIndex(Numbering::kSlipping, 6, 2, 5, 1, 2), kWeights - 1);
}

TEST(RecursiveStages, PixelsToLinearAndXyb) {
  const auto rows = LoadVectorJson("stages").at("pixels");
  ASSERT_EQ(rows.size(), 72u);
  for (const auto& row : rows) {
    const int matrix = row.at("matrix");
    const Conversion conversion = MakeConversion(row.at("bpc"), (matrix & 1) != 0, (matrix & 2) != 0);
    const Rgb encoded = EncodedOfSamples(conversion, row.at("y"), row.at("u"), row.at("v"));
    const std::vector<float> linear = {LinearOfEncoded(kTransferTable, encoded.r),
                                       LinearOfEncoded(kTransferTable, encoded.g),
                                       LinearOfEncoded(kTransferTable, encoded.b)};
    EXPECT_EQ(linear, ParseFloats(row.at("linear"))) << row;
    const Xyb xyb = XybOfLinear(linear[0], linear[1], linear[2]);
    EXPECT_EQ((std::vector<float>{xyb.x, xyb.y, xyb.b}), ParseFloats(row.at("xyb"))) << row;
  }
}

TEST(RecursiveStages, CubeRoot) {
  const auto rows = LoadVectorJson("stages").at("cbrt");
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) EXPECT_EQ(CubeRoot(ParseFloat(row[0])), ParseFloat(row[1])) << row;
  EXPECT_EQ(CubeRoot(kOpsinBias), kOpsinBiasRoot);
}

TEST(RecursiveStages, TransferFunction) {
  const auto rows = LoadVectorJson("stages").at("eotf");
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows)
    EXPECT_EQ(LinearOfEncoded(kTransferTable, ParseFloat(row[0])), ParseFloat(row[1])) << row;
  EXPECT_EQ(LinearOfEncoded(kTransferTable, -0.25f), 0.0f);
  EXPECT_EQ(LinearOfEncoded(kTransferTable, 1.25f), 1.0f);
}

TEST(RecursiveStages, BlurOfOneLine) {
  const auto rows = LoadVectorJson("stages").at("blur1d");
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    const std::vector<float> in = ParseFloats(row.at("in"));
    std::vector<float> out(in.size());
    BlurLine(in.data(), out.data(), static_cast<int>(in.size()), 1);
    EXPECT_EQ(out, ParseFloats(row.at("out")));
  }
}

TEST(RecursiveStages, ScaleLimits) {
  // Scale k exists from 7 * 2^k + 1 on the smaller side.
  for (int k = 0; k < kMaxScales; ++k) {
    EXPECT_EQ(ScaleCount((7 << k) + 1, 4000), k + 1);
    EXPECT_EQ(ScaleCount(4000, 7 << k), k);
  }
}

TEST(RecursiveStages, FormatsThatAreRefused) {
  Format format = test::MakeFormat(64, 64, VMAFX_LAYOUT_420, 8);
  for (const int matrix : {1, 5, 6}) {
    format.matrix = matrix;
    EXPECT_TRUE(CheckFormat(format).ok());
  }
  for (const int matrix : {0, 4, 7, 9}) {
    format.matrix = matrix;
    EXPECT_EQ(CheckFormat(format).code(), VMAFX_ERROR_UNSUPPORTED);
  }
  for (const vmafx_layout layout : {VMAFX_LAYOUT_GRAY, VMAFX_LAYOUT_RGB}) {
    const Format refused = test::MakeFormat(64, 64, layout, 8);
    EXPECT_EQ(CheckFormat(refused).code(), VMAFX_ERROR_UNSUPPORTED);
  }
}

TEST(RecursiveStages, SumsThatAreNotFinite) {
  Sums sums;
  sums.width = sums.height = 8;
  sums.scales = 1;
  double score = 0.0;
  EXPECT_TRUE(ScoreOf(sums, &score).ok());
  EXPECT_EQ(score, 100.0);
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    sums.value[1][0][3] = bad;
    EXPECT_EQ(ScoreOf(sums, &score).code(), VMAFX_ERROR_INTERNAL);
  }
}

}  // namespace
}  // namespace vmafx::ssimulacra2::recursive
