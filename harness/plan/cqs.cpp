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
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/status.h"
#include "harness/plan/builder.h"
#include "harness/plan/strategy.h"
#include "interest_sets/distillation.h"

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

// The material list and the tasks, with the scatter of the one and the gather of the partials.
void fill_worker(PlanBuilder& builder, const InterestSet& set, int index) {
  std::vector<int> material = {index};
  Step& step = builder.step(index, 0);
  builder.add_task(step, index, index);
  for (const GroupPair& pair : distill(set, index)) {
    material.push_back(pair.first);
    material.push_back(pair.second);
    builder.add_task(step, pair.first, pair.second);
    builder.add_task(step, pair.second, pair.first);
  }
  std::sort(material.begin(), material.end());
  material.erase(std::unique(material.begin(), material.end()), material.end());
  builder.worker(index).q_groups = material;
  builder.worker(index).kv_groups = material;
  const int list = builder.add_list(std::move(material));
  for (const TensorRole what : {TensorRole::q, TensorRole::k, TensorRole::v})
    builder.scatter(step, what, list);
  builder.gather(step, list, builder.all_heads());
}

}  // namespace

InterestSet cqs_interest_set(const Shape& shape, const StrategyOptions& options) {
  require_workers(shape, options.workers);
  return choose_interest_set(options);
}

Plan plan_cqs(const Problem& problem, const StrategyOptions& options) {
  require_one_sequence(problem, "cqs");
  const InterestSet set = cqs_interest_set(problem.shape, options);
  PlanBuilder builder(problem, "cqs", options.workers);
  (void)deal_contiguous(builder.plan, options.workers);
  for (int index = 0; index < options.workers; ++index) fill_worker(builder, set, index);
  return std::move(builder.plan);
}

}  // namespace qb
