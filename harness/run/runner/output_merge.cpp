// SPDX-License-Identifier: Apache-2.0
// Turns partials into the caller's output and sums into the caller's gradients, for every executor.

#include <utility>

#include "harness/run/runner/worker.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// In a result O comes first, with LSE, or dQ; then dK and dV.
bool has_keys(std::size_t tensor) { return tensor > 0; }

}  // namespace

bool splits_heads(const Plan& plan) {
  for (std::size_t w = 0; w < plan.workers.size(); ++w)
    if (plan.workers.share(w).heads.end > 0) return true;
  return false;
}

OutputMerge::OutputMerge(const Plan& plan, const ExecutionArguments& arguments,
                         ComputeDevice& device, int threads)
    : plan_(plan),
      arguments_(arguments),
      device_(device),
      threads_(threads),
      splits_heads_(splits_heads(plan)),
      sinks_(plan.pass == Pass::forward && !finishes_rows(plan)
                 ? Sinks(plan.problem, *arguments.allocator, device, kRoot)
                 : Sinks()) {
  const std::size_t tensors = plan.result == Result::tier  ? 0
                              : plan.pass == Pass::forward ? 1
                                                           : std::size(written_);
  for (std::size_t tensor = 0; tensor < tensors; ++tensor) {
    const std::size_t groups = (has_keys(tensor) ? plan.kv_groups : plan.q_groups).size();
    written_[tensor].assign(groups, 0);
    for (std::size_t group = 0; group < groups; ++group)
      parts_.push_back({tensor, static_cast<int>(group)});
  }
}

const std::vector<int>& OutputMerge::groups_of(const Worker& worker, std::size_t tensor) const {
  return has_keys(tensor) ? worker.kv_groups : worker.q_groups;
}

char& OutputMerge::written(std::size_t tensor, int group) {
  return written_[tensor][static_cast<std::size_t>(group)];
}

TensorView OutputMerge::target(std::size_t tensor, int group) const {
  const bool keys = has_keys(tensor);
  const TensorView gradients[] = {arguments_.d_q, arguments_.d_k, arguments_.d_v};
  const TensorView& whole = plan_.pass == Pass::forward ? arguments_.out : gradients[tensor];
  return rows_of(whole, (keys ? plan_.kv_groups : plan_.q_groups)[static_cast<std::size_t>(group)]);
}

void OutputMerge::add_part(const Worker& worker, const LocalLayout& layout, std::size_t tensor,
                           std::size_t position, const WorkerResult& result) {
  const bool keys = has_keys(tensor);
  const int group = groups_of(worker, tensor)[position];
  if (splits_heads_) begin_part({tensor, group});
  const Range heads = keys ? kv_heads_of(plan_.problem.shape, plan_.heads_of(worker))
                           : plan_.result_heads_of(worker);
  const std::int64_t begin = (keys ? layout.kv_begin : layout.q_begin)[position];
  const auto whole_rows = [&](const TensorView& view) {
    return view.heads(heads.begin, heads.end - heads.begin);
  };
  const TensorView to = whole_rows(target(tensor, group));
  const TensorView from = result[tensor].tokens(begin, to.extent.length);
  char& is_written = written(tensor, group);
  if (plan_.pass == Pass::backward) {
    is_written == 0 ? device_.copy_rows(from, to) : device_.add_rows(to, from);
  } else {
    const TokenGroup& tokens = plan_.q_groups[static_cast<std::size_t>(group)];
    const TensorView lse = whole_rows(rows_of(arguments_.lse, tokens));
    const TensorView from_lse = result[1].tokens(begin, tokens.count);
    if (is_written == 0) {
      device_.copy_rows(from, to);
      device_.copy_rows(from_lse, lse);
    } else {
      device_.merge_partial(to, lse, from, from_lse);
    }
  }
  is_written = 1;
}

void OutputMerge::add(const Worker& worker, const WorkerResult& result) {
  const LocalLayout layout = local_layout(plan_, worker);
  for (std::size_t tensor = 0; tensor < std::size(written_); ++tensor) {
    if (written_[tensor].empty() || result[tensor].data == nullptr) continue;
    parallel_for(static_cast<std::int64_t>(groups_of(worker, tensor).size()),
                 threads_for_bytes(result[tensor].bytes(), threads_), 1,
                 [&](std::int64_t begin, std::int64_t end, int) {
                   for (std::int64_t i = begin; i < end; ++i)
                     add_part(worker, layout, tensor, static_cast<std::size_t>(i), result);
                 });
  }
  if (result.size() <= std::size(written_)) return;
  std::exchange(has_d_sinks_, true) ? device_.add_rows(arguments_.d_sinks, result.back())
                                    : device_.copy_rows(result.back(), arguments_.d_sinks);
}

void OutputMerge::begin_part(const Part& part) {
  char& is_written = written(part.tensor, part.group);
  if (is_written != 0) return;
  const TensorView to = target(part.tensor, part.group);
  if (plan_.pass == Pass::backward)
    device_.clear_rows(to);
  else
    device_.clear_partial(
        to, rows_of(arguments_.lse, plan_.q_groups[static_cast<std::size_t>(part.group)]));
  is_written = 1;
}

void OutputMerge::finish_part(const Part& part) {
  begin_part(part);
  if (plan_.pass == Pass::backward) return;
  sinks_.merge_into(device_, target(part.tensor, part.group),
                    rows_of(arguments_.lse, plan_.q_groups[static_cast<std::size_t>(part.group)]));
}

void OutputMerge::finish() {
  for (const Part& part : parts_) finish_part(part);
}

}  // namespace qb
