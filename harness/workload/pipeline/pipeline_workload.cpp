// SPDX-License-Identifier: Apache-2.0
// A stack of layers that stages, groups of workers, compute forwards and backwards, by the model.
// A layer is attention of a sequence to itself without weights, under a causal mask. A chunk
// attends to itself and to each chunk before it; backwards it adds to the gradients of their keys,
// which these keep until their turn.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "harness/forecast/pipeline_model.h"
#include "harness/workload/pipeline/stage_model.h"
#include "harness/workload/prediction.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

// Groups of workers have the same links where each has hosts of its own, or a part of one.
void require_equal_stages(const Case& c) {
  const int on_host = c.cluster == kNoCluster ? c.workers : cluster_of(c).workers_per_host;
  const auto fits = [&](int stages) {
    const int group = c.workers / stages;
    return c.workers % stages == 0 &&
           (c.workers <= on_host || group % on_host == 0 || on_host % group == 0);
  };
  int nearest = std::min(c.pipeline.stages, c.workers);
  while (!fits(nearest)) --nearest;
  if (nearest == c.pipeline.stages) return;
  throw Unsupported(
      fmt::format("pipeline.stages: {} does not make equal groups of {} workers{}; the nearest is "
                  "pipeline.stages: {}",
                  c.pipeline.stages, c.workers,
                  c.workers > on_host ? fmt::format(" on hosts of {}", on_host) : "", nearest));
}

// Throws Unsupported where stages, layers, microbatches or chunks cannot be as the case says.
std::vector<Range> chunks_of(const Case& c) {
  const Pipeline& p = c.pipeline;
  const auto must_divide = [](std::int64_t whole, std::int64_t parts, std::string_view key,
                              std::string_view of_parts) {
    if (whole % parts != 0)
      throw Unsupported(fmt::format("{}: {} is not a multiple of {} {}; the nearest is {}: {}", key,
                                    whole, parts, of_parts, key,
                                    std::max<std::int64_t>(1, whole / parts) * parts));
  };
  require_equal_stages(c);
  must_divide(p.layers, p.stages * p.virtual_stages, "pipeline.layers", "virtual stages");
  must_divide(c.shape.batch, p.microbatches, "batch", "microbatches");
  if (p.schedule == PipelineSchedule::interleaved)
    must_divide(p.microbatches, p.stages, "pipeline.microbatches",
                "stages, as many as interleaved passes at a time");
  if (p.chunks > c.shape.q_len)
    throw Unsupported(
        fmt::format("{} tokens are too few for {} chunks; the nearest is pipeline.chunks: {}",
                    c.shape.q_len, p.chunks, c.shape.q_len));
  return cut_chunks(c.shape.q_len, p.chunks, p.cut);
}

class PipelineWorkload final : public Workload {
 public:
  explicit PipelineWorkload(const Case& c)
      : Workload(c),
        chunks_(chunks_of(c)),
        layers_(pipeline_.layers / (pipeline_.stages * pipeline_.virtual_stages)),
        units_(units_of(pipeline_, 0)),
        network_(network_of(c)),
        stage_(c, chunks_) {}

  RowValues predict(const cuda::KernelCosts*) override {
    RowValues values;
    values.set("unmasked_flop", flop());
    predict_messages(values);
    values.set("predicted_device_peak_bytes", stage_.device_peak_bytes(pipeline_, layers_));
    values.set("predicted_bubble_ratio", bubble_ratio(pipeline_));
    const double alone_s =
        times({}, [&](const PipelineUnit& unit) { return flop_of(unit); }).wall_s;
    values.set("plan_bubble_ratio", 1.0 - flop() / (pipeline_.stages * alone_s));
    values.set("kept_microbatches",
               static_cast<double>(most_kept(pipeline_, 0, [](int) { return 1; })) /
                   (pipeline_.chunks * pipeline_.virtual_stages));
    if (network_.limit.bandwidth_byte_per_s > 0.0 || network_.limit.latency_s > 0.0)
      values.set("predicted_pipeline_s", times(network_, [](const auto&) { return 0.0; }).wall_s);
    return values;
  }
  double flop() const override {
    double of_stage = 0.0;
    for (const PipelineUnit& unit : units_) of_stage += flop_of(unit);
    return pipeline_.stages * of_stage;
  }
  int threads() const override { return threads_of(case_); }
  std::optional<std::string> flaw() const override { return stage_.flaw(); }

