// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/status.h"
#include "harness/run/device/cpu_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/runner/worker.h"

namespace qb {
namespace {

void check_arguments(const Plan& plan, const ExecutionArguments& arguments) {
  for (CallerTensor tensor : caller_tensors(plan)) {
    if (tensor.name == "out" && works_in_place(plan) && arguments.delta.data != nullptr)
      tensor = {&ExecutionArguments::delta, "delta", DType::f32, plan.problem.shape.lse()};
    const TensorView& view = arguments.*tensor.view;
    if (view.extent != tensor.extent || view.dtype != tensor.dtype || view.data == nullptr)
      throw std::invalid_argument(fmt::format(
          "execute: {} does not have the shape and type of the plan's problem", tensor.name));
  }
  if (arguments.allocator == nullptr || arguments.threads < 1)
    throw std::invalid_argument("execute: an allocator and at least one thread are needed");
}

// Returns the kernel time of the slowest worker among those with the most local queries.
double longest_subsequence_s(const Plan& plan, const std::vector<WorkerTime>& workers) {
  std::int64_t longest = 0;
  double seconds = 0.0;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const std::int64_t tokens = tokens_of(plan.q_groups, plan.workers.share(w).q_groups);
    if (tokens > longest || (tokens == longest && workers[w].compute_s > seconds))
      seconds = workers[w].compute_s;
    longest = std::max(longest, tokens);
  }
  return seconds;
}

Execution run(Ranks ranks, const Plan& plan, const ExecutionArguments& arguments) {
  if (ranks == Ranks::model)
    throw Unsupported("the model executor predicts times and computes no output");
  if (ranks == Ranks::nccl)
    throw Unsupported("ranks: nccl runs on GPUs; on the host the nearest is ranks: mpi");
  if (ranks == Ranks::mpi && plan.result == Result::tier)
    throw Unsupported("no rank over MPI has the memory tier that holds the whole tensors");
  if (ranks == Ranks::mpi) return execute_mpi(plan, arguments);
  // For a single worker that needs no copy both executors do the same.
  if (ranks == Ranks::threads && !works_in_place(plan)) return execute_threads(plan, arguments);
  return execute_serial(plan, arguments, *open_device(arguments, arguments.threads));
}

}  // namespace

std::vector<CallerTensor> caller_tensors(const Plan& plan) {
  using Arguments = ExecutionArguments;
  const Shape& shape = plan.problem.shape;
  const DType dtype = plan.problem.dtype;
  std::vector<CallerTensor> tensors = {
      {&Arguments::q, "q", dtype, shape.q()},
      {&Arguments::k, "k", dtype, shape.k()},
      {&Arguments::v, "v", dtype, shape.v()},
      {&Arguments::out, "out", DType::f32, shape.out()},
      {&Arguments::lse, "lse", DType::f32, plan.problem.kept_lse()},
      {&Arguments::d_out, "d_out", dtype, shape.out()},
      {&Arguments::d_q, "d_q", DType::f32, shape.q()},
      {&Arguments::d_k, "d_k", DType::f32, shape.k()},
      {&Arguments::d_v, "d_v", DType::f32, shape.v()}};
  if (plan.pass == Pass::forward)
    tensors.resize(5);
  else if (!plan.problem.sinks.empty())
    tensors.push_back({&Arguments::d_sinks, "d_sinks", DType::f32, shape.d_sinks()});
  return tensors;
}

std::unique_ptr<AttentionDevice> open_device(const ExecutionArguments& arguments, int threads) {
  if (arguments.open_device) return arguments.open_device(threads);
  return std::make_unique<CpuDevice>(threads);
}

void add_sums(const Plan& plan, Execution& execution) {
  execution.worker_sum_s = execution.delta_s;
  for (const WorkerTime& worker : execution.workers) execution.worker_sum_s += worker.total_s();
  execution.longest_subsequence_s = longest_subsequence_s(plan, execution.workers);
}

void add_peaks(const ExecutionArguments& arguments, Execution& execution) {
  const auto* ledger = dynamic_cast<const MemoryLedger*>(arguments.allocator);
  if (ledger == nullptr) return;
  for (std::size_t w = 0; w < execution.workers.size(); ++w)
    execution.workers[w].active_peak_bytes =
        static_cast<std::int64_t>(ledger->worker_peak_bytes(static_cast<int>(w)));
}

Execution execute(Ranks ranks, const Plan& plan, const ExecutionArguments& arguments) {
  if (plan.workers.empty()) throw std::invalid_argument("execute: the plan has no workers");
  if (!arguments.shard) check_arguments(plan, arguments);
  Execution execution = run(ranks, plan, arguments);
  if (ranks != Ranks::mpi) add_peaks(arguments, execution);
  add_sums(plan, execution);
  return execution;
}

}  // namespace qb
