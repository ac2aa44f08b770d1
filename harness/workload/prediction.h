// SPDX-License-Identifier: Apache-2.0
// What is known of a case before it runs: its plan, its work, and whether to run it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/plan/work/work.h"
#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/runner/executor.h"
#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

struct PlannedCase {
  int threads = 1;               // the executor's; all cores where the case leaves it open
  Plan plan;                     // of the forward pass, with which a backward pass begins too
  std::optional<Plan> backward;  // where the case has such a pass
  bool times_forward = true;
  std::optional<std::string> flaw;  // what check() finds
  // These three are of the passes that are timed (in_sequence).
  Work work;
  PlanMemory memory;
  std::optional<Rehearsal> gpu;          // it replaces what follows from the CPU's kernels
  std::vector<Representatives> alike{};  // the workers of each
  std::int64_t backward_sent_bytes = 0;  // by the worker that sends most in that pass
  // With ranks: threads messages are delayed to match it, and the model takes it as the network's
  // speed.
  Network network;

  // The plans of the passes that are timed, in their order.
  [[nodiscard]] std::vector<const Plan*> timed() const;
};

// Throws Unsupported / UsageError as make_plan does, and Unsupported where the case's kernel has no
// backward pass on its device and needs one.
[[nodiscard]] PlannedCase plan_case(const Case& c);
// The work and memory of the plans that are there, as plan_case() adds them.
void add_work(const Case& c, PlannedCase& planned);

// The threads of the case's executor: all cores where the case leaves it open.
[[nodiscard]] int threads_of(const Case& c);

// How many threads of this host compute at once while such a case runs with so many threads.
[[nodiscard]] int busy_threads(const Case& c, int threads);

// Adds the memory and the pairs of a case of device: cuda on one GPU. Adds nothing to a case of
// several GPUs, to one that the GPU will refuse, or to one that is infeasible.
void rehearse_on_gpu(const Case& c, const cuda::KernelCosts& costs, PlannedCase& planned);
// The costs on this machine's first GPU, for a case of device: cuda. Without a GPU they hold what
// does not need one: everything but flash, and the pairs of flash where the case names its path.
[[nodiscard]] std::optional<cuda::GpuKernelCosts> costs_of_first_gpu(const Case& c);

// The predicted columns of a row.
[[nodiscard]] RowValues prediction_columns(const Case& c, const PlannedCase& planned);

// Predicts times with the cost model of the case, of each pass that is timed; measures this machine
// where the case names no file. Throws Unsupported where the model knows no such pass.
[[nodiscard]] std::vector<Execution> model_times(const Case& c, const PlannedCase& planned);

// Returns a sentence where the work cannot end before the timeout even at these rates; a modelled
// case does none. Memory is no reason: the ledger refuses an allocation before it is touched, and
// `oom` is then the result.
inline constexpr double kOptimisticFlopPerS = 1e12;
inline constexpr double kOptimisticGpuFlopPerS = 2e15;
[[nodiscard]] std::optional<std::string> infeasible(const Case& c, double unmasked_flop);

// What the two passes of a case come to where each repeat times one after the other: work, memory
// and times of the forward pass, then of the backward pass. The workers of both are the same. FLOP
// and bytes add up, and the steps of a worker follow each other. What is the same in both passes
// (tokens, pairs) is that of the first.
[[nodiscard]] Work in_sequence(Work first, const Work& second);

// What the first pass has taken is free again when the second begins, so that peaks are the larger
// of two. The second begins with more: dO and the gradients.
[[nodiscard]] PlanMemory in_sequence(PlanMemory first, const PlanMemory& second);
[[nodiscard]] Rehearsal in_sequence(Rehearsal first, const Rehearsal& second);

// Times add up, and the steps of the second pass start when the first has ended.
[[nodiscard]] Execution in_sequence(Execution first, const Execution& second);

}  // namespace qb
