// SPDX-License-Identifier: Apache-2.0
// Attention over a grid of H x R x C workers: heads, rows and columns. It contains the rings
// (1 x 1 x W), Ulysses (W x 1 x 1), pass-Q (1 x W x 1) and what lies between them: USP (arXiv
// 2405.07719) and LoongTrain (2406.18485) are H x 1 x C, Mesh-Attention (2512.20968) and
// Attention2D (2503.15758) 1 x R x C.
//
// Tokens are dealt as in the zigzag ring, to W shards. H consecutive workers are a tile: an
// all-to-all gives each of them the tokens of all H shards for its share of the heads, as Ulysses
// does over all workers. The R C tiles are a mesh: tile t = x R + y needs the queries of the R
// tiles of its row, x R to x R + R - 1, and the keys of the C tiles of its column, y, y + R, ...
// So every pair of tiles is computed once, and each tile's own pair by itself (the local Q-KV
// property). Queries come at once, from the workers that own them; keys and values go round the
// column, hidden behind the computation; partials return to the owners of the queries, which merge
// them. With equal shards every worker computes the same number of pairs under a causal mask: two
// shards of two chunks, i and 2W - 1 - i, allow as many pairs whichever they are.
//
// In units of c = N / W tokens of all NH heads a worker sends forward R - 1/H of queries and of
// partials, and 1 - 1/H + C - 1 of keys and of values. It holds R shards of queries and two of keys
// and values.
//
// In the backward pass dO, LSE and D come with the queries and dQ returns as partials do; dK and dV
// go round with K and V, make one hop more, and an all-to-all takes them to the owners.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "base/status.h"
#include "harness/plan/builder.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

Range head_share(const Shape& shape, std::int64_t h, std::int64_t heads) {
  return {h * shape.q_heads / heads, (h + 1) * shape.q_heads / heads};
}

// Makes the workers one at a time.
class Grid {
 public:
  Grid(const Problem& problem, const StrategyOptions& options, const GridShape& shape)
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
        .sends.push_back(
            builder_.transfer({message.kind, message.what, message.list, message.heads, 0}, to));
  }
  void receive(Worker& worker, int step_index, int from, const Message& message) const {
    step(worker, step_index)
        .receives.push_back(
            builder_.transfer({message.kind, message.what, message.list, message.heads, 0}, from));
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

// Each share of the heads is whole groups of heads that share keys, or lies within one: a kernel's
// query heads are then a multiple of its key-value heads.
bool shares_fit(const Shape& shape, int heads) {
  const std::int64_t group = shape.q_heads / shape.kv_heads;
  for (int h = 0; h < heads; ++h) {
    const Range share = head_share(shape, h, heads);
    const bool is_whole = share.begin % group == 0 && share.end % group == 0;
    if (!is_whole && share.begin / group != (share.end - 1) / group) return false;
  }
  return true;
}

Plan plan_shape(std::string_view algorithm, const Problem& problem,
                const StrategyOptions& options) {
  const GridShape shape = grid_shape(algorithm, problem, options.workers, options.grid);
  constexpr double kMostTasks = 4e6;
  const double tasks = 2.0 * options.workers * options.workers * shape.heads;
  if (tasks > kMostTasks)
    throw Unsupported(
        fmt::format("a grid of {} x {} x {} has some {:.0f} million tasks, and plans are made of "
                    "at most {:.0f} million",
                    shape.heads, shape.rows, shape.columns, 1e-6 * tasks, 1e-6 * kMostTasks));
  const auto grid = std::make_shared<const Grid>(problem, options, shape);
  Plan plan = grid->plan();
  plan.workers = Workers(options.workers,
                         [grid](int w, bool with_steps) { return grid->worker(w, with_steps); });
  return plan;
}

}  // namespace

double grid_sent_bytes(const Problem& problem, const GridShape& grid) {
  const Shape& shape = problem.shape;
  const double workers = grid.heads * grid.rows * grid.columns;
  const double queries = static_cast<double>(shape.q_len * shape.q_heads) / workers;
  const double keys = static_cast<double>(shape.kv_len * shape.kv_heads) / workers;
  const double element = static_cast<double>(size_of(problem.dtype));
  const double from_others = grid.rows - 1.0 / grid.heads;
  // KV heads that several workers of a tile need are sent to each.
  const double copies =
      std::max(1.0, static_cast<double>(grid.heads) / static_cast<double>(shape.kv_heads));
  const double dims = static_cast<double>(shape.head_dim + shape.value_dim);
  return queries * from_others *
             (element * static_cast<double>(shape.head_dim) +
              4.0 * static_cast<double>(shape.value_dim + problem.lse_sent)) +
         keys * copies * element * dims * (grid.columns - 1.0 / grid.heads);
}

GridShape grid_shape(std::string_view algorithm, const Problem& problem, int workers,
                     const GridShape& asked) {
  const auto divides = [](int part, std::int64_t whole) { return part > 0 && whole % part == 0; };
  std::optional<GridShape> best;
  for (int heads = 1; heads <= workers; ++heads) {
    if (!divides(heads, workers) || (asked.heads > 0 && heads != asked.heads) ||
        (algorithm == "mesh" && heads > 1) || heads > problem.shape.q_heads ||
        !shares_fit(problem.shape, heads))
      continue;
    for (int rows = 1; rows <= workers / heads; ++rows) {
      if (!divides(rows, workers / heads) || (asked.rows > 0 && rows != asked.rows) ||
          (algorithm == "usp" && rows > 1))
        continue;
      const GridShape grid{heads, rows, workers / heads / rows};
      if (!best || grid_sent_bytes(problem, grid) < grid_sent_bytes(problem, *best)) best = grid;
    }
  }
  if (best) return *best;
  throw Unsupported(fmt::format(
      "{} has no grid of {} workers with {} x {} (heads x rows; 0: any): their product divides the "
      "workers, and {} query heads on {} key-value heads are dealt as whole groups or parts of one",
      algorithm, workers, asked.heads, asked.rows, problem.shape.q_heads, problem.shape.kv_heads));
}

Plan plan_grid(const Problem& problem, const StrategyOptions& options) {
  return plan_shape("grid", problem, options);
}

Plan plan_usp(const Problem& problem, const StrategyOptions& options) {
  return plan_shape("usp", problem, options);
}

Plan plan_mesh(const Problem& problem, const StrategyOptions& options) {
  return plan_shape("mesh", problem, options);
}

}  // namespace qb
