// qb sets skew: token groups for workers of unequal speed, by the work model.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "harness/base/csv.h"
#include "harness/base/numbers.h"
#include "harness/base/status.h"
#include "harness/base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/sets_verbs.h"
#include "harness/execute/executor.h"
#include "harness/execute/inputs.h"
#include "harness/execute/memory_ledger.h"
#include "harness/execute/verify.h"
#include "harness/plan/check.h"
#include "harness/plan/strategy.h"
#include "interest_sets/skew.h"

namespace qb {
namespace {

struct SkewWords {
  int workers = 0;
  std::int64_t n_tokens = 0;
  std::vector<double> speeds;
  int slow = -1;
  double factor = 2.0;
  Distillation distillation = Distillation::balanced;
  bool measure = false;
  bool csv = false;
};

std::vector<double> speeds_of(const SkewWords& words) {
  if (!words.speeds.empty()) return words.speeds;
  std::vector<double> speeds(static_cast<std::size_t>(std::max(words.workers, 0)), 1.0);
  if (words.slow >= words.workers || words.slow < -1)
    throw UsageError(fmt::format("--slow {}: workers are 0..{}", words.slow, words.workers - 1));
  if (words.slow >= 0) speeds[static_cast<std::size_t>(words.slow)] = 1.0 / words.factor;
  return speeds;
}

// The critical path composed from the times of the workers, each alone on one thread, over their
// speeds: the least of five plays. Every output is held against float64.
double measured_time(const SkewWords& words, const std::vector<std::int64_t>& sizes,
                     const std::vector<double>& speeds) {
  constexpr std::int64_t kHeads = 2;
  constexpr std::int64_t kHeadDim = 64;
  constexpr int kPlays = 5;
  const Problem problem =
      make_problem({1, kHeads, kHeads, words.n_tokens, words.n_tokens, kHeadDim, kHeadDim},
                   MaskKind::full, DType::f32, 1);
  StrategyOptions options;
  options.workers = words.workers;
  options.distillation = words.distillation;
  options.group_sizes = sizes;
  const Plan plan = make_plan("cqs", problem, options);
  if (const auto offence = check(plan))
    throw CaseError(Status::error, fmt::format("the plan is no exact cover: {}", *offence));
  MemoryLedger ledger(LedgerOptions{});
  const Inputs inputs = make_inputs(problem, ledger, 1);
  const Tensor out(ledger, DType::f32, problem.shape.out(), "out");
  const Tensor lse(ledger, DType::f32, problem.shape.lse(), "lse");
  double least = std::numeric_limits<double>::infinity();
  for (int play = 0; play < kPlays; ++play) {
    poison(out.view(), lse.view());
    const Execution execution = execute(Ranks::serial, plan,
                                        {inputs.q.view(), inputs.k.view(), inputs.v.view(),
                                         out.view(), lse.view(), Kernel::flash, 1, &ledger});
    double slowest = 0.0;
    for (std::size_t w = 0; w < speeds.size(); ++w)
      slowest = std::max(slowest, execution.workers[w].compute_s / speeds[w]);
    least = std::min(least, slowest);
  }
  const Verification verification =
      verify_output(problem, inputs.q.view(), inputs.k.view(), inputs.v.view(), out.view(),
                    lse.view(), rows_to_verify(plan, 64), 1);
  if (!verification.correct) throw CaseError(Status::incorrect, verification.message);
  return least;
}

ExitCode show(const SkewWords& words) {
  const InterestSet set = default_interest_set(words.workers);
  const auto speeds = speeds_of(words);
  const auto sizes = skewed_group_sizes(set, words.n_tokens, speeds, words.distillation);
  std::vector<std::int64_t> equal;
  for (int group = 0; group < words.workers; ++group)
    equal.push_back(group_tokens(words.n_tokens, words.workers, group));
  const auto before = worker_loads(set, equal, words.distillation);
  const auto after = worker_loads(set, sizes, words.distillation);
  const double slowest_before = slowest_time(set, equal, speeds, words.distillation);
  const double slowest_after = slowest_time(set, sizes, speeds, words.distillation);
  TextTable table(
      {"worker", "speed", "tokens, equal", "tokens, skewed", "time, equal", "time, skewed"});
  CsvTable csv({"worker", "speed", "equal_tokens", "skewed_tokens", "equal_time", "skewed_time"});
  for (std::size_t worker = 0; worker < speeds.size(); ++worker) {
    const double equal_time = before[worker] / speeds[worker] / slowest_before;
    const double skewed_time = after[worker] / speeds[worker] / slowest_before;
    table.add({fmt::to_string(worker), fmt::format("{:g}", speeds[worker]), to_text(equal[worker]),
               to_text(sizes[worker]), fmt::format("{:.4f}", equal_time),
               fmt::format("{:.4f}", skewed_time)});
    csv.append({fmt::to_string(worker), to_text(speeds[worker]), to_text(equal[worker]),
                to_text(sizes[worker]), to_text(equal_time), to_text(skewed_time)});
  }
  fmt::print("{}", words.csv ? csv.to_string() : table.terminal() + "\n");
  const double n = static_cast<double>(words.n_tokens);
  const double ideal = n * n / std::accumulate(speeds.begin(), speeds.end(), 0.0);
  fmt::print(words.csv ? stderr : stdout,
             "Critical path by the work model, equal groups = 1: skewed {:.4f}, every worker busy "
             "to the end {:.4f}.\n",
             slowest_after / slowest_before, ideal / slowest_before);
  if (words.measure) {
    const double equal_s = measured_time(words, equal, speeds);
    const double skewed_s = measured_time(words, sizes, speeds);
    fmt::print(words.csv ? stderr : stdout,
               "Measured, workers one after the other, their kernel times over their speeds: equal "
               "{}, skewed {}, ratio {:.4f}; outputs verified.\n",
               format_seconds(equal_s), format_seconds(skewed_s), skewed_s / equal_s);
  }
  return ExitCode::ok;
}

}  // namespace

void add_sets_skew(Verb sets) {
  Verb verb = sets.add_verb("skew", "token groups of unequal size for workers of unequal speed");
  const auto words = std::make_shared<SkewWords>();
  add_integer(verb, "--workers", words->workers, "W, 3 or more").required();
  add_integer(verb, "--n-tokens", words->n_tokens, "N").required();
  verb.option("--speeds", words->speeds, "one a worker, such as 1,1,0.5,1");
  add_integer(verb, "--slow", words->slow, "in place of --speeds: this worker is slower");
  add_positive(verb, "--factor", words->factor, "so many times (default 2)");
  add_word(verb, "--distillation", words->distillation, "default balanced");
  verb.flag("--measure", words->measure,
            "also run both (flash, f32, 2 heads of 64) and compose the critical path");
  verb.flag("--csv", words->csv, "a row a worker as CSV");
  verb.footer(
      "Times are query-key pairs over speed, in units of the slowest worker with equal groups.\n"
      "--measure divides measured kernel times by the given speeds: nobody is slowed down.\n\n"
      "Examples:\n"
      "  qb sets skew --workers 7 --n-tokens 7000 --slow 0\n"
      "  qb sets skew --workers 4 --n-tokens 1e6 --speeds 1,1,0.8,0.5");
  verb.runs([words] { return show(*words); });
}

}  // namespace qb
