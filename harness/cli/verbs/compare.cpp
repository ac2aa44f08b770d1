// SPDX-License-Identifier: Apache-2.0
// `qb compare A B`: is anything slower, larger in memory or wrong in one of two runs?
#include <fmt/format.h>

#include <algorithm>

#include "base/print.h"
#include "base/words.h"
#include "harness/cli/options.h"
#include "harness/experiment/audit/audit.h"
#include "harness/experiment/audit/compare.h"

namespace qb {
namespace {

constexpr const char* kCompareFooter =
    R"(Two rows are the same case when their parameters are equal. Its time verdict comes from the
intervals of the medians (of 95 %, or the whole range where a case has fewer than six repeats): SLOW
or FAST when they are disjoint and the medians differ by more than the threshold, SAME when the ratio
is surely within it, AMBIGUOUS otherwise (measure longer), and where a row stayed disturbed. A line
above the table says if either run was disturbed, or began on a busy machine. Instructions are not
disturbed by neighbours, where Linux counts them: --metric instructions judges programs on
shared machines, but not their waiting. The intervals of three repeats come apart by chance in one
comparison of ten, those of five in one of a hundred.

--ignore takes keys out of what makes two cases the same, so that runs that differ in them can be
compared: parameters, and isa. The output says which run has which value. If that makes
two cases of one run the same, nothing is compared.

Memory counts when the active peak differs by more than 1 %, a status when it is worse. What does not
depend on time is compared digit by digit: pairs, FLOP, bytes sent, predicted and counted peaks, and
errors. One line says that all are identical, or else which columns of which cases are not; this does
not change the exit code, since errors depend on the instruction set.

Both runs are verified first, as by `qb verify`. Nothing is compared if one does not pass.

Exit codes: 0 no regression, 2 usage (an unknown key, ambiguous cases), 4 SLOW, more memory, a worse
status, or a run that does not pass `qb verify`, 5 not comparable (other device, other schema, no case
in common).

Examples:
  qb compare results/smoke/before results/smoke/after
  qb compare results/smoke/laptop results/smoke/server --across-devices --threshold 0.1
  qb compare results/cpu_attention/latest results/cpu_attention/torch --ignore kernel,isa)";

struct CompareWords {
  std::string a;
  std::string b;
  std::string ignore;
  bool csv = false;
  CompareOptions options;
};

void require_verified(const std::string& path) {
  const std::vector<std::string> findings = audit_run(path).findings;
  if (!findings.empty())
    throw ExitError(ExitCode::regression,
                    fmt::format("{} does not pass `qb verify`, so that nothing is compared; the "
                                "first of {} findings: {}",
                                path, findings.size(), findings.front()));
}

ExitCode compare(CompareWords& words) {
  if (!(words.options.threshold > 0.0))
    throw UsageError("--threshold: a fraction above 0 is needed, such as 0.05");
  for (const std::string_view key : split_words(words.ignore, ","))
    if (std::ranges::find(words.options.ignore, key) == words.options.ignore.end())
      words.options.ignore.emplace_back(key);
  const RunComparison comparison =
      compare_runs(read_run_folder(words.a), read_run_folder(words.b), words.options);
  for (const std::string& path : {words.a, words.b}) require_verified(path);
  print_answer(words.csv ? comparison_csv(comparison, words.options)
                         : comparison_text(comparison, words.options));
  return comparison.regressions() == 0 ? ExitCode::ok : ExitCode::regression;
}

}  // namespace

void add_compare(Verb app) {
  auto [verb, words] = add_verb<CompareWords>(app, "compare", "Compares two runs, case by case.",
                                              compare, kCompareFooter);
  verb.add_option("A", words.a, "Names the run folder to compare with.").required();
  verb.add_option("B", words.b, "Names the run folder to judge.").required();
  verb.add_option("--threshold", words.options.threshold,
                  "Sets the least change that counts, as a fraction.")
      .show_default();
  add_metric(verb, words.options.metric);
  verb.add_flag("--only-regressed", words.options.only_regressed,
                "Shows regressed cases only; the summary counts all.");
  verb.add_flag("--across-devices", words.options.across_devices,
                "Compares runs from different devices too, and labels them.");
  verb.add_option("--ignore", words.ignore,
                  "Lists keys that may differ between the cases of the two runs, such as "
                  "kernel,isa.")
      .type_name("KEYS");
  verb.add_flag("--csv", words.csv, "Prints CSV instead of a table.");
}

}  // namespace qb
