#include "harness/plan/work/work.h"

#include <algorithm>

#include "harness/plan/blocks.h"
#include "harness/plan/work/tiling.h"
#include "harness/plan/work/worker_memory.h"

namespace qb {
namespace {

// What worker `index` keeps for itself of a collective does not travel.
std::int64_t bytes_of(const std::vector<Transfer>& transfers, int index) {
  std::int64_t bytes = 0;
  for (const Transfer& transfer : transfers)
    if (transfer.peer != index) bytes += transfer.bytes;
  return bytes;
}

std::int64_t whole_bytes(const Problem& problem) {
  const Shape& shape = problem.shape;
  const HeadRange heads{0, shape.q_heads};
  return tensor_bytes(problem, TensorRole::q, shape.q_len, heads) +
         tensor_bytes(problem, TensorRole::k, shape.kv_len, heads) +
         tensor_bytes(problem, TensorRole::v, shape.kv_len, heads) +
         tensor_bytes(problem, TensorRole::partial, shape.q_len, heads);
}

std::int64_t executed_pairs(const Plan& plan, const KernelCall& call, Kernel kernel,
                            std::int64_t query_tile) {
  // The paper's baseline computes the whole local matrix and masks the ban list afterwards.
  if (kernel == Kernel::materialized)
    return (call.q_end - call.q_begin) * (call.k_end - call.k_begin);
  std::int64_t pairs = 0;
  for (const PairTask& task : call.tasks)
    pairs += executed_pairs(plan, task, kernel, query_tile, call.tasks.size() == 1);
  return pairs;
}

// Pairs of all heads over the heads of the problem, rounded up: a worker may compute a share of the
// heads only.
std::int64_t per_head(std::int64_t pairs_of_heads, const Plan& plan) {
  return (pairs_of_heads + plan.problem.shape.q_heads - 1) / plan.problem.shape.q_heads;
}

// Keys that are there in step `step` for the worker: resident ones, in decoding those so far.
std::int64_t resident_keys(const Plan& plan, const Worker& worker, std::size_t step) {
  if (plan.kv_first_step.empty()) return tokens_of(plan.kv_groups, worker.kv_groups);
  std::int64_t tokens = 0;
  for (int group : worker.kv_groups)
    if (plan.kv_first_step[static_cast<std::size_t>(group)] <= static_cast<int>(step))
      tokens += plan.kv_groups[static_cast<std::size_t>(group)].count;
  return tokens;
}

WorkerWork work_of(const Plan& plan, int index, Kernel kernel, int threads) {
  const Worker& worker = plan.workers[static_cast<std::size_t>(index)];
  WorkerWork work;
  work.q_tokens = tokens_of(plan.q_groups, worker.q_groups);
  work.kv_tokens = tokens_of(plan.kv_groups, worker.kv_groups);
  const std::int64_t query_tile = kernel_tiles(kernel, plan.problem.shape.head_dim).query_tile;
  BlockTracker blocks(plan, worker);
  for (std::size_t s = 0; s < worker.steps.size(); ++s) {
    const Step& step = worker.steps[s];
    blocks.enter_step();
    StepWork step_work;
    step_work.bytes_in = bytes_of(step.receives, index);
    step_work.bytes_out = bytes_of(step.sends, index);
    step_work.kv_tokens = resident_keys(plan, worker, s);
    std::int64_t unmasked = 0;
    std::int64_t executed = 0;
    for (const KernelCall& call : blocks.take_calls()) {
      const std::int64_t heads = call.heads.end - call.heads.begin;
      for (const PairTask& task : call.tasks) unmasked += heads * task_pairs(plan, task);
      executed += heads * executed_pairs(plan, call, kernel, query_tile);
    }
    (void)blocks.leave_step();
    step_work.unmasked_pairs = per_head(unmasked, plan);
    step_work.executed_pairs = per_head(executed, plan);
    work.unmasked_pairs += step_work.unmasked_pairs;
    work.executed_pairs += step_work.executed_pairs;
    work.bytes_in += step_work.bytes_in;
    work.bytes_out += step_work.bytes_out;
    work.steps.push_back(step_work);
  }
  work.active_peak_bytes =
      works_in_place(plan)
          ? kernel_workspace_bytes(kernel, plan.problem.shape.q(), plan.problem.shape.k(),
                                   plan.problem.dtype, threads, plan.problem.shape.value_dim,
                                   work.executed_pairs)
          : worker_peak_bytes(plan, index, kernel, threads);
  return work;
}

std::int64_t bytes_from_root(const Worker& worker) {
  std::int64_t bytes = 0;
  for (const Step& step : worker.steps)
    for (const Transfer& transfer : step.receives)
      if (transfer.peer == kRoot) bytes += transfer.bytes;
  return bytes;
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

// Of a causal block, `flash` and `staged` compute tiles of query_tile rows and every key up to the
// last one that the tile's last row sees.
std::int64_t executed_pairs(const Plan& plan, const PairTask& task, Kernel kernel,
                            std::int64_t query_tile, bool alone) {
  if (task.allowed == Allowed::pattern && kernel != Kernel::reference) {
    const KernelTiles tiles = kernel_tiles(kernel, plan.problem.shape.head_dim);
    return count_pairs(plan.problem.mask, {mask_block(plan, task)},
                       {query_tile, tiles.key_step, tiles.row_group, tiles.residue_classes && alone,
                        tiles.row_cost})
        .executed;
  }
  const bool by_tiles = kernel == Kernel::flash || kernel == Kernel::staged;
  if (task.allowed == Allowed::all || !by_tiles) return task_pairs(plan, task);
  const std::int64_t n_queries = plan.q_groups[static_cast<std::size_t>(task.q_group)].count;
  const std::int64_t n_keys = plan.kv_groups[static_cast<std::size_t>(task.kv_group)].count;
  std::int64_t pairs = 0;
  for (std::int64_t begin = 0; begin < n_queries; begin += query_tile) {
    const std::int64_t end = std::min(begin + query_tile, n_queries);
    pairs += (end - begin) * std::clamp<std::int64_t>(end + task.offset, 0, n_keys);
  }
  return pairs;
}

Work model_work(const Plan& plan, Kernel kernel, int threads) {
  const Shape& shape = plan.problem.shape;
  Work work;
  work.unmasked_pairs = unmasked_pairs(plan.problem);
  work.rows_without_keys = rows_without_keys(plan.problem);
  work.workers.reserve(plan.workers.size());
  std::int64_t worst_worker_bytes = 0;
  work.shortest_subsequence = shape.q_len;
  for (int w = 0; w < static_cast<int>(plan.workers.size()); ++w) {
    work.workers.push_back(work_of(plan, w, kernel, threads));
    const WorkerWork& last = work.workers.back();
    work.executed_pairs += last.executed_pairs;
    work.bytes_total += last.bytes_out + bytes_from_root(plan.workers[static_cast<std::size_t>(w)]);
    work.sent_bytes_max = std::max(work.sent_bytes_max, last.bytes_out);
    work.longest_subsequence = std::max(work.longest_subsequence, last.q_tokens);
    work.shortest_subsequence = std::min(work.shortest_subsequence, last.q_tokens);
    worst_worker_bytes = std::max(worst_worker_bytes, last.active_peak_bytes);
  }
  work.critical_path_pairs = critical_path(plan, work.workers);
  work.responsibility_ratio =
      static_cast<double>(work.unmasked_pairs) /
      static_cast<double>(std::max<std::int64_t>(work.critical_path_pairs, 1));
  work.worker_peak_bytes = worst_worker_bytes;
  work.serial_peak_bytes = whole_bytes(plan.problem) + worst_worker_bytes;
  if (communicates(plan)) {
    work.serial_peak_bytes = whole_bytes(plan.problem);
    for (const WorkerWork& worker : work.workers)
      work.serial_peak_bytes += worker.active_peak_bytes;
  }
  work.flops = 2.0 * static_cast<double>(work.unmasked_pairs) *
               static_cast<double>(shape.batch * shape.q_heads) *
               static_cast<double>(shape.head_dim + shape.value_dim);
  return work;
}

}  // namespace qb
