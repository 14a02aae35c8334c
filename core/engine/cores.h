// SPDX-License-Identifier: BSD-2-Clause-Patent
// The parts of UsableCores() (workers.h) that read Linux's control groups.
#ifndef VMAFX_ENGINE_CORES_H_
#define VMAFX_ENGINE_CORES_H_

#include <string>

namespace vmafx {

// The CPU quota of the process's control groups and their parents, in cores, rounded up; 0: none is set.
// `membership` is the content of /proc/self/cgroup, `root` the mount point (/sys/fs/cgroup). Version 2 (cpu.max) and
// version 1 (cpu.cfs_quota_us); inside a container, where the paths of the membership do not exist, the root itself.
int ControlGroupCores(const std::string& membership, const std::string& root);

}  // namespace vmafx
#endif  // VMAFX_ENGINE_CORES_H_
