// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/sent_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/integers.h"
#include "base/status.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

struct SplitProblem {
  const Shape& shape;          // T = q_len, P = kv_len - q_len, NH, NKV and d
  std::int64_t element_bytes;  // e
  std::int64_t workers;        // W
  Pass pass;
  GridShape grid{};            // H, R and C
  std::int64_t grid_keys = 0;  // keys of a shard
  std::int64_t gradient_bytes = size_of(DType::f32);
  std::int64_t partial_bytes = size_of(DType::f32);  // of an element of O on its way home
  std::int64_t share = 0;                            // h: which share of the heads the worker has
  // Query heads of share h, and the key-value heads that these need.
  [[nodiscard]] std::int64_t q_share() const {
    const Range heads = head_share(shape, share, grid.heads);
    return heads.end - heads.begin;
  }
  [[nodiscard]] std::int64_t kv_share(std::int64_t h) const {
    const Range heads = kv_heads_of(shape, head_share(shape, h, grid.heads));
    return heads.end - heads.begin;
  }
  [[nodiscard]] std::int64_t partial_row() const {  // O and LSE of a query and head
    return shape.head_dim * partial_bytes + size_of(DType::f32);
  }
  [[nodiscard]] std::int64_t kv_heads_sent() const {
    std::int64_t heads = 0;
    for (std::int64_t h = 0; h < grid.heads; ++h) heads += kv_share(h);
    return heads;
  }
};

struct TransferForm {
  // How many such messages a worker sends: one, W - 1 hops, or W hops home, of which one worker
  // alone needs none.
  enum class Times { once, hops, home };

  const char* schemes;  // whose names are separated by spaces
  const char* transfer;
  Times times;
  bool received;  // else sent
  std::int64_t (*bytes)(const SplitProblem&);
  const char* formula;
  const char* difference = "";  // why the plan may send another number of bytes
  [[nodiscard]] std::int64_t messages(const SplitProblem& p) const {
    if (times == Times::once) return 1;
    const std::int64_t ring = p.grid.columns > 0 ? p.grid.columns : p.workers;
    return times == Times::hops || ring == 1 ? ring - 1 : ring;
  }
};
using Times = TransferForm::Times;

constexpr std::int64_t kFloatBytes = size_of(DType::f32);  // p

std::int64_t shard(std::int64_t tokens, const SplitProblem& p) {
  return ceil_div(tokens, p.workers);
}

