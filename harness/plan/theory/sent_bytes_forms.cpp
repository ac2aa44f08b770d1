// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/sent_bytes_forms.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/integers.h"
#include "interest_sets/sets/interest_set.h"
#include "interest_sets/split/distillation.h"
#include "kernels/dtype.h"

namespace qb {
namespace {

using Times = TransferForm::Times;

constexpr std::int64_t kPartialBytes = size_of(DType::f32);

std::int64_t shard(std::int64_t tokens, const SplitProblem& p) {
  return ceil_div(tokens, p.workers);
}

std::int64_t partial_bytes_per_token(const SplitProblem& p) {
  return (p.q_heads * p.head_dim + p.q_heads) * kPartialBytes;
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

// Returns the local tokens of every worker.
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
      local.queries += group_tokens(p.new_tokens, workers, group);
      local.keys += group_tokens(p.new_tokens + p.cached_tokens, workers, group);
    }
  }
  return all;
}

// Returns the local tokens of the worker with the most queries.
LocalTokens longest_subsequence(const SplitProblem& p) {
  return std::ranges::max(local_tokens(p), {}, &LocalTokens::queries);
}

// 2 L NKV d e in each of W - 1 hops, L = ceil(P/W) + ceil(T/W).
std::int64_t pass_kv_hop_bytes(const SplitProblem& p) {
  const std::int64_t tokens = shard(p.cached_tokens, p) + shard(p.new_tokens, p);
  return 2 * tokens * p.kv_heads * p.head_dim * p.element_bytes;
}

// ring and striped deal cached and new keys as one run of tokens.
std::int64_t contiguous_hop_bytes(const SplitProblem& p) {
  return 2 * shard(p.cached_tokens + p.new_tokens, p) * p.kv_heads * p.head_dim * p.element_bytes;
}

// (T/W) NH d e in each of W - 1 hops.
std::int64_t pass_q_hop_bytes(const SplitProblem& p) {
  return shard(p.new_tokens, p) * p.q_heads * p.head_dim * p.element_bytes;
}

// When its ring is done, pass-Q returns the partials of the others' queries.
std::int64_t pass_q_all_to_all_bytes(const SplitProblem& p) {
  return (p.workers - 1) * shard(p.new_tokens, p) * partial_bytes_per_token(p);
}

// Q, K and V change from token shards to head shards. Both numbers of heads are multiples of W.
std::int64_t ulysses_to_heads_bytes(const SplitProblem& p) {
  const std::int64_t rows = p.q_heads * shard(p.new_tokens, p) +
                            2 * p.kv_heads * shard(p.cached_tokens + p.new_tokens, p);
  return rows / p.workers * (p.workers - 1) * p.head_dim * p.element_bytes;
}

// A worker returns partials of all tokens, of its share of the heads only.
std::int64_t ulysses_back_bytes(const SplitProblem& p) {
  return pass_q_all_to_all_bytes(p) / p.workers;
}

// A bandwidth-optimal all-reduce of the numerator, denominator and maximum of every query and head.
std::int64_t tree_decode_bytes(const SplitProblem& p) {
  const std::int64_t reduced =
      p.new_tokens * (p.q_heads * p.head_dim + 2 * p.q_heads) * kPartialBytes;
  return ceil_div(2 * (p.workers - 1) * reduced, p.workers);
}

// CQS sends nothing between workers. The worker with the longest subsequence receives Q, K and V of
// its local tokens from the root and sends their partials back.
std::int64_t cqs_gather_bytes(const SplitProblem& p) {
  return longest_subsequence(p).queries * partial_bytes_per_token(p);
}

std::int64_t cqs_scatter_bytes(const SplitProblem& p) {
  const LocalTokens local = longest_subsequence(p);
  return (local.queries * p.q_heads + 2 * local.keys * p.kv_heads) * p.head_dim * p.element_bytes;
}

// What tasks of a backward pass read of these tokens: Q, dO, LSE and D, and K and V.
std::int64_t backward_input_bytes(const SplitProblem& p, const LocalTokens& of) {
  const std::int64_t query = 2 * p.head_dim * p.element_bytes + 2 * kPartialBytes;
  const std::int64_t key = 2 * p.head_dim * p.element_bytes;
  return of.queries * p.q_heads * query + of.keys * p.kv_heads * key;
}

