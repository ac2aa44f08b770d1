// SPDX-License-Identifier: Apache-2.0
// For tests only: closed forms of the bytes that a worker sends in a pass under each way of
// splitting attention, to compare with what plans count. The forms have no rules: they hold where
// the scheme has a plan of the problem.
//
// T new and P cached tokens, W workers, NH and NKV query and key-value heads, d head dim, e bytes
// an element, o of O of a partial, p = 4 of what is float32: LSE and D, and sums of gradients; m
// groups that a worker of CQS has. A shard of T tokens counts as ceil(T / W), the largest. A
// worker's share for itself is not sent. Of a grid of H x R x C, a worker's share of the heads is s
// query heads, which need k key-value heads; KV is the sum of k over the H shares, NKV unless
// several need one head. Ulysses is W x 1 x 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/integers.h"
#include "base/schema/kernels.h"
#include "harness/plan/rotation.h"
#include "harness/plan/testing/brute_force.h"
#include "interest_sets/split/distillation.h"

namespace qb::testing_support {

// One kind of transfer of a scheme.
struct SentForm {
  std::string_view transfer;  // `ring hop`, `all-to-all back`, …
  bool received = false;      // received from the root, not sent
  std::int64_t messages = 0;  // of this kind by one worker: W - 1 hops, W home, or one collective
  std::int64_t bytes = 0;     // of each message
  [[nodiscard]] std::int64_t total() const { return messages * bytes; }
};

struct SplitSizes {
  struct LocalTokens {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
  };
  static constexpr std::int64_t kFloatBytes = size_of(DType::f32);  // p

  Shape shape;                 // T = q_len, P = kv_len - q_len, NH, NKV and d
  std::int64_t element_bytes;  // e
  std::int64_t partial_bytes;  // o
  std::int64_t workers;        // W
  Pass pass;
  GridShape grid{};            // H, R and C
  std::int64_t grid_keys = 0;  // keys of a shard
  std::int64_t gradient_bytes = kFloatBytes;
  std::int64_t share = 0;  // h: which share of the heads the worker has

  // Query heads of share h, and the key-value heads that these need.
  [[nodiscard]] std::int64_t q_share() const {
    return head_share(shape, share, grid.heads).count();
  }
  [[nodiscard]] std::int64_t kv_share(std::int64_t h) const {
    return kv_heads_of(shape, head_share(shape, h, grid.heads)).count();
  }
  [[nodiscard]] std::int64_t kv_heads_sent() const {
    std::int64_t heads = 0;
    for (std::int64_t h = 0; h < grid.heads; ++h) heads += kv_share(h);
    return heads;
  }
  [[nodiscard]] std::int64_t partial_row() const {  // O and LSE of a query and head
    return shape.head_dim * partial_bytes + kFloatBytes;
  }
  [[nodiscard]] std::int64_t shard(std::int64_t tokens) const { return ceil_div(tokens, workers); }

  // Returns the residues of the groups that a worker holds: its own, and those of its pairs.
  [[nodiscard]] std::set<int> residues(bool with_opposite) const {
    std::set<int> residues = {0};
    for (const ResiduePair& pair :
         kept_residue_pairs(default_interest_set(static_cast<int>(workers))))
      if (with_opposite || !pair.opposite) residues.insert({pair.first, pair.second});
    return residues;
  }
  [[nodiscard]] std::vector<LocalTokens> local_tokens() const {
    const int n = static_cast<int>(workers);
    const std::set<int> first_half = residues(true);
    const std::set<int> second_half = residues(false);
    std::vector<LocalTokens> all;
    for (int worker = 0; worker < n; ++worker) {
      LocalTokens& local = all.emplace_back();
      for (int residue : 2 * worker < n ? first_half : second_half) {
        const int group = (residue + worker) % n;
        local.queries += group_tokens(shape.q_len, n, group);
        local.keys += group_tokens(shape.kv_len, n, group);
      }
    }
    return all;
  }
  // The foreign groups that a worker of cqs_sharded fetches, and as many fetch its own: m - 1, each
  // as long as the longest.
  [[nodiscard]] LocalTokens fetched_tokens() const {
    const std::int64_t fetched = std::ssize(residues(true)) - 1;
    return {fetched * shard(shape.q_len), fetched * shard(shape.kv_len)};
  }

