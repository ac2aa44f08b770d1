// SPDX-License-Identifier: Apache-2.0
// Attention over a grid of H x R x C workers: heads, rows and columns. It contains the rings
// (1 x 1 x W), Ulysses (W x 1 x 1), pass-Q (1 x W x 1) and what lies between them: USP (arXiv
// 2405.07719) and LoongTrain (2406.18485) are H x 1 x C, Mesh-Attention (2512.20968) and
// Attention2D (2503.15758) 1 x R x C.
//
// Tokens are dealt as in the zigzag ring, or as grid.layout says, to W shards. H consecutive
// workers are a tile: an all-to-all gives each of them the tokens of all H shards for its share of
// the heads, as Ulysses does over all workers. The R C tiles are a mesh: tile t = x R + y needs the
// queries of the R tiles of its row, x R to x R + R - 1, and the keys of the C tiles of its column,
// y, y + R, ... So every pair of tiles is computed once, and each tile's own pair by itself (the
// local Q-KV property). Queries come at once, from the workers that own them; keys and values go
// round the column, hidden behind the computation; partials return to the owners of the queries,
// which merge them. With equal zigzag shards every worker computes the same number of pairs under a
// causal mask: two shards of two chunks, i and 2W - 1 - i, allow as many pairs whichever they are.
//
// In units of c = N / W tokens of all NH heads a worker sends forward R - 1/H of queries and of
// partials, and 1 - 1/H + C - 1 of keys and of values. It holds R shards of queries and two of keys
// and values.
//
// In the backward pass dO, LSE and D come with the queries and dQ returns as partials do; dK and dV
// go round with K and V, make one hop more, and an all-to-all takes them to the owners.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/numbers.h"
#include "base/status.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

// Writes worker 0, of column 0, row 0 and head group 0.
class Grid {
 public:
  Grid(const Problem& problem, const StrategyOptions& options, const GridShape& shape)
      : builder_(problem, "grid", shape, deal_called(options.keys.text("grid_layout")),
                 options.pass, options.gradients),
        shape_(shape) {}

  [[nodiscard]] Plan plan() {
    if (shares_heads()) {
      builder_.share_heads();
      if (shape_.columns > 1) builder_.add_tiles();
    }
    add_exchange();
    for (int hop = 0; hop < shape_.columns; ++hop) add_hop(hop);
    add_results();
    return builder_.finish();
  }

 private:
  [[nodiscard]] bool backward() const { return builder_.pass() == Pass::backward; }
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

  // Calls visit(peer) for the workers whose queries this one computes with, or which compute with
  // its queries for their share of the heads: all of its row.
  void for_row(auto visit) const {
    for (int peer = 0; peer < shape_.rows * shape_.heads; ++peer)
      if (shares_heads() || peer != 0) visit(peer);
  }

  void add_exchange() {
    for_row([&](int peer) {
      for (const TensorRole what : query_inputs(builder_.pass()))
        builder_.send(0, peer, TransferKind::all_to_all, what, 0, peer);
    });
    for (int peer = 0; shares_heads() && peer < shape_.heads; ++peer)
      for (const TensorRole what : kKeyInputs)
        builder_.send(0, peer, TransferKind::all_to_all, what, 0, peer);
  }

  // Computes with the keys that have come `hop` places, and sends them on.
  void add_hop(int hop) {
    const int now = first_step() + hop;
    const PlaceSet keys{builder_.place(0, 0, -hop), kHeadsAxis};
    if (shares_heads()) {
      builder_.add_task(now, {0, kHeadsAxis | kRowsAxis}, keys);
    } else {
      builder_.add_task(now, 0, keys);
      // The queries of others come in step 1.
      if (shape_.rows > 1) builder_.add_task(std::max(now, 1), {0, kRowsAxis, true}, keys);
    }
    if (shape_.columns == 1) return;
    const auto pass_on = [&](std::span<const TensorRole> tensors) {
      for (const TensorRole what : tensors)
        builder_.send(now, builder_.place(0, 0, 1), TransferKind::p2p, what, keys);
    };
    if (hop + 1 < shape_.columns) pass_on(kKeyInputs);
    if (backward()) pass_on(gradients_of(false));
  }

  void add_results() {
    const int last = last_step();
    for_row([&](int peer) {
      builder_.send(last, peer, TransferKind::all_to_all,
                    backward() ? TensorRole::d_q : TensorRole::partial, peer);
    });
    if (!backward()) return;
    const int home = shape_.columns > 1 ? last + 1 : last;  // dK and dV make one hop more
    for (int peer = 0; shares_heads() && peer < shape_.heads; ++peer)
      for (const TensorRole what : gradients_of(false))
        builder_.send(home, peer, TransferKind::all_to_all, what, peer);
  }

  RotationBuilder builder_;
  const GridShape shape_;
};

Plan plan_shape(std::string_view algorithm, const Problem& problem,
                const StrategyOptions& options) {
  const GridShape asked = asked_grid(options.keys);
  return Grid(problem, options, grid_shape(algorithm, problem, options.workers, asked)).plan();
}

}  // namespace

GridShape asked_grid(const StrategyKeys& keys) {
  return {keys.integer("grid_heads"), keys.integer("grid_rows"), 0};
}

StrategyKeys grid_keys(const GridShape& shape) {
  StrategyKeys keys;
  keys.text("grid_heads") = to_text(std::int64_t{shape.heads});
  keys.text("grid_rows") = to_text(std::int64_t{shape.rows});
  return keys;
}

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
              static_cast<double>(size_of(problem.partials) * shape.value_dim) +
              4.0 * problem.lse_sent) +
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
