#include "harness/plan/theory/sent_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/integers.h"
#include "base/status.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

std::int64_t shard(std::int64_t tokens, const SplitProblem& p) {
  return ceil_div(tokens, p.workers);
}

std::int64_t partial_bytes_per_token(const SplitProblem& p) {
  return (p.q_heads * p.head_dim + p.q_heads) * p.partial_bytes;
}

void require(bool holds, const char* what, std::int64_t value, const char* wanted) {
  if (!holds) throw UsageError(fmt::format("{} is {}; it must be {}", what, value, wanted));
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

// Returns the local tokens of the worker with the most queries.
LocalTokens longest_subsequence(const SplitProblem& p) {
  if (p.workers < 3 || p.workers > p.new_tokens)
    throw Unsupported(fmt::format(
        "cqs needs 3 workers or more and a token for each; here are {} workers and {} tokens",
        p.workers, p.new_tokens));
  const int workers = static_cast<int>(p.workers);
  const InterestSet set = default_interest_set(workers);
  const std::set<int> first_half = material_residues(set, true);
  const std::set<int> second_half = material_residues(set, false);
  LocalTokens longest;
  for (int worker = 0; worker < workers; ++worker) {
    LocalTokens local;
    for (int residue : 2 * worker < workers ? first_half : second_half) {
      const int group = (residue + worker) % workers;
      local.queries += group_tokens(p.new_tokens, workers, group);
      local.keys += group_tokens(p.new_tokens + p.cached_tokens, workers, group);
    }
    if (local.queries > longest.queries) longest = local;
  }
  return longest;
}

// Returns the key-value heads that Ulysses sends: each worker needs at least one.
std::int64_t ulysses_kv_heads(const SplitProblem& p) {
  const bool divides =
      p.q_heads % p.workers == 0 && (p.kv_heads % p.workers == 0 || p.workers % p.kv_heads == 0);
  if (!divides)
    throw Unsupported(
        fmt::format("ulysses deals heads out evenly; {} and {} heads do not fit {} "
                    "workers",
                    p.q_heads, p.kv_heads, p.workers));
  return std::max(p.kv_heads, p.workers);
}

// 2 L NKV d e in each of W - 1 hops, L = ceil(P/W) + ceil(T/W).
std::int64_t pass_kv_hop_bytes(const SplitProblem& p) {
  const std::int64_t tokens = shard(p.cached_tokens, p) + shard(p.new_tokens, p);
  return 2 * tokens * p.kv_heads * p.head_dim * p.element_bytes;
}

// (T/W) NH d e in each of W - 1 hops.
std::int64_t pass_q_hop_bytes(const SplitProblem& p) {
  return shard(p.new_tokens, p) * p.q_heads * p.head_dim * p.element_bytes;
}

// After the ring pass-Q returns the partials of the others' queries.
std::int64_t pass_q_all_to_all_bytes(const SplitProblem& p) {
  return (p.workers - 1) * shard(p.new_tokens, p) * partial_bytes_per_token(p);
}

// Q, K, V and O change from token shards to head shards and back. If NKV < W each key-value head
// goes to W / NKV workers, and W replaces NKV in the formula.
std::int64_t ulysses_bytes(const SplitProblem& p) {
  const std::int64_t heads = 2 * p.q_heads + 2 * ulysses_kv_heads(p);  // a multiple of W
  return heads / p.workers * (p.workers - 1) * p.head_dim * shard(p.new_tokens, p) *
         p.element_bytes;
}

// A bandwidth-optimal all-reduce of the numerator, denominator and maximum of every query and head.
std::int64_t tree_decode_bytes(const SplitProblem& p) {
  const std::int64_t reduced =
      p.new_tokens * (p.q_heads * p.head_dim + 2 * p.q_heads) * p.partial_bytes;
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

struct Kind {
  const char* scheme;
  const char* transfer;
  bool each_hop;  // else once
  bool received;  // else sent
  std::int64_t (*bytes)(const SplitProblem&);
  const char* formula;
};

constexpr Kind kKinds[] = {
    {"pass_kv", "ring hop", true, false, pass_kv_hop_bytes, "2 (P/W + T/W) NKV d e"},
    {"pass_q", "ring hop", true, false, pass_q_hop_bytes, "(T/W) NH d e"},
    {"pass_q", "all-to-all", false, false, pass_q_all_to_all_bytes, "(W-1) (T/W) (NH d + NH) p"},
    {"ulysses", "all-to-all", false, false, ulysses_bytes,
     "(2 NH + 2 max(NKV, W)) d (T/W) e (W-1)/W"},
    {"tree_decode", "all-reduce", false, false, tree_decode_bytes, "2 (W-1)/W T (NH d + 2 NH) p"},
    {"cqs", "gather", false, false, cqs_gather_bytes, "local (NH d + NH) p"},
    {"cqs", "scatter", false, true, cqs_scatter_bytes, "local (NH + 2 NKV) d e"},
};

}  // namespace

void validate(const SplitProblem& p) {
  constexpr std::int64_t kMost = 3'000'000'000;
  const auto in_range = [](std::int64_t value, std::int64_t most) {
    return value >= 1 && value <= most;
  };
  require(in_range(p.new_tokens, kMost), "n_tokens", p.new_tokens, "1 to 3e9");
  require(p.cached_tokens >= 0 && p.cached_tokens <= kMost, "cached tokens", p.cached_tokens,
          "0 to 3e9");
  require(in_range(p.workers, 65536), "workers", p.workers, "1 to 65536");
  require(in_range(p.q_heads, 65536), "q_heads", p.q_heads, "1 to 65536");
  require(in_range(p.kv_heads, p.q_heads) && p.q_heads % p.kv_heads == 0, "kv_heads", p.kv_heads,
          "a divisor of q_heads");
  require(in_range(p.head_dim, 65536), "head_dim", p.head_dim, "1 to 65536");
  require(in_range(p.element_bytes, 8), "bytes an element", p.element_bytes, "1 to 8");
  require(in_range(p.partial_bytes, 8), "bytes an element of a partial", p.partial_bytes, "1 to 8");
  // No scheme sends more than all of Q, K, V and O on every worker.
  const double most = 4.0 * static_cast<double>(p.new_tokens + p.cached_tokens + p.workers) *
                      static_cast<double>(p.workers) * static_cast<double>(p.q_heads) *
                      static_cast<double>(p.head_dim + 2) * 8.0;
  if (!(most < 9e18))
    throw UsageError("the bytes of this problem do not fit 63 bits; take fewer tokens or heads");
}

std::vector<SentBytes> sent_bytes(const SplitProblem& p) {
  validate(p);
  std::vector<SentBytes> rows;
  for (const Kind& kind : kKinds) {
    SentBytes row{.scheme = kind.scheme,
                  .transfer = kind.transfer,
                  .received = kind.received,
                  .messages = kind.each_hop ? p.workers - 1 : 1,
                  .formula = kind.formula,
                  .unsupported = {}};
    try {
      row.bytes = kind.bytes(p);
    } catch (const Unsupported& reason) {
      row.messages = 0;
      row.unsupported = reason.what();
    }
    rows.push_back(std::move(row));
  }
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
