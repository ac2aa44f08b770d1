// SPDX-License-Identifier: Apache-2.0
// Attention over the workers of a plan: on the CPU with every kind of ranks, on one GPU that runs
// the workers in turn or together, on one GPU per worker with NCCL, or predicted by the model.
//
// A backward pass begins with O and LSE of a forward pass. If it alone is timed, that pass is
// run once before the runs (prepare()); if both are, each run runs one and then the other, and
// the tensors that only the backward pass needs come into being between the two.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "harness/plan/tiling.h"
#include "harness/run/runner/device_executor.h"
#include "harness/run/runner/executor.h"
#include "harness/run/runner/nccl_executor.h"
#include "harness/run/transport/mpi_world.h"
#include "harness/verify/inputs.h"
#include "harness/verify/verify_gradients.h"
#include "harness/workload/mixer/mixer_verify.h"
#include "harness/workload/prediction.h"
#include "harness/workload/schedule_trace.h"
#include "harness/workload/step_rows.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

constexpr int kMostWorkersWithSteps = 64;

// The repeats alternate several sets of inputs. Together they are several times as large as the
// cache, so that no part of a set is left in it when the set is used again.
constexpr std::uint64_t kCachesToRotate = 3;
constexpr std::uint64_t kMostSets = 8;

// True for rank 0 of several processes, and for a single process.
bool is_root() {
  const MpiWorld* const world = MpiWorld::current();
  return world == nullptr || world->rank() == 0;
}

class Attention final : public Workload {
 public:
  explicit Attention(const Case& c) : Workload(c), planned_(plan_case(c)) {}

  RowValues predict(const cuda::KernelCosts* costs) override {
    if (costs != nullptr) rehearse_on_gpu(case_, *costs, planned_);
    return prediction_columns(case_, planned_);
  }
  void model() override {
    if (!case_.model_device || case_.ranks == Ranks::model) return;
    modelled_s_ = 0.0;
    for (const Execution& pass : model_times(case_, planned_)) modelled_s_ += pass.wall_s;
  }
  double flop() const override { return planned_.work.flops; }
  int threads() const override { return planned_.threads; }
  std::optional<std::string> flaw() const override { return planned_.flaw; }
  SentBytes sent() const override {
    SentBytes sent(case_.workers);
    for (std::size_t w = 0; w < sent.all.size(); ++w)
      sent.all[w] = planned_.work.workers[w].bytes_out;
    if (case_.cluster != kNoCluster)
      sent.between_hosts = bytes_between_hosts(planned_.timed(), hosts_of(case_));
    return sent;
  }

  void prepare() override {
    if (!planned_.backward) return;
    if (planned_.times_forward) {
      // The first run makes them between its passes, but none of several processes, which would
      // wait for a rank 0 that has no memory for them.
      if (case_.ranks == Ranks::mpi || case_.ranks == Ranks::nccl) hold_gradients();
      return;
    }
    (void)execute(planned_.plan, true);
    if (rank_) rank_->forget_lists();
    hold_gradients();
    ledger().reset_peaks();
  }

  Sample run(bool verifying) override {
    const std::vector<Execution> passes = execute_passes(verifying);
    Execution execution = passes.front();
    if (passes.size() > 1) execution = in_sequence(std::move(execution), passes.back());
    if (verifying && case_.ranks != Ranks::model) require_planned_bytes(execution);
    Sample sample = sample_of(execution);
    if (passes.size() > 1) {
      sample.forward_s = passes.front().wall_s;
      sample.backward_s = passes.back().wall_s;
    }
    if (!verifying) executions_.push_back(std::move(execution));
    return sample;
  }
  Peaks peaks() override { return peaks_; }

