// SPDX-License-Identifier: Apache-2.0
// Decoding with pass-Q (arXiv 2411.01783, Algorithm 4): each sequence of the batch adds one new
// token in a decode step. Its query goes round the workers, each of which holds a part of every
// cache, and the partials return to the owner. n_tokens decode steps are W + 1 rounds each.
//
// The owner of the new token (of its query and its key) is worker (sequence + step) mod W, so that
// the caches grow evenly (round robin), or always worker sequence mod W (fixed), which shows what
// round robin avoids. Messages are padded to a worker's number of sequences when the batch is
// padded to a multiple of W. Workers that decode one token of each sequence differ by rotation.
//
// A mask may let a new token see the cache, itself and the new tokens before it. A mask that lets
// it see a later token is refused; a single new token has no later one, so any mask works.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/integers.h"
#include "base/status.h"
#include "harness/plan/builder.h"
#include "harness/plan/layout.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

struct Decoding {
  std::vector<std::vector<int>> q;  // by step: the q group of each sequence, -1 after its end
  std::int64_t room = 1;            // sequences per worker
  NewKeyOwner owner = NewKeyOwner::round_robin;
};

int owner_of(const Decoding& decoding, int sequence, int step, int workers) {
  return (sequence + (decoding.owner == NewKeyOwner::round_robin ? step : 0)) % workers;
}

// Returns the q groups of a decode step that worker `w` owns.
std::vector<int> owned_queries(const Decoding& decoding, int step, int w, int workers) {
  std::vector<int> groups;
  const std::vector<int>& q = decoding.q[static_cast<std::size_t>(step)];
  for (int b = 0; b < static_cast<int>(q.size()); ++b)
    if (q[static_cast<std::size_t>(b)] >= 0 && owner_of(decoding, b, step, workers) == w)
      groups.push_back(q[static_cast<std::size_t>(b)]);
  std::ranges::sort(groups);
  return groups;
}

int rounds_of(int workers) { return workers == 1 ? 1 : workers + 1; }

// Cuts the tokens and gives every worker its share of the caches and of the new tokens.
Shards deal(Plan& plan, int workers, Decoding& decoding) {
  Shards shards{std::vector<std::vector<int>>(static_cast<std::size_t>(workers)),
                std::vector<std::vector<int>>(static_cast<std::size_t>(workers)), 0};
  const std::vector<Segment> sequences = segments_of(plan.problem);
  const auto n_sequences = static_cast<std::int64_t>(sequences.size());
  decoding.room = ceil_div(n_sequences, workers);
  for (int b = 0; b < static_cast<int>(n_sequences); ++b) {
    const Segment& s = sequences[static_cast<std::size_t>(b)];
    const auto n_new = static_cast<int>(s.q_end - s.q_begin);
    const std::int64_t n_cached = s.k_end - s.k_begin - n_new;
    if (n_cached < 0)
      throw Unsupported("decode needs a key for every new token: kv_len is cached plus new tokens");
    for (int w = 0; w < workers; ++w)
      shards.kv[static_cast<std::size_t>(w)].push_back(static_cast<int>(plan.kv_groups.size()) + w);
    for (const TokenGroup& chunk : contiguous_groups(n_cached, workers, s.k_begin))
      plan.kv_groups.push_back(chunk);
    plan.kv_first_step.resize(plan.kv_groups.size(), 0);
    if (decoding.q.size() < static_cast<std::size_t>(n_new))
      decoding.q.resize(static_cast<std::size_t>(n_new));
    for (int t = 0; t < n_new; ++t) {
      const auto owner = static_cast<std::size_t>(owner_of(decoding, b, t, workers));
      std::vector<int>& of_step = decoding.q[static_cast<std::size_t>(t)];
      of_step.resize(static_cast<std::size_t>(n_sequences), -1);
      of_step[static_cast<std::size_t>(b)] = static_cast<int>(plan.q_groups.size());
      shards.q[owner].push_back(static_cast<int>(plan.q_groups.size()));
      shards.kv[owner].push_back(static_cast<int>(plan.kv_groups.size()));
      plan.q_groups.push_back({s.q_begin + t, 1, 1});
      plan.kv_groups.push_back({s.k_begin + n_cached + t, 1, 1});
      plan.kv_first_step.push_back(t * rounds_of(workers));
    }
  }
  return shards;
}

// One new token of each sequence is dealt to the same owner by every rule.
Shards deal_one_token(Plan& plan, int workers) {
  Decoding decoding;
  Shards shards = deal(plan, workers, decoding);
  plan.kv_first_step.clear();
  return shards;
}

