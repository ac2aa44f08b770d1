// What a case comes to before it runs: its plan, its work, and whether to try.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/execute/device/device_rehearsal.h"
#include "harness/experiment/schema/case.h"
#include "harness/experiment/schema/columns.h"
#include "harness/plan/plan.h"
#include "harness/plan/work/work.h"

namespace qb {

struct PlannedCase {
  int threads = 1;  // of the executor: all cores where the case leaves it open
  Plan plan;
  Work work;
  std::vector<double> worker_speeds;  // of each worker; empty: all 1
  std::optional<Rehearsal> gpu;       // instead of what follows from the CPU's kernels
};

// Throws Unsupported / UsageError as make_plan does.
[[nodiscard]] PlannedCase plan_case(const Case& c);

// Adds what a case of device: cuda takes and computes on one GPU; nothing to a case of several, to
// one that the GPU will refuse, or that is infeasible.
void rehearse_on_gpu(const Case& c, const cuda::KernelCosts& costs, PlannedCase& planned);
// Of the first GPU of this machine, for a case of device: cuda. Without one, what does not depend
// on it: everything for kernels other than flash, the pairs of flash where the case names its path.
[[nodiscard]] std::optional<cuda::GpuKernelCosts> costs_of_first_gpu(const Case& c);

// The predicted columns of case_table().columns.
[[nodiscard]] std::map<std::string, std::string> prediction_columns(const Case& c,
                                                                    const PlannedCase& planned);

// A sentence where the work cannot end before the timeout even at kOptimisticFlopPerS. Memory is no
// reason: the ledger refuses it before any is touched, and that is the data point.
inline constexpr double kOptimisticFlopPerS = 1e12;
inline constexpr double kOptimisticGpuFlopPerS = 2e15;
[[nodiscard]] std::optional<std::string> infeasible(const Case& c, double unmasked_flop);

}  // namespace qb
