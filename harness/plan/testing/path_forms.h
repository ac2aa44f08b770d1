// SPDX-License-Identifier: Apache-2.0
// For tests only: closed forms of the rounds and of the critical path of each scheme, to compare
// with what plans count. They hold where the workers' shards are equal; elsewhere there is no form.
//
// c = T / W new tokens and m = (P + T) / W keys of a worker. Under a causal mask, without cached
// tokens, a block of a shard's own keys has t = c (c + 1) / 2 pairs; one of two shards has c^2 or
// none if shards are contiguous, t or t - c if they are striped, and c^2 / 2 if they are two chunks
// i and 2W - 1 - i, whichever comes first. Without a mask it has c m pairs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/integers.h"
#include "base/schema/kernels.h"
#include "harness/plan/testing/brute_force.h"

namespace qb::testing_support {

struct PathSizes {
  const Problem& problem;
  std::int64_t workers;  // W
  Pass pass;
  GridShape grid;

  [[nodiscard]] bool causal() const { return problem.mask.kind == MaskKind::causal; }
  [[nodiscard]] bool backward() const { return pass == Pass::backward; }
  [[nodiscard]] std::int64_t c() const { return problem.shape.q_len / workers; }
  [[nodiscard]] std::int64_t m() const { return problem.shape.kv_len / workers; }
  [[nodiscard]] std::int64_t own() const { return causal() ? c() * (c() + 1) / 2 : c() * m(); }
  // Two shards of two chunks each.
  [[nodiscard]] std::int64_t apart() const { return causal() ? c() * c() / 2 : c() * m(); }
  // Returns the pairs of one head, where a worker computes `pairs` for the largest share of heads.
  [[nodiscard]] std::int64_t of_share(std::int64_t pairs) const {
    const Shape& shape = problem.shape;
    return ceil_div(pairs * ceil_div(shape.q_heads, std::int64_t{grid.heads}), shape.q_heads);
  }

  // Rounds.
  [[nodiscard]] std::int64_t once() const { return 1; }
  [[nodiscard]] std::int64_t thrice() const { return 3; }
  // The all-to-all's partials are merged in a round of their own.
  [[nodiscard]] std::int64_t helix_rounds() const { return grid.columns > 1 ? 2 : 1; }
  // W, and one more to bring gradients home
  [[nodiscard]] std::int64_t ring_rounds() const {
    return workers + (backward() && workers > 1 ? 1 : 0);
  }
  [[nodiscard]] std::int64_t pass_q_rounds() const { return workers + (workers > 1 ? 1 : 0); }
  [[nodiscard]] std::int64_t gather_rounds() const { return backward() && workers > 1 ? 3 : 2; }
  [[nodiscard]] std::int64_t tree_rounds() const {
    return 6 * static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(workers - 1))) +
           1;
  }
  // C, one for each of: an exchange before, a return, and dK and dV that come home
  [[nodiscard]] std::int64_t grid_rounds() const {
    const auto [h, r, columns] = grid;
    const std::int64_t first = h > 1 || (backward() && r > 1) ? 1 : 0;
    const std::int64_t last = std::max<std::int64_t>(first + columns - 1, r > 1 ? 1 : 0);
    if (backward() && columns > 1) return last + (h > 1 ? 3 : 2);
    return last + (r * h > 1 ? 2 : 1);
  }

  // Pairs of a head on the critical path, in the comments under a causal mask.
  [[nodiscard]] std::int64_t whole() const { return unmasked_pairs(problem); }  // N (N+1) / 2
  [[nodiscard]] std::int64_t contiguous_ring() const {                          // t + (W-1) c^2
    return own() + (workers - 1) * (causal() ? c() * c() : c() * m());
  }
  [[nodiscard]] std::int64_t striped_ring() const { return workers * own(); }  // W t
  [[nodiscard]] std::int64_t chunked() const {                                 // t + (W-1) c^2/2
    return own() + (workers - 1) * apart();
  }
  // N (N+1) / 2 for ceil(NH/W) of NH heads
  [[nodiscard]] std::int64_t by_heads() const { return of_share(whole()); }
  [[nodiscard]] std::int64_t quorum() const {  // t + floor(W/2) c^2
    return own() + workers / 2 * (causal() ? c() * c() : 2 * c() * m());
  }
  // The C rounds of a tile: its own keys first, which it has H pairs of equal shards with;
  // (H t + (R H^2 - H) c^2/2) + (C-1) R H^2 c^2/2, each for ceil(NH/H) of NH heads.
  [[nodiscard]] std::int64_t grid_pairs() const {
    const auto [h, r, columns] = grid;
    const std::int64_t shards = std::int64_t{r} * h * h;  // pairs of shards in a round
    return of_share(h * own() + (shards - h) * apart()) +
           (columns - 1) * of_share(shards * apart());
  }
  [[nodiscard]] std::int64_t part_of_cache() const {  // T ceil((P+T)/W) without a mask
    return problem.shape.q_len * ceil_div(problem.shape.kv_len, workers);
  }
  // T ceil((P+T)/D) without a mask, for the most groups of heads in one of the shares
  [[nodiscard]] std::int64_t share_of_cache() const {
    return ceil_div(problem.shape.q_len * ceil_div(problem.shape.kv_len, grid.columns) *
                        ceil_div(problem.shape.kv_heads, grid.heads),
                    problem.shape.kv_heads);
  }
};

