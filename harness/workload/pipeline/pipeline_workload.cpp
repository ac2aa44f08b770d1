// SPDX-License-Identifier: Apache-2.0
// A stack of layers whose stages, one a worker, compute its forward and its backward pass: in turn
// by one thread, which composes the time from that of each unit, or with a thread each. By the
// model, stages are groups of workers.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>

#include "base/clock.h"
#include "harness/execute/device/cpu_device.h"
#include "harness/execute/device/device_rehearsal.h"
#include "harness/execute/model/pipeline_model.h"
#include "harness/execute/transport/memory_transport.h"
#include "harness/execute/verify/inputs.h"
#include "harness/workload/pipeline/pipeline_verify.h"
#include "harness/workload/pipeline/stage_model.h"
#include "harness/workload/prediction.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

// Groups of workers have the same links where each has hosts of its own, or a part of one.
int stages_of(const Case& c) {
  if (c.pipeline.stages == 0) return c.workers;
  const int on_host = c.cluster == kNoCluster ? c.workers : cluster_of(c).workers_per_host;
  const auto fits = [&](int stages) {
    const int group = c.workers / stages;
    return c.workers % stages == 0 &&
           (c.workers <= on_host || group % on_host == 0 || on_host % group == 0);
  };
  int nearest = std::min(c.pipeline.stages, c.workers);
  while (!fits(nearest)) --nearest;
  if (nearest == c.pipeline.stages) return nearest;
  throw Unsupported(
      fmt::format("pipeline.stages: {} does not make equal groups of {} workers{}; the nearest is "
                  "pipeline.stages: {}",
                  c.pipeline.stages, c.workers,
                  c.workers > on_host ? fmt::format(" on hosts of {}", on_host) : "", nearest));
}

PipelineStack stack_of(const Case& c) {
  const PipelineCase& p = c.pipeline;
  const int stages = stages_of(c);
  const int places = stages * p.virtual_stages;
  const auto must_divide = [](std::int64_t whole, std::int64_t parts, std::string_view key,
                              std::string_view of_parts) {
    if (whole % parts != 0)
      throw Unsupported(fmt::format("{}: {} is not a multiple of {} {}; the nearest is {}: {}", key,
                                    whole, parts, of_parts, key,
                                    std::max<std::int64_t>(1, whole / parts) * parts));
  };
  must_divide(p.layers, places, "pipeline.layers", "virtual stages");
  must_divide(c.shape.batch, p.microbatches, "batch", "microbatches");
  if (p.chunks > c.shape.q_len)
    throw Unsupported(
        fmt::format("{} tokens are too few for {} chunks; the nearest is pipeline.chunks: {}",
                    c.shape.q_len, p.chunks, c.shape.q_len));
  return {.problem = problem_of(c),
          .plan = plan_pipeline(p.schedule, stages, p.microbatches, p.chunks, p.virtual_stages),
          .kernel = c.kernel,
          .layers = p.layers / places,
          .chunks = cut_chunks(c.shape.q_len, p.chunks, p.cut)};
}

// The stages, and the tensors of the whole batch, which belong to the first and to the last one.
struct Crew {
  Crew(const PipelineStack& stack, MemoryLedger& memory) {
    const int last = stack.plan.stages - 1;
    const auto take = [&](const char* label, int stage) {
      return tensors.emplace_back(memory, DType::f32, stack.problem.shape.out(), label, stage)
          .view();
    };
    whole = {take("input", 0), take("output", last), take("d_output", last), take("d_input", 0)};
    for (int stage = 0; stage <= last; ++stage) stages.emplace_back(stack, whole, stage, memory);
  }

  void play_in_turn(const PipelinePlan& plan, AttentionDevice& device, Transport& transport) {
    for (PipelineStage& stage : stages) stage.begin(transport);
    for (const PipelineStep& step : playable_order(plan))
      stages[static_cast<std::size_t>(step.stage)].step(device, transport);
    for (PipelineStage& stage : stages) stage.end(transport);
  }

  // The most that the device of a stage has held since the ledger's peaks were reset.
  [[nodiscard]] std::int64_t device_peak_bytes(const MemoryLedger& memory) const {
    std::int64_t most = 0;
    for (int stage = 0; stage < std::ssize(stages); ++stage) {
      const int held = (stage == 0 ? 2 : 0) + (stage + 1 == std::ssize(stages) ? 2 : 0);
      most = std::max(most, held * whole.x.bytes() +
                                static_cast<std::int64_t>(memory.worker_peak_bytes(stage)));
    }
    return most;
  }

  std::deque<Tensor> tensors;
  StackViews whole;
  std::deque<PipelineStage> stages;
};

class Pipeline final : public Workload {
 public:
  explicit Pipeline(const Case& c)
      : Workload(c), stack_(stack_of(c)), plan_(stack_.plan), network_(network_of(c)) {
    if (c.ranks == Ranks::model) model_.emplace(c, stack_.chunks);
  }

