// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/path_forms.h"

#include <algorithm>
#include <bit>

#include "base/integers.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

struct Sizes {
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
};

// How tokens must divide for the forms: into W shards, or under a causal mask into 2W chunks.
enum class Deal { any, shards, chunks };

struct PathForm {
  const char* schemes;  // whose names are separated by spaces
  Deal deal;
  std::int64_t (*rounds)(const Sizes&);
  const char* rounds_formula;
  std::int64_t (*pairs)(const Sizes&);  // nullptr: no form
  const char* pairs_formula;            // of the causal mask
};

std::int64_t once(const Sizes&) { return 1; }
std::int64_t thrice(const Sizes&) { return 3; }
std::int64_t ring_rounds(const Sizes& s) {
  return s.workers + (s.backward() && s.workers > 1 ? 1 : 0);
}
std::int64_t pass_q_rounds(const Sizes& s) { return s.workers + (s.workers > 1 ? 1 : 0); }
std::int64_t gather_rounds(const Sizes& s) { return s.backward() && s.workers > 1 ? 3 : 2; }
std::int64_t tree_rounds(const Sizes& s) {
  return 6 * static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(s.workers - 1))) +
         1;
}
std::int64_t grid_rounds(const Sizes& s) {
  const auto [h, r, c] = s.grid;
  const std::int64_t first = h > 1 || (s.backward() && r > 1) ? 1 : 0;
  const std::int64_t last = std::max<std::int64_t>(first + c - 1, r > 1 ? 1 : 0);
  if (s.backward() && c > 1) return last + (h > 1 ? 3 : 2);
  return last + (r * h > 1 ? 2 : 1);
}

std::int64_t whole(const Sizes& s) { return unmasked_pairs(s.problem); }
std::int64_t contiguous_ring(const Sizes& s) {
  return s.own() + (s.workers - 1) * (s.causal() ? s.c() * s.c() : s.c() * s.m());
}
std::int64_t striped_ring(const Sizes& s) { return s.workers * s.own(); }
std::int64_t chunked(const Sizes& s) { return s.own() + (s.workers - 1) * s.apart(); }
std::int64_t by_heads(const Sizes& s) { return s.of_share(whole(s)); }
std::int64_t quorum(const Sizes& s) {
  return s.own() + s.workers / 2 * (s.causal() ? s.c() * s.c() : 2 * s.c() * s.m());
}
// The C rounds of a tile: its own keys first, which it has H pairs of equal shards with.
std::int64_t grid_pairs(const Sizes& s) {
  const auto [h, r, c] = s.grid;
  const std::int64_t shards = std::int64_t{r} * h * h;  // pairs of shards in a round
  return s.of_share(h * s.own() + (shards - h) * s.apart()) +
         (c - 1) * s.of_share(shards * s.apart());
}
std::int64_t part_of_cache(const Sizes& s) {
  return s.problem.shape.q_len * ceil_div(s.problem.shape.kv_len, s.workers);
}

constexpr PathForm kForms[] = {
    {"dense", Deal::any, once, "1", whole, "N (N+1) / 2"},
    {"cqs", Deal::shards, once, "1", quorum, "t + floor(W/2) c^2"},
    {"cqs_sharded", Deal::shards, thrice, "3", quorum, "t + floor(W/2) c^2"},
    {"ring", Deal::shards, ring_rounds, "W, and one more to bring dK and dV home", contiguous_ring,
     "t + (W-1) c^2"},
    {"striped", Deal::shards, ring_rounds, "W, and one more to bring dK and dV home", striped_ring,
     "W t"},
    {"zigzag pass_kv burst", Deal::chunks, ring_rounds, "W, and one more to bring gradients home",
     chunked, "t + (W-1) c^2/2"},
    {"pass_q", Deal::chunks, pass_q_rounds, "W + 1", chunked, "t + (W-1) c^2/2"},
    {"ulysses", Deal::any, thrice, "3", by_heads, "N (N+1) / 2 for ceil(NH/W) of NH heads"},
    {"all_gather_kv", Deal::chunks, gather_rounds, "2, backward 3", chunked, "t + (W-1) c^2/2"},
    {"grid usp mesh", Deal::chunks, grid_rounds,
     "C, one for each of: an exchange before, a return, and dK and dV that come home", grid_pairs,
     "(H t + (R H^2 - H) c^2/2) + (C-1) R H^2 c^2/2, each for ceil(NH/H) of NH heads"},
    {"tree_decode", Deal::any, tree_rounds, "6 ceil(log2 W) + 1", part_of_cache,
     "T ceil((P+T)/W) without a mask"},
};

// Returns why the form of the critical path does not hold, or an empty text.
std::string why_not(const PathForm& form, const Sizes& s, std::string_view scheme) {
  const Shape& shape = s.problem.shape;
  const std::int64_t cached = shape.kv_len - shape.q_len;
  if (s.problem.mask.kind == MaskKind::pattern || !s.problem.mask.segments.empty())
    return "no form for a pattern or a packed batch";
  if (scheme == "tree_decode" && s.causal()) return "no form under a causal mask";
  if (form.deal == Deal::any) return {};
  if (s.causal() && cached > 0) return "no form for cached tokens under a causal mask";
  if (cached % s.workers != 0 || shape.q_len % s.workers != 0)
    return "no form for unequal shards: W must divide T and P";
  if (s.causal() && form.deal == Deal::chunks && shape.q_len % (2 * s.workers) != 0)
    return "no form for unequal chunks: 2W must divide N under a causal mask";
  return {};
}

}  // namespace

PathForms path_forms(std::string_view scheme, const Problem& problem, int workers, Pass pass,
                     const GridShape& grid) {
  Sizes sizes{problem, workers, pass, {workers, 1, 1}};
  if (is_grid(scheme)) sizes.grid = grid_shape(scheme, problem, workers, grid);
  PathForms forms;
  const auto form = std::ranges::find_if(
      kForms, [&](const PathForm& f) { return KernelRow::lists(f.schemes, scheme); });
  if (form == std::end(kForms)) {
    forms.missing = "no form: the plan follows from the number of new tokens";
    return forms;
  }
  forms.rounds = form->rounds(sizes);
  forms.rounds_formula = form->rounds_formula;
  forms.pairs_formula = form->pairs_formula;
  forms.missing = why_not(*form, sizes, scheme);
  if (forms.missing.empty()) forms.critical_path_pairs = form->pairs(sizes);
  return forms;
}

}  // namespace qb
