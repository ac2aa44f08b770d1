// SPDX-License-Identifier: Apache-2.0
// What strategies share: they deal groups, and add tasks and messages whose receive fits the send.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan/plan.h"

namespace qb {

class PlanBuilder {
 public:
  PlanBuilder(const Problem& problem, std::string algorithm, int workers, Pass pass = Pass::forward,
              DType gradients = DType::f32);

  Plan plan;

  [[nodiscard]] int n_workers() const { return static_cast<int>(plan.workers.size()); }
  [[nodiscard]] Worker& worker(int index) { return plan.workers[static_cast<std::size_t>(index)]; }
  [[nodiscard]] Step& step(int worker, int index);
  // Returns the worker `distance` places before (negative) or after in the ring.
  [[nodiscard]] int neighbour(int worker, int distance) const;

  [[nodiscard]] int add_list(std::vector<int> groups);  // its index, for Transfer::groups

  // Adds the task of the two groups for these heads, unless the mask leaves nothing of it.
  void add_task(Step& step, int q_group, int kv_group) const;
  void add_task(Step& step, int q_group, int kv_group, const Range& heads) const;

  // A message of one tensor is sent in step `send_step` and received in the next one. p2p: it is
  // held in that step only; others: to the end.
  struct Message {
    TransferKind kind = TransferKind::p2p;
    TensorRole what = TensorRole::k;
    int groups = 0;
    Range heads;
    std::int64_t padded_rows = 0;  // rows that it has room for, if more than the groups have
  };
  void send(int from, int to, int send_step, const Message& message);

  // Sends to or from the root, which is not a worker, in one step.
  void scatter(Step& step, TensorRole what, int groups) const;
  void gather(Step& step, TensorRole what, int groups, const Range& heads) const;

  // Returns one side of a message, for a plan whose workers are made one by one.
  [[nodiscard]] Transfer transfer(const Message& message, int peer, int send_step) const;

  [[nodiscard]] Range all_heads() const { return {0, plan.problem.shape.q_heads}; }
};

// The groups of each worker, ascending. The functions below also fill in the plan's groups. A group
// lies within one packed sequence: where a worker's tokens are of several, it has several groups.
struct Shards {
  std::vector<std::vector<int>> q;   // by worker
  std::vector<std::vector<int>> kv;  // by worker
  std::int64_t kv_room = 0;          // tokens that a message of any worker's keys has room for
};

// Packed sequences are one run of tokens for these two: consecutive tokens of the run to each
// worker (Ring Attention), and token t to worker t mod W.
[[nodiscard]] Shards deal_contiguous(Plan& plan, int workers);
[[nodiscard]] Shards deal_striped(Plan& plan, int workers);
// Cuts the tokens into 2W chunks and gives worker i chunks i and 2W - 1 - i; the new tokens and the
// cached ones are cut apart (Context Parallelism, arXiv 2411.01783, section 3.4), and each packed
// sequence by itself. Without a causal mask or cached tokens the layout is the same.
[[nodiscard]] Shards deal_zigzag(Plan& plan, int workers);
// One of these by its name: contiguous, striped or zigzag. Throws UsageError for another.
[[nodiscard]] Shards (*deal_called(std::string_view name))(Plan&, int);

// Throws Unsupported for several packed sequences.
void require_one_sequence(const Problem& problem, std::string_view algorithm);

}  // namespace qb
