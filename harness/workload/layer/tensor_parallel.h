// SPDX-License-Identifier: Apache-2.0
// A transformer layer that W workers compute together, each with its share of the heads and of the
// feed-forward's columns (harness/plan/tensor_share.h). A worker's share is itself a layer, only
// narrower in heads and feed-forward: DeviceLayer computes it, and after each of the two products
// back to the hidden width all workers add their parts of the sums. Each worker then has whole
// rows, and adds bias and residual and computes the norm by itself.
//
// The all-reduce is a ring: the sums are cut into W chunks. In W - 1 steps each worker sends a
// chunk to the next one, which adds its own part; in W - 1 further steps the finished chunks go
// round. Every worker sends 2 (W - 1) / W of the sums and has the same bits at the end. Nothing is
// computed meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/run/runner/run_workers.h"
#include "harness/workload/layer/layer_weights.h"
#include "harness/workload/layer/transformer_layer.h"
#include "kernels/allocator.h"

namespace qb {

// Returns what each of the workers computes. Throws Unsupported where heads or columns do not
// divide.
[[nodiscard]] LayerShape layer_share(const LayerShape& whole, int workers);

// The bytes that the worker which sends most sends in one run of the layer; those of all workers
// are twice (W - 1) times all sums of both products.
[[nodiscard]] std::int64_t all_reduce_sent_bytes(const LayerShape& whole, std::int64_t block_tokens,
                                                 int workers);

// Runs one layer any number of times, with a thread of its own for each worker, in float32.
class TensorParallelLayer {
 public:
  struct Run {
    // A worker has one step. In its all-reduces it idles until the worker before it is ready; what
    // is left of them is exposed. The rest is computing.
    Execution execution;
    std::vector<LayerTimes> parts;  // by worker
  };

  // Takes the workers' shares of the weights from the allocator, and an output for each worker but
  // the first, both in the name of their worker. The allocator must outlive it. Throws Unsupported
  // as layer_share() does, OutOfMemory. The threads of the options are shared among the workers.
  TensorParallelLayer(const LayerShape& shape, const LayerWeights& weights, LayerOptions options,
                      int workers, Allocator& allocator);
  ~TensorParallelLayer();
  TensorParallelLayer(const TensorParallelLayer&) = delete;
  TensorParallelLayer& operator=(const TensorParallelLayer&) = delete;

  // x and y are [batch, N, H], contiguous and do not overlap. All workers read x; worker 0 writes y
  // and the others what must be equal to it. Messages are delayed to the link. If a worker fails,
  // all end, and this throws its error.
  [[nodiscard]] Run run(const TensorView& x, const TensorView& y, const LinkLimit& link = {},
                        double message_timeout_s = 300.0);
  // The output of a worker's last run, for tests; that of worker 0 is the caller's y.
  [[nodiscard]] const TensorView& output_of(int worker) const;

 private:
  struct Worker;

  std::vector<std::shared_ptr<Worker>> workers_;
};

}  // namespace qb