struct LocalTokens {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

// Returns the residues of the groups that a worker holds: its own, and those of the pairs it keeps.
std::set<int> material_residues(const InterestSet& set, bool with_opposite) {
  std::set<int> residues = {0};
  for (const ResiduePair& pair : kept_residue_pairs(set))
    if (with_opposite || !pair.opposite) residues.insert({pair.first, pair.second});
  return residues;
}

std::vector<LocalTokens> local_tokens(const SplitProblem& p) {
  const int workers = static_cast<int>(p.workers);
  const InterestSet set = default_interest_set(workers);
  const std::set<int> first_half = material_residues(set, true);
  const std::set<int> second_half = material_residues(set, false);
  std::vector<LocalTokens> all;
  for (int worker = 0; worker < workers; ++worker) {
    LocalTokens& local = all.emplace_back();
    for (int residue : 2 * worker < workers ? first_half : second_half) {
      const int group = (residue + worker) % workers;
      local.queries += group_tokens(p.shape.q_len, workers, group);
      local.keys += group_tokens(p.shape.kv_len, workers, group);
    }
  }
  return all;
}

// The foreign groups that a worker of cqs_sharded fetches, and as many fetch its own: m - 1, each
// as long as the longest.
LocalTokens fetched_tokens(const SplitProblem& p) {
  const InterestSet set = default_interest_set(static_cast<int>(p.workers));
  const std::int64_t fetched = std::ssize(material_residues(set, true)) - 1;
  return {fetched * shard(p.shape.q_len, p), fetched * shard(p.shape.kv_len, p)};
}

// The largest shards. ring and striped deal cached and new keys as one run of tokens.
LocalTokens query_shard(const SplitProblem& p) { return {shard(p.shape.q_len, p), 0}; }
LocalTokens key_shards(const SplitProblem& p) {
  return {0, shard(p.shape.kv_len - p.shape.q_len, p) + shard(p.shape.q_len, p)};
}
LocalTokens run_of_keys(const SplitProblem& p) { return {0, shard(p.shape.kv_len, p)}; }

std::int64_t qkv_bytes(const SplitProblem& p, const LocalTokens& of) {
  return (of.queries * p.shape.q_heads + 2 * of.keys * p.shape.kv_heads) * p.shape.head_dim *
         p.element_bytes;
}

// What tasks of the pass read of these tokens: Q, K and V, and in a backward pass dO, LSE and D.
std::int64_t input_bytes(const SplitProblem& p, const LocalTokens& of) {
  if (p.pass == Pass::forward) return qkv_bytes(p, of);
  const std::int64_t rows = of.queries * p.shape.q_heads;
  return qkv_bytes(p, of) + rows * (p.shape.head_dim * p.element_bytes + 2 * kFloatBytes);
}

// What tasks of the pass compute for these tokens: partials, or sums of dQ, dK and dV.
std::int64_t result_bytes(const SplitProblem& p, const LocalTokens& of) {
  if (p.pass == Pass::forward) return of.queries * p.shape.q_heads * p.partial_row();
  return (of.queries * p.shape.q_heads + 2 * of.keys * p.shape.kv_heads) * p.shape.head_dim *
         kFloatBytes;
}

std::int64_t key_hop(const SplitProblem& p) { return input_bytes(p, key_shards(p)); }
std::int64_t run_hop(const SplitProblem& p) { return input_bytes(p, run_of_keys(p)); }
std::int64_t query_hop(const SplitProblem& p) { return input_bytes(p, query_shard(p)); }

// The last of the W hops of gradients brings them home.
std::int64_t key_gradient_hop(const SplitProblem& p) { return result_bytes(p, key_shards(p)); }
std::int64_t run_gradient_hop(const SplitProblem& p) { return result_bytes(p, run_of_keys(p)); }
std::int64_t query_gradient_hop(const SplitProblem& p) { return result_bytes(p, query_shard(p)); }

std::int64_t all_gather(const SplitProblem& p) { return (p.workers - 1) * key_hop(p); }
std::int64_t reduce_scatter(const SplitProblem& p) { return (p.workers - 1) * key_gradient_hop(p); }

// When its ring is done, pass-Q returns the partials of the others' queries.
std::int64_t partials_of_others(const SplitProblem& p) {
  return (p.workers - 1) * result_bytes(p, query_shard(p));
}

// In a grid queries go to the R H workers of the row, each its share of the heads, but for the
// worker's own; keys to those of the tile; results come back by the heads of the share.
std::int64_t query_exchange(const SplitProblem& p, std::int64_t of_row) {
  return shard(p.shape.q_len, p) * (p.grid.rows * p.shape.q_heads - p.q_share()) * of_row;
}
std::int64_t grid_exchange(const SplitProblem& p) {
  const std::int64_t row = p.shape.head_dim * p.element_bytes;
  return query_exchange(p, p.pass == Pass::forward ? row : 2 * (row + kFloatBytes)) +
         2 * p.grid_keys * (p.kv_heads_sent() - p.kv_share(p.share)) * row;
}
std::int64_t d_out_by_heads(const SplitProblem& p) {
  return query_exchange(p, p.shape.head_dim * p.element_bytes);
}
std::int64_t tile_hop(const SplitProblem& p, std::int64_t bytes) {
  return 2 * p.grid.heads * p.grid_keys * p.kv_share(p.share) * p.shape.head_dim * bytes;
}
std::int64_t grid_hop(const SplitProblem& p) { return tile_hop(p, p.element_bytes); }
std::int64_t grid_gradient_hop(const SplitProblem& p) { return tile_hop(p, kFloatBytes); }
std::int64_t grid_return(const SplitProblem& p) {
  const std::int64_t queries =
      shard(p.shape.q_len, p) * (p.grid.rows * p.grid.heads - 1) * p.q_share();
  if (p.pass == Pass::forward) return queries * p.partial_row();
  const std::int64_t keys = p.grid_keys * (p.grid.heads - 1) * p.kv_share(p.share);
  return (queries + 2 * keys) * p.shape.head_dim * p.gradient_bytes;
}

std::int64_t exchange(const SplitProblem& p) { return input_bytes(p, fetched_tokens(p)); }
std::int64_t exchange_back(const SplitProblem& p) { return result_bytes(p, fetched_tokens(p)); }

// A bandwidth-optimal all-reduce of the numerator, denominator and maximum of every query and head.
std::int64_t tree_all_reduce(const SplitProblem& p) {
  const std::int64_t reduced =
      p.shape.q_len * p.shape.q_heads * (p.shape.head_dim + 2) * kFloatBytes;
  return ceil_div(2 * (p.workers - 1) * reduced, p.workers);
}

// CQS sends nothing between workers, but from and to the root. Returns the most of a worker.
std::int64_t most_of_workers(const SplitProblem& p, decltype(input_bytes) bytes_of) {
  std::int64_t most = 0;
  for (const LocalTokens& local : local_tokens(p)) most = std::max(most, bytes_of(p, local));
  return most;
}
std::int64_t gather(const SplitProblem& p) { return most_of_workers(p, result_bytes); }
std::int64_t backward_scatter(const SplitProblem& p) { return most_of_workers(p, input_bytes); }
// In a forward pass the worker with the longest subsequence counts.
std::int64_t scatter(const SplitProblem& p) {
  return input_bytes(p, std::ranges::max(local_tokens(p), {}, &LocalTokens::queries));
}

constexpr const char* kNotPadded = "the plan sends shorter shards as they are";
constexpr const char* kFewerGroups =
    "workers that keep no pair W/2 apart send fewer groups, and shorter groups as they are";

constexpr TransferForm kForwardForms[] = {
    {"ring striped", "ring hop", Times::hops, false, run_hop, "2 ((P+T)/W) NKV d e"},
    {"zigzag pass_kv burst", "ring hop", Times::hops, false, key_hop, "2 (P/W + T/W) NKV d e"},
    {"pass_q", "ring hop", Times::hops, false, query_hop, "(T/W) NH d e"},
    {"pass_q", "all-to-all", Times::once, false, partials_of_others, "(W-1) (T/W) NH (d o + p)"},
    {"ulysses", "all-to-all to heads", Times::once, false, grid_exchange,
     "((NH - s) (T/W) + 2 (KV - k) ((P+T)/W)) d e", kNotPadded},
    {"ulysses", "all-to-all back", Times::once, false, grid_return, "(W-1) s (T/W) (d o + p)",
     kNotPadded},
    {"grid usp mesh", "all-to-all of Q, K, V", Times::once, false, grid_exchange,
     "((R NH - s) (T/W) + 2 (KV - k) (P/W + T/W)) d e", kNotPadded},
    {"grid usp mesh", "hop along the column", Times::hops, false, grid_hop, "2 H (P/W + T/W) k d e",
     kNotPadded},
    {"grid usp mesh", "return of partials", Times::once, false, grid_return,
     "(R H - 1) s (T/W) (d o + p)", kNotPadded},
    {"all_gather_kv", "all-gather of K, V", Times::once, false, all_gather,
     "(W-1) 2 (P/W + T/W) NKV d e", kNotPadded},
    {"cqs_sharded", "exchange", Times::once, false, exchange,
     "(m-1) ((T/W) NH + 2 ((P+T)/W) NKV) d e", kFewerGroups},
    {"cqs_sharded", "return of partials", Times::once, false, exchange_back,
     "(m-1) (T/W) NH (d o + p)", kFewerGroups},
    {"tree_decode", "all-reduce", Times::once, false, tree_all_reduce,
     "2 (W-1)/W T (NH d + 2 NH) p",
     "worker 0 of the plan's tree sends T (NH d + 2 NH) p ceil(log2 W) times"},
    {"cqs", "gather", Times::once, false, gather, "local NH (d o + p)"},
    {"cqs", "scatter", Times::once, true, scatter, "local (NH + 2 NKV) d e"},
};

constexpr TransferForm kBackwardForms[] = {
    {"ring striped", "ring hop of K, V", Times::hops, false, run_hop, "2 ((P+T)/W) NKV d e"},
    {"ring striped", "ring hop of dK, dV", Times::home, false, run_gradient_hop,
     "2 ((P+T)/W) NKV d p"},
    {"zigzag pass_kv", "ring hop of K, V", Times::hops, false, key_hop, "2 (P/W + T/W) NKV d e"},
    {"zigzag pass_kv", "ring hop of dK, dV", Times::home, false, key_gradient_hop,
     "2 (P/W + T/W) NKV d p"},
    {"burst", "ring hop of Q, dO, LSE, D", Times::hops, false, query_hop,
     "(T/W) (2 NH d e + 2 NH p)"},
    {"burst", "ring hop of dQ", Times::home, false, query_gradient_hop, "(T/W) NH d p"},
    {"ulysses", "all-to-all of dO", Times::once, false, d_out_by_heads, "(NH - s) (T/W) d e",
     kNotPadded},
    {"ulysses", "all-to-all of dQ, dK, dV", Times::once, false, grid_return,
     "(W-1) (s (T/W) + 2 k ((P+T)/W)) d e, or p where workers share a key-value head", kNotPadded},
    {"grid usp mesh", "all-to-all of Q, dO, LSE, D, K, V", Times::once, false, grid_exchange,
     "(R NH - s) (T/W) (2 d e + 2 p) + 2 (KV - k) (P/W + T/W) d e", kNotPadded},
    {"grid usp mesh", "hop along the column of K, V", Times::hops, false, grid_hop,
     "2 H (P/W + T/W) k d e", kNotPadded},
    {"grid usp mesh", "hop along the column of dK, dV", Times::home, false, grid_gradient_hop,
     "2 H (P/W + T/W) k d p", kNotPadded},
    {"grid usp mesh", "return of dQ, dK, dV", Times::once, false, grid_return,
     "((R H - 1) s (T/W) + 2 (H - 1) k (P/W + T/W)) d p", kNotPadded},
    {"all_gather_kv", "all-gather of K, V", Times::once, false, all_gather,
     "(W-1) 2 (P/W + T/W) NKV d e", kNotPadded},
    {"all_gather_kv", "reduce-scatter of dK, dV", Times::once, false, reduce_scatter,
     "(W-1) 2 (P/W + T/W) NKV d p", kNotPadded},
    {"cqs_sharded", "exchange", Times::once, false, exchange,
     "(m-1) ((T/W) (2 NH d e + 2 NH p) + 2 ((P+T)/W) NKV d e)", kFewerGroups},
    {"cqs_sharded", "return of dQ, dK, dV", Times::once, false, exchange_back,
     "(m-1) ((T/W) NH + 2 ((P+T)/W) NKV) d p", kFewerGroups},
    {"cqs", "gather", Times::once, false, gather, "local (NH + 2 NKV) d p"},
    {"cqs", "scatter", Times::once, true, backward_scatter,
     "local (2 NH d e + 2 NH p + 2 NKV d e)"},
};

std::span<const TransferForm> forms_of(Pass pass) {
  if (pass == Pass::forward) return kForwardForms;
  return kBackwardForms;
}

void require_63_bits(const SplitProblem& p) {
  // No scheme sends more than all tensors on every worker: Q, K, V and O, or backward twice that.
  const double tensors = p.pass == Pass::forward ? 4.0 : 8.0;
  const double most = tensors * static_cast<double>(p.shape.kv_len + p.workers) *
                      static_cast<double>(p.workers) * static_cast<double>(p.shape.q_heads) *
                      static_cast<double>(p.shape.head_dim + 2) * 8.0;
  if (!(most < 9e18))
    throw UsageError("the bytes of this problem do not fit 63 bits; take fewer tokens or heads");
}

std::int64_t sent_by_forms(std::string_view scheme, const SplitProblem& p, bool received) {
  std::int64_t bytes = 0;
  for (const TransferForm& form : forms_of(p.pass))
    if (form.received == received && KernelRow::lists(form.schemes, scheme))
      bytes += form.messages(p) * form.bytes(p);
  return bytes;
}

// Where workers have different shares of the heads, the one that sends most counts.
SplitProblem split_problem(std::string_view scheme, const Problem& problem, int workers, Pass pass,
                           const GridShape& asked) {
  SplitProblem p{problem.shape, size_of(problem.dtype), workers, pass};
  p.partial_bytes = size_of(problem.partials);
  p.grid_keys = key_shards(p).keys;
  if (is_grid(scheme)) p.grid = grid_shape(scheme, problem, workers, asked);
  if (scheme == "ulysses") {  // one tile, whose keys are dealt as one run
    p.grid = {workers, 1, 1};
    p.grid_keys = run_of_keys(p).keys;
    // Gradients are whole where no other worker computes with their heads.
    if (p.kv_heads_sent() == p.shape.kv_heads) p.gradient_bytes = p.element_bytes;
  }
  SplitProblem most = p;
  for (p.share = 1; p.share < p.grid.heads; ++p.share)
    if (sent_by_forms(scheme, p, false) > sent_by_forms(scheme, most, false)) most.share = p.share;
  return most;
}

// Returns the row of a scheme without a closed form, by its plan.
SentBytes sent_by_plan(std::string_view scheme, const Problem& problem, int workers, Pass pass,
                       const GridShape& grid) {
  SentBytes row;
  row.pass = pass;
  row.scheme = scheme;
  row.transfer = "all";
  row.messages = 1;
  row.formula = "by the plan; there is no closed form";
  if (scheme == "decode" && problem.shape.q_len > kFewNewTokens)
    row.unsupported =
        fmt::format("decode is planned here for at most {} new tokens", kFewNewTokens);
  if (scheme == "flash_decoding")
    row.unsupported = "flash_decoding splits the keys on one device, so that no link carries them";
  if (!row.unsupported.empty()) return row;
  try {
    const Plan plan =
        make_plan(scheme, problem, {.workers = workers, .keys = grid_keys(grid), .pass = pass});
    // The bytes are the same with every kernel; `reference` has no tiles that take time to count.
    row.bytes = row.planned_bytes = model_work(plan, Kernel::reference).sent_bytes_max;
  } catch (const Unsupported& reason) {
    row.unsupported = reason.what();
  }
  return row;
}

std::int64_t sent_by_formulas(const std::vector<SentBytes>& rows, const std::string& scheme) {
  std::int64_t bytes = 0;
  for (const SentBytes& row : rows)
    if (row.scheme == scheme && !row.received) bytes += row.total();
  return bytes;
}

}  // namespace