// Adds one decode step: a ring of queries, then the return of the partials.
void add_decode_step(PlanBuilder& builder, const Decoding& decoding, int t) {
  const Plan& plan = builder.plan;
  const int workers = builder.n_workers();
  const int base = t * rounds_of(workers);
  std::vector<std::vector<int>> owned;
  std::vector<int> lists;
  for (int w = 0; w < workers; ++w) {
    owned.push_back(owned_queries(decoding, t, w, workers));
    lists.push_back(builder.add_list(owned.back()));
  }
  const Range heads = builder.all_heads();
  for (int i = 0; i < workers; ++i) {
    for (int w = 0; w < workers; ++w) {
      const auto source = static_cast<std::size_t>(builder.neighbour(w, -i));
      Step& step = builder.step(w, base + i);
      for (int q : owned[source])
        for (int kv : builder.worker(w).kv_groups)
          if (plan.kv_first_step[static_cast<std::size_t>(kv)] <= base)
            builder.add_task(step, q, kv);
      if (i + 1 < workers)
        builder.send(w, builder.neighbour(w, 1), base + i,
                     {TransferKind::p2p, TensorRole::q, lists[source], heads, decoding.room});
    }
  }
  for (int w = 0; w < workers; ++w)
    for (int i = 1; i < workers; ++i) {
      const int owner = builder.neighbour(w, -i);
      builder.send(w, owner, base + workers - 1,
                   {TransferKind::all_to_all, TensorRole::partial,
                    lists[static_cast<std::size_t>(owner)], heads, decoding.room});
    }
}

// Returns two new tokens of a sequence, counted from its first new token, if the mask lets the
// earlier one see the later one, which does not exist yet when the earlier is computed.
std::optional<std::pair<std::int64_t, std::int64_t>> foresight_of(const Mask& mask,
                                                                  const Segment& s) {
  const std::int64_t n_new = s.q_end - s.q_begin;
  const bool all_there = s.k_end - s.k_begin >= n_new;  // if false there is no plan anyway
  if (n_new == 1 || !all_there || mask.kind == MaskKind::causal) return std::nullopt;
  if (mask.kind == MaskKind::full) return std::pair<std::int64_t, std::int64_t>{0, 1};
  if (mask.pattern->looks_back_only()) return std::nullopt;
  const std::int64_t first_new = s.k_end - n_new;
  for (std::int64_t t = 0; t + 1 < n_new; ++t) {
    const TokenGroup later{first_new + t + 1, n_new - t - 1, 1};
    if (count_pairs(mask, {s.q_begin + t, 1, 1}, later, {1, 1, 1}).unmasked == 0) continue;
    for (std::int64_t u = t + 1; u < n_new; ++u)
      if (mask.allows(s.q_begin + t, first_new + u)) return std::pair{t, u};
  }
  return std::nullopt;
}

}  // namespace

Plan plan_decode(const Problem& problem, const StrategyOptions& options) {
  if (problem.shape.batch != 1)
    throw Unsupported("decode deals sequences to workers: give the batch packed");
  const std::vector<Segment> sequences = segments_of(problem);
  for (const Segment& s : sequences)
    if (const auto seen = foresight_of(problem.mask, s))
      throw Unsupported(fmt::format(
          "decode computes one token after the other, and the mask lets new token {} see new token "
          "{}, which is not there yet; use mask: causal, or of a pattern {{all_of: [causal, ...]}}",
          seen->first + 1, seen->second + 1));
  if (std::ranges::all_of(sequences, [](const Segment& s) { return s.q_end - s.q_begin == 1; }))
    return pass_q_ring(problem, "decode", options.workers, deal_one_token, Pass::forward);
  PlanBuilder builder(problem, "decode", options.workers);
  builder.plan.synchronisation = Synchronisation::rounds;
  builder.plan.result = Result::owners;
  Decoding decoding;
  decoding.owner = options.new_key_owner;
  const Shards shards = deal(builder.plan, options.workers, decoding);
  for (int w = 0; w < options.workers; ++w) {
    builder.worker(w).q_groups = shards.q[static_cast<std::size_t>(w)];
    builder.worker(w).kv_groups = shards.kv[static_cast<std::size_t>(w)];
  }
  for (int t = 0; t < static_cast<int>(decoding.q.size()); ++t)
    add_decode_step(builder, decoding, t);
  return std::move(builder.plan);
}

}  // namespace qb