// The sums of dQ, and of dK and dV, of these tokens.
std::int64_t gradient_sum_bytes(const SplitProblem& p, const LocalTokens& of) {
  return (of.queries * p.q_heads + 2 * of.keys * p.kv_heads) * p.head_dim * kPartialBytes;
}

// The largest shard of a ring, which deals cached and new keys apart.
LocalTokens ring_shard(const SplitProblem& p) {
  return {shard(p.new_tokens, p), shard(p.cached_tokens, p) + shard(p.new_tokens, p)};
}

// The last of the W hops of dK and dV brings them home.
std::int64_t key_gradient_hop_bytes(const SplitProblem& p) {
  return gradient_sum_bytes(p, {0, ring_shard(p).keys});
}

std::int64_t contiguous_gradient_hop_bytes(const SplitProblem& p) {
  return gradient_sum_bytes(p, {0, shard(p.cached_tokens + p.new_tokens, p)});
}

// Q, dO, LSE and D in each of W - 1 hops, dQ in W.
std::int64_t burst_hop_bytes(const SplitProblem& p) {
  return backward_input_bytes(p, {ring_shard(p).queries, 0});
}
std::int64_t query_gradient_hop_bytes(const SplitProblem& p) {
  return gradient_sum_bytes(p, {ring_shard(p).queries, 0});
}

std::int64_t all_gather_bytes(const SplitProblem& p) {
  return (p.workers - 1) * pass_kv_hop_bytes(p);
}
std::int64_t reduce_scatter_bytes(const SplitProblem& p) {
  return (p.workers - 1) * key_gradient_hop_bytes(p);
}

// dO changes from token shards to head shards; dQ, dK and dV change back in the type of the inputs,
// as Q, K and V came in the forward pass.
std::int64_t ulysses_d_out_bytes(const SplitProblem& p) {
  return pass_q_hop_bytes(p) / p.workers * (p.workers - 1);
}

// The foreign groups that a worker of cqs_sharded fetches, and as many fetch its own: m - 1, each
// as long as the longest.
LocalTokens fetched_tokens(const SplitProblem& p) {
  const InterestSet set = default_interest_set(static_cast<int>(p.workers));
  const std::int64_t fetched = std::ssize(material_residues(set, true)) - 1;
  return {fetched * shard(p.new_tokens, p), fetched * shard(p.new_tokens + p.cached_tokens, p)};
}
std::int64_t forward_exchange_bytes(const SplitProblem& p) {
  const LocalTokens of = fetched_tokens(p);
  return (of.queries * p.q_heads + 2 * of.keys * p.kv_heads) * p.head_dim * p.element_bytes;
}
std::int64_t forward_return_bytes(const SplitProblem& p) {
  return fetched_tokens(p).queries * partial_bytes_per_token(p);
}
std::int64_t exchange_bytes(const SplitProblem& p) {
  return backward_input_bytes(p, fetched_tokens(p));
}
std::int64_t return_bytes(const SplitProblem& p) {
  return gradient_sum_bytes(p, fetched_tokens(p));
}

// The worker of cqs with the most bytes.
template <class BytesOf>
std::int64_t most_of_workers(const SplitProblem& p, BytesOf bytes_of) {
  std::int64_t most = 0;
  for (const LocalTokens& local : local_tokens(p)) most = std::max(most, bytes_of(p, local));
  return most;
}
std::int64_t cqs_backward_gather_bytes(const SplitProblem& p) {
  return most_of_workers(p, gradient_sum_bytes);
}
std::int64_t cqs_backward_scatter_bytes(const SplitProblem& p) {
  return most_of_workers(p, backward_input_bytes);
}

constexpr const char* kNotPadded = "the plan sends shorter shards as they are";
constexpr const char* kFewerGroups =
    "workers that keep no pair W/2 apart send fewer groups, and shorter groups as they are";

