// SPDX-License-Identifier: Apache-2.0
// What the workers that share a stage need for one of its layers, by the model. The case's
// algorithm deals the tokens of a microbatch to the workers of the group, which compute a layer as
// a case of workload attention would, with the keys of earlier chunks as cached ones; it begins
// when all of them have ended the one before.
//
// With tensor_parallel a worker computes all tokens of its share of the heads (tensor_share.h), and
// an all-reduce of the activations, within hosts first, ends each pass of a layer, as behind the
// product that a layer with weights has there. Between layers each holds a part of the tokens, as
// with sequence parallelism (Korthikanti et al. 2022, arXiv 2205.05198), whose all-gather and
// reduce-scatter carry as much as the all-reduce.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/forecast/scan_model.h"
#include "harness/plan/exchange/exchange_plan.h"
#include "harness/plan/pipeline_schedule.h"
#include "harness/workload/prediction.h"

namespace qb {

class StageModel {
 public:
  // Plans a layer for each chunk of a sequence. Throws Unsupported where the algorithm has no plan
  // for it, or where its tokens do not stay on their workers.
  StageModel(const Case& c, const std::vector<Range>& chunks);

  [[nodiscard]] int workers() const { return workers_; }  // of a group
  // The first error in a plan.
  [[nodiscard]] std::optional<std::string> flaw() const;

  // The bytes of the rows of a chunk of a microbatch that a worker holds between layers.
  [[nodiscard]] std::int64_t rows_bytes(int chunk, int worker) const;
  // What a worker sends inside of its group for a layer of a microbatch, in both passes.
  [[nodiscard]] std::int64_t sent_bytes(int worker) const;
  // The most that a device of the first stage holds, which keeps most. Of each unit in flight it
  // keeps what `layers` layers read, the last output, and the LSE, two numbers a row; of chunks the
  // sums of dK and dV too. It has room for the messages of two units and for the gradients that
  // leave, and for what the pass of one layer takes that takes more.
  [[nodiscard]] std::int64_t device_peak_bytes(const Pipeline& pipeline, int layers) const;

  // Returns the times of the forward and of the backward pass of a layer, whose parts are those of
  // the worker that ends last. Throws Unsupported where the device has no rate for the problem.
  [[nodiscard]] std::array<Sample, 2> layer_times(int chunk) const;

 private:
  struct Chunk {
    Case layer;  // of workload attention; of tensor_parallel that of one worker
    PlannedCase planned;
  };
  [[nodiscard]] const Chunk& at(int chunk) const {
    return chunks_[static_cast<std::size_t>(chunk)];
  }
  [[nodiscard]] std::int64_t rows_of(int chunk, int worker) const;
  [[nodiscard]] std::int64_t bytes_of(const Shape& shape, std::int64_t rows) const;
  [[nodiscard]] std::int64_t peak_of(const Pipeline& pipeline, int layers, int worker) const;

  const int workers_;
  const std::int64_t heads_;  // of the whole layer
  const DType dtype_;
  const Network network_;
  std::vector<Chunk> chunks_;
  std::optional<std::vector<SizedMessage>> all_reduce_;  // of tensor_parallel, which has one chunk
};

}  // namespace qb
