#include "harness/execute/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/base/status.h"
#include "harness/execute/worker.h"

namespace qb {
namespace {

void check_transfers(const Plan& plan, Ranks ranks, const std::vector<Transfer>& transfers,
                     std::size_t worker, std::size_t step) {
  for (const Transfer& transfer : transfers) {
    if (transfer.kind == TransferKind::scatter || transfer.kind == TransferKind::gather) continue;
    throw Unsupported(fmt::format(
        "{} moves {} by {} in step {} of worker {}; the {} executor has no transport "
        "between workers and plays only plans that scatter and gather",
        plan.algorithm, word(transfer.what), word(transfer.kind), step, worker, word(ranks)));
  }
}

void check_playable(const Plan& plan, Ranks ranks) {
  if (plan.workers.empty()) throw std::invalid_argument("execute: the plan has no workers");
  const HeadRange all_heads{0, plan.problem.shape.q_heads};
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    for (std::size_t s = 0; s < plan.workers[w].steps.size(); ++s) {
      const Step& step = plan.workers[w].steps[s];
      check_transfers(plan, ranks, step.receives, w, s);
      check_transfers(plan, ranks, step.sends, w, s);
      for (const PairTask& task : step.tasks)
        if (task.heads != all_heads)
          throw Unsupported(
              fmt::format("{} splits heads in step {} of worker {}; the {} executor computes all "
                          "heads of a worker's tokens at once",
                          plan.algorithm, s, w, word(ranks)));
    }
  }
}

void check_tensor(const TensorView& view, const Extent& extent, DType dtype,
                  std::string_view name) {
  if (view.extent != extent || view.dtype != dtype || view.data == nullptr)
    throw std::invalid_argument(
        fmt::format("execute: {} does not have the shape and type of the plan's problem", name));
}

void check_arguments(const Plan& plan, const ExecutionArguments& arguments) {
  const Shape& shape = plan.problem.shape;
  check_tensor(arguments.q, shape.q(), plan.problem.dtype, "q");
  check_tensor(arguments.k, shape.k(), plan.problem.dtype, "k");
  check_tensor(arguments.v, shape.v(), plan.problem.dtype, "v");
  check_tensor(arguments.out, shape.out(), DType::f32, "out");
  check_tensor(arguments.lse, shape.lse(), DType::f32, "lse");
  if (arguments.allocator == nullptr || arguments.threads < 1)
    throw std::invalid_argument("execute: an allocator and at least one thread are needed");
}

// Of the workers with the most local queries, the slowest one's kernels.
double longest_subsequence_s(const Plan& plan, const std::vector<WorkerTime>& workers) {
  std::int64_t longest = 0;
  double seconds = 0.0;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const std::int64_t tokens = local_layout(plan, plan.workers[w]).q_tokens;
    if (tokens > longest || (tokens == longest && workers[w].compute_s > seconds))
      seconds = workers[w].compute_s;
    longest = std::max(longest, tokens);
  }
  return seconds;
}

}  // namespace

Execution execute(Ranks ranks, const Plan& plan, const ExecutionArguments& arguments) {
  check_playable(plan, ranks);
  check_arguments(plan, arguments);
  // A single worker that needs no copy is the same in every executor.
  Execution execution = ranks == Ranks::serial || works_in_place(plan)
                            ? execute_serial(plan, arguments)
                            : execute_threads(plan, arguments);
  if (ranks == Ranks::threads) execution.critical_path_s = execution.wall_s;
  for (const WorkerTime& worker : execution.workers) execution.worker_sum_s += worker.total_s();
  execution.longest_subsequence_s = longest_subsequence_s(plan, execution.workers);
  return execution;
}

}  // namespace qb
