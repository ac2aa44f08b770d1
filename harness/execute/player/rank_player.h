// SPDX-License-Identifier: Apache-2.0
// Plays one worker of a plan in a process of its own, from its shard to rank 0's output. ranks: mpi
// and ranks: nccl share this; they differ in the device of a rank and in what carries its tensors.
#pragma once

#include <functional>
#include <new>
#include <string>
#include <vector>

#include "harness/execute/player/worker.h"

namespace qb {

struct RankReport {
  Status status = Status::ok;
  bool told = false;  // the failure came from another rank
  double duration_s = 0.0;
  double device_s = 0.0;
  WorkerTime time{};
  std::string message{};
};

// A rank's part in a run. It never throws. The first failure is stored and sent to the other ranks,
// whose waits throw it; after that this rank only takes part in the shutdown.
class RankRun {
 public:
  explicit RankRun(RankTransport& ranks) : ranks_(ranks) {}

  template <class Body>
  void attempt(const Body& body) {
    if (report_.status == Status::ok) attempt_always(body);
  }
  template <class Body>
  void attempt_always(const Body& body) {
    try {
      body();
    } catch (const CaseError& error) {
      fail(error.status(), error.what());
    } catch (const std::bad_alloc&) {
      fail(Status::oom, "the heap has no more memory");
    } catch (const std::exception& error) {
      fail(Status::error, error.what());
    }
  }
  [[nodiscard]] RankReport& report() { return report_; }

 private:
  void fail(Status status, const std::string& message);

  RankTransport& ranks_;
  RankReport report_;
};

// Runs worker `rank`. Rank 0 is the root too: it holds the whole sequence, scatters and gathers if
// the plan does, and puts the output together. If tokens start and end sharded, every rank makes
// its own shard, and the output is collected outside the measured time. It never throws: a
// failure reaches the other ranks through their waits, and all end the run together, so that the
// next one finds no stray messages. messages: carries tensors; may be `ranks`. kept: see
// WorkerPlayer::Tools.
[[nodiscard]] RankReport play_rank(const Plan& plan, const ExecutionArguments& arguments,
                                   AttentionDevice& device, Transport& messages,
                                   RankTransport& ranks, int rank, KeptCalls* kept = nullptr);

// Throws Unsupported where this process is not one of at least so many ranks.
void require_ranks(int workers);

// Every rank of the MpiWorld, which must exist, calls it: the first `workers` ranks play, and rank
// 0 gets their reports, the others nothing.
using RankPlay = std::function<RankReport(RankTransport& ranks, int rank)>;
[[nodiscard]] std::vector<RankReport> reports_over_mpi(int workers, double timeout_s,
                                                       const RankPlay& play);
// The same with the execution, or the exception of any rank, at rank 0.
[[nodiscard]] Execution play_over_mpi(const Plan& plan, int workers, double timeout_s,
                                      const RankPlay& play);

// Throws the failure of the rank where it began, and names the rank.
void throw_failure(const std::vector<RankReport>& reports);

// Composes all ranks' reports. Throws as throw_failure() does.
[[nodiscard]] Execution execution_of(const Plan& plan, std::vector<RankReport> reports);

}  // namespace qb
