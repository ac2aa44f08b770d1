// SPDX-License-Identifier: Apache-2.0
// CQS-Attention: cyclic quorum sets (Bian & Somani, IEEE Access 2025, section III).
//
// The sequence is cut into W contiguous groups. An interest set I (a difference cover of Z_W) gives
// worker k the quorum S_k = {(x + k) mod W : x in I}. Self-distillation leaves each unordered pair
// of groups to exactly one worker, which computes it in both directions, and only worker k computes
// the diagonal block (k, k). Workers do not exchange messages: the root scatters the tokens of the
// kept pairs (the material list) and gathers partials. A pair that a worker holds but may not
// compute (the ban list) simply has no task.
//
// A causal mask removes one direction of each kept pair and half of the diagonal, for every worker
// equally, so the balance stays. `distillation: balanced` (interest_sets/split/distillation.h)
// keeps the cover and balances it: see cqs.h for the blocks that two workers share.
//
// In the backward pass the root scatters dO, LSE and D with Q, K and V, and gathers each worker's
// sums of dQ, dK and dV, which it adds.
//
// Packed sequences are cut as one run of tokens. Many kept pairs may then be of two sequences and
// leave nothing to compute, so that the balance follows from the lengths.
#include "harness/plan/strategies/cqs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/status.h"
#include "harness/plan/layout.h"

