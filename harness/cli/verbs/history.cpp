// SPDX-License-Identifier: Apache-2.0
// `qb history`: how the times of the same cases went from commit to commit on one machine.
#include "harness/experiment/audit/history.h"
#include "base/print.h"
#include "harness/cli/options.h"

namespace qb {
namespace {

constexpr const char* kHistoryFooter =
    R"(All runs of one commit are one point of a case: the median of their medians, without the disturbed
ones. A change point begins a new level: a change beyond the threshold, and beyond what the scatter
between neighbouring commits explains, that three commits at least have in common. The newest commit
is SLOW or FAST if its modified z-score against the earlier commits of its level exceeds 3.5 and the
change the threshold, SAME within the threshold, and AMBIGUOUS otherwise, or if its runs stayed
disturbed. Commits are in the order of their first runs. A commit with + had changed sources.

Exit codes: 0 nothing is SLOW, 2 usage (no run), 4 a case is SLOW.

Examples:
  qb history --spec schemes
  qb history --csv > history.csv)";

struct HistoryWords {
  std::string results = "results";
  bool csv = false;
  HistoryOptions options;
};

ExitCode show_history(const HistoryWords& words) {
  const History history = read_history(words.results, words.options);
  print_answer(words.csv ? history_csv(history) : history_text(history));
  return history.regressions() > 0 ? ExitCode::regression : ExitCode::ok;
}

}  // namespace

void add_history(Verb app) {
  auto [verb, words] = add_verb<HistoryWords>(
      app, "history", "Shows each case's time by commit, over all runs of a machine.", show_history,
      kHistoryFooter);
  verb.add_option("--spec", words.options.experiment, "Takes the runs of this experiment alone.");
  verb.add_option("--results", words.results, "Reads the runs in this folder (default: results).");
  verb.add_option("--device", words.options.device,
                  "Names the machine by its device_fingerprint (default: that of the newest run).");
  add_metric(verb, words.options.metric);
  add_positive(verb, "--threshold", words.options.threshold,
               "Sets the least change that counts, as a fraction (default: 0.05).");
  verb.add_flag("--csv", words.csv, "Prints a row for each case and commit as CSV.");
}

}  // namespace qb
