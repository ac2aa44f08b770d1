// qb plan: shows what a strategy decides, without running anything.
#include <fmt/format.h>

#include "base/numbers.h"
#include "harness/cli/options.h"
#include "harness/cli/verb.h"
#include "harness/cli/views/plan_view.h"
#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/picture.h"
#include "harness/plan/work/work.h"
#include "harness/workload/case.h"
#include "plots/draw/gnuplot.h"
#include "plots/figures/figures.h"
#include "plots/frame/pattern_names.h"

namespace qb {
namespace {

struct PlanWords {
  Case c;
  bool json = false;
  bool pairs = false;
  std::string picture;
};

void show_plan(const PlanWords& words) {
  if (!words.picture.empty()) require_picture_format(words.picture);
  const Case c = whole_case(words.c);
  if (c.shape.q_len == 0 && !c.sequences)
    throw UsageError("--n-tokens is missing (or --sequences for a packed batch)");
  const Plan plan = with_mask_option([&] { return plan_of(c); });
  if (const auto offence = check(plan))
    throw CaseError(Status::error, fmt::format("the plan is no exact cover: {}", *offence));
  const Work work = model_work(plan, c.kernel);
  const PlanMemory memory = plan_memory(plan, c.kernel, 1);
  fmt::print("{}", words.json ? plan_json(plan, work, memory, words.pairs)
                              : plan_table(plan, work, memory, c.kernel));
  if (!words.picture.empty())
    write_picture(partition_of(partition_rectangles(plan),
                               fmt::format("{}: N = {}, W = {}, {} mask", plan.algorithm,
                                           format_grouped(plan.problem.shape.q_len), c.workers,
                                           pattern_kind(to_string(plan.problem.mask)))),
                  words.picture);
}

}  // namespace

void add_plan(Verb app) {
  Verb verb = app.add_verb(
      "plan", "Show which worker computes which pairs",
      "Examples:\n"
      "  qb plan --algorithm cqs --n-tokens 10 --workers 7 --interest-set 0,1,3 --json --pairs\n"
      "  qb plan --n-tokens 49000 --workers 31 --mask causal\n"
      "  qb plan --n-tokens 8192 --workers 8 --distillation balanced\n"
      "  qb plan --n-tokens 10 --workers 7 --picture partition.svg\n"
      "  qb plan --algorithm cqs --n-tokens 128 --workers 7 --picture bigbird.svg \\\n"
      "    --mask '{bigbird: {left: 8, right: 7, tokens: 4, random_blocks: 2, block: 8}}'\n"
      "  qb plan --n-tokens 1e9 --workers 1057\n"
      "  qb plan --algorithm zigzag --n-tokens 65536 --workers 8 --mask causal --json\n"
      "  qb plan --algorithm decode --sequences '1000+4 37+4' --workers 3 --mask causal");
  auto& words = verb.runs<PlanWords>(show_plan);
  words.c.algorithm = "cqs";
  words.c.shape = {1, 1, 0, 0, 0, 64, 64};
  add_parameters(verb, words.c,
                 {"algorithm", "n_tokens", "kv_len", "sequences", "new_key_owner", "workers",
                  "interest_set", "distillation", "worker_speeds", "group_sizes", "mask", "q_heads",
                  "kv_heads", "head_dim", "batch", "dtype", "kernel"});
  const auto json = verb.flag("--json", words.json, "print JSON with exact integers");
  verb.flag("--pairs", words.pairs, "list every pair of every worker; needs --json").needs(json);
  verb.option(
      "--picture", words.picture,
      "draw the N x N partition coloured by worker (.svg, .pdf or .png); a pattern is drawn "
      "by its pairs, and beyond 256 tokens by squares of pairs");
}

}  // namespace qb
