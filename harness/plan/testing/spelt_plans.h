// SPDX-License-Identifier: Apache-2.0
// For tests only: writes every worker of plans that strategies write as one worker and a rule.
#pragma once

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/plan/builder.h"
#include "harness/plan/layout.h"
#include "harness/plan/rotation.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/testing/brute_force.h"

namespace qb::testing_support {

inline constexpr std::string_view kRotating[] = {"ring",          "striped", "zigzag", "pass_q",
                                                 "all_gather_kv", "ulysses", "decode"};

inline Plan spelt_out(Plan plan) {
  (void)plan.workers.spell_out();
  return plan;
}

// Makes one sequence without a pattern, for a strategy of kRotating. Half of them have equal
// shards, the others shards of any sizes, and some of these may be empty.
inline Problem plain_problem_for(std::string_view algorithm, int workers, std::mt19937_64& random) {
  Shape shape;
  shape.kv_heads = algorithm == "ulysses" ? workers : draw(random, 1, algorithm == "grid" ? 9 : 2);
  shape.q_heads = shape.kv_heads * draw(random, 1, 2);
  shape.head_dim = shape.value_dim = 8;
  shape.q_len = shape.kv_len = 2 * workers * draw(random, 1, 40);
  if (random() % 4 == 0) shape.kv_len += 2 * workers * draw(random, 0, 20);
  if (random() % 2 == 0) {
    shape.q_len = random() % 4 == 0 ? draw(random, 1, 3) : draw(random, 1, 30 * workers);
    shape.kv_len = random() % 3 == 0 ? shape.q_len + draw(random, 0, 30 * workers) : shape.q_len;
  }
  if (algorithm == "decode") shape.q_len = 1;
  return make_problem(shape, random() % 3 == 0 ? MaskKind::full : MaskKind::causal, DType::f32, 1);
}

// Makes any problem for which a strategy of kRotating rotates: decode for one token a sequence, and
// all_gather_kv where the batch is not packed.
inline Problem rotating_problem_for(std::string_view algorithm, std::mt19937_64& random) {
  Problem problem = random_problem_for(algorithm, random);
  while (algorithm == "all_gather_kv" && !problem.mask.segments.empty())
    problem = random_problem_for(algorithm, random);
  if (algorithm != "decode") return problem;
  std::vector<Sequence> sequences;
  for (std::int64_t i = draw(random, 1, 12); i > 0; --i)
    sequences.push_back({random() % 3 == 0 ? 0 : draw(random, 0, 60), 1});
  const MaskSpec mask = random() % 2 == 0 ? MaskKind::full : MaskKind::causal;
  return make_packed_problem(problem.shape, mask, DType::f32, 1, sequences);
}

namespace spelt {

struct Dealt {
  PlanBuilder builder;
  Shards shards;
  std::vector<int> q_lists;
  std::vector<int> kv_lists;
};

inline Dealt dealt(const Problem& problem, std::string_view algorithm, int workers,
                   Shards (*deal)(Plan&, int)) {
  Dealt out{PlanBuilder(problem, std::string(algorithm), workers), {}, {}, {}};
  out.builder.plan.synchronisation = Synchronisation::rounds;
  out.builder.plan.result = Result::owners;
  out.shards = deal(out.builder.plan, workers);
  for (const auto& shard : out.shards.q) out.q_lists.push_back(out.builder.add_list(shard));
  for (const auto& shard : out.shards.kv) out.kv_lists.push_back(out.builder.add_list(shard));
  for (int w = 0; w < workers; ++w) {
    out.builder.worker(w).q_groups = out.shards.q[static_cast<std::size_t>(w)];
    out.builder.worker(w).kv_groups = out.shards.kv[static_cast<std::size_t>(w)];
    (void)out.builder.step(w, 0);
  }
  return out;
}

inline void add_tasks(const PlanBuilder& builder, Step& step, const std::vector<int>& q_groups,
                      const std::vector<int>& kv_groups) {
  for (int q : q_groups)
    for (int kv : kv_groups) builder.add_task(step, q, kv);
}

inline Plan pass_kv(Dealt d) {
  PlanBuilder& builder = d.builder;
  const int workers = builder.n_workers();
  for (int i = 0; i < workers; ++i)
    for (int w = 0; w < workers; ++w) {
      const auto source = static_cast<std::size_t>(builder.neighbour(w, -i));
      add_tasks(builder, builder.step(w, i), d.shards.q[static_cast<std::size_t>(w)],
                d.shards.kv[source]);
      if (i + 1 == workers) continue;
      for (const TensorRole what : {TensorRole::k, TensorRole::v})
        builder.send(
            w, builder.neighbour(w, 1), i,
            {TransferKind::p2p, what, d.kv_lists[source], builder.all_heads(), d.shards.kv_room});
    }
  return std::move(builder.plan);
}

inline Plan pass_q(Dealt d) {
  PlanBuilder& builder = d.builder;
  const int workers = builder.n_workers();
  const Range heads = builder.all_heads();
  std::int64_t room = 0;
  for (const auto& shard : d.shards.q)
    room = std::max(room, tokens_of(builder.plan.q_groups, shard));
  for (int i = 0; i < workers; ++i)
    for (int w = 0; w < workers; ++w) {
      const auto source = static_cast<std::size_t>(builder.neighbour(w, -i));
      add_tasks(builder, builder.step(w, i), d.shards.q[source],
                d.shards.kv[static_cast<std::size_t>(w)]);
      if (i + 1 < workers)
        builder.send(w, builder.neighbour(w, 1), i,
                     {TransferKind::p2p, TensorRole::q, d.q_lists[source], heads, room});
    }
  for (int w = 0; w < workers; ++w)
    for (int owner = 0; owner < workers; ++owner)
      if (owner != w)
        builder.send(w, owner, workers - 1,
                     {TransferKind::all_to_all, TensorRole::partial,
                      d.q_lists[static_cast<std::size_t>(owner)], heads, room});
  return std::move(builder.plan);
}

// Worker w has chunk w of every cache. Sequence b has its new token at worker b mod W.
inline Shards deal_one_token(Plan& plan, int workers) {
  const auto n = static_cast<std::size_t>(workers);
  Shards shards{std::vector<std::vector<int>>(n), std::vector<std::vector<int>>(n), 0};
  const std::vector<Segment> sequences = segments_of(plan.problem);
  for (std::size_t b = 0; b < sequences.size(); ++b) {
    const Segment& s = sequences[b];
    const auto chunks = contiguous_groups(s.k_end - s.k_begin - 1, workers, s.k_begin);
    for (std::size_t w = 0; w < n; ++w) {
      shards.kv[w].push_back(static_cast<int>(plan.kv_groups.size()));
      plan.kv_groups.push_back(chunks[w]);
    }
    shards.q[b % n].push_back(static_cast<int>(plan.q_groups.size()));
    shards.kv[b % n].push_back(static_cast<int>(plan.kv_groups.size()));
    plan.q_groups.push_back({s.q_begin, 1, 1});
    plan.kv_groups.push_back({s.k_end - 1, 1, 1});
  }
  return shards;
}

inline Plan all_gather_kv(Dealt d) {
  PlanBuilder& builder = d.builder;
  const int workers = builder.n_workers();
  std::vector<int> everything;
  for (int kv = 0; kv < static_cast<int>(builder.plan.kv_groups.size()); ++kv)
    everything.push_back(kv);
  for (int from = 0; from < workers; ++from)
    for (int to = 0; to < workers; ++to)
      for (const TensorRole what : {TensorRole::k, TensorRole::v})
        builder.send(from, to, 0,
                     {TransferKind::all_gather, what, d.kv_lists[static_cast<std::size_t>(from)],
                      builder.all_heads(), 0});
  for (int w = 0; w < workers; ++w)
    add_tasks(builder, builder.step(w, 1), d.shards.q[static_cast<std::size_t>(w)], everything);
  return std::move(builder.plan);
}

inline Plan ulysses(Dealt d) {
  PlanBuilder& builder = d.builder;
  const int workers = builder.n_workers();
  const auto heads = [&](int w) { return head_share(builder.plan.problem.shape, w, workers); };
  for (int from = 0; from < workers; ++from)
    for (int to = 0; to < workers; ++to) {
      const auto at = static_cast<std::size_t>(from);
      for (const TensorRole what : {TensorRole::q, TensorRole::k, TensorRole::v})
        builder.send(from, to, 0,
                     {TransferKind::all_to_all, what,
                      what == TensorRole::q ? d.q_lists[at] : d.kv_lists[at], heads(to), 0});
      builder.send(from, to, 1,
                   {TransferKind::all_to_all, TensorRole::partial,
                    d.q_lists[static_cast<std::size_t>(to)], heads(from), 0});
    }
  for (int w = 0; w < workers; ++w)
    for (int q = 0; q < std::ssize(builder.plan.q_groups); ++q)
      for (int kv = 0; kv < std::ssize(builder.plan.kv_groups); ++kv)
        builder.add_task(builder.step(w, 1), q, kv, heads(w));
  return std::move(builder.plan);
}

}  // namespace spelt

// Writes the plan of a strategy of kRotating for every worker.
inline Plan spelt_plan(std::string_view algorithm, const Problem& problem, int workers) {
  const auto dealt = [&](Shards (*deal)(Plan&, int)) {
    return spelt::dealt(problem, algorithm, workers, deal);
  };
  if (algorithm == "ring") return spelt::pass_kv(dealt(deal_contiguous));
  if (algorithm == "striped") return spelt::pass_kv(dealt(deal_striped));
  if (algorithm == "pass_q") return spelt::pass_q(dealt(deal_zigzag));
  if (algorithm == "decode") return spelt::pass_q(dealt(spelt::deal_one_token));
  if (algorithm == "all_gather_kv") return spelt::all_gather_kv(dealt(deal_zigzag));
  if (algorithm == "ulysses") return spelt::ulysses(dealt(deal_contiguous));
  return spelt::pass_kv(dealt(deal_zigzag));
}

}  // namespace qb::testing_support