namespace qb {
namespace {

// Cuts each group in two; the second half is at least as long as the first.
std::vector<TokenGroup> halves(const std::vector<TokenGroup>& groups) {
  std::vector<TokenGroup> pieces;
  for (const TokenGroup& group : groups) {
    const std::int64_t first = group.count / 2;
    pieces.push_back({group.first, first, 1});
    pieces.push_back({group.first + first, group.count - first, 1});
  }
  return pieces;
}

void make_set(std::vector<int>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::vector<int> pieces_of(const std::vector<std::vector<int>>& pieces,
                           const std::vector<int>& chosen) {
  std::vector<int> all;
  for (int one : chosen) {
    const std::vector<int>& own = pieces[static_cast<std::size_t>(one)];
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// Makes the workers one at a time, since W^2 / 2 kept pairs are many.
struct Quorums {
  PlanBuilder builder;
  QuorumBlocks blocks;

  Quorums(const Problem& problem, const StrategyOptions& options)
      : builder(problem, "cqs", options.workers, options.pass), blocks(builder, options) {
    for (int index = 0; index < options.workers; ++index) {
      std::vector<int> material = blocks.kept_groups(index);
      const auto own = std::ranges::lower_bound(material, index);
      if (own == material.end() || *own != index) material.insert(own, index);
      (void)builder.add_list(blocks.q_groups_of(material));
      (void)builder.add_list(blocks.kv_groups_of(material));
    }
  }

  [[nodiscard]] Worker worker(int index, Workers::Parts parts) const {
    const int queries = 2 * index;
    const int keys = queries + 1;
    const auto& lists = builder.plan.group_lists;
    Worker worker{
        lists[static_cast<std::size_t>(queries)], lists[static_cast<std::size_t>(keys)], {}, {}};
    if (parts == Workers::Parts::share) return worker;
    Step& step = worker.steps.emplace_back();
    if (parts == Workers::Parts::all) {
      blocks.add_diagonal(builder, index, step);
      blocks.add_kept(builder, index, step);
    }
    const Pass pass = builder.plan.pass;
    for (const TensorRole what : query_inputs(pass)) builder.scatter(step, what, queries);
    for (const TensorRole what : kKeyInputs) builder.scatter(step, what, keys);
    for (const TensorRole what : results_of(pass))
      builder.gather(step, what, is_of_keys(what) ? keys : queries, builder.all_heads());
    return worker;
  }
};

}  // namespace

QuorumBlocks::QuorumBlocks(PlanBuilder& builder, const StrategyOptions& options)
    : workers_(options.workers), distillation_(options.distillation) {
  Plan& plan = builder.plan;
  const Shape& shape = plan.problem.shape;
  pairs_ = kept_residue_pairs(cqs_interest_set(shape, options), distillation_);
  for (const ResiduePair& pair : pairs_) {
    if (pair.opposite)
      opposite_.push_back(pair);
    else
      residues_.insert(residues_.end(), {pair.first, pair.second});
  }
  make_set(residues_);
  plan.q_groups = contiguous_groups(shape.q_len, options.workers);
  plan.kv_groups = contiguous_groups(shape.kv_len, options.workers);
  in_halves_ = distillation_ == Distillation::balanced && options.workers % 2 == 0 &&
               plan.problem.mask.kind != MaskKind::full;
  if (in_halves_) plan.q_groups = halves(plan.q_groups);
  const std::vector<Segment> sequences = segments_of(plan.problem);
  q_pieces_ = cut_at_ends(sequences, &Segment::q_end, plan.q_groups);
  kv_pieces_ = cut_at_ends(sequences, &Segment::k_end, plan.kv_groups);
}

std::vector<int> QuorumBlocks::kept_groups(int worker) const {
  std::vector<int> groups;
  for (int residue : residues_) groups.push_back((residue + worker) % workers_);
  for (const GroupPair& pair : distill(workers_, opposite_, worker, distillation_))
    groups.insert(groups.end(), {pair.first, pair.second});
  make_set(groups);
  return groups;
}

void QuorumBlocks::add_rows(const PlanBuilder& builder, Step& step, int q_group, int kv_group,
                            int half) const {
  const int rows = in_halves_ ? 2 * q_group + half : q_group;
  for (int q : q_pieces_[static_cast<std::size_t>(rows)])
    for (int kv : kv_pieces_[static_cast<std::size_t>(kv_group)]) builder.add_task(step, q, kv);
}

void QuorumBlocks::add_block(const PlanBuilder& builder, Step& step, int q_group,
                             int kv_group) const {
  add_rows(builder, step, q_group, kv_group, 0);
  if (in_halves_) add_rows(builder, step, q_group, kv_group, 1);
}

void QuorumBlocks::add_diagonal(const PlanBuilder& builder, int worker, Step& step) const {
  add_block(builder, step, worker, worker);
}

void QuorumBlocks::add_kept(const PlanBuilder& builder, int worker, Step& step) const {
  const std::vector<GroupPair> kept = distill(workers_, pairs_, worker, distillation_);
  step.tasks.reserve(step.tasks.size() + (in_halves_ ? 3 : 2) * kept.size());
  for (const GroupPair& pair : kept) {
    if (pair.share == Share::whole) {
      add_block(builder, step, pair.first, pair.second);
      add_block(builder, step, pair.second, pair.first);
    } else if (in_halves_) {
      const int half = pair.share == Share::lower ? 0 : 1;
      add_rows(builder, step, pair.second, pair.first, half);
      add_rows(builder, step, pair.first, pair.second, 1 - half);
    } else if (pair.share == Share::lower) {
      add_block(builder, step, pair.first, pair.second);
    } else {
      add_block(builder, step, pair.second, pair.first);
    }
  }
}

std::vector<int> QuorumBlocks::q_groups_of(const std::vector<int>& groups) const {
  const int halves_each = in_halves_ ? 2 : 1;
  std::vector<int> rows;
  for (int group : groups)
    for (int half = 0; half < halves_each; ++half) rows.push_back(halves_each * group + half);
  return pieces_of(q_pieces_, rows);
}

std::vector<int> QuorumBlocks::kv_groups_of(const std::vector<int>& groups) const {
  return pieces_of(kv_pieces_, groups);
}

InterestSet cqs_interest_set(const Shape& shape, const StrategyOptions& options) {
  const int workers = options.workers;
  if (workers < 3)
    throw Unsupported(
        fmt::format("cqs needs at least 3 workers (an interest set of W = {} does not "
                    "exist); for the whole sequence on one worker use dense",
                    workers));
  if (workers > std::min(shape.q_len, shape.kv_len))
    throw Unsupported(fmt::format("cqs with {} workers needs at least as many tokens; there are {}",
                                  workers, std::min(shape.q_len, shape.kv_len)));
  if (!options.interest_set) return default_interest_set(workers);
  if (options.interest_set->modulus != workers)
    throw UsageError(fmt::format("the interest set {} is for {} workers, not {}",
                                 to_string(*options.interest_set), options.interest_set->modulus,
                                 workers));
  verify(*options.interest_set);
  return *options.interest_set;
}

Plan plan_cqs(const Problem& problem, const StrategyOptions& options) {
  const auto quorums = std::make_shared<const Quorums>(problem, options);
  Plan plan = quorums->builder.plan;
  plan.workers = Workers(options.workers, [quorums](int w, Workers::Parts parts) {
    return quorums->worker(w, parts);
  });
  return plan;
}

}  // namespace qb
