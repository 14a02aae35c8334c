// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/cores.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

#include "core/engine/workers.h"

namespace vmafx {
namespace {

int Cores(int64_t quota, int64_t period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::min<int64_t>((quota - 1) / period + 1, 1 << 20));
}

// cpu.max holds "max 100000" or "150000 100000".
int ReadVersion2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  int64_t quota = 0, period = 0;
  if (!(file >> quota >> period)) return 0;
  return Cores(quota, period);
}

int ReadVersion1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
  int64_t quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period)) return 0;
  return Cores(quota, period);
}

// The smallest quota from `path` up to the root.
int Least(const std::string& root, std::string path, int (*read)(const std::string&)) {
  int least = 0;
  for (;;) {
    if (const int cores = read(root + path); cores > 0 && (least == 0 || cores < least)) least = cores;
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return least;
    path.resize(slash);
  }
}

bool Lists(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == name) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

#ifdef __linux__
// The kernel refuses a mask smaller than its own, so the mask grows until it fits.
int AffinityCores() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (!set) return 0;
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    const int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return 0;
}
#endif

}  // namespace

int ControlGroupCores(const std::string& membership, const std::string& root) {
  int least = 0;
  const auto take = [&least](int cores) {
    if (cores > 0 && (least == 0 || cores < least)) least = cores;
  };
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // hierarchy:controllers:path
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      take(Least(root, path, ReadVersion2));
    } else if (Lists(controllers, "cpu")) {
      take(Least(root + "/cpu", path, ReadVersion1));
      take(Least(root + "/" + controllers, path, ReadVersion1));
    }
  }
  return least;
}

int UsableCores() {
  int cores = 0;
#ifdef __linux__
  cores = AffinityCores();
  std::ifstream file("/proc/self/cgroup");
  const std::string membership((std::istreambuf_iterator<char>(file)), {});
  const int quota = ControlGroupCores(membership, "/sys/fs/cgroup");
#else
  const int quota = 0;
#endif
  if (cores == 0) cores = static_cast<int>(std::thread::hardware_concurrency());
  if (quota > 0) cores = std::min(cores, quota);
  return std::max(cores, 1);
}

}  // namespace vmafx