  // The largest shards. ring and striped deal cached and new keys as one run of tokens.
  [[nodiscard]] LocalTokens query_shard() const { return {shard(shape.q_len), 0}; }
  [[nodiscard]] LocalTokens key_shards() const {
    return {0, shard(shape.kv_len - shape.q_len) + shard(shape.q_len)};
  }
  [[nodiscard]] LocalTokens run_of_keys() const { return {0, shard(shape.kv_len)}; }

  // What tasks of the pass read of these tokens: Q, K and V, and in a backward pass dO, LSE and D.
  [[nodiscard]] std::int64_t inputs(const LocalTokens& of) const {
    const std::int64_t rows = of.queries * shape.q_heads;
    const std::int64_t qkv = (rows + 2 * of.keys * shape.kv_heads) * shape.head_dim * element_bytes;
    if (pass == Pass::forward) return qkv;
    return qkv + rows * (shape.head_dim * element_bytes + 2 * kFloatBytes);
  }
  // What tasks of the pass compute for these tokens: partials, or sums of dQ, dK and dV.
  [[nodiscard]] std::int64_t results(const LocalTokens& of) const {
    if (pass == Pass::forward) return of.queries * shape.q_heads * partial_row();
    return (of.queries * shape.q_heads + 2 * of.keys * shape.kv_heads) * shape.head_dim *
           kFloatBytes;
  }

  [[nodiscard]] std::int64_t key_hop() const { return inputs(key_shards()); }
  [[nodiscard]] std::int64_t run_hop() const { return inputs(run_of_keys()); }
  [[nodiscard]] std::int64_t query_hop() const { return inputs(query_shard()); }
  // The last of the W hops of gradients brings them home.
  [[nodiscard]] std::int64_t key_gradient_hop() const { return results(key_shards()); }
  [[nodiscard]] std::int64_t run_gradient_hop() const { return results(run_of_keys()); }
  [[nodiscard]] std::int64_t query_gradient_hop() const { return results(query_shard()); }
  [[nodiscard]] std::int64_t all_gather() const { return (workers - 1) * key_hop(); }
  [[nodiscard]] std::int64_t reduce_scatter() const { return (workers - 1) * key_gradient_hop(); }
  // When its ring is done, pass-Q returns the partials of the others' queries.
  [[nodiscard]] std::int64_t partials_of_others() const {
    return (workers - 1) * results(query_shard());
  }

  // In a grid queries go to the R H workers of the row, each its share of the heads, but for the
  // worker's own; keys to those of the tile; results come back by the heads of the share.
  [[nodiscard]] std::int64_t query_exchange(std::int64_t of_row) const {
    return shard(shape.q_len) * (grid.rows * shape.q_heads - q_share()) * of_row;
  }
  [[nodiscard]] std::int64_t grid_exchange() const {
    const std::int64_t row = shape.head_dim * element_bytes;
    return query_exchange(pass == Pass::forward ? row : 2 * (row + kFloatBytes)) +
           2 * grid_keys * (kv_heads_sent() - kv_share(share)) * row;
  }
  [[nodiscard]] std::int64_t d_out_by_heads() const {
    return query_exchange(shape.head_dim * element_bytes);
  }
  [[nodiscard]] std::int64_t tile_hop(std::int64_t bytes) const {
    return 2 * grid.heads * grid_keys * kv_share(share) * shape.head_dim * bytes;
  }
  [[nodiscard]] std::int64_t grid_hop() const { return tile_hop(element_bytes); }
  [[nodiscard]] std::int64_t grid_gradient_hop() const { return tile_hop(kFloatBytes); }
  [[nodiscard]] std::int64_t grid_return() const {
    const std::int64_t queries = shard(shape.q_len) * (grid.rows * grid.heads - 1) * q_share();
    if (pass == Pass::forward) return queries * partial_row();
    const std::int64_t keys = grid_keys * (grid.heads - 1) * kv_share(share);
    return (queries + 2 * keys) * shape.head_dim * gradient_bytes;
  }

  [[nodiscard]] std::int64_t exchange() const { return inputs(fetched_tokens()); }
  [[nodiscard]] std::int64_t exchange_back() const { return results(fetched_tokens()); }

  // A bandwidth-optimal all-reduce of the numerator, denominator and maximum of each query and
  // head.
  [[nodiscard]] std::int64_t tree_all_reduce() const {
    const std::int64_t reduced = shape.q_len * shape.q_heads * (shape.head_dim + 2) * kFloatBytes;
    return ceil_div(2 * (workers - 1) * reduced, workers);
  }

