// SPDX-License-Identifier: Apache-2.0
// The work model predicts what a plan costs before it runs. Every row has its numbers beside the
// measured ones. Memory is predicted by running the plan: see rehearse/device_rehearsal.h.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/plan/work/profile.h"
#include "kernels/attention.h"

namespace qb {

struct WorkerWork : StepWork {       // of all steps
  std::int64_t q_tokens = 0;         // local queries
  std::int64_t bytes_from_root = 0;  // part of bytes_in
  std::vector<StepWork> steps;  // empty where all workers have more than kMostStepsOfWork together
  friend bool operator==(const WorkerWork&, const WorkerWork&) = default;
};

inline constexpr std::size_t kMostStepsOfWork = std::size_t{1} << 18;

struct Work {
  std::vector<WorkerWork> workers;
  std::int64_t unmasked_pairs = 0;       // whole problem, per head
  std::int64_t rows_without_keys = 0;    // whole problem, per head
  std::int64_t executed_pairs = 0;       // sum over workers
  std::int64_t critical_path_pairs = 0;  // fork-join: the slowest worker; rounds: sum of maxima
  std::int64_t longest_subsequence = 0;  // tokens: the largest local query count
  std::int64_t shortest_subsequence = 0;
  double responsibility_ratio = 0.0;  // unmasked pairs / critical path pairs: N^2 / max when full
  std::int64_t bytes_total = 0;       // sent by all workers and the root
  std::int64_t sent_bytes_max = 0;    // by the worker that sends most
  std::int64_t root_sent_bytes = 0;   // by the root, to all workers
  // 4 * unmasked pairs * q_heads * batch * head_dim; a backward pass has 10 in place of 4, with
  // its products S, dP, dV, dQ and dK (value_dim counted apart)
  double flops = 0.0;
};

// The FLOP of one pair of one head: a multiplication and an addition for each element of a row, in
// each product of the pass.
[[nodiscard]] double flop_per_pair(const Shape& shape, Pass pass);

// With kernel_tiles(). alike: those of the plan.
[[nodiscard]] Work model_work(const Plan& plan, const Representatives& alike, Kernel kernel);
[[nodiscard]] inline Work model_work(const Plan& plan, Kernel kernel) {
  return model_work(plan, Representatives(plan), kernel);
}

// What a plan moves of one tensor in one kind of transfer, over all workers and the root.
struct MovedTensor {
  TensorRole what = TensorRole::q;
  TransferKind kind = TransferKind::p2p;
  std::int64_t transfers = 0;
  std::int64_t bytes = 0;  // with the padding of messages
  // By the one worker that moves most in all: it sends them, or of a scatter receives them.
  std::int64_t busiest_bytes = 0;
};

// Returns a row for each tensor and kind of transfer that the plan has, in the order of both enums.
// A worker's share for itself is not sent and not counted. The bytes of all rows add up to
// Work::bytes_total.
[[nodiscard]] std::vector<MovedTensor> moved_tensors(const Plan& plan);

}  // namespace qb
