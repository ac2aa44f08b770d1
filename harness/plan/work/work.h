// The work model: what a plan costs before it runs. Its numbers stand beside the measured ones in
// every row.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/plan/plan.h"
#include "kernels/attention.h"

namespace qb {

struct StepWork {
  std::int64_t unmasked_pairs = 0;  // per head
  std::int64_t executed_pairs = 0;  // per head, at tile granularity
  std::int64_t bytes_in = 0;        // received
  std::int64_t bytes_out = 0;       // sent
  std::int64_t kv_tokens = 0;       // local keys: while decoding the cache grows
};

struct WorkerWork {
  std::int64_t q_tokens = 0;   // local queries
  std::int64_t kv_tokens = 0;  // local keys
  std::int64_t unmasked_pairs = 0;
  std::int64_t executed_pairs = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  std::int64_t active_peak_bytes = 0;  // its inputs, outputs and the kernel's workspace
  std::vector<StepWork> steps;
};

struct Work {
  std::vector<WorkerWork> workers;
  std::int64_t unmasked_pairs = 0;       // of the problem, per head
  std::int64_t rows_without_keys = 0;    // of the problem, per head
  std::int64_t executed_pairs = 0;       // over workers
  std::int64_t critical_path_pairs = 0;  // fork-join: the slowest worker; rounds: sum of maxima
  std::int64_t longest_subsequence = 0;  // tokens: the largest local query count
  std::int64_t shortest_subsequence = 0;
  double responsibility_ratio = 0.0;   // unmasked pairs / critical path pairs: N^2 / max when full
  std::int64_t bytes_total = 0;        // sent by all workers and the root
  std::int64_t sent_bytes_max = 0;     // by the worker that sends most
  std::int64_t worker_peak_bytes = 0;  // of the worker that holds most
  // Peak of the whole execution under the serial executor: the caller's inputs and output plus the
  // worst worker; where workers communicate and all are there at once, plus all of them, a bound.
  std::int64_t serial_peak_bytes = 0;
  double flops = 0.0;  // 4 * unmasked pairs * q_heads * batch * head_dim (value_dim counted apart)
};

// Pairs per head that a kernel computes for one task, in tiles of `query_tile` rows. (What
// `materialized` computes depends on the whole call: all its rows and keys.) alone: no other task
// is in its call.
[[nodiscard]] std::int64_t executed_pairs(const Plan& plan, const PairTask& task, Kernel kernel,
                                          std::int64_t query_tile, bool alone = true);

// `threads` is the kernel's thread count per worker; tiles come from kernel_tiles().
[[nodiscard]] Work model_work(const Plan& plan, Kernel kernel, int threads);

}  // namespace qb