constexpr TransferForm kForwardForms[] = {
    {"ring striped", "ring hop", Times::hops, false, contiguous_hop_bytes, "2 ((P+T)/W) NKV d e"},
    {"zigzag pass_kv burst", "ring hop", Times::hops, false, pass_kv_hop_bytes,
     "2 (P/W + T/W) NKV d e"},
    {"pass_q", "ring hop", Times::hops, false, pass_q_hop_bytes, "(T/W) NH d e"},
    {"pass_q", "all-to-all", Times::once, false, pass_q_all_to_all_bytes,
     "(W-1) (T/W) (NH d + NH) p"},
    {"ulysses", "all-to-all to heads", Times::once, false, ulysses_to_heads_bytes,
     "(NH (T/W) + 2 NKV ((P+T)/W)) d e (W-1)/W", kNotPadded},
    {"ulysses", "all-to-all back", Times::once, false, ulysses_back_bytes,
     "(T/W) (NH d + NH) p (W-1)/W", kNotPadded},
    {"all_gather_kv", "all-gather of K, V", Times::once, false, all_gather_bytes,
     "(W-1) 2 (P/W + T/W) NKV d e", kNotPadded},
    {"cqs_sharded", "exchange", Times::once, false, forward_exchange_bytes,
     "(m-1) ((T/W) NH + 2 ((P+T)/W) NKV) d e", kFewerGroups},
    {"cqs_sharded", "return of partials", Times::once, false, forward_return_bytes,
     "(m-1) (T/W) (NH d + NH) p", kFewerGroups},
    {"tree_decode", "all-reduce", Times::once, false, tree_decode_bytes,
     "2 (W-1)/W T (NH d + 2 NH) p",
     "worker 0 of the plan's tree sends T (NH d + 2 NH) p ceil(log2 W) times"},
    {"cqs", "gather", Times::once, false, cqs_gather_bytes, "local (NH d + NH) p"},
    {"cqs", "scatter", Times::once, true, cqs_scatter_bytes, "local (NH + 2 NKV) d e"},
};

constexpr TransferForm kBackwardForms[] = {
    {"ring striped", "ring hop of K, V", Times::hops, false, contiguous_hop_bytes,
     "2 ((P+T)/W) NKV d e"},
    {"ring striped", "ring hop of dK, dV", Times::home, false, contiguous_gradient_hop_bytes,
     "2 ((P+T)/W) NKV d p"},
    {"zigzag pass_kv", "ring hop of K, V", Times::hops, false, pass_kv_hop_bytes,
     "2 (P/W + T/W) NKV d e"},
    {"zigzag pass_kv", "ring hop of dK, dV", Times::home, false, key_gradient_hop_bytes,
     "2 (P/W + T/W) NKV d p"},
    {"burst", "ring hop of Q, dO, LSE, D", Times::hops, false, burst_hop_bytes,
     "(T/W) (2 NH d e + 2 NH p)"},
    {"burst", "ring hop of dQ", Times::home, false, query_gradient_hop_bytes, "(T/W) NH d p"},
    {"ulysses", "all-to-all of dO", Times::once, false, ulysses_d_out_bytes, "(T/W) NH d e (W-1)/W",
     kNotPadded},
    {"ulysses", "all-to-all of dQ, dK, dV", Times::once, false, ulysses_to_heads_bytes,
     "(NH (T/W) + 2 NKV ((P+T)/W)) d e (W-1)/W", kNotPadded},
    {"all_gather_kv", "all-gather of K, V", Times::once, false, all_gather_bytes,
     "(W-1) 2 (P/W + T/W) NKV d e", kNotPadded},
    {"all_gather_kv", "reduce-scatter of dK, dV", Times::once, false, reduce_scatter_bytes,
     "(W-1) 2 (P/W + T/W) NKV d p", kNotPadded},
    {"cqs_sharded", "exchange", Times::once, false, exchange_bytes,
     "(m-1) ((T/W) (2 NH d e + 2 NH p) + 2 ((P+T)/W) NKV d e)", kFewerGroups},
    {"cqs_sharded", "return of dQ, dK, dV", Times::once, false, return_bytes,
     "(m-1) ((T/W) NH + 2 ((P+T)/W) NKV) d p", kFewerGroups},
    {"cqs", "gather", Times::once, false, cqs_backward_gather_bytes, "local (NH + 2 NKV) d p"},
    {"cqs", "scatter", Times::once, true, cqs_backward_scatter_bytes,
     "local (2 NH d e + 2 NH p + 2 NKV d e)"},
};

}  // namespace

std::span<const TransferForm> transfer_forms(Pass pass) {
  if (pass == Pass::forward) return kForwardForms;
  return kBackwardForms;
}

}  // namespace qb