  Verification verify() override {
    const Set& inputs = sets_.front();
    get(out_.device(), out_.host());
    get(lse_.device(), lse_.host());
    const std::int64_t most = case_.measure.verify_rows;
    const std::vector<std::int64_t> rows = rows_to_verify(planned_.plan, most);
    Verification verification = verify_output(
        problem(), inputs.q.host(), inputs.k.host(), inputs.v.host(), out_.host(), lse_.host(),
        rows, planned_.threads, !is_on_host() && case_.kernel == Kernel::materialized,
        rounds_lse(planned_.plan), partial_roundings(planned_.plan));
    if (case_.workload == WorkloadKind::sequence_mixer)
      distance_to_exact_ =
          distance_to_attention(inputs.q.host(), inputs.k.host(), inputs.v.host(), out_.host(),
                                problem().mask, problem().scale, rows, planned_.threads);
    if (!planned_.backward || !verification.correct) return verification;
    for (const SharedTensor* const gradient : {&d_q_, &d_k_, &d_v_, &d_sinks_})
      if (gradient->host().data != nullptr) get(gradient->device(), gradient->host());
    verify_gradients(gradient_problem(problem(), inputs.q.host(), inputs.k.host(), inputs.v.host(),
                                      d_out_.host()),
                     {d_q_.host(), d_k_.host(), d_v_.host(), d_sinks_.host()}, rows,
                     keys_to_verify(planned_.plan, most), planned_.threads, verification,
                     asked_roundings(),
                     rounds_lse(planned_.plan) || rounds_lse(*planned_.backward));
    return verification;
  }

  void report(CaseResult& result) override {
    const bool is_modelled = case_.ranks == Ranks::model;
    // Nobody reads a table with a row for each step of thousands of workers.
    if (!is_modelled || case_.workers <= kMostWorkersWithSteps)
      add_steps(case_, planned_, counted_executions(result.samples), result.steps);
    if (case_.measure.memory_timeline)
      result.schedule =
          schedule_trace(planned_.timed(), median_execution(counted_executions(result.samples)));
    if (!is_modelled && planned_.work.rows_without_keys > 0)
      result.message =
          fmt::format("{} of {} rows see no key: output 0, LSE {}", planned_.work.rows_without_keys,
                      problem().shape.q_len, problem().sinks.empty() ? "-inf" : "the sink");
    result.values.set("distance_to_exact", distance_to_exact_);
    if (!case_.model_device) return;
    if (is_modelled) modelled_s_ = executions_.front().wall_s;
    result.values.set("modelled_wall_time_s", modelled_s_);
    if (is_modelled) return;
    result.values.set("model_residual_ratio",
                      result.values.number("wall_time_median_s") / modelled_s_ - 1.0);
  }

 private:
  struct Set {
    SharedTensor q;
    SharedTensor k;
    SharedTensor v;
    // One for each pass; both hold memory of the ledger.
    std::array<std::unique_ptr<DeviceExecutor>, 2> executors{};

    [[nodiscard]] std::unique_ptr<DeviceExecutor>& executor_of(Pass pass) {
      return executors[pass == Pass::forward ? 0U : 1U];
    }
  };

  [[nodiscard]] const Problem& problem() const { return planned_.plan.problem; }
  // The bytes of a row are counted in the plan, and here as they moved. Workers that were launched
  // together have no times, and nothing moves where a plan works in place or one GPU runs all.
  void require_planned_bytes(const Execution& execution) const {
    if (case_.device == Device::cuda && case_.ranks == Ranks::serial) return;
    for (const Plan* const plan : planned_.timed())
      if (works_in_place(*plan)) return;
    for (std::size_t w = 0; w < execution.workers.size(); ++w) {
      const WorkerTime& moved = execution.workers[w];
      const WorkerWork& planned = planned_.work.workers[w];
      if (moved.sent_bytes != planned.bytes_out || moved.from_root_bytes != planned.bytes_from_root)
        throw CaseError(Status::error,
                        fmt::format("worker {} sent {} bytes and got {} from the root, where the "
                                    "plan has {} and {}",
                                    w, moved.sent_bytes, moved.from_root_bytes, planned.bytes_out,
                                    planned.bytes_from_root));
    }
  }
  [[nodiscard]] std::vector<Execution> counted_executions(const std::vector<Sample>& all) const {
    std::vector<Execution> counted;
    for (const std::size_t i : counted_samples(all, case_.measure.min_repeats))
      counted.push_back(executions_.at(i));
    return counted;
  }
  // How far gradients may be off because of what the case asks for: sums, or partials of O, that
  // travel in 16 bits.
  [[nodiscard]] double asked_roundings() const {
    const double of_partials = partial_roundings(planned_.plan);
    if (case_.gradient_dtype == DType::f32) return of_partials;
    return of_partials + case_.workers * unit_roundoff(case_.gradient_dtype);
  }
  // What a backward pass needs of the forward pass is labelled as saved for it.
  [[nodiscard]] const char* label(const char* alone, const char* saved) const {
    return planned_.backward ? saved : alone;
  }

