// Cases that are played by MPI ranks: rank 0 runs the sweep, the others serve it.
#pragma once

#include <functional>
#include <memory>

#include "harness/experiment/process/supervisor.h"

namespace qb {

// True for cases that several processes play: ranks: mpi and nccl.
[[nodiscard]] bool is_of_many_processes(const Case& c);

// What rank 0 does around such a case. Elsewhere, and for other cases, nothing.
class MpiCase {
 public:
  // Tells the other ranks which case comes.
  explicit MpiCase(const Case& c);
  // Tells them that it is over.
  ~MpiCase();
  // ranks: nccl. Tells them that a NcclRank is made.
  void announce_link() const;
  // Tells them that execute() comes; see ExecutionArguments for `verifying`.
  void announce_execution(bool verifying) const;
  MpiCase(const MpiCase&) = delete;
  MpiCase& operator=(const MpiCase&) = delete;

 private:
  bool announced_ = false;
};

// What the other ranks do until rank 0 says that there is nothing more.
// open_gpu: fakes in tests.
using OpenGpuOfCase = std::function<std::unique_ptr<ComputeDevice>(const Case&)>;
[[nodiscard]] std::unique_ptr<ComputeDevice> open_gpu_of_case(const Case& c);
void serve_mpi_cases(const OpenGpuOfCase& open_gpu = open_gpu_of_case);
void end_mpi_cases();

// Plays cases of several processes in this one, with the other ranks; all others in a child process
// as ever. A rank of this host that dies makes its case `crashed`, one that computes without end
// `timeout`. Throws EnvironmentError for the next case after either, or after a rank that has
// stopped to answer: the cases so far are kept.
class MpiLauncher final : public Launcher {
 public:
  MpiLauncher(Launcher& others, const InterruptGuard& interrupt)
      : others_(others), interrupt_(interrupt) {}
  [[nodiscard]] CaseResult launch(const Case& c, const CasePaths& paths) override;

 private:
  Launcher& others_;
  const InterruptGuard& interrupt_;
};

}  // namespace qb
