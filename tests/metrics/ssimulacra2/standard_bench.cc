// SPDX-License-Identifier: BSD-2-Clause-Patent
// Time per frame of the profile `standard` on the CPU, by instruction set and number of threads.
// Arguments: width, height, depth (default 1920 1080 8; 4:2:0).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "core/engine/workers.h"
#include "core/metrics/ssimulacra2/standard/cpu.h"
#include "hwy/highway.h"
#include "hwy/targets.h"
#include "tests/pictures.h"

namespace {

using namespace vmafx;

// Of one frame.
struct Milliseconds {
  double wall;       // median
  double processor;  // least; of all threads together: hardly sensitive to what else the machine does
};

Milliseconds Time(const PairFormat& format, const PairView& pair, int threads) {
  Workers workers(threads);
  ssimulacra2::standard::CpuMeter meter(format, workers);
  ssimulacra2::standard::FrameSums sums;
  std::vector<double> wall, processor;
  for (int i = 0; i < 15; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t clock = std::clock();
    meter.Measure(pair, workers, &sums);
    processor.push_back(1000.0 * static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC);
    wall.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(wall.begin(), wall.end());
  return {wall[wall.size() / 2], *std::min_element(processor.begin(), processor.end())};
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int fallback) { return argc > i ? std::atoi(argv[i]) : fallback; };
  const PairFormat format =
      test::MakePairFormat(test::MakeFormat(argument(1, 1920), argument(2, 1080), VMAFX_LAYOUT_420, argument(3, 8)));
  const test::Picture reference(format.reference, test::Content::kTexture, 1);
  const test::Picture distorted(format.distorted, test::Content::kTexture, 2);
  const PairView pair = {distorted.view(), reference.view()};
  for (const int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SSE4}) {
    if ((hwy::SupportedTargets() & target) == 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const int threads : {1, 2}) {
      const Milliseconds time = Time(format, pair, threads);
      std::printf("%-5s %d thread%s %7.1f ms, processor time %7.1f ms\n", hwy::TargetName(target), threads,
                  threads > 1 ? "s" : " ", time.wall, time.processor);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
  return 0;
}
