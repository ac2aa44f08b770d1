// SPDX-License-Identifier: Apache-2.0
// What the strategies over quorums share: token groups, and the blocks that each worker computes.
#pragma once

#include <vector>

#include "harness/plan/builder.h"
#include "harness/plan/strategies/strategy.h"
#include "interest_sets/split/distillation.h"

namespace qb {

// Two workers share each block of token groups that lie W/2 apart, so it is cut in two. Without a
// mask each worker takes one direction. A mask may leave one direction only, so the rows of the
// queries are cut: every token group then has two pieces of queries. Both queries and keys are also
// cut where packed sequences end. So a token group has pieces, which are the groups of the plan.
class QuorumBlocks {
 public:
  // Deals the tokens of `builder`'s plan to W contiguous groups. Throws as cqs_interest_set() does.
  QuorumBlocks(PlanBuilder& builder, const StrategyOptions& options);

  // Returns the token groups that the kept pairs of a worker name, in ascending order.
  [[nodiscard]] std::vector<int> kept_groups(int worker) const;
  void add_diagonal(const PlanBuilder& builder, int worker, Step& step) const;
  void add_kept(const PlanBuilder& builder, int worker, Step& step) const;
  // These return the plan's groups of queries and of keys for token groups.
  [[nodiscard]] std::vector<int> q_groups_of(const std::vector<int>& groups) const;
  [[nodiscard]] std::vector<int> kv_groups_of(const std::vector<int>& groups) const;

 private:
  // Adds the rows of a token group of queries, or of one half of it.
  void add_rows(const PlanBuilder& builder, Step& step, int q_group, int kv_group, int half) const;
  void add_block(const PlanBuilder& builder, Step& step, int q_group, int kv_group) const;

  int workers_;
  Distillation distillation_;
  std::vector<ResiduePair> pairs_;
  std::vector<ResiduePair> opposite_;  // the kept pairs that not every worker keeps whole
  std::vector<int> residues_;          // residues that the other pairs name
  bool in_halves_ = false;
  std::vector<std::vector<int>> q_pieces_;   // by token group, or by half of one
  std::vector<std::vector<int>> kv_pieces_;  // by token group
};

}  // namespace qb