  void hold(const std::string& why_no_device) override {
    executions_.clear();
    if (case_.ranks == Ranks::nccl)
      rank_.emplace(case_.workers, device_, why_no_device, message_timeout_s(case_));
    if (!is_root()) return;
    const auto input = [&](TensorRole what, const char* name) {
      return held(make_input(problem(), what, host_memory(), planned_.threads, name), name);
    };
    sets_.push_back({input(TensorRole::q, label("q", "saved_q")),
                     input(TensorRole::k, label("k", "saved_k")),
                     input(TensorRole::v, label("v", "saved_v")),
                     {}});
    out_ = result_tensor(problem().shape.out(), label("output", "saved_output"), 0);
    lse_ = result_tensor(problem().kept_lse(), label("lse", "saved_lse"), 0);
  }

  // Makes what a backward pass needs besides what the forward pass left, unless it is there. It
  // belongs to no worker, whose peaks count from the moment before.
  void hold_gradients() {
    if (!is_root() || d_out_.host().data != nullptr) return;
    const Shape& shape = problem().shape;
    d_out_ = held(
        make_input(problem(), TensorRole::d_out, host_memory(), planned_.threads, "d_out", kRoot),
        "d_out", kRoot);
    d_q_ = result_tensor(shape.q(), "d_q", kRoot);
    d_k_ = result_tensor(shape.k(), "d_k", kRoot);
    d_v_ = result_tensor(shape.v(), "d_v", kRoot);
    if (!problem().sinks.empty()) d_sinks_ = result_tensor(shape.d_sinks(), "d_sinks", kRoot);
  }

  // An input, on the device too where the plan reads the whole of it there.
  [[nodiscard]] SharedTensor held(Tensor of_host, const char* name, int worker = 0) {
    if (holds_whole_inputs()) return share(std::move(of_host), problem().dtype, name, worker);
    return SharedTensor{std::move(of_host), {}};
  }

  // A tensor that a pass writes, with a pattern that shows what it does not.
  [[nodiscard]] SharedTensor result_tensor(const Extent& extent, const char* name, int worker) {
    Tensor of_host(host_memory(), DType::f32, extent, name, worker);
    poison(of_host.view());
    return share(std::move(of_host), DType::f32, name, worker);
  }

  void release() override {
    sets_.clear();
    for (SharedTensor* const tensor : {&out_, &lse_, &d_out_, &d_q_, &d_k_, &d_v_, &d_sinks_})
      *tensor = {};
    rank_.reset();
    turn_ = 0;
  }

  // With NCCL rank 0 makes its shard as the others do, unless the plan begins with a scatter.
  [[nodiscard]] bool holds_whole_inputs() const {
    return is_root() && (case_.ranks != Ranks::nccl || is_scattered(planned_.plan));
  }

  // inputs: nullptr where every rank makes its shard. A backward pass reads the output of the
  // forward pass at rank 0.
  [[nodiscard]] ExecutionArguments arguments(const Plan& plan, const Set* inputs, bool verifying) {
    const bool is_read = planned_.backward && plan.pass == Pass::forward;
    ExecutionArguments arguments{.q = {},
                                 .k = {},
                                 .v = {},
                                 .out = out_.device(),
                                 .lse = lse_.device(),
                                 .d_out = d_out_.device(),
                                 .d_q = d_q_.device(),
                                 .d_k = d_k_.device(),
                                 .d_v = d_v_.device(),
                                 .d_sinks = d_sinks_.device(),
                                 .kernel = case_.kernel,
                                 .threads = planned_.threads,
                                 .launch = case_.launch,
                                 .clock = case_.clock,
                                 .allocator = &ledger(),
                                 .link = planned_.network.limit,
                                 .hosts = planned_.network.hosts,
                                 .message_timeout_s = message_timeout_s(case_),
                                 .collect_output = verifying || is_read,
                                 .guard_messages = verifying && case_.device != Device::cuda};
    if (inputs == nullptr) {
      arguments.shard = shard_source(problem(), planned_.threads);
    } else {
      arguments.q = inputs->q.device();
      arguments.k = inputs->k.device();
      arguments.v = inputs->v.device();
    }
    return arguments;
  }

  // Runs the passes that are timed, or predicts them.
  std::vector<Execution> execute_passes(bool verifying) {
    if (case_.ranks == Ranks::model) return model_times(case_, planned_);
    if (!verifying && case_.l2_cache == L2Cache::rotated) {
      make_rotation();
      ++turn_;
    }
    std::vector<Execution> passes;
    peaks_ = {};
    for (const Plan* const plan : planned_.timed()) {
      if (plan->pass == Pass::backward) hold_gradients();
      const auto held_bytes = static_cast<std::int64_t>(ledger().active_bytes());
      passes.push_back(execute(*plan, verifying));
      note_peaks(*plan, passes.back(), held_bytes);
    }
    return passes;
  }