  // The heads of a share of helix without the smallest slice of it.
  [[nodiscard]] std::int64_t partials_of_share() const {
    const std::int64_t heads =
        ceil_div(shape.kv_heads, std::int64_t{grid.heads}) * (shape.q_heads / shape.kv_heads);
    return shape.q_len * (heads - heads / (workers / grid.heads)) * partial_row();
  }

  // CQS sends nothing between workers, but from and to the root; the most of a worker.
  [[nodiscard]] std::int64_t gather() const {
    std::int64_t most = 0;
    for (const LocalTokens& local : local_tokens()) most = std::max(most, results(local));
    return most;
  }
  [[nodiscard]] std::int64_t scatter() const {
    std::int64_t most = 0;
    for (const LocalTokens& local : local_tokens()) most = std::max(most, inputs(local));
    return most;
  }
};

struct TransferForm {
  // How many such messages a worker sends: one, W - 1 hops, or W hops home, of which one worker
  // alone needs none.
  enum class Times { once, hops, home };

  std::string_view schemes;  // whose names are separated by spaces
  std::string_view transfer;
  Times times;
  std::int64_t (SplitSizes::*bytes)() const;
  bool received = false;  // else sent
  [[nodiscard]] std::int64_t messages(const SplitSizes& sizes) const {
    if (times == Times::once) return 1;
    const std::int64_t ring = sizes.grid.columns > 0 ? sizes.grid.columns : sizes.workers;
    return times == Times::hops || ring == 1 ? ring - 1 : ring;
  }
};

inline std::span<const TransferForm> transfer_forms(Pass pass) {
  using enum TransferForm::Times;
  using S = SplitSizes;
  static constexpr TransferForm kForward[] = {
      // 2 ((P+T)/W) NKV d e
      {"ring striped", "ring hop", hops, &S::run_hop},
      // 2 (P/W + T/W) NKV d e
      {"zigzag pass_kv burst double_ring", "ring hop", hops, &S::key_hop},
      // (T/W) NH d e
      {"pass_q", "ring hop", hops, &S::query_hop},
      // (W-1) (T/W) NH (d o + p)
      {"pass_q", "all-to-all", once, &S::partials_of_others},
      // ((NH - s) (T/W) + 2 (KV - k) ((P+T)/W)) d e
      {"ulysses", "all-to-all to heads", once, &S::grid_exchange},
      // (W-1) s (T/W) (d o + p)
      {"ulysses", "all-to-all back", once, &S::grid_return},
      // ((R NH - s) (T/W) + 2 (KV - k) (P/W + T/W)) d e
      {"grid usp mesh", "all-to-all of Q, K, V", once, &S::grid_exchange},
      // 2 H (P/W + T/W) k d e
      {"grid usp mesh", "hop along the column", hops, &S::grid_hop},
      // (R H - 1) s (T/W) (d o + p)
      {"grid usp mesh", "return of partials", once, &S::grid_return},
      // (W-1) 2 (P/W + T/W) NKV d e
      {"all_gather_kv", "all-gather of K, V", once, &S::all_gather},
      // (m-1) ((T/W) NH + 2 ((P+T)/W) NKV) d e
      {"cqs_sharded", "exchange", once, &S::exchange},
      // (m-1) (T/W) NH (d o + p)
      {"cqs_sharded", "return of partials", once, &S::exchange_back},
      // 2 (W-1)/W T (NH d + 2 NH) p; worker 0 of the plan's tree sends T (NH d + 2 NH) p for each
      // of ceil(log2 W) levels
      {"tree_decode", "all-reduce", once, &S::tree_all_reduce},
      // T (D-1) NH/W (d o + p), where D workers share the heads of a share
      {"helix", "all-to-all of partials", once, &S::partials_of_share},
      // local NH (d o + p), of the tokens of the longest subsequence
      {"cqs", "gather", once, &S::gather},
      // local (NH + 2 NKV) d e
      {"cqs", "scatter", once, &S::scatter, true}};
  static constexpr TransferForm kBackward[] = {
      // 2 ((P+T)/W) NKV d e
      {"ring striped", "ring hop of K, V", hops, &S::run_hop},
      // 2 ((P+T)/W) NKV d p
      {"ring striped", "ring hop of dK, dV", home, &S::run_gradient_hop},
      // 2 (P/W + T/W) NKV d e
      {"zigzag pass_kv double_ring", "ring hop of K, V", hops, &S::key_hop},
      // 2 (P/W + T/W) NKV d p
      {"zigzag pass_kv double_ring", "ring hop of dK, dV", home, &S::key_gradient_hop},
      // (T/W) (2 NH d e + 2 NH p)
      {"burst", "ring hop of Q, dO, LSE, D", hops, &S::query_hop},
      // (T/W) NH d p
      {"burst", "ring hop of dQ", home, &S::query_gradient_hop},
      // (NH - s) (T/W) d e
      {"ulysses", "all-to-all of dO", once, &S::d_out_by_heads},
      // (W-1) (s (T/W) + 2 k ((P+T)/W)) d e, or p where workers share a key-value head
      {"ulysses", "all-to-all of dQ, dK, dV", once, &S::grid_return},
      // (R NH - s) (T/W) (2 d e + 2 p) + 2 (KV - k) (P/W + T/W) d e
      {"grid usp mesh", "all-to-all of Q, dO, LSE, D, K, V", once, &S::grid_exchange},
      // 2 H (P/W + T/W) k d e
      {"grid usp mesh", "hop along the column of K, V", hops, &S::grid_hop},
      // 2 H (P/W + T/W) k d p
      {"grid usp mesh", "hop along the column of dK, dV", home, &S::grid_gradient_hop},
      // ((R H - 1) s (T/W) + 2 (H - 1) k (P/W + T/W)) d p
      {"grid usp mesh", "return of dQ, dK, dV", once, &S::grid_return},
      // (W-1) 2 (P/W + T/W) NKV d e
      {"all_gather_kv", "all-gather of K, V", once, &S::all_gather},
      // (W-1) 2 (P/W + T/W) NKV d p
      {"all_gather_kv", "reduce-scatter of dK, dV", once, &S::reduce_scatter},
      // (m-1) ((T/W) (2 NH d e + 2 NH p) + 2 ((P+T)/W) NKV d e)
      {"cqs_sharded", "exchange", once, &S::exchange},
      // (m-1) ((T/W) NH + 2 ((P+T)/W) NKV) d p
      {"cqs_sharded", "return of dQ, dK, dV", once, &S::exchange_back},
      // local (NH + 2 NKV) d p
      {"cqs", "gather", once, &S::gather},
      // local (2 NH d e + 2 NH p + 2 NKV d e)
      {"cqs", "scatter", once, &S::scatter, true}};
  if (pass == Pass::forward) return kForward;
  return kBackward;
}

inline std::vector<SentForm> sent_forms_of_share(std::string_view scheme, const SplitSizes& sizes) {
  std::vector<SentForm> forms;
  for (const TransferForm& form : transfer_forms(sizes.pass))
    if (KernelRow::lists(form.schemes, scheme))
      forms.emplace_back(form.transfer, form.received, form.messages(sizes), (sizes.*form.bytes)());
  return forms;
}

// What the forms add up to, but for what is received.
inline std::int64_t sent_bytes_of(std::span<const SentForm> forms) {
  std::int64_t bytes = 0;
  for (const SentForm& form : forms) bytes += form.received ? 0 : form.total();
  return bytes;
}

// Returns each kind of transfer of a scheme that has a plan of the problem, which is a batch of one
// sequence that is not packed, whose P = kv_len - q_len >= 0 and whose values are as wide as its
// keys. The worker that sends most counts. Empty: there is no closed form.
inline std::vector<SentForm> sent_forms(std::string_view scheme, const Problem& problem,
                                        int workers, Pass pass = Pass::forward,
                                        const GridShape& asked = {}) {
  SplitSizes sizes{problem.shape, size_of(problem.dtype), size_of(problem.partials), workers, pass};
  sizes.grid_keys = sizes.key_shards().keys;
  if (is_grid(scheme)) sizes.grid = grid_shape(scheme, problem, workers, asked);
  if (scheme == "helix") sizes.grid = {helix_shares(problem.shape, workers, asked.heads), 1, 1};
  if (scheme == "ulysses") {  // one tile, whose keys are dealt as one run
    sizes.grid = {workers, 1, 1};
    sizes.grid_keys = sizes.run_of_keys().keys;
    // Gradients are whole where no other worker computes with their heads.
    if (sizes.kv_heads_sent() == problem.shape.kv_heads) sizes.gradient_bytes = sizes.element_bytes;
  }
  // Workers may have different shares of the heads.
  std::vector<SentForm> most = sent_forms_of_share(scheme, sizes);
  for (sizes.share = 1; sizes.share < sizes.grid.heads; ++sizes.share)
    if (std::vector<SentForm> forms = sent_forms_of_share(scheme, sizes);
        sent_bytes_of(forms) > sent_bytes_of(most))
      most = std::move(forms);
  return most;
}

}  // namespace qb::testing_support
