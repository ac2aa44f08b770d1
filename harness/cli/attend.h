// qb attend: any algorithm on a user's own tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/execute/executor.h"
#include "interest_sets/distillation.h"

namespace qb {

struct AttendRequest {
  std::string q;  // paths of NPY files
  std::string k;
  std::string v;
  std::string out;
  std::string lse;  // empty: not written
  std::string algorithm = "dense";
  int workers = 1;
  std::string interest_set;  // empty: the published one
  Distillation distillation = Distillation::published;
  MaskSpec mask;
  Kernel kernel = Kernel::flash;
  std::optional<double> scale;  // 1/sqrt(head_dim)
  Ranks ranks = Ranks::serial;
  int threads = 0;  // 0: all cores
  DType out_dtype = DType::f32;
  bool verify = false;
  std::int64_t memory_budget_bytes = 0;  // 0: the machine's own
};

// execute(), or a fake of it in tests.
using Executor = std::function<Execution(Ranks, const Plan&, const ExecutionArguments&)>;

// Reads, computes, checks, and only then writes. Returns the summary table. Throws UsageError on
// inputs that do not fit, EnvironmentError where an output cannot be written, CaseError as the
// strategy and the executor do, and ExitError(regression) on an output that is not finite or, with
// `verify`, differs from float64: in each case no output file is written.
[[nodiscard]] std::string attend(const AttendRequest& request, const Executor& executor = execute);

}  // namespace qb
