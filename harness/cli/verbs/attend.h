// qb attend: any algorithm on a user's own tensors.
#pragma once

#include <functional>
#include <string>

#include "harness/cli/views/tensor_job.h"
#include "harness/execute/player/executor.h"

namespace qb {

struct AttendRequest : TensorJob {
  std::string q;  // paths of NPY files
  std::string k;
  std::string v;
  std::string lse;  // empty: not written
};

// execute(), or a fake of it in tests.
using Executor = std::function<Execution(Ranks, const Plan&, const ExecutionArguments&)>;

// Reads, computes and checks, and only then writes. Returns the summary table. Throws UsageError if
// inputs do not fit, EnvironmentError if an output cannot be written, CaseError as the strategy and
// the executor do, and ExitError(regression) if an output is not finite or, with `verify`, differs
// from float64. In each case no output file is written.
[[nodiscard]] std::string attend(const AttendRequest& request, const Executor& executor = execute);

}  // namespace qb
