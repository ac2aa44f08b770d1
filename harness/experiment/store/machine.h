// SPDX-License-Identifier: Apache-2.0
// Describes the machine from files of Linux, without user, addresses or serial numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qb {

// Empty fields and 0 mean "not available".
struct Machine {
  struct Cache {
    int level = 0;
    std::string type;  // Data, Instruction, Unified
    std::int64_t bytes = 0;
    std::string shared_by;  // processors, such as `0-1`
  };

  std::string cpu_model;     // `AMD EPYC, family 25 model 17`; virtual machines hide the rest
  int processors = 0;        // logical processors of the machine
  std::vector<int> usable;   // those that this process may run on (its affinity mask)
  double quota_cores = 0.0;  // processors' worth of time that its control group grants; 0: all
  std::string smt_siblings;  // of processor 0, such as `0,64`; itself alone without SMT
  std::string huge_pages;    // the kernel's policy: `always`, `madvise`, `never`
  // Variables of the environment that bind threads or choose kernels of libraries, NAME=VALUE.
  std::vector<std::string> variables;
  std::vector<std::string> isa;  // instruction sets that attention kernels use
  std::string governor;          // frequency policy of processor 0
  std::vector<Cache> caches;     // of processor 0
  std::int64_t memory_bytes = 0;
  std::int64_t memory_limit_bytes = 0;  // limit of the container (cgroup v2); 0: none
  std::string kernel;                   // `6.1.0-18-amd64`
  std::string distribution;             // `Debian GNU/Linux 12 (bookworm)`
  std::string hypervisor;               // `KVMKVMKVM`; empty on bare metal
  bool container = false;
};

// `root` is "/" except in tests, which make a folder with the same files.
[[nodiscard]] Machine probe_machine(const std::string& root = "/");

// The machine's name in its network.
[[nodiscard]] std::string host_name();

// Load averages over 1, 5 and 15 minutes as the kernel prints them; empty where there are none.
[[nodiscard]] std::string load_average();
// A machine was busy if its load average was above this, for each core.
inline constexpr double kBusyLoad = 0.5;

// Two machines with the same text give comparable times: processor, usable processors, instruction
// sets in short, and memory rounded up to the size on the label (24 GiB for 23.5 visible ones).
[[nodiscard]] std::string fingerprint(const Machine& machine);

}  // namespace qb
