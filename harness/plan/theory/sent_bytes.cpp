#include "harness/plan/theory/sent_bytes.h"

#include <set>
#include <utility>

#include "base/integers.h"
#include "base/status.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"
#include "interest_sets/split/distillation.h"

namespace qb {
namespace {

constexpr std::int64_t kPartialBytes = size_of(DType::f32);

struct SplitProblem {
  std::int64_t new_tokens = 0;     // T, for the whole sequence
  std::int64_t cached_tokens = 0;  // P, sharded evenly
  std::int64_t workers = 1;        // W
  std::int64_t q_heads = 1;        // NH
  std::int64_t kv_heads = 1;       // NKV
  std::int64_t head_dim = 1;       // d
  std::int64_t element_bytes = 1;  // e
};

SplitProblem split_of(const Problem& problem, int workers) {
  const Shape& shape = problem.shape;
  return {.new_tokens = shape.q_len,
          .cached_tokens = shape.kv_len - shape.q_len,
          .workers = workers,
          .q_heads = shape.q_heads,
          .kv_heads = shape.kv_heads,
          .head_dim = shape.head_dim,
          .element_bytes = size_of(problem.dtype)};
}

void require_63_bits(const SplitProblem& p) {
  // No scheme sends more than all of Q, K, V and O on every worker.
  const double most = 4.0 * static_cast<double>(p.new_tokens + p.cached_tokens + p.workers) *
                      static_cast<double>(p.workers) * static_cast<double>(p.q_heads) *
                      static_cast<double>(p.head_dim + 2) * 8.0;
  if (!(most < 9e18))
    throw UsageError("the bytes of this problem do not fit 63 bits; take fewer tokens or heads");
}

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

// Returns the local tokens of the worker with the most queries.
LocalTokens longest_subsequence(const SplitProblem& p) {
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

struct Kind {
  const char* scheme;
  const char* transfer;
  bool each_hop;  // else once
  bool received;  // else sent
  std::int64_t (*bytes)(const SplitProblem&);
  const char* formula;
  const char* difference = "";  // why the plan may send another number of bytes
};

constexpr const char* kNotPadded = "the plan sends shorter shards as they are";

constexpr Kind kKinds[] = {
    {"pass_kv", "ring hop", true, false, pass_kv_hop_bytes, "2 (P/W + T/W) NKV d e"},
    {"pass_q", "ring hop", true, false, pass_q_hop_bytes, "(T/W) NH d e"},
    {"pass_q", "all-to-all", false, false, pass_q_all_to_all_bytes, "(W-1) (T/W) (NH d + NH) p"},
    {"ulysses", "all-to-all to heads", false, false, ulysses_to_heads_bytes,
     "(NH (T/W) + 2 NKV ((P+T)/W)) d e (W-1)/W", kNotPadded},
    {"ulysses", "all-to-all back", false, false, ulysses_back_bytes, "(T/W) (NH d + NH) p (W-1)/W",
     kNotPadded},
    {"tree_decode", "all-reduce", false, false, tree_decode_bytes, "2 (W-1)/W T (NH d + 2 NH) p",
     "worker 0 of the plan's tree sends T (NH d + 2 NH) p ceil(log2 W) times"},
    {"cqs", "gather", false, false, cqs_gather_bytes, "local (NH d + NH) p"},
    {"cqs", "scatter", false, true, cqs_scatter_bytes, "local (NH + 2 NKV) d e"},
};

struct SentByPlan {
  std::int64_t bytes = 0;  // by the worker that sends most
  std::string unsupported;
};

SentByPlan sent_by_plan(const char* scheme, const Problem& problem, int workers) {
  try {
    const Plan plan = make_plan(scheme, problem, {.workers = workers});
    // The bytes are the same with every kernel; `reference` has no tiles that take time to count.
    return {model_work(plan, Kernel::reference).sent_bytes_max, ""};
  } catch (const Unsupported& reason) {
    return {0, reason.what()};
  }
}

std::int64_t sent_by_formulas(const std::vector<SentBytes>& rows, const std::string& scheme) {
  std::int64_t bytes = 0;
  for (const SentBytes& row : rows)
    if (row.scheme == scheme && !row.received) bytes += row.total();
  return bytes;
}

}  // namespace

std::vector<SentBytes> sent_bytes(const Problem& problem, int workers) {
  const SplitProblem p = split_of(problem, workers);
  require_63_bits(p);
  std::vector<SentBytes> rows;
  SentByPlan planned;
  for (const Kind& kind : kKinds) {
    if (rows.empty() || rows.back().scheme != kind.scheme)
      planned = sent_by_plan(kind.scheme, problem, workers);
    SentBytes row{.scheme = kind.scheme,
                  .transfer = kind.transfer,
                  .received = kind.received,
                  .formula = kind.formula,
                  .planned_bytes = planned.bytes,
                  .difference = kind.difference,
                  .unsupported = planned.unsupported};
    // A formula holds only where the scheme has a plan.
    if (row.unsupported.empty()) {
      row.messages = kind.each_hop ? p.workers - 1 : 1;
      row.bytes = kind.bytes(p);
    }
    rows.push_back(std::move(row));
  }
  for (SentBytes& row : rows)
    if (sent_by_formulas(rows, row.scheme) == row.planned_bytes) row.difference.clear();
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
