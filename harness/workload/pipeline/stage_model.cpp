// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/pipeline/stage_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "harness/plan/tensor_share.h"
#include "harness/plan/tiling.h"
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
std::vector<SizedMessage> all_reduce(int workers, const Hosts& hosts,
                                     const std::function<std::int64_t(int)>& bytes_of_block) {
  const int each = hosts.workers_per_host == 0 ? workers : hosts.workers_per_host;
  std::vector<SizedMessage> messages;
  const auto add_inside = [&](int round) {
    for (int distance = 1; distance < each; ++distance)
      for (int from = 0; from < workers; ++from) {
        const int to = from / each * each + (from + distance) % each;
        for (int block = (round == 0 ? to : from) % each; block < workers; block += each)
          messages.push_back({round, from, to, bytes_of_block(block)});
      }
  };
  const auto add_between = [&](int round) {
    for (int distance = each; distance < workers; distance += each)
      for (int from = 0; from < workers; ++from) {
        const int to = (from + distance) % workers;
        messages.push_back({round, from, to, bytes_of_block(round == 1 ? to : from)});
      }
  };
  add_inside(0);
  add_between(1);
  add_between(2);
  add_inside(3);
  return messages;
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
      dtype_(c.dtype),
      network_(network_of_group(c)) {
  for (const Range& chunk : chunks) {
    const Case layer = layer_of(c, chunk);
    chunks_.push_back({layer, planned_layer(layer)});
  }
  if (shares_heads(c))
    all_reduce_ = all_reduce(workers_, network_.hosts, [&](int block) {
      const Shape& shape = chunks_.front().layer.shape;
      return bytes_of(shape, part_of(shape.q_len, workers_, block).count());
    });
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

std::int64_t StageModel::bytes_of(const Shape& shape, std::int64_t rows) const {
  return shape.batch * heads_ * rows * shape.head_dim * size_of(dtype_);
}

std::int64_t StageModel::rows_bytes(int chunk, int worker) const {
  return bytes_of(at(chunk).layer.shape, rows_of(chunk, worker));
}

std::int64_t StageModel::sent_bytes(int worker) const {
  std::int64_t bytes = 0;
  if (all_reduce_) {
    for (const SizedMessage& message : *all_reduce_)
      if (message.from == worker) bytes += 2 * message.bytes;
    return bytes;
  }
  for (const Chunk& chunk : chunks_)
    bytes += chunk.planned.work.workers[static_cast<std::size_t>(worker)].bytes_out;
  return bytes;
}

std::int64_t StageModel::device_peak_bytes(const Pipeline& pipeline, int layers) const {
  std::int64_t most = 0;
  for (int worker = 0; worker < workers_; ++worker)
    most = std::max(most, peak_of(pipeline, layers, worker));
  return most;
}

std::int64_t StageModel::peak_of(const Pipeline& pipeline, int layers, int worker) const {
  const Shape& shape = chunks_.front().layer.shape;
  const std::int64_t lse_bytes = 2 * size_of(DType::f32) * shape.batch * heads_;
  std::int64_t bytes = most_kept(pipeline, 0, [&](int chunk) {
    return (layers + 1) * rows_bytes(chunk, worker) + layers * lse_bytes * rows_of(chunk, worker);
  });
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
  if (pipeline.chunks > 1)
    bytes +=
        layers * 2 * size_of(DType::f32) * shape.batch * shape.kv_heads * rows * shape.head_dim;
  if (pipeline.stages > 1) bytes += 3 * message;
  // All tokens, before each worker reads its heads and after it has added to their sums.
  if (all_reduce_ && workers_ > 1) bytes += bytes_of(shape, shape.q_len);
  return bytes + layer;
}

std::array<Sample, 2> StageModel::layer_times(int chunk) const {
  const Chunk& of_chunk = at(chunk);
  const double reduce_s = all_reduce_ ? rounds_time_s(*all_reduce_, workers_, network_) : 0.0;
  const auto times_of = [&](const Execution& execution) {
    Sample times{.wall_s = execution.wall_s, .worker_sum_s = execution.worker_sum_s};
    add_parts(of_chunk.layer, execution, times);
    times.wall_s += reduce_s;
    times.exposed_communication_s += reduce_s;
    if (all_reduce_) times.worker_sum_s *= workers_;
    return times;
  };
  const std::vector<Execution> passes = model_times(of_chunk.layer, of_chunk.planned);
  return {times_of(passes.front()), times_of(passes.back())};
}

}  // namespace qb
