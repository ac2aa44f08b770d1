// The kernel calls and reductions of a worker.
#include <chrono>
#include <optional>
#include <thread>

#include "harness/execute/player/worker.h"

namespace qb {
namespace {

std::optional<TileSchedule> schedule_of(const Plan& plan, const BlockTracker& blocks,
                                        const KernelCall& call, Kernel kernel,
                                        const ComputeDevice& device) {
  if (!device.reads_schedule(kernel)) return std::nullopt;
  const KernelTiles tiles = device.tiles(kernel, plan.problem.shape.head_dim);
  return call_schedule(plan, blocks, call, tiles.query_tile,
                       {tiles.residue_classes, device.facts().host_threads});
}

// If the device does not fill in the stages of kernel staged, marks separate them; all of them are
// the step's time.
void attend(const WorkerPlayer::Tools& tools, const ExecutionArguments& arguments,
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

}  // namespace

void slow_down(const ExecutionArguments& arguments, int worker, double busy_s) {
  if (arguments.worker_speeds.empty()) return;
  const double speed = arguments.worker_speeds[static_cast<std::size_t>(worker)];
  if (speed < 1.0)
    std::this_thread::sleep_for(std::chrono::duration<double>(busy_s * (1.0 / speed - 1.0)));
}

void WorkerPlayer::begin_partial(Partial& partial) {
  device_.clear_partial(partial.out.view(), partial.lse.view());
  partial.begun = true;
}

void WorkerPlayer::compute(const KernelCall& call) {
  const Block& q = blocks_.block(call.q_block);
  const Block& kv = blocks_.block(call.kv_block);
  Partial& partial = q.resident ? resident_ : passing_[q.id];
  if (!partial.exists()) partial = make_partial(q.rows, q.heads, "out_partial", "lse_partial");
  const std::optional<TileSchedule> schedule =
      schedule_of(plan_, blocks_, call, arguments_.kernel, device_);

  const std::int64_t rows = call.q_end - call.q_begin;
  const std::int64_t keys = call.k_end - call.k_begin;
  const std::int64_t n_heads = call.heads.end - call.heads.begin;
  const std::int64_t first_head = call.heads.begin - q.heads.begin;
  const Shape& shape = plan_.problem.shape;
  const HeadRange kv_heads = kv_heads_of(shape, call.heads);
  const std::int64_t first_kv_head = kv_heads.begin - kv_heads_of(shape, kv.heads).begin;
  const std::int64_t n_kv_heads = kv_heads.end - kv_heads.begin;
  const Held& queries = held_.at(q.id);
  const Held& keys_values = held_.at(kv.id);
  const auto of_keys = [&](const TensorView& view) {
    return view.tokens(call.k_begin, keys).heads(first_kv_head, n_kv_heads);
  };
  const auto of_queries = [&](const TensorView& view) {
    return view.tokens(call.q_begin, rows).heads(first_head, n_heads);
  };

  // A message may have begun the partial before the first call of its block.
  const bool in_place = call.first && !partial.begun;
  Partial result;
  if (!in_place) result = make_partial(rows, call.heads, "out_step", "lse_step");
  const Partial& target = in_place ? partial : result;
  attend(tools_, arguments_,
         {of_queries(queries.view(TensorRole::q)), of_keys(keys_values.view(TensorRole::k)),
          of_keys(keys_values.view(TensorRole::v)), schedule ? &*schedule : nullptr,
          plan_.problem.scale, target.out.view(), target.lse.view()},
         index_, &step_time().compute_s);
  if (in_place) {
    partial.begun = true;
    return;
  }
  if (!partial.begun) begin_partial(partial);
  device_.merge_partial(of_queries(partial.out.view()), of_queries(partial.lse.view()),
                        result.out.view(), result.lse.view());
}

void play_in_place(const Plan& plan, const ExecutionArguments& arguments,
                   const WorkerPlayer::Tools& tools, WorkerTime& time) {
  const Worker worker = plan.workers[0];
  BlockTracker blocks(plan, worker);
  blocks.enter_step();
  const std::vector<KernelCall> calls = blocks.take_calls();
  time.steps.resize(1);
  const double start_s = now_s();
  double* const compute_s = &time.steps[0].compute_s;
  tools.watch.charge(tools.device.facts().on_host ? compute_s : nullptr);
  if (calls.empty()) {
    tools.watch.charge(compute_s);
    tools.device.clear_partial(arguments.out, arguments.lse);
  } else {
    const std::optional<TileSchedule> schedule =
        schedule_of(plan, blocks, calls[0], arguments.kernel, tools.device);
    tools.watch.charge(compute_s);
    attend(tools, arguments,
           {arguments.q, arguments.k, arguments.v, schedule ? &*schedule : nullptr,
            plan.problem.scale, arguments.out, arguments.lse},
           0, compute_s);
  }
  slow_down(arguments, 0, now_s() - start_s);
  tools.watch.charge(nullptr);
}

// What follows is tree decoding's all-reduces; kernels/reduction.h says what they compute.

void WorkerPlayer::begin_reduction() {
  reducing_ = plan_.result == Result::everyone && plan_.workers.size() > 1;
  if (!reducing_) return;
  const Extent of_lse = resident_.lse.view().extent;
  row_max_ = Tensor(*arguments_.allocator, DType::f32, of_lse, "row_max", index_);
  denominator_ = Tensor(*arguments_.allocator, DType::f32, of_lse, "denominator", index_);
  // The maximum over no keys is their LSE; the output is still unspecified.
  device_.clear_partial(resident_.out.view(), row_max_.view());
}

// Every worker has the maximum by now.
void WorkerPlayer::begin_denominator() {
  if (has_denominator_) return;
  has_denominator_ = true;
  device_.weigh_partial(resident_.out.view(), resident_.lse.view(), row_max_.view(),
                        denominator_.view());
}

// Returns the tensor of a reduction's part, ready for reading and writing.
const TensorView& WorkerPlayer::reduced(TensorRole what) {
  if (!resident_.begun) begin_partial(resident_);
  if (what == TensorRole::row_max) return row_max_.view();
  begin_denominator();
  return what == TensorRole::denominator ? denominator_.view() : resident_.out.view();
}

// `whole`: the full sum comes back and replaces the share; otherwise a share is added.
void WorkerPlayer::reduce_part(const Transfer& part, std::byte* data, bool whole) {
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

void WorkerPlayer::pack_reduced(const Transfer& part, std::byte* data) {
  const TensorView& source = reduced(part.what);
  const TensorView packed = contiguous_view(data, DType::f32, source.extent);
  device_.copy_rows(source, packed);
  // A maximum not yet compared with any other is the worker's own LSE.
  if (part.what == TensorRole::row_max)
    device_.combine(packed, resident_.lse.view(), Combine::maximum);
}

void WorkerPlayer::finish_reduction() {
  if (!reducing_) return;
  begin_denominator();
  device_.normalise_partial(resident_.out.view(), resident_.lse.view(), row_max_.view(),
                            denominator_.view());
}

}  // namespace qb
