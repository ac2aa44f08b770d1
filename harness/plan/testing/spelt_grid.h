// SPDX-License-Identifier: Apache-2.0
// For tests only: writes every worker of a grid by its own place in it, not by rotation.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "harness/plan/builder.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb::testing_support {

// Makes the workers one at a time.
class SpeltGrid {
 public:
  SpeltGrid(const Problem& problem, const StrategyOptions& options, const GridShape& shape)
      : builder_(problem, "grid", options.workers, options.pass, options.gradients),
        shape_(shape),
        shards_(deal_zigzag(builder_.plan, options.workers)) {
    builder_.plan.synchronisation = Synchronisation::rounds;
    builder_.plan.result = Result::owners;
    for (const auto* const side : {&shards_.q, &shards_.kv})
      for (const std::vector<int>& shard : *side) (void)builder_.add_list(shard);
    for (int tile = 0; tile < tiles(); ++tile) {
      std::vector<int> keys;
      for (int h = 0; h < shape_.heads; ++h) {
        const std::vector<int>& shard = shards_.kv[at(worker_of(tile, h))];
        keys.insert(keys.end(), shard.begin(), shard.end());
      }
      std::ranges::sort(keys);
      keys_of_.push_back(keys);
      (void)builder_.add_list(std::move(keys));
    }
  }

  [[nodiscard]] const Plan& plan() const { return builder_.plan; }

