// qb plan: shows what a strategy decides, without running anything.
#include <fmt/format.h>

#include <memory>

#include "harness/base/numbers.h"
#include "harness/cli/mask_option.h"
#include "harness/cli/options.h"
#include "harness/cli/plan_view.h"
#include "harness/cli/verb.h"
#include "harness/experiment/case.h"
#include "harness/plan/check.h"
#include "harness/plan/picture.h"
#include "harness/plan/strategy.h"
#include "harness/plan/work.h"
#include "plots/partition.h"
#include "plots/pattern_names.h"

namespace qb {
namespace {

struct PlanWords {
  std::string algorithm = "cqs";
  Shape shape{1, 1, 0, 0, 0, 64, 64};
  int workers = 1;
  std::string interest_set;
  MaskSpec mask;
  DType dtype = DType::f32;
  Kernel kernel = Kernel::flash;
  bool json = false;
  bool pairs = false;
  std::string picture;
  std::string sequences;
  NewKeyOwner new_key_owner = NewKeyOwner::round_robin;
  Distillation distillation = Distillation::published;
};

ExitCode show_plan(const PlanWords& words) {
  Shape shape = words.shape;
  if (shape.q_len == 0 && words.sequences.empty())
    throw UsageError("--n-tokens is missing (or --sequences for a packed batch)");
  if (shape.kv_len == 0) shape.kv_len = shape.q_len;
  if (shape.kv_heads == 0) shape.kv_heads = shape.q_heads;
  shape.value_dim = shape.head_dim;
  const Problem problem = with_mask_option([&] {
    return words.sequences.empty() ? make_problem(shape, words.mask, words.dtype, 0)
                                   : make_packed_problem(shape, words.mask, words.dtype, 0,
                                                         parse_sequences(words.sequences));
  });
  StrategyOptions options{words.workers, std::nullopt, words.new_key_owner, words.distillation};
  if (!words.interest_set.empty())
    options.interest_set = parse_interest_set(words.interest_set, words.workers);
  const Plan plan = make_plan(words.algorithm, problem, options);
  if (const auto offence = check(plan))
    throw CaseError(Status::error, fmt::format("the plan is no exact cover: {}", *offence));
  const Work work = model_work(plan, words.kernel, 1);
  fmt::print(
      "{}", words.json ? plan_json(plan, work, words.pairs) : plan_table(plan, work, words.kernel));
  if (!words.picture.empty())
    draw_partition(partition_rectangles(plan), words.picture,
                   fmt::format("{}: N = {}, W = {}, {} mask", plan.algorithm,
                               format_grouped(problem.shape.q_len), words.workers,
                               pattern_kind(to_string(problem.mask))));
  return ExitCode::ok;
}

}  // namespace

void add_plan(Verb app) {
  Verb verb = app.add_verb("plan", "Show which worker computes which pairs");
  const auto words = std::make_shared<PlanWords>();
  verb.option("--algorithm", words->algorithm, algorithm_words()).show_default();
  add_integer(verb, "--n-tokens", words->shape.q_len,
              "N, positions of the whole sequence; with a cache the new ones");
  add_integer(verb, "--kv-len", words->shape.kv_len, "keys, where not N: cached and new tokens");
  verb.option("--sequences", words->sequences,
              "in place of --n-tokens: a packed batch, cached+new tokens each, \"100+8 64+1\"");
  add_word(verb, "--new-key-owner", words->new_key_owner, "decode, default round_robin");
  add_integer(verb, "--workers", words->workers, "W (default 1)");
  verb.option("--interest-set", words->interest_set,
              "cqs: residues such as 0,1,3 (default: the published set)");
  add_word(verb, "--distillation", words->distillation, "cqs, default published");
  add_mask(verb, "--mask", words->mask, "default full");
  add_integer(verb, "--q-heads", words->shape.q_heads, "query heads (default 1)");
  add_integer(verb, "--kv-heads", words->shape.kv_heads, "key-value heads (default q-heads)");
  add_integer(verb, "--head-dim", words->shape.head_dim, "default 64");
  add_integer(verb, "--batch", words->shape.batch, "default 1");
  add_word(verb, "--dtype", words->dtype, "default f32");
  add_word(verb, "--kernel", words->kernel, "for executed pairs and memory, default flash");
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