  RowValues predict(const cuda::KernelCosts*) override {
    RowValues values;
    values.set("unmasked_flop", flop());
    predict_messages(values);
    predict_memory(values);
    values.set("predicted_bubble_ratio", bubble_ratio(plan_));
    const double alone_s =
        times({}, [&](const PipelineStep& step) { return stack_.flop_of(unit_of(step)); }).wall_s;
    values.set("plan_bubble_ratio", 1.0 - flop() / (plan_.stages * alone_s));
    // The first stage keeps most.
    values.set("kept_microbatches",
               static_cast<double>(kept_units(plan_, 0)) / (plan_.chunks * plan_.virtual_stages));
    if (links_have_limit())
      values.set("predicted_pipeline_s", times(network_, [](const auto&) { return 0.0; }).wall_s);
    return values;
  }
  double flop() const override {
    double sum = 0.0;
    for (const auto& order : plan_.order)
      for (const PipelineUnit& unit : order) sum += stack_.flop_of(unit);
    return sum;
  }
  int threads() const override { return threads_of(case_); }
  std::optional<std::string> flaw() const override {
    const std::optional<std::string> first = check(plan_);
    return first || !model_ ? first : model_->flaw();
  }

  Sample run(bool) override {
    if (model_) return run_model();
    return case_.ranks == Ranks::threads ? run_at_once() : run_in_turn();
  }
  Peaks peaks() override { return {crew_->device_peak_bytes(ledger())}; }

  Verification verify() override {
    std::set<std::int64_t> edges;
    for (const Range& chunk : stack_.chunks) edges.insert({chunk.begin, chunk.end - 1});
    return verify_pipeline(
        stack_.problem, case_.pipeline.layers, crew_->whole,
        rows_to_verify(case_.shape.q_len, edges, case_.measure.verify_rows, case_.seed), threads());
  }

  void report(CaseResult& result) override {
    const double wall_s = result.values.number("critical_path_median_s");
    const double units_s =
        model_ ? modelled_units_s_ : result.values.number("worker_sum_median_s") / plan_.stages;
    result.values.set("bubble_ratio", 1.0 - units_s / wall_s);
    if (model_) result.values.set("modelled_wall_time_s", wall_s);
  }

 private:
  [[nodiscard]] const PipelineUnit& unit_of(const PipelineStep& step) const {
    return plan_.order[static_cast<std::size_t>(step.stage)][step.index];
  }
  [[nodiscard]] int workers_of_stage() const { return model_ ? model_->workers() : 1; }
  [[nodiscard]] std::int64_t bytes_of(const PipelineUnit& unit, int worker) const {
    return model_ ? model_->rows_bytes(unit.chunk, worker)
                  : stack_.rows_of(unit).elements() * size_of(DType::f32);
  }
  [[nodiscard]] PipelineTimes times(
      const Network& network, const std::function<double(const PipelineStep&)>& unit_s) const {
    return pipeline_times(
        plan_, network,
        {unit_s, [&](const PipelineUnit& unit, int worker) { return bytes_of(unit, worker); },
         workers_of_stage()});
  }
  [[nodiscard]] bool links_have_limit() const {
    return network_.limit.bandwidth_byte_per_s > 0.0 || network_.limit.latency_s > 0.0;
  }
  [[nodiscard]] int threads_of_stage() const {
    return case_.ranks == Ranks::threads ? std::max(1, threads() / plan_.stages) : threads();
  }

  void predict_messages(RowValues& values) const {
    const int n = workers_of_stage();
    std::vector<std::int64_t> to_stages(static_cast<std::size_t>(plan_.stages * n), 0);
    for (const PipelineStep& step : playable_order(plan_))
      if (const auto to = plan_.neighbour(step.stage, unit_of(step), 1); to && plan_.stages > 1)
        for (int w = 0; w < n; ++w)
          to_stages[static_cast<std::size_t>(step.stage * n + w)] += bytes_of(to->unit, w);
    std::vector<std::int64_t> sent = to_stages;
    for (std::size_t w = 0; model_ && w < sent.size(); ++w)
      sent[w] += std::int64_t{plan_.microbatches} * plan_.virtual_stages * stack_.layers *
                 model_->sent_bytes(static_cast<int>(w) % n);
    values.set("moved_bytes", std::accumulate(sent.begin(), sent.end(), std::int64_t{0}));
    values.set("device_sent_bytes", std::ranges::max(sent));
    values.set("between_stages_bytes", std::ranges::max(to_stages));
  }

