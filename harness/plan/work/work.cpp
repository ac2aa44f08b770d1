// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/work/work.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "harness/plan/blocks.h"
#include "harness/plan/representatives.h"

namespace qb {
namespace {

// The share of a collective that worker `index` keeps for itself is not sent.
std::int64_t bytes_of(const std::vector<Transfer>& transfers, int index) {
  std::int64_t bytes = 0;
  for (const Transfer& transfer : transfers)
    if (transfer.peer != index) bytes += transfer.bytes;
  return bytes;
}

std::int64_t executed_pairs(const Plan& plan, const KernelCall& call, Kernel kernel,
                            std::int64_t query_tile) {
  // The paper's baseline computes the whole local matrix and masks the ban list afterwards.
  if (row_of(kernel).computes == Computes::matrix)
    return (call.q_end - call.q_begin) * (call.k_end - call.k_begin);
  std::int64_t pairs = 0;
  for (const PairTask& task : call.tasks)
    pairs += executed_pairs(plan, task, kernel, query_tile, call.tasks.size() == 1);
  return pairs;
}

// Divides by the heads of the problem and rounds up: a worker may compute a share of them only.
std::int64_t per_head(std::int64_t pairs_of_heads, const Plan& plan) {
  return (pairs_of_heads + plan.problem.shape.q_heads - 1) / plan.problem.shape.q_heads;
}

// Returns the worker's keys in a step: the resident ones, in decoding those that exist so far.
std::int64_t resident_keys(const Plan& plan, const Worker& worker, std::size_t step) {
  if (plan.kv_first_step.empty()) return tokens_of(plan.kv_groups, worker.kv_groups);
  std::int64_t tokens = 0;
  for (int group : worker.kv_groups)
    if (plan.kv_first_step[static_cast<std::size_t>(group)] <= static_cast<int>(step))
      tokens += group_at(plan.kv_groups, group).count;
  return tokens;
}

std::int64_t bytes_from_root(const Worker& worker) {
  std::int64_t bytes = 0;
  for (const Step& step : worker.steps)
    for (const Transfer& transfer : step.receives)
      if (transfer.peer == kRoot) bytes += transfer.bytes;
  return bytes;
}

WorkerWork without_steps(const WorkerWork& work) {
  return {work, work.q_tokens, work.bytes_from_root, {}};
}

// Leaves out the sums over the steps.
WorkerWork walk(const Plan& plan, const Worker& worker, int index, Kernel kernel) {
  WorkerWork work;
  work.q_tokens = tokens_of(plan.q_groups, worker.q_groups);
  work.kv_tokens = tokens_of(plan.kv_groups, worker.kv_groups);
  work.bytes_from_root = bytes_from_root(worker);
  const std::int64_t query_tile = kernel_tiles(kernel, plan.problem.shape.head_dim).query_tile;
  BlockTracker blocks(plan, worker);
  for (std::size_t s = 0; s < worker.steps.size(); ++s) {
    const Step& step = worker.steps[s];
    blocks.enter_step();
    std::int64_t unmasked = 0;
    std::int64_t executed = 0;
    for (const KernelCall& call : blocks.take_calls()) {
      const std::int64_t heads = call.heads.end - call.heads.begin;
      for (const PairTask& task : call.tasks) unmasked += heads * task_pairs(plan, task);
      executed += heads * executed_pairs(plan, call, kernel, query_tile);
    }
    (void)blocks.leave_step();
    work.steps.push_back({.unmasked_pairs = per_head(unmasked, plan),
                          .executed_pairs = per_head(executed, plan),
                          .bytes_in = bytes_of(step.receives, index),
                          .bytes_out = bytes_of(step.sends, index),
                          .kv_tokens = resident_keys(plan, worker, s)});
  }
  return work;
}

// The pairs of a step's calls, of all their heads.
struct StepPairs {
  std::int64_t unmasked = 0;
  std::int64_t executed = 0;
};

// Walks through a plan's workers one after another, or through their representatives.
class WorkWalk {
 public:
  WorkWalk(const Plan& plan, Kernel kernel)
      : plan_(plan),
        kernel_(kernel),
        query_tile_(kernel_tiles(kernel, plan.problem.shape.head_dim).query_tile),
        representatives_(plan) {
    for (std::size_t i = 0; i < representatives_.size(); ++i) {
      const Plan like = representatives_.plan(i);
      walked_.push_back(walk(like, like.workers[0], 0, kernel));
    }
    if (const CountedCalls* const counted = representatives_.counted())
      for (std::size_t s = 0; s < walked_[0].steps.size(); ++s)
        pairs_.emplace_back(counted->n_classes(s));
  }

  // Returns the worker's work, with its steps. It is valid until the next call.
  const WorkerWork& of(int w) {
    if (walked_.empty()) {
      Worker scratch;
      last_ = walk(plan_, plan_.workers.read(static_cast<std::size_t>(w), scratch), w, kernel_);
    } else {
      like_representatives(w);
    }
    for (const StepWork& step : last_.steps) {
      last_.unmasked_pairs += step.unmasked_pairs;
      last_.executed_pairs += step.executed_pairs;
      last_.bytes_in += step.bytes_in;
      last_.bytes_out += step.bytes_out;
    }
    return last_;
  }

