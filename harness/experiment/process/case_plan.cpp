#include "harness/experiment/process/case_plan.h"

#include "harness/experiment/schema/worker_speeds.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

// Decoding deals sequences to workers, so that a batch of equal ones is packed too.
std::vector<Sequence> sequences_of(const Case& c) {
  if (c.sequences) return parse_sequences(*c.sequences);
  if (c.algorithm != "decode" || c.shape.batch == 1) return {};
  const Sequence sequence{c.shape.kv_len - c.shape.q_len, c.shape.q_len};
  return std::vector<Sequence>(static_cast<std::size_t>(c.shape.batch), sequence);
}

StrategyOptions strategy_options(const Case& c) {
  StrategyOptions options{
      .workers = c.workers, .new_key_owner = c.new_key_owner, .distillation = c.distillation};
  if (c.interest_set) options.interest_set = parse_interest_set(*c.interest_set, c.workers);
  if (c.group_sizes == GroupSizes::by_speed)
    options.group_sizes = group_sizes_by_speed(c, cqs_interest_set(c.shape, options));
  return options;
}

}  // namespace

Problem problem_of(const Case& c) {
  const std::vector<Sequence> sequences = sequences_of(c);
  Problem problem = sequences.empty()
                        ? make_problem(c.shape, c.mask, c.dtype, c.seed)
                        : make_packed_problem(c.shape, c.mask, c.dtype, c.seed, sequences);
  if (c.scale) problem.scale = *c.scale;
  return problem;
}

Plan plan_of(const Case& c) { return make_plan(c.algorithm, problem_of(c), strategy_options(c)); }

}  // namespace qb
