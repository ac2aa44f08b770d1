// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/pipeline/stage_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/execute/model/scan_model.h"
#include "harness/plan/tensor_share.h"
#include "harness/plan/work/tiling.h"
#include "harness/workload/step_rows.h"

namespace qb {
namespace {

bool shares_heads(const Case& c) { return c.algorithm == kTensorParallel; }

// A layer of one chunk, as a case of its group alone.
Case layer_of(const Case& c, const Range& chunk) {
  Case layer = c;
  layer.workload = WorkloadKind::attention;
  layer.workers = splitting_workers(c);
  layer.shape.batch /= c.pipeline.microbatches;
  layer.shape.q_len = chunk.count();
  layer.shape.kv_len = chunk.end;
  layer.pass = Passes::both;
  if (!shares_heads(c)) return layer;
  if (c.pipeline.chunks > 1)
    throw Unsupported(
        fmt::format("pipeline.chunks: {} with tensor_parallel would gather the keys of earlier "
                    "chunks anew; the nearest is pipeline.chunks: 1",
                    c.pipeline.chunks));
  const TensorShare share =
      tensor_share({layer.shape.q_heads, layer.shape.kv_heads, layer.workers}, layer.workers);
  layer.algorithm = "dense";
  layer.workers = 1;
  layer.shape.q_heads = share.q_heads;
  layer.shape.kv_heads = share.kv_heads;
  return layer;
}

// The links of a group: that of the first stage, which is that of each.
Network network_of_group(const Case& c) {
  Case group = c;
  group.workers = splitting_workers(c);
  return network_of(group);
}

// Adds within each host, then the workers with the same place on their hosts add; the sums go back
// so. At the end of the second round worker w has the sum of block w of as many as there are
// workers, and each has sent 2 (W - 1) blocks when all is done.
ExchangePlan plan_all_reduce(int workers, const Hosts& hosts) {
  const int each = hosts.workers_per_host == 0 ? workers : hosts.workers_per_host;
  ExchangePlan plan{.kind = PartKind::sums};
  const auto add_inside = [&](int round) {
    for (int distance = 1; distance < each; ++distance)
      for (int from = 0; from < workers; ++from) {
        const int to = from / each * each + (from + distance) % each;
        for (int block = (round == 0 ? to : from) % each; block < workers; block += each)
          plan.messages.push_back({round, from, to, {{}, {block, block + 1}}});
      }
  };
  const auto add_between = [&](int round) {
    for (int distance = each; distance < workers; distance += each)
      for (int from = 0; from < workers; ++from) {
        const int to = (from + distance) % workers;
        const int block = round == 1 ? to : from;
        plan.messages.push_back({round, from, to, {{}, {block, block + 1}}});
      }
  };
  add_inside(0);
  add_between(1);
  add_between(2);
  add_inside(3);
  return plan;
}

PlannedCase planned_layer(const Case& layer) {
  if (layer.algorithm == "dense" && layer.workers > 1)
    throw Unsupported(
        fmt::format("dense computes on one worker, and a stage has {}; the nearest is algorithm: "
                    "zigzag",
                    layer.workers));
  PlannedCase planned = plan_case(layer);
  if (!works_in_place(planned.plan) && planned.plan.result != Result::owners)
    throw Unsupported(
        fmt::format("{} does not leave tokens where they were, as the next layer needs them; the "
                    "nearest is algorithm: cqs_sharded",
                    layer.algorithm));
  return planned;
}

}  // namespace

StageModel::StageModel(const Case& c, const std::vector<Range>& chunks)
    : workers_(splitting_workers(c)),
      heads_(c.shape.q_heads),
      network_(network_of_group(c)),
      all_reduce_(shares_heads(c) ? std::optional(plan_all_reduce(workers_, network_.hosts))
                                  : std::nullopt) {
  for (const Range& chunk : chunks) {
    const Case layer = layer_of(c, chunk);
    chunks_.push_back({layer, planned_layer(layer)});
  }
}

std::optional<std::string> StageModel::flaw() const {
  for (const Chunk& chunk : chunks_)
    if (chunk.planned.flaw) return chunk.planned.flaw;
  return std::nullopt;
}

std::int64_t StageModel::rows_of(int chunk, int worker) const {
  if (all_reduce_) return part_of(at(chunk).layer.shape.q_len, workers_, worker).count();
  return at(chunk).planned.work.workers[static_cast<std::size_t>(worker)].q_tokens;
}

std::int64_t StageModel::bytes_of(const Chunk& chunk, std::int64_t rows) const {
  const Shape& shape = chunk.layer.shape;
  return shape.batch * heads_ * rows * shape.head_dim * size_of(chunk.layer.dtype);
}

std::int64_t StageModel::block_bytes(const Chunk& chunk, std::int64_t block) const {
  return bytes_of(chunk, part_of(chunk.layer.shape.q_len, workers_, static_cast<int>(block)).count());
}

std::int64_t StageModel::rows_bytes(int chunk, int worker) const {
  return bytes_of(at(chunk), rows_of(chunk, worker));
}

std::int64_t StageModel::sent_bytes(int worker) const {
  std::int64_t bytes = 0;
  for (const Chunk& chunk : chunks_) {
    if (!all_reduce_) {
      bytes += chunk.planned.work.workers[static_cast<std::size_t>(worker)].bytes_out;
      continue;
    }
    for (const ExchangeMessage& message : all_reduce_->messages)
      if (message.from == worker) bytes += 2 * block_bytes(chunk, message.part.columns.begin);
  }
  return bytes;
}

std::int64_t StageModel::device_peak_bytes(const PipelinePlan& plan, int stage, int layers) const {
  const Shape& shape = chunks_.front().layer.shape;
  const auto peak_of = [&](int worker) {
    const auto kept_bytes = [&](int chunk) {
      const std::int64_t lse = 2 * size_of(DType::f32) * shape.batch * heads_;
      return (layers + 1) * rows_bytes(chunk, worker) + layers * lse * rows_of(chunk, worker);
    };
    std::int64_t kept = 0;
    std::int64_t most_kept = 0;
    for (const PipelineUnit& unit : plan.order[static_cast<std::size_t>(stage)]) {
      kept += (unit.backward ? -1 : 1) * kept_bytes(unit.chunk);
      most_kept = std::max(most_kept, kept);
    }
    std::int64_t layer = 0;
    std::int64_t message = 0;
    std::int64_t rows = 0;
    for (int chunk = 0; std::cmp_less(chunk, chunks_.size()); ++chunk) {
      const PlanMemory& memory = at(chunk).planned.memory;
      layer = std::max(layer, workers_ == 1 || all_reduce_
                                  ? memory.device_peak_bytes
                                  : memory.worker_peak_bytes[static_cast<std::size_t>(worker)]);
      message = std::max(message, rows_bytes(chunk, worker));
      rows += rows_of(chunk, worker);
    }
    const std::int64_t sums = plan.chunks == 1 ? 0
                                               : layers * 2 * size_of(DType::f32) * shape.batch *
                                                     shape.kv_heads * rows * shape.head_dim;
    // All tokens, before each worker reads its heads and after it has added to their sums.
    if (all_reduce_ && workers_ > 1) layer += bytes_of(chunks_.front(), shape.q_len);
    return most_kept + sums + (plan.stages == 1 ? 0 : 3 * message) + layer;
  };
  std::int64_t most = 0;
  for (int worker = 0; worker < workers_; ++worker) most = std::max(most, peak_of(worker));
  return most;
}

Sample StageModel::layer_times(int chunk, Pass pass) {
  Chunk& of_chunk = chunks_[static_cast<std::size_t>(chunk)];
  if (of_chunk.passes.empty()) of_chunk.passes = model_times(of_chunk.layer, of_chunk.planned);
  const Execution& execution =
      pass == Pass::forward ? of_chunk.passes.front() : of_chunk.passes.back();
  Sample times{.wall_s = execution.wall_s, .worker_sum_s = execution.worker_sum_s};
  add_parts(of_chunk.layer, execution, times);
  if (!all_reduce_) return times;
  std::vector<SizedMessage> messages;
  for (const ExchangeMessage& m : all_reduce_->messages)
    messages.push_back({m.round, m.from, m.to, block_bytes(of_chunk, m.part.columns.begin)});
  const double reduce_s = rounds_time_s(messages, workers_, network_);
  times.wall_s += reduce_s;
  times.exposed_communication_s += reduce_s;
  times.worker_sum_s *= workers_;
  return times;
}

}  // namespace qb