  [[nodiscard]] Worker worker(int index, bool with_steps) const {
    Worker worker{shards_.q[at(index)], shards_.kv[at(index)], {}, {}};
    if (!with_steps) return worker;
    worker.steps.resize(static_cast<std::size_t>(first_step() + shape_.columns));
    add_exchange(worker, index);
    for (int hop = 0; hop < shape_.columns; ++hop) add_hop(worker, index, hop);
    add_results(worker, index);
    return worker;
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  [[nodiscard]] int tiles() const { return shape_.rows * shape_.columns; }
  [[nodiscard]] int worker_of(int tile, int h) const { return tile * shape_.heads + h; }
  [[nodiscard]] int tile_of(int worker) const { return worker / shape_.heads; }
  [[nodiscard]] bool backward() const { return builder_.plan.pass == Pass::backward; }
  [[nodiscard]] bool shares_heads() const { return shape_.heads > 1; }
  // In step 0 tensors are exchanged. Where a worker has its own keys already, a forward pass
  // computes its own pair meanwhile, and its keys leave; a backward pass does not, since a sum of
  // dK must not be added to after it has left.
  [[nodiscard]] int first_step() const {
    return shares_heads() || (backward() && shape_.rows > 1) ? 1 : 0;
  }
  [[nodiscard]] int last_step() const {
    return std::max(first_step() + shape_.columns - 1, shape_.rows > 1 ? 1 : 0);
  }

  // The share of the query heads that worker h of a tile computes.
  [[nodiscard]] Range heads_of(int worker) const {
    return head_share(builder_.plan.problem.shape, worker % shape_.heads, shape_.heads);
  }
  // The tile `distance` places further in the column.
  [[nodiscard]] int along_column(int tile, int distance) const {
    const int n = tiles();
    return ((tile + distance * shape_.rows) % n + n) % n;
  }
  [[nodiscard]] int first_of_row(int tile) const { return tile / shape_.rows * shape_.rows; }

  [[nodiscard]] static int q_list(int worker) { return worker; }
  [[nodiscard]] int kv_list(int worker) const { return builder_.n_workers() + worker; }
  [[nodiscard]] int tile_list(int tile) const { return 2 * builder_.n_workers() + tile; }

  Step& step(Worker& worker, int index) const {
    if (worker.steps.size() <= at(index)) worker.steps.resize(at(index) + 1);
    return worker.steps[at(index)];
  }

  struct Message {
    TransferKind kind;
    TensorRole what;
    int list;
    Range heads;
  };
  void send(Worker& worker, int step_index, int to, const Message& message) const {
    step(worker, step_index)
        .sends.push_back(builder_.transfer(
            {message.kind, message.what, message.list, message.heads, 0}, to, step_index));
  }
  void receive(Worker& worker, int step_index, int from, const Message& message) const {
    step(worker, step_index)
        .receives.push_back(builder_.transfer(
            {message.kind, message.what, message.list, message.heads, 0}, from, step_index - 1));
  }

  // Calls visit(peer) for the workers whose queries this one computes with, or which compute with
  // its queries for their share of the heads: all of its row.
  void for_row(int index, auto visit) const {
    const int first = worker_of(first_of_row(tile_of(index)), 0);
    for (int peer = first; peer < first + shape_.rows * shape_.heads; ++peer)
      if (shares_heads() || peer != index) visit(peer);
  }
  void for_tile(int index, auto visit) const {
    const int first = worker_of(tile_of(index), 0);
    for (int peer = first; peer < first + shape_.heads; ++peer) visit(peer);
  }

  void add_exchange(Worker& worker, int index) const {
    for_row(index, [&](int peer) {
      for (const TensorRole what : query_inputs(builder_.plan.pass)) {
        send(worker, 0, peer, {TransferKind::all_to_all, what, q_list(index), heads_of(peer)});
        receive(worker, 1, peer, {TransferKind::all_to_all, what, q_list(peer), heads_of(index)});
      }
    });
    if (!shares_heads()) return;
    for_tile(index, [&](int peer) {
      for (const TensorRole what : kKeyInputs) {
        send(worker, 0, peer, {TransferKind::all_to_all, what, kv_list(index), heads_of(peer)});
        receive(worker, 1, peer, {TransferKind::all_to_all, what, kv_list(peer), heads_of(index)});
      }
    });
  }

  void add_tasks(Worker& worker, int step_index, int index, int q_worker, int key_tile) const {
    for (int q : shards_.q[at(q_worker)])
      for (int kv : keys_of_[at(key_tile)])
        builder_.add_task(step(worker, step_index), q, kv, heads_of(index));
  }

  // Computes with the keys that have come `hop` places, and sends them on.
  void add_hop(Worker& worker, int index, int hop) const {
    const int now = first_step() + hop;
    const int tile = tile_of(index);
    const int keys = along_column(tile, -hop);
    const int row = worker_of(first_of_row(tile), 0);
    const bool waits = now == 0 && shape_.rows > 1;  // the queries of others come in step 1
    for (int q = row; q < row + shape_.rows * shape_.heads; ++q) {
      const bool is_own = tile_of(q) == tile;
      add_tasks(worker, waits && !is_own ? 1 : now, index, q, keys);
    }
    if (shape_.columns == 1) return;
    const int h = index % shape_.heads;
    const int next = worker_of(along_column(tile, 1), h);
    const int before = worker_of(along_column(tile, -1), h);
    const auto pass_on = [&](std::span<const TensorRole> tensors) {
      for (const TensorRole what : tensors) {
        send(worker, now, next, {TransferKind::p2p, what, tile_list(keys), heads_of(index)});
        receive(worker, now + 1, before,
                {TransferKind::p2p, what, tile_list(along_column(keys, -1)), heads_of(index)});
      }
    };
    if (hop + 1 < shape_.columns) pass_on(kKeyInputs);
    if (backward()) pass_on(gradients_of(false));
  }

  void add_results(Worker& worker, int index) const {
    const int last = last_step();
    const auto to_owners = [&](int when, int peer, TensorRole what) {
      const auto list = [&](int owner) {
        return is_of_keys(what) ? kv_list(owner) : q_list(owner);
      };
      send(worker, when, peer, {TransferKind::all_to_all, what, list(peer), heads_of(index)});
      receive(worker, when + 1, peer,
              {TransferKind::all_to_all, what, list(index), heads_of(peer)});
    };
    for_row(index, [&](int peer) {
      to_owners(last, peer, backward() ? TensorRole::d_q : TensorRole::partial);
    });
    if (!backward() || !shares_heads()) return;
    const int home = shape_.columns > 1 ? last + 1 : last;  // dK and dV make one hop more
    for_tile(index, [&](int peer) {
      for (const TensorRole what : gradients_of(false)) to_owners(home, peer, what);
    });
  }

  PlanBuilder builder_;
  const GridShape shape_;
  const Shards shards_;
  std::vector<std::vector<int>> keys_of_;  // by tile: its groups of keys
};

inline Plan spelt_grid(const Problem& problem, const StrategyOptions& options,
                       const GridShape& shape) {
  const SpeltGrid grid(problem, options, shape);
  Plan plan = grid.plan();
  for (int w = 0; w < options.workers; ++w)
    plan.workers[static_cast<std::size_t>(w)] = grid.worker(w, true);
  return plan;
}

}  // namespace qb::testing_support
