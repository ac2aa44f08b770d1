// SPDX-License-Identifier: Apache-2.0
// `qb history`: how the times of the same cases went from commit to commit on one machine.
#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/experiment/audit/history.h"
#include "plots/figures/figures.h"
#include "plots/report/report.h"

namespace qb {
namespace {

constexpr const char* kHistoryFooter =
    R"(All runs of one commit are one point of a case: the median of their medians, without the disturbed
ones. A change point begins a new level: a change beyond the threshold, and beyond what the scatter
between neighbouring commits explains, that three commits at least have in common. The newest commit
is SLOW or FAST if its modified z-score against the earlier commits of its level exceeds 3.5 and the
change the threshold, SAME within the threshold, and AMBIGUOUS otherwise, or if its runs stayed
disturbed. Commits are in the order of their first runs. A commit with + had changed sources.

Exit codes: 0 nothing is SLOW, 2 usage (no run), 3 matplotlib is missing (the page is written), 4 a case
is SLOW.

Examples:
  qb history --spec schemes
  qb history --out results/history
  qb history --csv > history.csv)";

struct HistoryWords {
  std::string results = "results";
  std::string out;
  bool csv = false;
  HistoryOptions options;
};

Table table_of(const CsvTable& csv) {
  Table table{.name = "history", .title = "Every case at every commit", .header = csv.header()};
  for (std::size_t row = 0; row < csv.size(); ++row) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const std::string& column : table.header) cells.push_back(csv.text(row, column));
  }
  return table;
}

ExitCode write_page(const History& history, const std::string& folder) {
  ensure_directory(folder + "/figures");
  const std::string csv = history_csv(history);
  write_file_atomically(folder + "/history.csv", csv);
  const CsvTable table = CsvTable::parse(csv, "history.csv");
  ExitCode code = ExitCode::ok;
  Report::Section figures{.title = "Figure"};
  try {
    figures.figures =
        draw_for_report({history_figure(table)}, folder + "/figures", figures.paragraphs);
  } catch (const EnvironmentError& error) {
    figures.paragraphs.emplace_back(error.what());
    code = ExitCode::environment;
  }
  const std::string page = folder + "/report.html";
  write_file_atomically(
      page,
      report_html(
          {.title = "Times by commit",
           .subtitle = history.device,
           .sections = {{.title = "Changes", .code = {history_text(history)}},
                        std::move(figures),
                        {.title = "All points", .tables = {table_of(table)}, .folded = true}}}));
  print_answer("{}\n", page);
  return code;
}

ExitCode show_history(const HistoryWords& words) {
  const History history = read_history(words.results, words.options);
  print_answer(words.csv ? history_csv(history) : history_text(history));
  const ExitCode code = words.out.empty() ? ExitCode::ok : write_page(history, words.out);
  return history.regressions() > 0 ? ExitCode::regression : code;
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
  verb.add_option("-o,--out", words.out, "Writes page, figure and history.csv into this folder.");
}

}  // namespace qb