  // held_bytes: what the ledger held before the pass, which is the whole tensors where a root
  // scatters them.
  void note_peaks(const Plan& plan, const Execution& execution, std::int64_t held_bytes) {
    if (works_in_place(plan)) {
      peaks_.device_bytes = static_cast<std::int64_t>(ledger().active_peak_bytes());
      return;
    }
    if (execution.workers.empty()) return;  // launched together
    for (const WorkerTime& worker : execution.workers)
      peaks_.device_bytes = std::max(peaks_.device_bytes.value_or(0), worker.active_peak_bytes);
    if (is_scattered(plan))
      peaks_.root_bytes = std::max(peaks_.root_bytes.value_or(0),
                                   held_bytes + execution.workers.front().active_peak_bytes);
  }

  Execution execute(const Plan& plan, bool verifying) {
    if (case_.ranks == Ranks::serial && !is_on_host()) return execute_on_gpu(plan, verifying);
    const Set* const inputs = holds_whole_inputs() ? &sets_.front() : nullptr;
    if (rank_) return rank_->execute(plan, arguments(plan, inputs, verifying));
    return qb::execute(case_.ranks, plan, arguments(plan, inputs, verifying));
  }

  Execution execute_on_gpu(const Plan& plan, bool verifying) {
    Set& set = sets_[turn_ % sets_.size()];
    std::unique_ptr<DeviceExecutor>& executor = set.executor_of(plan.pass);
    if (!executor)
      executor = std::make_unique<DeviceExecutor>(plan, arguments(plan, &set, verifying), *device_);
    const Execution execution = executor->run();
    if (is_followed_by_another(plan)) executor.reset();
    return execution;
  }

  // The other pass comes next, and finds free what this one has taken.
  [[nodiscard]] bool is_followed_by_another(const Plan& plan) const {
    return planned_.backward && (planned_.times_forward || plan.pass == Pass::forward);
  }

  void make_rotation() {
    const auto bytes =
        static_cast<std::uint64_t>(sets_.front().q.host().bytes() + sets_.front().k.host().bytes() +
                                   sets_.front().v.host().bytes());
    const std::uint64_t wanted =
        kCachesToRotate * device_->facts().l2_bytes / std::max<std::uint64_t>(bytes, 1) + 2;
    const auto copy = [this](const SharedTensor& tensor, const char* name) {
      return SharedTensor{{}, copy_of(tensor.host(), problem().dtype, name)};
    };
    while (sets_.size() < std::min(wanted, kMostSets)) {
      const Set& first = sets_.front();
      sets_.push_back({copy(first.q, "q"), copy(first.k, "k"), copy(first.v, "v"), {}});
    }
  }

  [[nodiscard]] Sample sample_of(const Execution& e) const {
    Sample sample = qb::sample_of(case_, e);
    if (e.device_s > 0.0) sample.device_s = e.device_s;
    if (e.workers.empty())  // launched together
      sample.gather_s = sample.merge_s = std::numeric_limits<double>::quiet_NaN();
    if (case_.kernel == Kernel::staged && case_.ranks == Ranks::serial) {
      sample.stage_scores_s = e.stages.scores_s;
      sample.stage_softmax_s = e.stages.softmax_s;
      sample.stage_product_s = e.stages.values_s;
    }
    return sample;
  }

  PlannedCase planned_;
  std::vector<Set> sets_;  // the first has the host's tensors
  std::size_t turn_ = 0;
  SharedTensor out_;
  SharedTensor lse_;
  SharedTensor d_out_;  // this and the next four: of a backward pass
  SharedTensor d_q_;
  SharedTensor d_k_;
  SharedTensor d_v_;
  SharedTensor d_sinks_;
  std::optional<NcclRank> rank_;
  Peaks peaks_;
  double modelled_s_ = 0.0;
  double distance_to_exact_ = std::numeric_limits<double>::quiet_NaN();  // of a sequence_mixer
  std::vector<Execution> executions_;                                    // one for each sample
};

}  // namespace

std::unique_ptr<Workload> plan_attention(const Case& c) { return std::make_unique<Attention>(c); }

}  // namespace qb
