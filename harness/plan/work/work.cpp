// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/work/work.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/plan/rotation.h"

namespace qb {

double flop_per_pair(const Shape& shape, Pass pass) {
  const std::int64_t wide = pass == Pass::forward ? 1 : 3;    // S; also dQ and dK
  const std::int64_t values = pass == Pass::forward ? 1 : 2;  // O; or dP and dV
  return static_cast<double>(2 * (wide * shape.head_dim + values * shape.value_dim));
}

Work model_work(const Plan& plan, const Representatives& alike, Kernel kernel) {
  const PlanProfile profile(plan, alike, kernel);
  const Shape& shape = plan.problem.shape;
  Work work;
  work.unmasked_pairs = unmasked_pairs(plan.problem);
  work.rows_without_keys = rows_without_keys(plan.problem);
  work.shortest_subsequence = shape.q_len;
  std::size_t n_steps = 0;  // of the worker that has most
  for (int w = 0; std::cmp_less(w, plan.workers.size()); ++w) {
    const PlanProfile::Share& share = profile.share(w);
    WorkerWork& worker = work.workers.emplace_back();
    worker.q_tokens = share.q_tokens;
    worker.kv_tokens = share.kv_tokens;
    work.longest_subsequence = std::max(work.longest_subsequence, share.q_tokens);
    work.shortest_subsequence = std::min(work.shortest_subsequence, share.q_tokens);
    n_steps = std::max(n_steps, share.n_steps);
  }
  const bool barriers = plan.synchronisation == Synchronisation::rounds;
  for (std::size_t s = 0; s < n_steps; ++s) {
    std::int64_t most = 0;  // pairs of a worker in this round
    for (int w = 0; std::cmp_less(w, plan.workers.size()); ++w) {
      const std::size_t own_steps = profile.share(w).n_steps;
      if (s >= own_steps) continue;
      const StepProfile& step = profile.of(w, s);
      WorkerWork& worker = work.workers[static_cast<std::size_t>(w)];
      worker.unmasked_pairs += step.unmasked_pairs;
      worker.executed_pairs += step.executed_pairs;
      worker.bytes_in += step.bytes_in;
      worker.bytes_out += step.bytes_out;
      worker.bytes_from_root += step.bytes_from_root;
      if (own_steps * plan.workers.size() <= kMostStepsOfWork) worker.steps.push_back(step);
      most = std::max(most, step.unmasked_pairs);
    }
    if (barriers) work.critical_path_pairs += most;
  }
  for (const WorkerWork& worker : work.workers) {
    work.executed_pairs += worker.executed_pairs;
    work.bytes_total += worker.bytes_out + worker.bytes_from_root;
    work.root_sent_bytes += worker.bytes_from_root;
    work.sent_bytes_max = std::max(work.sent_bytes_max, worker.bytes_out);
    if (!barriers)
      work.critical_path_pairs = std::max(work.critical_path_pairs, worker.unmasked_pairs);
  }
  work.responsibility_ratio =
      static_cast<double>(work.unmasked_pairs) /
      static_cast<double>(std::max<std::int64_t>(work.critical_path_pairs, 1));
  work.flops = static_cast<double>(work.unmasked_pairs) *
               static_cast<double>(shape.batch * shape.q_heads) * flop_per_pair(shape, plan.pass);
  return work;
}

namespace {

using MovedBy = std::map<std::pair<TensorRole, TransferKind>, MovedTensor>;

MovedTensor& moved_row(MovedBy& moved, TensorRole what, TransferKind kind) {
  return moved.try_emplace({what, kind}, MovedTensor{.what = what, .kind = kind}).first->second;
}

void count_moved(const Transfer& transfer, MovedBy& moved) {
  MovedTensor& row = moved_row(moved, transfer.what, transfer.kind);
  ++row.transfers;
  row.bytes += transfer.bytes;
}

// Returns what one worker sends to others, and what the root scatters to it.
MovedBy moved_by(const Worker& worker, int index) {
  MovedBy moved;
  for (const Step& step : worker.steps) {
    for (const Transfer& transfer : step.receives)
      if (transfer.peer < 0) count_moved(transfer, moved);
    for (const Transfer& transfer : step.sends)
      if (transfer.peer != index) count_moved(transfer, moved);
  }
  return moved;
}

}  // namespace

std::vector<MovedTensor> moved_tensors(const Plan& plan) {
  // Workers that differ by rotation and have messages of one length all move what worker 0 moves.
  const Rotation* const rotation = plan.workers.rotation();
  const bool alike = rotation != nullptr && rotation->fits(plan) && rotation->has_equal_messages();
  const std::size_t n_walked = alike ? 1 : plan.workers.size();
  const auto times = alike ? static_cast<std::int64_t>(plan.workers.size()) : std::int64_t{1};
  MovedBy all;
  MovedBy busiest;
  std::int64_t most = 0;
  Worker scratch;
  for (std::size_t w = 0; w < n_walked; ++w) {
    MovedBy moved =
        moved_by(plan.workers.read(w, scratch, Workers::Parts::messages), static_cast<int>(w));
    std::int64_t sum = 0;
    for (const auto& [key, one] : moved) {
      MovedTensor& row = moved_row(all, one.what, one.kind);
      row.transfers += times * one.transfers;
      row.bytes += times * one.bytes;
      sum += one.bytes;
    }
    if (sum > most) busiest = std::move(moved);
    most = std::max(most, sum);
  }
  std::vector<MovedTensor> rows;
  for (auto& [key, row] : all) {
    if (const auto one = busiest.find(key); one != busiest.end())
      row.busiest_bytes = one->second.bytes;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace qb
