// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/metrics/ssimulacra2/score.h"

#include <cmath>

#include "core/numeric/exact_math.h"

namespace vmafx::ssimulacra2 {

const float kTransferTable[kTransferSize] = {
#include "core/metrics/ssimulacra2/transfer_table.inc"
};

// Each line: ssim, artifact, detail loss.
const double kWeightTable[kWeights] = {
    0, 0.0007376606707406586, 0,  // X, scale 0, L1
    0, 0.0007793481682867309, 0,  // X, scale 0, L4
    0, 0.0004371155730107379, 0,  // X, scale 1, L1
    1.1041726426657346, 0.00066284834129271, 0.00015231632783718752,  // X, scale 1, L4
    0, 0.0016406437456599754, 0,  // X, scale 2, L1
    1.8422455520539298, 11.441172603757666, 0,  // X, scale 2, L4
    0.0007989109436015163, 0.000176816438078653, 0,  // X, scale 3, L1
    1.8787594979546387, 10.94906990605142, 0,  // X, scale 3, L4
    0.0007289346991508072, 0.9677937080626833, 0,  // X, scale 4, L1
    0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053,  // X, scale 4, L4
    0.0004550992113792063, 0, 0,  // X, scale 5, L1
    0.0013648766163243398, 0, 0,  // X, scale 5, L4
    0, 0, 0,  // Y, scale 0, L1
    7.466890328078848, 0, 17.445833984131262,  // Y, scale 0, L4
    0.0006235601634041466, 0, 0,  // Y, scale 1, L1
    6.683678146179332, 0.00037724407979611296, 1.027889937768264,  // Y, scale 1, L4
    225.20515300849274, 0, 0,  // Y, scale 2, L1
    19.213238186143016, 0.0011401524586618361, 0.001237755635509985,  // Y, scale 2, L4
    176.39317598450694, 0, 0,  // Y, scale 3, L1
    24.43300999870476, 0.28520802612117757, 0.0004485436923833408,  // Y, scale 3, L4
    0, 0, 0,  // Y, scale 4, L1
    34.77906344483772, 44.835625328877896, 0,  // Y, scale 4, L4
    0, 0, 0,  // Y, scale 5, L1
    0, 0, 0,  // Y, scale 5, L4
    0, 0.0008680556573291698, 0,  // B, scale 0, L1
    0, 0, 0,  // B, scale 0, L4
    0, 0.0005313191874358747, 0,  // B, scale 1, L1
    0.00016533814161379112, 0, 0,  // B, scale 1, L4
    0, 0, 0,  // B, scale 2, L1
    0.0004179171803251336, 0.0017290828234722833, 0,  // B, scale 2, L4
    0.0020827005846636437, 0, 0,  // B, scale 3, L1
    8.826982764996862, 23.19243343998926, 0,  // B, scale 3, L4
    95.1080498811086, 0.9863978034400682, 0.9834382792465353,  // B, scale 4, L1
    0.0012286405048278493, 171.2667255897307, 0.9807858872435379,  // B, scale 4, L4
    0, 0, 0,  // B, scale 5, L1
    0.0005130064588990679, 0, 0.00010854057858411537,  // B, scale 5, L4
};

void Norms::Set(int channel, int scale, const double sums[kSums], int64_t pixels) {
  const double r = 1.0 / static_cast<double>(pixels);
  for (int kind = 0; kind < kKinds; ++kind) {
    value[channel][scale][0][kind] = r * sums[2 * kind];
    value[channel][scale][1][kind] = std::sqrt(std::sqrt(r * sums[2 * kind + 1]));
  }
}

double WeightedSum(const Norms& norms, Numbering numbering) {
  double sum = 0.0;
  for (int channel = 0; channel < kChannels; ++channel)
    for (int scale = 0; scale < norms.scales; ++scale)
      for (int norm = 0; norm < kNorms; ++norm)
        for (int kind = 0; kind < kKinds; ++kind) {
          const double weight = kWeightTable[WeightIndex(numbering, norms.scales, channel, scale, norm, kind)];
          sum += weight * std::fabs(norms.value[channel][scale][norm][kind]);
        }
  return sum;
}

double Stretch(double weighted_sum) {
  const double s = weighted_sum * 0x1.e9980fba3a99ep-1;  // 0.9562382616834844
  // 2.326765642916932 s - 0.020884521182843837 s^2 + 6.248496625763138e-05 s^3
  return (0x1.29d374e2e46fp+1 * s - (0x1.562c07de448afp-6 * s) * s) + ((0x1.0614b8bd8881cp-14 * s) * s) * s;
}

double Score(double weighted_sum) {
  const double s = Stretch(weighted_sum);
  return s > 0.0 ? 100.0 - 10.0 * ExactPow(s, kScoreExponent) : 100.0;
}

}  // namespace vmafx::ssimulacra2