struct PathForm {
  // How tokens must divide for the form: into W shards, or under a causal mask into 2W chunks.
  enum class Deal { any, shards, chunks };

  std::string_view schemes;  // whose names are separated by spaces
  Deal deal;
  std::int64_t (PathSizes::*rounds)() const;
  std::int64_t (PathSizes::*pairs)() const;

  [[nodiscard]] bool holds(const PathSizes& sizes, std::string_view scheme) const {
    const Shape& shape = sizes.problem.shape;
    const std::int64_t cached = shape.kv_len - shape.q_len;
    const bool causal = sizes.causal();
    if (sizes.problem.mask.kind == MaskKind::pattern || !sizes.problem.mask.segments.empty() ||
        ((scheme == "tree_decode" || scheme == "helix") && causal))
      return false;
    if (deal == Deal::any) return true;
    if (causal && cached > 0) return false;
    return cached % sizes.workers == 0 && shape.q_len % sizes.workers == 0 &&
           (!causal || deal == Deal::shards || shape.q_len % (2 * sizes.workers) == 0);
  }
};

struct PathCounts {
  std::optional<std::int64_t> rounds{};               // steps of the worker that has most
  std::optional<std::int64_t> critical_path_pairs{};  // per head, as Work counts them
};

// Returns the forms that there are of a scheme that has a plan of the problem. grid: for grid, usp
// and mesh.
inline PathCounts path_forms(std::string_view scheme, const Problem& problem, int workers,
                             Pass pass, const GridShape& grid) {
  using enum PathForm::Deal;
  using S = PathSizes;
  static constexpr PathForm kForms[] = {
      {"dense", any, &S::once, &S::whole},
      {"cqs", shards, &S::once, &S::quorum},
      {"cqs_sharded", shards, &S::thrice, &S::quorum},
      {"ring", shards, &S::ring_rounds, &S::contiguous_ring},
      {"striped", shards, &S::ring_rounds, &S::striped_ring},
      {"zigzag pass_kv burst double_ring", chunks, &S::ring_rounds, &S::chunked},
      {"pass_q", chunks, &S::pass_q_rounds, &S::chunked},
      {"ulysses", any, &S::thrice, &S::by_heads},
      {"all_gather_kv", chunks, &S::gather_rounds, &S::chunked},
      {"grid usp mesh", chunks, &S::grid_rounds, &S::grid_pairs},
      {"helix", any, &S::helix_rounds, &S::share_of_cache},
      {"tree_decode", any, &S::tree_rounds, &S::part_of_cache}};
  const auto* const form = std::ranges::find_if(
      kForms, [&](const PathForm& each) { return KernelRow::lists(each.schemes, scheme); });
  if (form == std::end(kForms)) return {};
  PathSizes sizes{problem, workers, pass, {workers, 1, 1}};
  if (is_grid(scheme)) sizes.grid = grid_shape(scheme, problem, workers, grid);
  if (scheme == "helix") {
    const int shares = helix_shares(problem.shape, workers, grid.heads);
    sizes.grid = {shares, 1, workers / shares};
  }
  PathCounts counts{.rounds = (sizes.*form->rounds)()};
  if (form->holds(sizes, scheme)) counts.critical_path_pairs = (sizes.*form->pairs)();
  return counts;
}

}  // namespace qb::testing_support
