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
#include <span>
#include <vector>

#include "harness/execute/transport/memory_transport.h"
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

struct TensorParallelOptions {
  LayerOptions layer;  // its threads are shared among the workers
  int workers = 1;
  LinkLimit link{};  // messages between workers are delayed to this limit
  double message_timeout_s = 300.0;
};

// Runs one layer any number of times, with a thread of its own for each worker, in float32.
class TensorParallelLayer {
 public:
  struct WorkerRun {
    LayerTimes times{};
    double wall_s = 0.0;
    double all_reduce_s = 0.0;  // in all-reduces
    double idle_s = 0.0;        // part of that: until the worker before it was ready
  };
  struct Run {
    std::vector<WorkerRun> workers;
    double wall_s = 0.0;  // from the moment all threads are ready
  };

  // Takes the workers' shares of the weights from the allocator, and an output for each worker but
  // the first, both in the name of their worker. The allocator must outlive it. Throws Unsupported
  // as layer_share() does, OutOfMemory.
  TensorParallelLayer(const LayerShape& shape, const LayerWeights& weights,
                      const TensorParallelOptions& options, Allocator& allocator);
  ~TensorParallelLayer();
  TensorParallelLayer(const TensorParallelLayer&) = delete;
  TensorParallelLayer& operator=(const TensorParallelLayer&) = delete;

  // x and y are [batch, N, H], contiguous and do not overlap. All workers read x; worker 0 writes y
  // and the others what must be equal to it. If a worker fails, all end, and this throws its error.
  [[nodiscard]] Run run(const TensorView& x, const TensorView& y);
  // The output of a worker's last run, for tests; that of worker 0 is the caller's y.
  [[nodiscard]] const TensorView& output_of(int worker) const;

 private:
  struct Worker;
  void all_reduce(Worker& worker, std::span<float> sums, float* received);
  // Sends to the next worker and receives from the one before.
  void exchange(Worker& worker, std::span<const float> out, std::span<float> in);

  const TensorParallelOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;
  MemoryTransport* transport_ = nullptr;  // of the present run
};

}  // namespace qb
