// SPDX-License-Identifier: BSD-2-Clause-Patent
// Times the CPU form of every metric of the table, without a session:
//   bench_cpu [WIDTH HEIGHT [DEPTH]] [metric=NAME] [threads=N] [OPTION=VALUE...]
// Prints the median and the least time of a pair in milliseconds, then the median of all threads' processor time, with one
// thread and with N (2), on the best and on each lower instruction set. Options are those of the metrics
// (ssimulacra2_profile=recursive). Three different pairs take turns, so that caches see what a stream shows them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/workers.h"
#include "core/metrics/metric.h"
#include "hwy/highway.h"
#include "hwy/targets.h"

namespace {

using vmafx::PairFormat;
using vmafx::PairView;

constexpr int kPairs = 3;

// A picture that moves and its noisy copy: smooth slopes, edges, a little grain.
struct Source {
  Source(const PairFormat& format, bool noisy, unsigned seed) {
    const int bytes = format.depth > 8 ? 2 : 1;
    const unsigned max = (1u << format.depth) - 1;
    unsigned state = seed * 2654435761u + 1;
    for (int c = 0; c < 3; ++c) {
      const int width = format.reference.component_width(c), height = format.reference.component_height(c);
      planes[c].resize(static_cast<size_t>(width) * static_cast<size_t>(height) * static_cast<size_t>(bytes));
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const unsigned sx = static_cast<unsigned>(x) + 3 * seed, sy = static_cast<unsigned>(y) + seed;
          unsigned value = (sx * 5 + sy * 3) % 640 / 4 + 40 + ((sx / 48 + sy / 32) % 3) * 20;
          state = state * 1664525u + 1013904223u;
          value += (state >> 28) + (noisy ? (state >> 24 & 7) : 0);
          value = std::min(value << (format.depth - 8), max);
          const size_t at = (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) *
                            static_cast<size_t>(bytes);
          planes[c][at] = static_cast<uint8_t>(value);
          if (bytes == 2) planes[c][at + 1] = static_cast<uint8_t>(value >> 8);
        }
      }
      view.component[c] = {planes[c].data(), ptrdiff_t{width} * bytes, bytes, width, height, bytes, 0, 0, false};
    }
  }
  std::vector<uint8_t> planes[3];
  vmafx::PictureView view;
};

struct Arguments {
  int width = 1920, height = 1080, depth = 8, threads = 2;
  std::string metric;  // empty: all
  vmafx::Options options;
};

bool KnownOption(std::string_view name, std::string_view value) {
  for (const vmafx::Metric* metric : vmafx::Metrics())
    for (const vmafx::OptionInfo& option : metric->options())
      if (option.name == name) return metric->CheckOption(name, value).ok();
  return false;
}

std::optional<Arguments> Parse(int argc, char** argv) {
  Arguments a;
  std::vector<int> numbers;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    const size_t equals = text.find('=');
    if (equals == text.npos) {
      numbers.push_back(std::atoi(argv[i]));
      continue;
    }
    const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
    if (name == "metric" && vmafx::FindMetric(value) != nullptr) {
      a.metric = value;
    } else if (name == "threads") {
      a.threads = std::atoi(argv[i] + equals + 1);
    } else if (KnownOption(name, value)) {
      a.options.Set(name, value);
    } else {
      return std::nullopt;
    }
  }
  if (numbers.size() == 1 || numbers.size() > 3) return std::nullopt;
  if (numbers.size() >= 2) {
    a.width = numbers[0];
    a.height = numbers[1];
  }
  if (numbers.size() == 3) a.depth = numbers[2];
  if (a.width < 16 || a.height < 16 || a.depth < 8 || a.depth > 16 || a.threads < 1) return std::nullopt;
  return a;
}

struct Milliseconds {
  double median, least, processor;
};

double Median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Milliseconds Time(const vmafx::Metric& metric, const PairFormat& format, const std::vector<PairView>& pairs,
                  const vmafx::Options& options, int threads) {
  vmafx::Workers workers(threads);
  const auto extractor = metric.MakeCpu(format, options, workers);
  std::vector<double> values(metric.Features(options).size());
  std::vector<double> times, processor_times;
  double total = 0;
  for (size_t i = 0; i < 8 || (total < 1000 && i < 200); ++i) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t processor_start = std::clock();
    if (!extractor->Extract(pairs[i % pairs.size()], workers, values).ok()) return {-1, -1, -1};
    const std::clock_t processor_time = std::clock() - processor_start;
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (i >= 3) {
      times.push_back(time.count());
      processor_times.push_back(1000.0 * static_cast<double>(processor_time) / CLOCKS_PER_SEC);
    }
    total += time.count();
  }
  return {Median(times), *std::min_element(times.begin(), times.end()), Median(processor_times)};
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = Parse(argc, argv);
  if (!arguments) {
    std::fprintf(stderr,
                 "usage: bench_cpu [WIDTH HEIGHT [DEPTH]] [metric=NAME] [threads=N] [OPTION=VALUE...], at least 16x16, "
                 "depth 8 to 16\n");
    return 1;
  }
  vmafx::Format picture;
  picture.width = arguments->width;
  picture.height = arguments->height;
  picture.depth = arguments->depth;
  const PairFormat format{picture, picture, picture.depth};
  std::vector<Source> sources;
  std::vector<PairView> pairs;
  for (unsigned i = 0; i < kPairs; ++i) {
    sources.emplace_back(format, true, i);
    sources.emplace_back(format, false, i);
  }
  for (size_t i = 0; i < kPairs; ++i) pairs.push_back({sources[2 * i].view, sources[2 * i + 1].view});

  std::printf("%dx%d, %d bits, 4:2:0, ms per pair\n", picture.width, picture.height, picture.depth);
  const std::string several = std::to_string(arguments->threads) + (arguments->threads == 1 ? " thread" : " threads");
  std::printf("%-12s %-7s %9s %9s %9s %10s %9s %9s\n", "metric", "target", "1 thread", "least", "processor",
              several.c_str(), "least", "processor");
  const int64_t supported = hwy::SupportedTargets() & (HWY_TARGETS | HWY_AVX3_DL);
  for (const vmafx::Metric* metric : vmafx::Metrics()) {
    if (!arguments->metric.empty() && arguments->metric != metric->info().name) continue;
    for (int64_t rest = supported; rest != 0; rest &= rest - 1) {
      const int64_t target = rest & -rest;
      if (target > HWY_SSE4) break;
      hwy::SetSupportedTargetsForTest(rest);  // code not compiled for this target uses the next lower one
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      const Milliseconds one = Time(*metric, format, pairs, arguments->options, 1);
      const Milliseconds more = Time(*metric, format, pairs, arguments->options, arguments->threads);
      std::printf("%-12s %-7s %9.3f %9.3f %9.3f %10.3f %9.3f %9.3f\n", metric->info().name, hwy::TargetName(target),
                  one.median, one.least, one.processor, more.median, more.least, more.processor);
    }
  }
  return 0;
}
