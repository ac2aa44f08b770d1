// qb plan: shows what a strategy decides, without running anything.
#include <fmt/format.h>

#include <memory>

#include "base/numbers.h"
#include "harness/cli/mask_option.h"
#include "harness/cli/options.h"
#include "harness/cli/verb.h"
#include "harness/cli/views/plan_view.h"
#include "harness/experiment/process/case_plan.h"
#include "harness/plan/check/check.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/picture.h"
#include "harness/plan/work/work.h"
#include "plots/draw/gnuplot.h"
#include "plots/figures/figures.h"
#include "plots/frame/pattern_names.h"

namespace qb {
namespace {

struct PlanWords {
  Case c;
  std::string interest_set;
  std::string sequences;
  std::string worker_speeds;
  bool json = false;
  bool pairs = false;
  std::string picture;
};

// The case with what follows from its other parameters.
Case whole_case(const PlanWords& words) {
  Case c = words.c;
  if (c.shape.q_len == 0 && words.sequences.empty())
    throw UsageError("--n-tokens is missing (or --sequences for a packed batch)");
  if (c.shape.kv_len == 0) c.shape.kv_len = c.shape.q_len;
  if (c.shape.kv_heads == 0) c.shape.kv_heads = c.shape.q_heads;
  c.shape.value_dim = c.shape.head_dim;
  if (!words.sequences.empty()) c.sequences = words.sequences;
  if (!words.interest_set.empty()) c.interest_set = words.interest_set;
  if (!words.worker_speeds.empty()) c.worker_speeds = words.worker_speeds;
  return c;
}

ExitCode show_plan(const PlanWords& words) {
  if (!words.picture.empty()) require_picture_format(words.picture);
  const Case c = whole_case(words);
  const Plan plan = with_mask_option([&] { return plan_of(c); });
  if (const auto offence = check(plan))
    throw CaseError(Status::error, fmt::format("the plan is no exact cover: {}", *offence));
  const Work work = model_work(plan, c.kernel, 1);
  fmt::print("{}",
             words.json ? plan_json(plan, work, words.pairs) : plan_table(plan, work, c.kernel));
  if (!words.picture.empty())
    draw_partition(partition_rectangles(plan), words.picture,
                   fmt::format("{}: N = {}, W = {}, {} mask", plan.algorithm,
                               format_grouped(plan.problem.shape.q_len), c.workers,
                               pattern_kind(to_string(plan.problem.mask))));
  return ExitCode::ok;
}

}  // namespace

void add_plan(Verb app) {
  Verb verb = app.add_verb("plan", "Show which worker computes which pairs");
  const auto words = std::make_shared<PlanWords>();
  words->c.algorithm = "cqs";
  words->c.shape = {1, 1, 0, 0, 0, 64, 64};
  verb.option("--algorithm", words->c.algorithm, algorithm_words()).show_default();
  add_integer(verb, "--n-tokens", words->c.shape.q_len,
              "N, positions of the whole sequence; with a cache the new ones");
  add_integer(verb, "--kv-len", words->c.shape.kv_len, "keys, where not N: cached and new tokens");
  verb.option("--sequences", words->sequences,
              "in place of --n-tokens: a packed batch, cached+new tokens each, \"100+8 64+1\"");
  add_word(verb, "--new-key-owner", words->c.new_key_owner, "decode, default round_robin");
  add_integer(verb, "--workers", words->c.workers, "W (default 1)");
  verb.option("--interest-set", words->interest_set,
              "cqs: residues such as 0,1,3 (default: the published set)");
  add_word(verb, "--distillation", words->c.distillation, "cqs, default published");
  verb.option("--worker-speeds", words->worker_speeds,
              "speeds of the first workers, \"0.5 1\" (default: all 1)");
  add_word(verb, "--group-sizes", words->c.group_sizes, "cqs, equal or by_speed, default equal");
  add_mask(verb, "--mask", words->c.mask, "default full");
  add_integer(verb, "--q-heads", words->c.shape.q_heads, "query heads (default 1)");
  add_integer(verb, "--kv-heads", words->c.shape.kv_heads, "key-value heads (default q-heads)");
  add_integer(verb, "--head-dim", words->c.shape.head_dim, "default 64");
  add_integer(verb, "--batch", words->c.shape.batch, "default 1");
  add_word(verb, "--dtype", words->c.dtype, "default f32");
  add_word(verb, "--kernel", words->c.kernel, "for executed pairs and memory, default flash");
  Option json = verb.flag("--json", words->json, "machine-readable, exact integers");
  verb.flag("--pairs", words->pairs, "with --json: list every pair of every worker").needs(json);
  verb.option("--picture", words->picture,
              "draw the N x N partition coloured by worker (.svg, .pdf or .png); a pattern by "
              "its pairs, beyond 256 tokens by squares of them");
  verb.footer(
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
  verb.runs([words] { return show_plan(*words); });
}

}  // namespace qb
