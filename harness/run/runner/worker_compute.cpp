// SPDX-License-Identifier: Apache-2.0
// The kernel calls and reductions of a worker.
#include <optional>

#include "harness/run/runner/worker.h"

namespace qb {
namespace {

// If the device does not fill in the stages of kernel staged, marks separate them; all of them are
// the step's time.
void attend(const WorkerRunner::Tools& tools, const ExecutionArguments& arguments,
            const AttentionArguments& call, int worker, double* compute_s) {
  if (tools.kept != nullptr)
    return tools.kept->attend(tools.device, arguments.kernel, call, *arguments.allocator, worker);
  cuda::OnStage on_stage;
  if (tools.stages != nullptr && !tools.device.facts().on_host)
    on_stage = [&](cuda::KernelStage stage) {
      double* const stage_s[] = {&tools.stages->scores_s, &tools.stages->softmax_s,
                                 &tools.stages->values_s, nullptr};
      tools.watch.charge(compute_s, stage_s[static_cast<int>(stage)]);
    };
  tools.device.attention(arguments.kernel, call,
                         {*arguments.allocator, arguments.threads, worker, tools.stages}, on_stage);
}

// The only step of a plan that works in place.
struct StepInPlace {
  explicit StepInPlace(const Plan& plan) : worker(plan.workers[0]), blocks(plan, worker) {
    blocks.enter_step();
    calls = blocks.take_calls();
  }
  const Worker worker;
  BlockTracker blocks;
  std::vector<KernelCall> calls;  // one, or none where the mask leaves no pair
};

BackwardArguments backward_in_place(const Plan& plan, const ExecutionArguments& arguments,
                                    const TensorView& delta, const TileSchedule* schedule) {
  return {.q = arguments.q,
          .k = arguments.k,
          .v = arguments.v,
          .d_out = arguments.d_out,
          .lse = arguments.lse,
          .delta = delta,
          .schedule = schedule,
          .scale = plan.problem.scale,
          .d_q = arguments.d_q,
          .d_k = arguments.d_k,
          .d_v = arguments.d_v};
}

void gradients_in_place(const Plan& plan, const ExecutionArguments& arguments,
                        const WorkerRunner::Tools& tools, bool no_pairs,
                        const TileSchedule* schedule, double* compute_s) {
  for (const TensorView& gradient : {arguments.d_q, arguments.d_k, arguments.d_v})
    tools.device.clear_rows(gradient);
  const Sinks sinks(plan.problem, *arguments.allocator, tools.device, 0);
  if (no_pairs && sinks) tools.device.clear_rows(arguments.d_sinks);
  if (no_pairs) return;
  Tensor made;
  TensorView delta = arguments.delta;
  if (delta.data == nullptr) {
    made = Tensor(*arguments.allocator, DType::f32, plan.problem.shape.lse(), "delta_local", 0);
    delta = made.view();
    tools.device.compute_delta(arguments.out, arguments.d_out, delta);
  }
  sinks.set_gradients(tools.device, arguments.lse, delta, arguments.d_sinks);
  attend_backward(tools, arguments, backward_in_place(plan, arguments, delta, schedule), 0,
                  compute_s);
}

}  // namespace

std::optional<TileSchedule> call_schedule_for(const Plan& plan, const BlockTracker& blocks,
                                              const KernelCall& call, Kernel kernel,
                                              const AttentionDevice& device) {
  if (!device.reads_schedule(kernel)) return std::nullopt;
  const KernelTiles tiles = device.tiles(kernel, plan.problem.shape.head_dim);
  return call_schedule(plan, blocks, call, tiles.query_tile,
                       {tiles.residue_classes, device.facts().host_threads});
}

void WorkerRunner::begin_partial(Partial& partial) {
  device_.clear_partial(partial.out.view(), partial.lse.view());
  partial.begun = true;
}

void WorkerRunner::compute(const KernelCall& call) {
  const Block& q = blocks_.block(call.q_block);
  Partial& partial = partial_of(q);
  const std::optional<TileSchedule> schedule =
      call_schedule_for(plan_, blocks_, call, arguments_.kernel, device_);

  // A message may have begun the partial before the first call of its block.
  const bool is_first = call.first && !partial.begun;
  if (!is_first && !partial.begun) begin_partial(partial);
  partial.begun = true;
  const TensorView out = rows_of_call(call, TensorRole::partial, partial.out.view());
  const TensorView lse = rows_of_call(call, TensorRole::partial, partial.lse.view());
  const bool resumes = !is_first && plan_.problem.adds_to_partials &&
                       device_.tiles(arguments_.kernel, plan_.problem.shape.head_dim).resumes;
  Partial result;
  if (!is_first && !resumes)
    result = make_partial(call.q_end - call.q_begin, call.heads, "out_step", "lse_step");
  attend(tools_, arguments_,
         {input_of(call, TensorRole::q), input_of(call, TensorRole::k),
          input_of(call, TensorRole::v), schedule ? &*schedule : nullptr, plan_.problem.scale,
          result.exists() ? result.out.view() : out, result.exists() ? result.lse.view() : lse,
          resumes},
         index_, &step_time().compute_s);
  if (result.exists()) device_.merge_partial(out, lse, result.out.view(), result.lse.view());
}

void run_in_place(const Plan& plan, const ExecutionArguments& arguments,
                  const WorkerRunner::Tools& tools, WorkerTime& time) {
  const StepInPlace step(plan);
  const std::vector<KernelCall>& calls = step.calls;
  time.steps.resize(1);
  double* const compute_s = &time.steps[0].compute_s;
  const bool on_host = tools.device.facts().on_host;
  tools.watch.charge(on_host ? compute_s : nullptr);
  std::optional<TileSchedule> schedule;
  if (!calls.empty())
    schedule = call_schedule_for(plan, step.blocks, calls[0], arguments.kernel, tools.device);
  tools.watch.charge(compute_s);
  const TileSchedule* const tiles = schedule ? &*schedule : nullptr;
  if (plan.pass == Pass::backward) {
    gradients_in_place(plan, arguments, tools, calls.empty(), tiles, compute_s);
  } else if (calls.empty()) {
    tools.device.clear_partial(arguments.out, arguments.lse);
  } else {
    attend(tools, arguments,
           {arguments.q, arguments.k, arguments.v, tiles, plan.problem.scale, arguments.out,
            arguments.lse},
           0, compute_s);
  }
  if (plan.pass == Pass::forward)
    Sinks(plan.problem, *arguments.allocator, tools.device, 0)
        .merge_into(tools.device, arguments.out, arguments.lse);
  tools.watch.charge(nullptr);
}

bool keep_in_place(const Plan& plan, const ExecutionArguments& arguments, AttentionDevice& device,
                   KeptCalls& kept) {
  const StepInPlace step(plan);
  if (step.calls.empty()) return false;
  const std::optional<TileSchedule> schedule =
      call_schedule_for(plan, step.blocks, step.calls[0], arguments.kernel, device);
  if (!schedule) return false;
  const TensorView delta = contiguous_view(nullptr, DType::f32, plan.problem.shape.lse());
  kept.keep_backward(device, arguments.kernel,
                     backward_in_place(plan, arguments, delta, &*schedule), *arguments.allocator,
                     0);
  return true;
}

// Returns what is computed for a block of queries, or will be.
WorkerRunner::Partial& WorkerRunner::partial_of(const Block& block) {
  Partial& partial = block.resident ? resident_ : passing_[block.id];
  if (!partial.exists())
    partial = make_partial(block.rows, block.heads, "out_partial", "lse_partial");
  return partial;
}

// Multiplies the partial by its weight among those whose LSE came in this step, and takes what it
// owns of it: the others' weighted partials are added to that.
void WorkerRunner::weigh_partials() {
  std::vector<TensorView> all;
  const Block* block = nullptr;
  for (const Incoming& incoming : incoming_)
    for (std::size_t p = 0; p < incoming.message.parts.size(); ++p) {
      const Transfer& part = incoming.message.parts[p];
      if (part.what != TensorRole::partial_lse) continue;
      all.push_back(tensor_in(part, incoming.part(p)));
      block = &block_of_share(part);
    }
  if (block == nullptr) return;
  const Partial& partial = partial_of(*block);
  const auto make = [&](Extent of_rows, std::int64_t dim, const char* label) {
    of_rows.head_dim = dim;
    return Tensor(*arguments_.allocator, DType::f32, of_rows, label, index_);
  };
  const Extent of_rows = partial.lse.view().extent;
  const Tensor lse = make(of_rows, plan_.problem.lse_sent, "lse_step");
  const Tensor maximum = make(of_rows, 1, "row_max");
  const Tensor weight = make(of_rows, 1, "denominator");
  const Tensor sum = make(of_rows, 1, "denominator");
  device_.copy_rows(partial.lse.view(), lse.view());
  device_.clear_partial(sum.view(), maximum.view());
  all.push_back(lse.view());
  for (const TensorView& one : all) device_.combine(maximum.view(), one, Combine::maximum);
  Extent no_out = of_rows;
  no_out.head_dim = 0;
  for (const TensorView& one : all) {
    const bool is_own = one.data == lse.view().data;
    device_.weigh_partial(
        is_own ? partial.out.view() : contiguous_view(nullptr, DType::f32, no_out), one,
        maximum.view(), weight.view());
    device_.combine(sum.view(), weight.view(), Combine::sum);
  }
  device_.normalise_partial(partial.out.view(), lse.view(), maximum.view(), sum.view());
  const Range own = blocks_.block(kResidentQueries).heads;
  const auto take = [&](const TensorView& from, const Tensor& to) {
    device_.copy_rows(heads_in(*block, TensorRole::partial, from, own), to.view());
  };
  take(partial.out.view(), resident_.out);
  take(lse.view(), resident_.lse);
  resident_.begun = true;
}

// What follows is tree decoding's all-reduces; kernels/merge.h says what they compute.

void WorkerRunner::begin_reduction() {
  reducing_ = plan_.result == Result::everyone && plan_.workers.size() > 1;
  if (!reducing_) return;
  Extent of_rows = resident_.lse.view().extent;
  of_rows.head_dim = 1;
  row_max_ = Tensor(*arguments_.allocator, DType::f32, of_rows, "row_max", index_);
  denominator_ = Tensor(*arguments_.allocator, DType::f32, of_rows, "denominator", index_);
  // The maximum over no keys is their LSE; the output is still unspecified.
  device_.clear_partial(resident_.out.view(), row_max_.view());
}

// Every worker has the maximum by now.
void WorkerRunner::begin_denominator() {
  if (has_denominator_) return;
  has_denominator_ = true;
  device_.weigh_partial(resident_.out.view(), resident_.lse.view(), row_max_.view(),
                        denominator_.view());
}

// Returns the tensor of a reduction's part, ready for reading and writing.
const TensorView& WorkerRunner::reduced(TensorRole what) {
  if (!resident_.begun) begin_partial(resident_);
  if (what == TensorRole::row_max) return row_max_.view();
  begin_denominator();
  return what == TensorRole::denominator ? denominator_.view() : resident_.out.view();
}

// `whole`: the full sum comes back and replaces the share; otherwise a share is added.
void WorkerRunner::reduce_part(const Transfer& part, std::byte* data, bool whole) {
  const TensorView& target = reduced(part.what);
  const TensorView come = contiguous_view(data, DType::f32, target.extent);
  if (whole) {
    device_.copy_rows(come, target);
  } else if (part.what == TensorRole::row_max) {
    device_.combine(target, resident_.lse.view(), Combine::maximum);
    device_.combine(target, come, Combine::maximum);
  } else {
    device_.combine(target, come, Combine::sum);
  }
}

void WorkerRunner::pack_reduced(const Transfer& part, std::byte* data) {
  const TensorView& source = reduced(part.what);
  const TensorView packed = contiguous_view(data, DType::f32, source.extent);
  device_.copy_rows(source, packed);
  // A maximum not yet compared with any other is the worker's own LSE.
  if (part.what == TensorRole::row_max)
    device_.combine(packed, resident_.lse.view(), Combine::maximum);
}

void WorkerRunner::finish_reduction() {
  if (!reducing_) return;
  begin_denominator();
  device_.normalise_partial(resident_.out.view(), resident_.lse.view(), row_max_.view(),
                            denominator_.view());
}

}  // namespace qb
