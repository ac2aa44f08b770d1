// CQS-Attention: cyclic quorum sets (Bian & Somani, IEEE Access 2025, section III).
//
// The sequence is cut into W contiguous groups. An interest set I (a difference cover of Z_W) gives
// worker k the quorum S_k = {(x + k) mod W : x in I}. Self-distillation leaves each unordered pair
// of groups to exactly one worker, which computes it in both directions, and worker k alone
// computes the diagonal block (k, k). Workers never talk to each other: the root scatters the
// tokens of the kept pairs (the material list) and gathers partials. What a worker holds but may
// not compute (the ban list) simply has no task.
//
// Under a causal mask one direction of each kept pair and half of the diagonal fall away, for every
// worker alike, so the balance stays.
//
// `distillation: balanced` (interest_sets/split/distillation.h) keeps the cover and evens it out:
// see cqs.h for the blocks that two workers share.
#include "harness/plan/strategies/cqs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace qb {
namespace {

void require_workers(const Shape& shape, int workers) {
  if (workers < 3)
    throw Unsupported(
        fmt::format("cqs needs at least 3 workers (an interest set of W = {} does not "
                    "exist); for the whole sequence on one worker use dense",
                    workers));
  if (workers > std::min(shape.q_len, shape.kv_len))
    throw Unsupported(fmt::format("cqs with {} workers needs at least as many tokens; there are {}",
                                  workers, std::min(shape.q_len, shape.kv_len)));
}

InterestSet choose_interest_set(const StrategyOptions& options) {
  if (!options.interest_set) return default_interest_set(options.workers);
  if (options.interest_set->modulus != options.workers)
    throw UsageError(fmt::format("the interest set {} is for {} workers, not {}",
                                 to_string(*options.interest_set), options.interest_set->modulus,
                                 options.workers));
  verify(*options.interest_set);
  return *options.interest_set;
}

// Contiguous groups of these sizes. Throws UsageError where they are not W positive sizes of N.
std::vector<TokenGroup> sized_groups(const StrategyOptions& options, const Shape& shape) {
  std::vector<TokenGroup> groups;
  std::int64_t first = 0;
  for (std::int64_t size : options.group_sizes) {
    if (size < 1) throw UsageError(fmt::format("a token group of {} tokens", size));
    groups.push_back({first, size, 1});
    first += size;
  }
  if (std::ssize(groups) != options.workers || first != shape.q_len || first != shape.kv_len)
    throw UsageError(fmt::format(
        "{} group sizes with {} tokens do not cut {} queries and {} keys for {} workers",
        groups.size(), first, shape.q_len, shape.kv_len, options.workers));
  return groups;
}

// Each group cut into two, the second one not the shorter.
std::vector<TokenGroup> halves(const std::vector<TokenGroup>& groups) {
  std::vector<TokenGroup> pieces;
  for (const TokenGroup& group : groups) {
    const std::int64_t first = group.count / 2;
    pieces.push_back({group.first, first, 1});
    pieces.push_back({group.first + first, group.count - first, 1});
  }
  return pieces;
}

// The material list and the tasks, with the scatter of the one and the gather of the partials.
void fill_worker(PlanBuilder& builder, QuorumBlocks& blocks, int index) {
  blocks.add_diagonal(index, 0);
  std::vector<int> material = blocks.add_kept(index, 0);
  material.push_back(index);
  std::sort(material.begin(), material.end());
  material.erase(std::unique(material.begin(), material.end()), material.end());
  Step& step = builder.step(index, 0);
  builder.worker(index).q_groups = blocks.q_groups_of(material);
  builder.worker(index).kv_groups = material;
  const int queries = builder.add_list(builder.worker(index).q_groups);
  const int keys = builder.add_list(std::move(material));
  builder.scatter(step, TensorRole::q, queries);
  for (const TensorRole what : {TensorRole::k, TensorRole::v}) builder.scatter(step, what, keys);
  builder.gather(step, queries, builder.all_heads());
}

}  // namespace

QuorumBlocks::QuorumBlocks(PlanBuilder& builder, const StrategyOptions& options)
    : builder_(builder), distillation_(options.distillation) {
  Plan& plan = builder.plan;
  pairs_ = kept_residue_pairs(cqs_interest_set(plan.problem.shape, options), distillation_);
  if (options.group_sizes.empty()) {
    (void)deal_contiguous(plan, options.workers);
  } else {
    plan.q_groups = sized_groups(options, plan.problem.shape);
    plan.kv_groups = plan.q_groups;
  }
  in_pieces_ = distillation_ == Distillation::balanced && options.workers % 2 == 0 &&
               plan.problem.mask.kind != MaskKind::full;
  if (in_pieces_) plan.q_groups = halves(plan.q_groups);
}

void QuorumBlocks::add_rows(Step& step, int q_group, int kv_group, int piece) {
  builder_.add_task(step, in_pieces_ ? 2 * q_group + piece : q_group, kv_group);
}

void QuorumBlocks::add_block(Step& step, int q_group, int kv_group) {
  add_rows(step, q_group, kv_group, 0);
  if (in_pieces_) add_rows(step, q_group, kv_group, 1);
}

void QuorumBlocks::add_diagonal(int worker, int step) {
  add_block(builder_.step(worker, step), worker, worker);
}

std::vector<int> QuorumBlocks::add_kept(int worker, int step_index) {
  Step& step = builder_.step(worker, step_index);
  std::vector<int> groups;
  for (const GroupPair& pair : distill(builder_.n_workers(), pairs_, worker, distillation_)) {
    groups.push_back(pair.first);
    groups.push_back(pair.second);
    if (pair.share == Share::whole) {
      add_block(step, pair.first, pair.second);
      add_block(step, pair.second, pair.first);
    } else if (in_pieces_) {
      const int piece = pair.share == Share::lower ? 0 : 1;
      add_rows(step, pair.second, pair.first, piece);
      add_rows(step, pair.first, pair.second, 1 - piece);
    } else if (pair.share == Share::lower) {
      add_block(step, pair.first, pair.second);
    } else {
      add_block(step, pair.second, pair.first);
    }
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

std::vector<int> QuorumBlocks::q_groups_of(const std::vector<int>& groups) const {
  if (!in_pieces_) return groups;
  std::vector<int> pieces;
  for (int group : groups) {
    pieces.push_back(2 * group);
    pieces.push_back(2 * group + 1);
  }
  return pieces;
}

InterestSet cqs_interest_set(const Shape& shape, const StrategyOptions& options) {
  require_workers(shape, options.workers);
  return choose_interest_set(options);
}

Plan plan_cqs(const Problem& problem, const StrategyOptions& options) {
  require_one_sequence(problem, "cqs");
  PlanBuilder builder(problem, "cqs", options.workers);
  QuorumBlocks blocks(builder, options);
  for (int index = 0; index < options.workers; ++index) fill_worker(builder, blocks, index);
  return std::move(builder.plan);
}

}  // namespace qb
