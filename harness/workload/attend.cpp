// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/attend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/integers.h"
#include "base/numbers.h"
#include "harness/plan/tiling.h"
#include "harness/rehearse/device_rehearsal.h"
#include "harness/run/memory/system_memory.h"
#include "harness/verify/verify_gradients.h"
#include "harness/workload/needs.h"
#include "kernels/attention_backward.h"
#include "kernels/reference.h"
#include "kernels/reference_gradients.h"

namespace qb {
namespace {

using AxisSizes = std::vector<std::int64_t>;
using Views = ExecutionArguments;

// O and LSE that are given are always compared with a few rows, since they may be of other tensors.
constexpr std::int64_t kRowsOfGivenOutput = 8;

// [b, h, n, d]
Extent extent_of(const NpyHeader& named) {
  const std::vector<std::int64_t>& shape = named.shape;
  if (shape.size() < 2 || shape.size() > 4)
    throw UsageError(fmt::format("{} has shape {}; it must be [n, d], [h, n, d] or [b, h, n, d]",
                                 named.name, shape_text(shape)));
  for (const std::int64_t size : shape)
    if (size < 1)
      throw UsageError(fmt::format("{} has shape {}: it is empty", named.name, shape_text(shape)));
  std::vector<std::int64_t> full(4 - shape.size(), 1);
  full.insert(full.end(), shape.begin(), shape.end());
  return {full[0], full[1], full[2], full[3]};
}

void require_equal(const NpyHeader& a, std::int64_t of_a, const NpyHeader& b, std::int64_t of_b,
                   std::string_view what) {
  if (of_a != of_b)
    throw UsageError(fmt::format("{} {} has {} {} and {} {} has {}; they must be equal", a.name,
                                 shape_text(a.shape), of_a, what, b.name, shape_text(b.shape),
                                 of_b));
}

// The caller's tensors of a pass: its gradients, or those that it begins with and O and LSE.
std::vector<CallerTensor> tensors_of(const Plan& plan, bool are_gradients) {
  std::vector<CallerTensor> all = caller_tensors(plan);
  std::erase_if(all, [&](const CallerTensor& one) {
    return are_gradients != (one.name.starts_with("d_") && one.name != "d_out");
  });
  return all;
}

std::int64_t bytes_of(const std::vector<CallerTensor>& tensors) {
  std::int64_t bytes = 0;
  for (const CallerTensor& one : tensors) bytes += one.extent.elements() * size_of(one.dtype);
  return bytes;
}

bool frees_out(const AttendJob& job) {
  return !job.task.keeps_out && works_in_place(*job.backward);
}

std::int64_t predicted_bytes(const AttendJob& job) {
  const Problem& problem = job.plan().problem;
  const std::int64_t first = bytes_of(tensors_of(job.plan(), false));
  // With the tensors that a pass is given.
  const auto held = [&](const Plan& plan) {
    const PlanMemory memory = plan_memory(plan, job.task.c.kernel, job.arguments.threads);
    return job.task.c.ranks == Ranks::threads ? memory.threads_bytes : memory.serial_bytes;
  };
  const std::int64_t of_forward =
      first + (job.forward ? held(*job.forward) - bytes_of(caller_tensors(*job.forward)) : 0);
  if (!job.backward) return of_forward;
  const std::int64_t of_backward = held(*job.backward);
  if (!frees_out(job)) return std::max(of_forward, of_backward);
  const auto f32_bytes = [](const Extent& extent) {
    return extent.elements() * size_of(DType::f32);
  };
  return std::max({of_forward, first + f32_bytes(problem.shape.lse()),
                   of_backward - f32_bytes(problem.shape.out())});
}

std::int64_t given_bytes(const AttendJob& job) {
  std::int64_t bytes = 0;
  for (const CallerTensor& one : tensors_of(job.plan(), false))
    if ((job.arguments.*one.view).data != nullptr) bytes += (job.arguments.*one.view).bytes();
  return bytes;
}

void require_memory(const AttendJob& job) {
  constexpr std::uint64_t kAlwaysFree = std::uint64_t{1}
                                        << 20;  // to ask takes longer than to compute
  const auto needed = static_cast<std::uint64_t>(job.predicted_bytes - given_bytes(job));
  if (needed <= kAlwaysFree) return;
  const std::uint64_t free = available_memory_bytes();
  if (needed <= free) return;
  const Shape& s = job.task.c.shape;
  throw EnvironmentError(fmt::format(
      "{} of memory are needed and {} are free: batch {}, heads {} / {}, queries {}, keys {}, "
      "head_dim {}, {}, algorithm {} with {} worker{}, kernel {}",
      format_bytes(needed), format_bytes(free), s.batch, s.q_heads, s.kv_heads, s.q_len, s.kv_len,
      s.head_dim, word(job.plan().problem.dtype), job.plan().algorithm, job.plan().workers.size(),
      job.plan().workers.size() == 1 ? "" : "s", word(job.task.c.kernel)));
}

void make_room(AttendJob& job, const std::vector<CallerTensor>& tensors) {
  for (const CallerTensor& one : tensors) {
    TensorView& view = job.arguments.*one.view;
    if (view.data != nullptr) continue;
    Tensor tensor(*job.arguments.allocator, one.dtype, one.extent, one.name);
    view = tensor.view();
    if (job.task.tokens_first) {
      view.head_stride = one.extent.head_dim;
      view.token_stride = one.extent.heads * one.extent.head_dim;
    }
    poison(view);
    job.tensors[one.name] = std::move(tensor);
  }
}

// Returns the seconds that D took.
double begin_backward(AttendJob& job) {
  ExecutionArguments& of = job.arguments;
  double delta_s = 0.0;
  if (frees_out(job)) {
    make_room(job, {{&Views::delta, "delta", DType::f32, job.plan().problem.shape.lse()}});
    const double start_s = now_s();
    compute_delta(of.out, of.d_out, of.delta, of.threads);
    delta_s = now_s() - start_s;
    of.out = {};
    job.tensors.erase("out");
  }
  make_room(job, tensors_of(job.plan(), true));
  return delta_s;
}

}  // namespace

bool has_tokens_first(AxisOrder order) {
  return order == AxisOrder::bnhd || order == AxisOrder::nhd;
}

AxisSizes in_order(AxisSizes shape, AxisOrder order) {
  if (has_tokens_first(order)) std::swap(shape[shape.size() - 2], shape[shape.size() - 3]);
  return shape;
}

void require_axes(const NpyHeader& tensor, AxisOrder order) {
  if (order != AxisOrder::automatic && tensor.shape.size() != word(order).size())
    throw UsageError(fmt::format("{} has shape {}; layout {} needs {} axes", tensor.name,
                                 shape_text(tensor.shape), word(order), word(order).size()));
}

AxisSizes with_last(AxisSizes shape, std::int64_t last) {
  shape.back() = last;
  return shape;
}

void require_shape(const NpyHeader& tensor, std::string_view name, const AxisSizes& shape) {
  if (tensor.shape != shape)
    throw UsageError(fmt::format("{} has shape {}; {} must have {}", tensor.name,
                                 shape_text(tensor.shape), name, shape_text(shape)));
}

Shape shape_of(const NpyHeader& q, const NpyHeader& k, const NpyHeader& v) {
  const Extent of_q = extent_of(q);
  const Extent of_k = extent_of(k);
  const Extent of_v = extent_of(v);
  require_equal(q, of_q.batch, k, of_k.batch, "batches");
  require_equal(k, of_k.batch, v, of_v.batch, "batches");
  require_equal(k, of_k.heads, v, of_v.heads, "heads");
  require_equal(k, of_k.length, v, of_v.length, "tokens");
  require_equal(q, of_q.head_dim, k, of_k.head_dim, "elements a token");
  if (of_q.heads % of_k.heads != 0)
    throw UsageError(
        fmt::format("{} has {} heads and {} has {}; query heads must be a multiple of "
                    "key-value heads, which they share evenly",
                    q.name, of_q.heads, k.name, of_k.heads));
  return {of_q.batch,  of_q.heads,    of_k.heads,   of_q.length,
          of_k.length, of_q.head_dim, of_v.head_dim};
}

DType common_dtype(const NpyHeader& q, const NpyHeader& k, const NpyHeader& v) {
  for (const NpyHeader* other : {&k, &v})
    if (other->dtype != q.dtype)
      throw UsageError(fmt::format("{} is {} and {} is {}; convert them to one type", q.name,
                                   word(q.dtype), other->name, word(other->dtype)));
  return q.dtype;
}

AttendJob plan_attend(const AttendTask& task, Allocator& memory, int threads) {
  const Case& c = task.c;
  if (const auto unmet = unmet_needs(c); !unmet.empty()) throw UsageError(unmet.front().reason);
  AttendJob job;
  job.task = task;
  job.arguments.kernel = c.kernel;
  job.arguments.threads = threads;
  job.arguments.allocator = &memory;
  if (task.computes_output) job.forward = task.plan(c, Pass::forward);
  if (task.backward) {
    require_backward_kernel(c.kernel, c.dtype);
    job.backward = task.plan(c, Pass::backward);
  }
  for (std::optional<Plan>* const plan : {&job.forward, &job.backward})
    if (*plan && !task.sinks.empty()) (*plan)->problem.sinks = task.sinks;
  job.predicted_bytes = predicted_bytes(job);
  return job;
}

AttendJob planned_again(const AttendJob& job, Allocator& memory) {
  AttendJob again{.task = job.task,
                  .forward = job.forward,
                  .backward = job.backward,
                  .tensors = {},
                  .arguments = job.arguments,
                  .predicted_bytes = job.predicted_bytes};
  again.arguments.allocator = &memory;
  return again;
}

void make_room(AttendJob& job) {
  require_memory(job);
  make_room(job, tensors_of(job.plan(), false));
}

Verification verify_attend(const AttendJob& job, std::int64_t rows) {
  const Plan& plan = job.plan();
  const ExecutionArguments& of = job.arguments;
  if (!job.forward) rows = std::max(rows, kRowsOfGivenOutput);
  return verify_output(plan.problem, of.q, of.k, of.v, of.out, of.lse, rows_to_verify(plan, rows),
                       of.threads, false, rounds_lse(job.forward ? *job.forward : plan),
                       partial_roundings(plan));
}

void verify_attend_gradients(const AttendJob& job, std::int64_t rows, Verification& verification) {
  const Plan& plan = *job.backward;
  const ExecutionArguments& of = job.arguments;
  verify_gradients(gradient_problem(plan.problem, of.q, of.k, of.v, of.d_out),
                   {of.d_q, of.d_k, of.d_v, of.d_sinks}, rows_to_verify(plan, rows),
                   keys_to_verify(plan, rows), of.threads, verification, partial_roundings(plan),
                   (job.forward && rounds_lse(*job.forward)) || rounds_lse(plan));
}

void require_exact(const Case& c) {
  if (c.kernel == Kernel::reference && c.workers == 1) return;
  throw UsageError(fmt::format(
      "an output of type f64 would have the digits of float32: {}; take kernel reference and one "
      "worker, or outputs of type f32",
      c.workers > 1 ? "workers hand each other float32"
                    : fmt::format("kernel {} computes in float32", word(c.kernel))));
}

ExactOutputs exact_outputs(const AttendJob& job) {
  const Problem& problem = job.plan().problem;
  const ExecutionArguments& of = job.arguments;
  ExactOutputs exact;
  if (job.forward) {
    exact.out = reference_rows(of.q, of.k, of.v, problem.mask, problem.scale,
                               integers_below(of.q.extent.length), of.threads, 0.0, problem.sinks)
                    .out;
  }
  if (job.backward) {
    ReferenceGradients gradients =
        reference_gradients(gradient_problem(problem, of.q, of.k, of.v, of.d_out), of.threads);
    exact.d_q = std::move(gradients.d_q);
    exact.d_k = std::move(gradients.d_k);
    exact.d_v = std::move(gradients.d_v);
    exact.d_sinks = std::move(gradients.d_sinks);
  }
  return exact;
}

AttendRun run_attend(AttendJob& job, std::int64_t rows, const Executor& executor) {
  const auto play = [&](const Plan& plan) {
    return executor(job.task.c.ranks, plan, job.arguments);
  };
  AttendRun run;
  if (job.forward) run.forward = play(*job.forward);
  run.verification = verify_attend(job, rows);
  if (!job.backward || !run.verification.correct) return run;
  const double delta_s = begin_backward(job);
  run.backward = play(*job.backward);
  run.backward->wall_s += delta_s;
  run.backward->critical_path_s += delta_s;
  run.backward->worker_sum_s += delta_s;
  verify_attend_gradients(job, rows, run.verification);
  return run;
}

}  // namespace qb
