// Turns partials into the caller's output, for every executor.
#include <algorithm>

#include "harness/execute/player/worker.h"
#include "kernels/parallel.h"

namespace qb {

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
      written_(plan.q_groups.size(), 0) {}

void OutputMerge::add_group(const Worker& worker, const LocalLayout& layout, std::size_t position,
                            const WorkerPlayer::Partial& partial) {
  const auto group = static_cast<std::size_t>(worker.q_groups[position]);
  if (splits_heads_) finish_group(group);
  const HeadRange heads = plan_.heads_of(worker);
  const std::int64_t n_heads = heads.end - heads.begin;
  const TensorView out = rows_of(arguments_.out, plan_.q_groups[group]).heads(heads.begin, n_heads);
  const TensorView lse = rows_of(arguments_.lse, plan_.q_groups[group]).heads(heads.begin, n_heads);
  const std::int64_t begin = layout.q_begin[position];
  const std::int64_t count = plan_.q_groups[group].count;
  const TensorView part_out = partial.out.view().tokens(begin, count);
  const TensorView part_lse = partial.lse.view().tokens(begin, count);
  if (written_[group] == 0) {
    device_.copy_rows(part_out, out);
    device_.copy_rows(part_lse, lse);
  } else {
    device_.merge_partial(out, lse, part_out, part_lse);
  }
  written_[group] = 1;
}

void OutputMerge::add(const Worker& worker, const WorkerPlayer::Partial& partial) {
  if (!partial.exists()) return;
  const LocalLayout layout = local_layout(plan_, worker);
  parallel_for(static_cast<std::int64_t>(worker.q_groups.size()),
               threads_for_bytes(partial.out.view().bytes(), threads_), 1,
               [&](std::int64_t begin, std::int64_t end, int) {
                 for (std::int64_t i = begin; i < end; ++i)
                   add_group(worker, layout, static_cast<std::size_t>(i), partial);
               });
}

void OutputMerge::finish_group(std::size_t group) {
  if (written_[group] != 0) return;
  device_.clear_partial(rows_of(arguments_.out, plan_.q_groups[group]),
                        rows_of(arguments_.lse, plan_.q_groups[group]));
  written_[group] = 1;
}

void OutputMerge::finish() {
  for (std::size_t group = 0; group < written_.size(); ++group) finish_group(group);
}

}  // namespace qb
