// SPDX-License-Identifier: Apache-2.0
// Cases that are run by MPI ranks: rank 0 runs the sweep, the others serve it.
#pragma once

#include <memory>

#include "harness/experiment/process/run_case.h"
#include "harness/experiment/process/supervisor.h"

namespace qb {

// True for cases that several processes run: ranks: mpi and nccl.
[[nodiscard]] bool is_of_many_processes(const Case& c);

// What rank 0 does around such a case. It does nothing on other ranks and for other cases.
class MpiCase {
 public:
  explicit MpiCase(const Case& c);  // tells the other ranks which case comes next
  ~MpiCase();                       // tells them that it is over
  // What rank 0 does next with the workload.
  static constexpr const char* kOpen = "open";
  static constexpr const char* kPrepare = "prepare";
  static constexpr const char* kTime = "time";
  static constexpr const char* kVerify = "verify";
  void announce(const char* what) const;
  MpiCase(const MpiCase&) = delete;
  MpiCase& operator=(const MpiCase&) = delete;

 private:
  bool announced_ = false;
};

// The other ranks call this; it returns when rank 0 calls end_mpi_cases().
void serve_mpi_cases(const OpenGpu& open_gpu = open_gpu_of);
void end_mpi_cases();

// Runs cases of several processes in this one, with the other ranks, and all others in a child
// process; both arguments outlive it. A rank of this host that dies makes its case `crashed`, one
// that never ends makes it `timeout`. Throws EnvironmentError for the next case after either, or
// after a rank that no longer answers; the cases so far are kept.
[[nodiscard]] std::unique_ptr<Launcher> mpi_launcher(Launcher& others,
                                                     const InterruptGuard& interrupt);

}  // namespace qb
