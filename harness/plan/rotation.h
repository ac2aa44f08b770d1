// SPDX-License-Identifier: Apache-2.0
// Workers that differ by rotation: a plan of any number W of workers is one worker and a rule. Most
// schemes deal the tokens to W shards, and every worker does the same, shifted by its place in a
// group (worker_group.h): if worker 0 computes with the shard of worker b and sends it to worker p,
// worker w computes with the shard of w + b and sends it to w + p. In a ring that is (w + b) mod W.
// The pairs that the mask allows in a block of shards differ between workers, and are found when a
// worker is made.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/plan/builder.h"
#include "harness/plan/plan.h"
#include "harness/plan/worker_group.h"

namespace qb {

inline constexpr PlaceSet kEveryShard{0, kEveryAxis};

struct Rotation {
  // A task of worker 0 is every pair of groups of these shards of queries and of keys.
  struct Task {
    PlaceSet q;
    PlaceSet kv;
  };
  // A step of worker 0. Transfers name lists of shards: list w has the queries of shard w (for Q
  // and results), list W + w its keys (for K and V), and list 2W + t the keys of tile t: of the
  // shards that differ from each other on the axis of heads only. Peers are in ascending order.
  struct StepOfZero {
    std::vector<Transfer> receives;
    std::vector<Task> tasks;
    std::vector<Transfer> sends;
  };

  Problem problem;
  std::vector<TokenGroup> q_groups;
  std::vector<TokenGroup> kv_groups;
  std::vector<std::vector<int>> group_lists;  // shards of queries, shards of keys, tiles of keys
  std::vector<int> resident;                  // as in Plan: no shard has them
  WorkerGroup group;
  std::vector<StepOfZero> steps;
  bool shares_heads = false;  // each place of the axis of heads has its share of them; else all
  bool saves_heads = false;   // Worker::saved is each worker's share of the heads
  std::int64_t q_room = 0;    // rows that a message has room for, if more than its shard has
  std::int64_t kv_room = 0;
  DType gradients = DType::f32;  // as in Plan

  [[nodiscard]] int workers() const { return group.size(); }
  [[nodiscard]] const std::vector<int>& q_shard(int place) const {
    return group_lists[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] const std::vector<int>& kv_shard(int place) const {
    return group_lists[static_cast<std::size_t>(workers() + place)];
  }
  [[nodiscard]] Range heads_of(int worker) const;
  [[nodiscard]] Transfer turned(const Transfer& transfer, int worker) const;  // takes worker 0's
  [[nodiscard]] Step step(std::size_t index, int worker, bool with_tasks = true) const;
  // Adds what the mask leaves of two shards.
  void add_tasks(const std::vector<int>& q, const std::vector<int>& kv, const Range& heads,
                 std::vector<PairTask>& tasks) const;
  [[nodiscard]] Worker worker(int index, Workers::Parts parts) const;
  [[nodiscard]] std::int64_t message_rows(int list) const;  // with the room of the message
  [[nodiscard]] bool has_equal_messages() const;    // every worker's are as long as worker 0's
  [[nodiscard]] bool fits(const Plan& plan) const;  // true while the plan is still this rule's
};

// The share h of `parts` of the query heads; shares differ by a head at most.
[[nodiscard]] Range head_share(const Shape& shape, std::int64_t h, std::int64_t parts);
// Returns whether each share is whole groups of heads that share keys, or lies within one: a
// kernel's query heads are then a multiple of its key-value heads.
[[nodiscard]] bool shares_fit(const Shape& shape, int parts);

// Writes worker 0 of such a plan. Where the workers have one axis, places count from the worker
// itself, backwards if negative.
class RotationBuilder {
 public:
  // `deal` deals the tokens; worker w holds shard w of Q, K and V.
  RotationBuilder(const Problem& problem, std::string algorithm, const GridShape& workers,
                  Shards (*deal)(Plan&, int), Pass pass = Pass::forward,
                  DType gradients = DType::f32);
  RotationBuilder(const Problem& problem, std::string algorithm, int workers,
                  Shards (*deal)(Plan&, int), Pass pass = Pass::forward,
                  DType gradients = DType::f32)
      : RotationBuilder(problem, std::move(algorithm), {1, 1, workers}, deal, pass, gradients) {}

  [[nodiscard]] int n_workers() const { return rotation_.workers(); }
  [[nodiscard]] int place(int h, int y, int x) const { return rotation_.group.place({h, y, x}); }
  [[nodiscard]] Pass pass() const { return plan_.pass; }
  // Shares the heads out over the axis of heads: a worker computes only its share of its tasks.
  void share_heads() { rotation_.shares_heads = true; }
  // In a backward pass the worker still has what it had of its heads, and if no other worker
  // computes with them its gradients are whole.
  void save_heads(bool whole_gradients);
  // Lists the keys of each tile, for send() of a set that spans the axis of heads.
  void add_tiles();
  // Makes messages of queries as long as those of the longest shard.
  void pad_queries();
  void pad_keys() { rotation_.kv_room = kv_room_; }

  void add_task(int step, PlaceSet q, PlaceSet kv);
  // Sends `what` of a shard, or of a tile, to worker `to`, which receives it `delay` steps later.
  // p2p: it is held in that step only; others: to the end. head_share: the worker whose share of
  // the heads is sent, if heads are shared.
  void send(int step, int to, TransferKind kind, TensorRole what, PlaceSet shard,
            int head_share = 0, int delay = 1);
  [[nodiscard]] Plan finish();

 private:
  [[nodiscard]] Rotation::StepOfZero& step(int index);
  [[nodiscard]] int place(int distance) const;

  Plan plan_;
  Rotation rotation_;
  std::int64_t kv_room_ = 0;
};

// The rings take W steps. The shards of one side go round, of keys or of queries, and those of the
// other side stay: worker j computes in step i with the shard of worker (j - i) mod W while it
// passes the shard's inputs on. In a backward pass the shard's gradients follow when the step ends,
// and one hop more than the inputs make brings them home whole.
//
// K and V go round; in a backward pass dK and dV with them.
[[nodiscard]] Plan pass_kv_ring(const Problem& problem, std::string algorithm, int workers,
                                Shards (*deal)(Plan&, int), Pass pass,
                                DType gradients = DType::f32);
// Q goes round. The last of the W steps returns all partials to their owners, which then merge
// them. In a backward pass dO, LSE, D and dQ go round with Q, and nothing is left to return.
[[nodiscard]] Plan pass_q_ring(const Problem& problem, std::string algorithm, int workers,
                               Shards (*deal)(Plan&, int), Pass pass, DType gradients = DType::f32);

}  // namespace qb
