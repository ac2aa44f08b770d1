// What the strategies over quorums share: token groups, and which blocks each worker computes.
#pragma once

#include <vector>

#include "harness/plan/builder.h"
#include "harness/plan/strategies/strategy.h"
#include "interest_sets/split/distillation.h"

namespace qb {

// A block W/2 apart that two workers share is cut in two. Without a mask each worker takes one
// direction. Under a mask one direction may be all there is, so the rows of the queries are cut:
// every group of queries is then two pieces, and groups of queries and of keys are no longer the
// same.
class QuorumBlocks {
 public:
  // Deals the tokens of the builder's plan to W contiguous groups. Throws as cqs_interest_set().
  QuorumBlocks(PlanBuilder& builder, const StrategyOptions& options);

  // The block (k, k).
  void add_diagonal(int worker, int step);
  // The blocks of the kept pairs. The groups that they name, ascending.
  std::vector<int> add_kept(int worker, int step);
  // The groups of queries that the token groups are: the same, or two pieces of each.
  [[nodiscard]] std::vector<int> q_groups_of(const std::vector<int>& groups) const;

 private:
  void add_rows(Step& step, int q_group, int kv_group, int piece);
  void add_block(Step& step, int q_group, int kv_group);

  PlanBuilder& builder_;
  Distillation distillation_;
  std::vector<ResiduePair> pairs_;
  bool in_pieces_ = false;
};

}  // namespace qb