std::vector<SentBytes> sent_bytes(const Problem& problem, int workers, Pass pass,
                                  const GridShape& grid) {
  require_63_bits({problem.shape, size_of(problem.dtype), workers, pass});
  std::vector<SentBytes> rows;
  for (const Strategy& strategy : strategies()) {
    const SentBytes without_form = sent_by_plan(strategy.name, problem, workers, pass, grid);
    // A formula holds only where the scheme has a plan.
    const bool holds = without_form.unsupported.empty();
    const SplitProblem p = holds ? split_problem(strategy.name, problem, workers, pass, grid)
                                 : SplitProblem{problem.shape, 0, workers, pass};
    const std::size_t before = rows.size();
    for (const TransferForm& form : forms_of(pass)) {
      if (!KernelRow::lists(form.schemes, strategy.name)) continue;
      SentBytes& row = rows.emplace_back(without_form);
      row.transfer = form.transfer;
      row.received = form.received;
      row.formula = form.formula;
      row.difference = form.difference;
      row.messages = holds ? form.messages(p) : 0;
      row.bytes = holds ? form.bytes(p) : 0;
    }
    if (rows.size() == before) rows.push_back(without_form);
  }
  for (SentBytes& row : rows) {
    row.formula_bytes = sent_by_formulas(rows, row.scheme);
    if (row.formula_bytes == row.planned_bytes) row.difference.clear();
  }
  // A shape with one head group, row or column has not every kind of transfer.
  std::erase_if(rows, [](const SentBytes& row) {
    return is_grid(row.scheme) && row.total() == 0 && row.formula_bytes > 0;
  });
  return rows;
}

double min_block_tokens(double compute_flop_per_s, double link_byte_per_s,
                        std::int64_t element_bytes, std::int64_t q_heads, std::int64_t kv_heads,
                        bool half_blocks) {
  const double whole = compute_flop_per_s / link_byte_per_s *
                       (static_cast<double>(element_bytes) / 2.0) *
                       (static_cast<double>(kv_heads) / static_cast<double>(q_heads));
  return half_blocks ? 2.0 * whole : whole;
}

}  // namespace qb