  // The parts are those of the stage that ends last; all compute the same units.
  Sample run(bool) override {
    std::vector<std::array<Sample, 2>> layers;
    for (int chunk = 0; chunk < pipeline_.chunks; ++chunk)
      layers.push_back(stage_.layer_times(chunk));
    const auto layer_of = [&](const PipelineUnit& unit) -> const Sample& {
      return layers[static_cast<std::size_t>(unit.chunk)][unit.backward ? 1 : 0];
    };
    const PipelineTimes ended =
        times(network_, [&](const PipelineUnit& unit) { return layers_ * layer_of(unit).wall_s; });
    Sample sample{.wall_s = ended.wall_s,
                  .critical_path_s = ended.wall_s,
                  .compute_s = 0.0,
                  .exposed_communication_s = ended.exposed_s,
                  .idle_s = ended.idle_s};
    units_s_ = 0.0;
    for (const PipelineUnit& unit : units_) {
      const Sample& layer = layer_of(unit);
      units_s_ += layers_ * layer.wall_s;
      sample.worker_sum_s += pipeline_.stages * layers_ * layer.worker_sum_s;
      sample.compute_s += layers_ * layer.compute_s;
      sample.exposed_communication_s += layers_ * layer.exposed_communication_s;
      sample.idle_s += layers_ * layer.idle_s;
    }
    sample.longest_subsequence_s = sample.compute_s;
    return sample;
  }
  void report(CaseResult& result) override {
    const double wall_s = result.values.number("critical_path_median_s");
    result.values.set("bubble_ratio", 1.0 - units_s_ / wall_s);
    result.values.set("modelled_wall_time_s", wall_s);
  }

  // A modelled case holds and computes nothing.
  Peaks peaks() override { return {}; }
  Verification verify() override { return {}; }

 private:
  void hold(const std::string&) override {}
  void release() override {}

  [[nodiscard]] double flop_of(const PipelineUnit& unit) const {
    const Range& rows = chunks_[static_cast<std::size_t>(unit.chunk)];
    const Shape& s = case_.shape;
    const std::int64_t elements =
        s.batch / pipeline_.microbatches * s.q_heads * rows.count() * s.head_dim;
    // A row sees as many keys as its number, from 1 on.
    const double mean_keys = 0.5 * static_cast<double>(rows.begin + rows.end + 1);
    return (unit.backward ? 10.0 : 4.0) * layers_ * mean_keys * static_cast<double>(elements);
  }
  [[nodiscard]] PipelineTimes times(
      const Network& network, const std::function<double(const PipelineUnit&)>& unit_s) const {
    return pipeline_times(pipeline_, network,
                          {unit_s,
                           [&](const PipelineUnit& unit, int worker) {
                             return stage_.rows_bytes(unit.chunk, worker);
                           },
                           stage_.workers()});
  }

  void predict_messages(RowValues& values) const {
    std::vector<std::int64_t> to_stages;  // of each worker
    std::vector<std::int64_t> sent;
    for (int stage = 0; stage < pipeline_.stages; ++stage)
      for (int w = 0; w < stage_.workers(); ++w) {
        std::int64_t& bytes = to_stages.emplace_back(0);
        for (const PipelineUnit& unit : units_)
          if (pipeline_.stages > 1 && neighbour(pipeline_, stage, unit, 1))
            bytes += stage_.rows_bytes(unit.chunk, w);
        sent.push_back(bytes + std::int64_t{pipeline_.microbatches} * pipeline_.virtual_stages *
                                   layers_ * stage_.sent_bytes(w));
      }
    values.set("moved_bytes", std::accumulate(sent.begin(), sent.end(), std::int64_t{0}));
    values.set("device_sent_bytes", std::ranges::max(sent));
    values.set("between_stages_bytes", std::ranges::max(to_stages));
  }

  const Pipeline& pipeline_ = case_.pipeline;
  const std::vector<Range> chunks_;
  const int layers_;                       // of a virtual stage
  const std::vector<PipelineUnit> units_;  // of each stage
  const Network network_;
  const StageModel stage_;
  double units_s_ = 0.0;  // of a stage
};

}  // namespace

std::unique_ptr<Workload> plan_pipeline(const Case& c) {
  return std::make_unique<PipelineWorkload>(c);
}

}  // namespace qb