  // Plays the stages with kernels that only take their memory. What all stages hold at one time is
  // known only where they play in turn.
  void predict_memory(RowValues& values) const {
    if (model_) {  // the first stage keeps most
      values.set("predicted_device_peak_bytes", model_->device_peak_bytes(plan_, 0, stack_.layers));
      return;
    }
    const CpuDevice::Costs costs(threads_of_stage());
    const auto device = rehearsal_device(costs);
    MemoryLedger memory(over_addresses(*device));
    Crew crew(stack_, memory);
    memory.reset_peaks();
    NoTransport transport;
    crew.play_in_turn(plan_, *device, transport);
    values.set("predicted_device_peak_bytes", crew.device_peak_bytes(memory));
    if (case_.ranks == Ranks::serial)
      values.set("predicted_active_peak_bytes", memory.active_peak_bytes());
  }

  // The parts are those of the stage that ends last; all compute the same units.
  Sample run_model() {
    const auto layer_of = [&](const PipelineUnit& unit) {
      return model_->layer_times(unit.chunk, unit.backward ? Pass::backward : Pass::forward);
    };
    const PipelineTimes played = times(network_, [&](const PipelineStep& step) {
      return stack_.layers * layer_of(unit_of(step)).wall_s;
    });
    Sample sample{.wall_s = played.wall_s,
                  .critical_path_s = played.wall_s,
                  .compute_s = 0.0,
                  .exposed_communication_s = played.exposed_s,
                  .idle_s = played.idle_s};
    modelled_units_s_ = 0.0;
    for (const PipelineUnit& unit : plan_.order.front()) {
      const Sample layer = layer_of(unit);
      modelled_units_s_ += stack_.layers * layer.wall_s;
      sample.worker_sum_s += plan_.stages * stack_.layers * layer.worker_sum_s;
      sample.compute_s += stack_.layers * layer.compute_s;
      sample.exposed_communication_s += stack_.layers * layer.exposed_communication_s;
      sample.idle_s += stack_.layers * layer.idle_s;
    }
    sample.longest_subsequence_s = sample.compute_s;
    return sample;
  }

  Sample run_in_turn() {
    MemoryTransport transport({.workers = plan_.stages});
    const double start_s = now_s();
    crew_->play_in_turn(plan_, device_->as<AttentionDevice>(), transport);
    const double wall_s = now_s() - start_s;
    // With a worker for each stage, and messages that take no time.
    const PipelineTimes composed = times({}, [&](const PipelineStep& step) {
      return crew_->stages[static_cast<std::size_t>(step.stage)].times().unit_s[step.index];
    });
    return with_work({.wall_s = wall_s, .critical_path_s = composed.wall_s});
  }

  Sample run_at_once() {
    MemoryTransport transport({.carrier = links_have_limit(),
                               .link = network_.limit,
                               .hosts = network_.hosts,
                               .timeout_s = message_timeout_s(case_),
                               .workers = plan_.stages});
    transport.run([&](int w) {
      (void)transport.meet();
      CpuDevice device(threads_of_stage());
      PipelineStage& stage = crew_->stages[static_cast<std::size_t>(w)];
      stage.begin(transport);
      for (std::size_t i = 0; i < plan_.order.front().size(); ++i) stage.step(device, transport);
      stage.end(transport);
    });
    const auto times = crew_->stages | std::views::transform(&PipelineStage::times);
    const PipelineStage::Times& last =
        *std::ranges::max_element(times, {}, &PipelineStage::Times::end_s);
    const double wall_s =
        last.end_s - (*std::ranges::min_element(times, {}, &PipelineStage::Times::begin_s)).begin_s;
    // The parts are those of the stage that ends last, which computes nothing while it waits.
    return with_work({.wall_s = wall_s,
                      .critical_path_s = wall_s,
                      .compute_s = last.end_s - last.begin_s - last.exposed_s - last.idle_s,
                      .communication_s = last.exposed_s,
                      .exposed_communication_s = last.exposed_s,
                      .idle_s = last.idle_s});
  }

  [[nodiscard]] Sample with_work(Sample sample) const {
    for (const PipelineStage& stage : crew_->stages) {
      const std::vector<double>& units = stage.times().unit_s;
      const double compute_s = std::accumulate(units.begin(), units.end(), 0.0);
      sample.worker_sum_s += compute_s;
      sample.longest_subsequence_s = std::max(sample.longest_subsequence_s, compute_s);
    }
    return sample;
  }

  void hold(const std::string&) override {
    crew_.emplace(stack_, ledger());
    const Range tokens{0, case_.shape.q_len};
    fill_input(stack_.problem, TensorRole::q, tokens, crew_->whole.x, threads());
    fill_input(stack_.problem, TensorRole::d_out, tokens, crew_->whole.d_y, threads());
    poison(crew_->whole.y);
    poison(crew_->whole.d_x);
  }
  void release() override { crew_.reset(); }

  const PipelineStack stack_;
  const PipelinePlan& plan_;
  const Network network_;
  std::optional<StageModel> model_;  // of ranks: model
  double modelled_units_s_ = 0.0;    // of a stage
  std::optional<Crew> crew_;
};

}  // namespace

std::unique_ptr<Workload> plan_stack(const Case& c) { return std::make_unique<Pipeline>(c); }

}  // namespace qb