 private:
  void like_representatives(int w) {
    last_ = without_steps(walked_[representatives_.of(w, 0)]);
    for (std::size_t s = 0; s < walked_[0].steps.size(); ++s) {
      last_.steps.push_back(walked_[representatives_.of(w, s)].steps[s]);
      const CountedCalls* const counted = representatives_.counted();
      if (counted == nullptr) continue;
      std::optional<StepPairs>& pairs = pairs_[s][counted->class_of(w, s)];
      if (!pairs) pairs = pairs_of(counted->calls(w, s));
      last_.steps.back().unmasked_pairs = per_head(pairs->unmasked, plan_);
      last_.steps.back().executed_pairs = per_head(pairs->executed, plan_);
    }
  }

  [[nodiscard]] StepPairs pairs_of(const std::vector<CountedCalls::Call>& calls) const {
    StepPairs pairs;
    for (const CountedCalls::Call& call : calls) {
      const std::int64_t heads = call.heads.end - call.heads.begin;
      std::int64_t executed = 0;
      for (std::size_t t = 0; t < call.tasks.size(); ++t) {
        pairs.unmasked += heads * call.times[t] * task_pairs(plan_, call.tasks[t]);
        executed +=
            call.times[t] * executed_pairs(plan_, call.tasks[t], kernel_, query_tile_, false);
      }
      if (row_of(kernel_).computes == Computes::matrix)
        executed = (call.q_end - call.q_begin) * (call.k_end - call.k_begin);
      pairs.executed += heads * executed;
    }
    return pairs;
  }

  const Plan& plan_;
  const Kernel kernel_;
  const std::int64_t query_tile_;
  const Representatives representatives_;
  std::vector<WorkerWork> walked_;                            // by representative
  std::vector<std::vector<std::optional<StepPairs>>> pairs_;  // by step and class of calls
  WorkerWork last_;
};

// Raises the most pairs of a worker in each round to this worker's. Without barriers all steps are
// one round.
void raise_rounds(std::vector<std::int64_t>& rounds, const WorkerWork& worker, bool barriers) {
  const std::size_t n = barriers ? worker.steps.size() : 1;
  rounds.resize(std::max(rounds.size(), n), 0);
  for (std::size_t s = 0; s < n; ++s)
    rounds[s] =
        std::max(rounds[s], barriers ? worker.steps[s].unmasked_pairs : worker.unmasked_pairs);
}

}  // namespace

double flop_per_pair(const Shape& shape, Pass pass) {
  const std::int64_t wide = pass == Pass::forward ? 1 : 3;    // S; also dQ and dK
  const std::int64_t values = pass == Pass::forward ? 1 : 2;  // O; or dP and dV
  return static_cast<double>(2 * (wide * shape.head_dim + values * shape.value_dim));
}

// In a causal block, `flash` and `staged` compute tiles of query_tile rows and every key up to the
// last one that the tile's last row sees.
std::int64_t executed_pairs(const Plan& plan, const PairTask& task, Kernel kernel,
                            std::int64_t query_tile, bool alone) {
  const TokenGroup& q = group_at(plan.q_groups, task.q_group);
  const TokenGroup& k = group_at(plan.kv_groups, task.kv_group);
  if (task.allowed == Allowed::pattern && kernel != Kernel::reference) {
    KernelTiles tiles = kernel_tiles(kernel, plan.problem.shape.head_dim);
    tiles.query_tile = query_tile;
    tiles.residue_classes = tiles.residue_classes && alone;
    return count_pairs(plan.problem.mask, q, k, tiles).executed;
  }
  const bool by_tiles = row_of(kernel).computes == Computes::tiles;
  if (task.allowed == Allowed::all || !by_tiles) return task_pairs(plan, task);
  std::int64_t pairs = 0;
  for (std::int64_t begin = 0; begin < q.count; begin += query_tile) {
    const std::int64_t end = std::min(begin + query_tile, q.count);
    pairs += (end - begin) * std::clamp<std::int64_t>(end + task.offset, 0, k.count);
  }
  return pairs;
}

Work model_work(const Plan& plan, Kernel kernel) {
  const Shape& shape = plan.problem.shape;
  Work work;
  work.unmasked_pairs = unmasked_pairs(plan.problem);
  work.rows_without_keys = rows_without_keys(plan.problem);
  work.workers.reserve(plan.workers.size());
  work.shortest_subsequence = shape.q_len;
  std::vector<std::int64_t> critical_path;  // by round
  WorkWalk walk(plan, kernel);
  for (int w = 0; w < static_cast<int>(plan.workers.size()); ++w) {
    const WorkerWork& last = walk.of(w);
    work.executed_pairs += last.executed_pairs;
    work.bytes_total += last.bytes_out + last.bytes_from_root;
    work.root_sent_bytes += last.bytes_from_root;
    work.sent_bytes_max = std::max(work.sent_bytes_max, last.bytes_out);
    work.longest_subsequence = std::max(work.longest_subsequence, last.q_tokens);
    work.shortest_subsequence = std::min(work.shortest_subsequence, last.q_tokens);
    raise_rounds(critical_path, last, plan.synchronisation == Synchronisation::rounds);
    work.workers.push_back(without_steps(last));
    if (last.steps.size() * plan.workers.size() <= kMostStepsOfWork)
      work.workers.back().steps = last.steps;
  }
  work.critical_path_pairs =
      std::accumulate(critical_path.begin(), critical_path.end(), std::int64_t{0});
  work.responsibility_ratio =
      static_cast<double>(work.unmasked_pairs) /
      static_cast<double>(std::max<std::int64_t>(work.critical_path_pairs, 1));
  work.flops = static_cast<double>(work.unmasked_pairs) *
               static_cast<double>(shape.batch * shape.q_heads) * flop_per_pair(shape, plan.pass);
  return work;
}

}  // namespace qb
