#include "harness/plan/work.h"

#include <algorithm>

#include "harness/plan/tiling.h"

namespace qb {
namespace {

// Pairs that `flash` computes for a task: tiles of query_tile rows, and of a causal block every key
// up to the last one that the tile's last row sees.
std::int64_t executed_pairs(const Plan& plan, const PairTask& task, std::int64_t query_tile) {
  if (task.allowed == Allowed::all) return task_pairs(plan, task);
  const std::int64_t n_queries = plan.q_groups[static_cast<std::size_t>(task.q_group)].count;
  const std::int64_t n_keys = plan.kv_groups[static_cast<std::size_t>(task.kv_group)].count;
  std::int64_t pairs = 0;
  for (std::int64_t begin = 0; begin < n_queries; begin += query_tile) {
    const std::int64_t end = std::min(begin + query_tile, n_queries);
    pairs += (end - begin) * std::clamp<std::int64_t>(end + task.offset, 0, n_keys);
  }
  return pairs;
}

std::int64_t bytes_of(const std::vector<Transfer>& transfers) {
  std::int64_t bytes = 0;
  for (const Transfer& transfer : transfers) bytes += transfer.bytes;
  return bytes;
}

std::int64_t tensor_bytes(Extent extent, std::int64_t tokens, DType dtype) {
  extent.length = tokens;
  return extent.elements() * size_of(dtype);
}

WorkerWork work_of(const Plan& plan, const Worker& worker, Kernel kernel, int threads) {
  const Shape& shape = plan.problem.shape;
  const DType dtype = plan.problem.dtype;
  const KernelTiles tiles = kernel_tiles(kernel, shape.head_dim);
  const LocalLayout layout = local_layout(plan, worker);
  WorkerWork work;
  work.q_tokens = layout.q_tokens;
  work.kv_tokens = layout.kv_tokens;
  for (const Step& step : worker.steps) {
    StepWork step_work{0, 0, bytes_of(step.receives), bytes_of(step.sends)};
    for (const PairTask& task : step.tasks) {
      step_work.unmasked_pairs += task_pairs(plan, task);
      if (kernel == Kernel::flash)
        step_work.executed_pairs += executed_pairs(plan, task, tiles.query_tile);
    }
    if (kernel == Kernel::reference) step_work.executed_pairs = step_work.unmasked_pairs;
    // The paper's baseline computes the whole local matrix and masks the ban list afterwards.
    if (kernel == Kernel::materialized) step_work.executed_pairs = work.q_tokens * work.kv_tokens;
    work.unmasked_pairs += step_work.unmasked_pairs;
    work.executed_pairs += step_work.executed_pairs;
    work.bytes_in += step_work.bytes_in;
    work.bytes_out += step_work.bytes_out;
    work.steps.push_back(step_work);
  }
  Extent q = shape.q();
  Extent k = shape.k();
  q.length = work.q_tokens;
  k.length = work.kv_tokens;
  work.active_peak_bytes = kernel_workspace_bytes(kernel, q, k, dtype, threads, shape.value_dim);
  if (!works_in_place(plan))
    work.active_peak_bytes += tensor_bytes(shape.q(), work.q_tokens, dtype) +
                              tensor_bytes(shape.k(), work.kv_tokens, dtype) +
                              tensor_bytes(shape.v(), work.kv_tokens, dtype) +
                              tensor_bytes(shape.out(), work.q_tokens, DType::f32) +
                              tensor_bytes(shape.lse(), work.q_tokens, DType::f32);
  return work;
}

std::int64_t critical_path(const Plan& plan, const std::vector<WorkerWork>& workers) {
  std::int64_t pairs = 0;
  if (plan.synchronisation == Synchronisation::fork_join) {
    for (const WorkerWork& worker : workers) pairs = std::max(pairs, worker.unmasked_pairs);
    return pairs;
  }
  std::size_t rounds = 0;
  for (const WorkerWork& worker : workers) rounds = std::max(rounds, worker.steps.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    std::int64_t slowest = 0;
    for (const WorkerWork& worker : workers)
      if (round < worker.steps.size())
        slowest = std::max(slowest, worker.steps[round].unmasked_pairs);
    pairs += slowest;
  }
  return pairs;
}

}  // namespace

Work model_work(const Plan& plan, Kernel kernel, int threads) {
  const Shape& shape = plan.problem.shape;
  const DType dtype = plan.problem.dtype;
  Work work;
  work.unmasked_pairs = unmasked_pairs(plan.problem);
  work.workers.reserve(plan.workers.size());
  std::int64_t worst_worker_bytes = 0;
  work.shortest_subsequence = shape.q_len;
  for (const Worker& worker : plan.workers) {
    work.workers.push_back(work_of(plan, worker, kernel, threads));
    const WorkerWork& last = work.workers.back();
    work.executed_pairs += last.executed_pairs;
    work.bytes_total += last.bytes_in + last.bytes_out;
    work.longest_subsequence = std::max(work.longest_subsequence, last.q_tokens);
    work.shortest_subsequence = std::min(work.shortest_subsequence, last.q_tokens);
    worst_worker_bytes = std::max(worst_worker_bytes, last.active_peak_bytes);
  }
  work.critical_path_pairs = critical_path(plan, work.workers);
  work.responsibility_ratio =
      static_cast<double>(work.unmasked_pairs) /
      static_cast<double>(std::max<std::int64_t>(work.critical_path_pairs, 1));
  work.serial_peak_bytes = tensor_bytes(shape.q(), shape.q_len, dtype) +
                           tensor_bytes(shape.k(), shape.kv_len, dtype) +
                           tensor_bytes(shape.v(), shape.kv_len, dtype) +
                           tensor_bytes(shape.out(), shape.q_len, DType::f32) +
                           tensor_bytes(shape.lse(), shape.q_len, DType::f32) + worst_worker_bytes;
  work.flops = 2.0 * static_cast<double>(work.unmasked_pairs) *
               static_cast<double>(shape.batch * shape.q_heads) *
               static_cast<double>(shape.head_dim + shape.value_dim);
  return work;
}

}  // namespace qb
