#include "harness/execute/worker.h"

#include <algorithm>
#include <chrono>

#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

Extent with_length(Extent extent, std::int64_t length) {
  extent.length = length;
  return extent;
}

TensorView group_rows(const TensorView& whole, const TokenGroup& group) {
  return whole.tokens(group.first, group.count, group.stride);
}

struct Local {
  Tensor q;
  Tensor k;
  Tensor v;
};

// One head of one sequence of the batch.
TensorView head_of(TensorView view, std::int64_t batch, std::int64_t head) {
  view.data = view.row(batch, head, 0);
  view.extent.batch = 1;
  view.extent.heads = 1;
  return view;
}

// A slice a head and token group.
void gather(const TensorView& whole, const Tensor& local, const std::vector<TokenGroup>& groups,
            const std::vector<int>& chosen, const std::vector<std::int64_t>& begins, int threads) {
  const std::int64_t heads = whole.extent.heads;
  const std::int64_t all_heads = whole.extent.batch * heads;
  const auto n = static_cast<std::int64_t>(chosen.size()) * all_heads;
  parallel_for(n, threads_for_bytes(local.view().bytes(), threads), 1,
               [&](std::int64_t first, std::int64_t last, int) {
                 for (std::int64_t i = first; i < last; ++i) {
                   const auto at = static_cast<std::size_t>(i / all_heads);
                   const std::int64_t batch = i % all_heads / heads;
                   const TokenGroup& group = groups[static_cast<std::size_t>(chosen[at])];
                   copy_rows(
                       head_of(group_rows(whole, group), batch, i % heads),
                       head_of(local.view().tokens(begins[at], group.count), batch, i % heads));
                 }
               });
}

Local gather_local(const Plan& plan, int index, const LocalLayout& layout,
                   const ExecutionArguments& arguments, int threads) {
  const Worker& worker = plan.workers[static_cast<std::size_t>(index)];
  const Shape& shape = plan.problem.shape;
  const DType dtype = plan.problem.dtype;
  Allocator& memory = *arguments.allocator;
  Local local{Tensor(memory, dtype, with_length(shape.q(), layout.q_tokens), "q_local", index),
              Tensor(memory, dtype, with_length(shape.k(), layout.kv_tokens), "k_local", index),
              Tensor(memory, dtype, with_length(shape.v(), layout.kv_tokens), "v_local", index)};
  gather(arguments.q, local.q, plan.q_groups, worker.q_groups, layout.q_begin, threads);
  gather(arguments.k, local.k, plan.kv_groups, worker.kv_groups, layout.kv_begin, threads);
  gather(arguments.v, local.v, plan.kv_groups, worker.kv_groups, layout.kv_begin, threads);
  return local;
}

Partial make_partial(const Plan& plan, int index, std::int64_t tokens, Allocator& memory,
                     std::string_view out_label, std::string_view lse_label) {
  const Shape& shape = plan.problem.shape;
  return {Tensor(memory, DType::f32, with_length(shape.out(), tokens), out_label, index),
          Tensor(memory, DType::f32, with_length(shape.lse(), tokens), lse_label, index)};
}

void merge_rows(const Partial& into, const Partial& from) {
  merge_partial(into.out.view(), into.lse.view(), from.out.view(), from.lse.view());
}

std::int64_t query_tile(const Plan& plan, Kernel kernel) {
  return kernel_tiles(kernel, plan.problem.shape.head_dim).query_tile;
}

}  // namespace

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int threads_for_bytes(std::int64_t bytes, int threads) {
  constexpr std::int64_t kBytesPerThread = 1 << 20;
  return static_cast<int>(std::clamp<std::int64_t>(bytes / kBytesPerThread, 1, threads));
}

Partial play_worker(const Plan& plan, int index, const ExecutionArguments& arguments, int threads,
                    WorkerTime& time) {
  const Worker& worker = plan.workers[static_cast<std::size_t>(index)];
  const LocalLayout layout = local_layout(plan, worker);
  time.steps.resize(worker.steps.size());
  if (layout.q_tokens == 0 || layout.kv_tokens == 0) return {};
  Allocator& memory = *arguments.allocator;

  const double start_s = now_s();
  const Local local = gather_local(plan, index, layout, arguments, threads);
  Partial total = make_partial(plan, index, layout.q_tokens, memory, "out_partial", "lse_partial");
  time.gather_s = now_s() - start_s;

  for (std::size_t i = 0; i < worker.steps.size(); ++i) {
    const Step& step = worker.steps[i];
    if (i > 0 && step.tasks.empty()) continue;
    const TileSchedule schedule =
        step_schedule(plan, worker, step, query_tile(plan, arguments.kernel));
    const double step_start_s = now_s();
    Partial of_step;
    if (i > 0) of_step = make_partial(plan, index, layout.q_tokens, memory, "out_step", "lse_step");
    const Partial& target = i > 0 ? of_step : total;
    attention(arguments.kernel,
              {local.q.view(), local.k.view(), local.v.view(), &schedule, plan.problem.scale,
               target.out.view(), target.lse.view()},
              {memory, threads, index});
    if (i > 0) merge_rows(total, of_step);
    time.steps[i].compute_s = now_s() - step_start_s;
    time.compute_s += time.steps[i].compute_s;
  }
  if (worker.steps.empty()) clear_partial(total.out.view(), total.lse.view());
  return total;
}

void play_in_place(const Plan& plan, const ExecutionArguments& arguments, WorkerTime& time) {
  const Worker& worker = plan.workers[0];
  const TileSchedule schedule =
      step_schedule(plan, worker, worker.steps[0], query_tile(plan, arguments.kernel));
  const double start_s = now_s();
  attention(arguments.kernel,
            {arguments.q, arguments.k, arguments.v, &schedule, plan.problem.scale, arguments.out,
             arguments.lse},
            {*arguments.allocator, arguments.threads, 0});
  time.compute_s = now_s() - start_s;
  time.steps = {StepTime{.compute_s = time.compute_s}};
}

void deliver_group(const Plan& plan, const Worker& worker, const LocalLayout& layout,
                   std::size_t position, const Partial& partial, bool first,
                   const ExecutionArguments& arguments) {
  const TokenGroup& group = plan.q_groups[static_cast<std::size_t>(worker.q_groups[position])];
  const TensorView out = group_rows(arguments.out, group);
  const TensorView lse = group_rows(arguments.lse, group);
  const std::int64_t begin = layout.q_begin[position];
  const TensorView part_out = partial.out.view().tokens(begin, group.count);
  const TensorView part_lse = partial.lse.view().tokens(begin, group.count);
  if (first) {
    copy_rows(part_out, out);
    copy_rows(part_lse, lse);
  } else {
    merge_partial(out, lse, part_out, part_lse);
  }
}

void clear_group(const Plan& plan, int group, const ExecutionArguments& arguments) {
  const TokenGroup& tokens = plan.q_groups[static_cast<std::size_t>(group)];
  clear_partial(group_rows(arguments.out, tokens), group_rows(arguments.lse, tokens));
}

}  // namespace qb
