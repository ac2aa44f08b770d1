// qb attend: any algorithm on a user's own tensors.
#pragma once

#include <functional>
#include <string>

#include "harness/cli/views/tensor_job.h"
#include "harness/execute/player/executor.h"
#include "interest_sets/split/distillation.h"

namespace qb {

struct AttendRequest : TensorJob {
  std::string q;  // paths of NPY files
  std::string k;
  std::string v;
  std::string lse;  // empty: not written
  std::string algorithm = "dense";
  int workers = 1;
  std::string interest_set;  // empty: the published one
  Distillation distillation = Distillation::published;
  Ranks ranks = Ranks::serial;
};

// execute(), or a fake of it in tests.
using Executor = std::function<Execution(Ranks, const Plan&, const ExecutionArguments&)>;

// Reads, computes, checks, and only then writes. Returns the summary table. Throws UsageError on
// inputs that do not fit, EnvironmentError where an output cannot be written, CaseError as the
// strategy and the executor do, and ExitError(regression) on an output that is not finite or, with
// `verify`, differs from float64: in each case no output file is written.
[[nodiscard]] std::string attend(const AttendRequest& request, const Executor& executor = execute);

}  // namespace qb
