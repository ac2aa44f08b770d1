// SPDX-License-Identifier: Apache-2.0
// `qb table RUN`: one value of a run's cases as a table for a paper, a page or another program.
#include <fmt/format.h>

#include "base/print.h"
#include "base/split.h"
#include "harness/cli/options.h"
#include "harness/cli/views/publish.h"
#include "harness/cli/views/row_filter.h"
#include "harness/cli/views/table_form.h"
#include "plots/frame/run.h"
#include "plots/report/pivot.h"

namespace qb {
namespace {

struct TableWords {
  std::string run;
  std::string rows = "n_tokens";
  std::string columns;
  std::string value = "time";
  std::vector<std::string> base;
  std::vector<std::string> filters;
  bool interval = false;
  TableFormat format = TableFormat::text;
};

std::string table_footer() {
  std::string text = "VALUE is a column of cases.csv (`qb columns`) or one of these:\n";
  for (const auto& [name, meaning] : derived_values())
    text += fmt::format("  {:<15} {}\n", name, meaning);
  return text + R"(
The base case of a speed-up is the one of one worker with the same problem; --base names another.
The LaTeX needs the package booktabs.

Exit codes: 0, 2 usage (no such run, parameter or value; several cases in one cell).

Examples:
  qb table results/smoke/latest --filter kernel=flash --cols workers
  qb table results/schemes/latest --rows workers --cols algorithm --value device_sent_bytes
  qb table RUN --cols algorithm --value speed_up --base algorithm=dense --interval --format latex)";
}

std::pair<std::string, std::string> base_parameter(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw UsageError(fmt::format("--base {}: write KEY=VALUE, as in algorithm=dense", text));
  return {text.substr(0, at), text.substr(at + 1)};
}

void tabulate(const TableWords& words) {
  const PlottedRun run = run_to_plot(words.run);
  if (!run.has_cases())
    throw UsageError(fmt::format("{}: it has no cases.csv to tabulate", words.run));
  const auto names = [](const std::string& text) {
    const auto found = split_words(text, ",");
    return Columns(found.begin(), found.end());
  };
  Pivot pivot{.rows = names(words.rows),
              .columns = names(words.columns),
              .value = words.value,
              .noise_floor = run.provenance.noise_floor,
              .interval = words.interval,
              .plain = words.format == TableFormat::csv};
  for (const std::string& text : words.base) pivot.base.push_back(base_parameter(text));
  const std::vector<bool> kept = rows_kept(run.cases, words.filters);
  const Rows rows =
      where(standing_rows(run.cases), [&](const Row& row) { return kept[row.index]; });
  const Table table = pivot_table(rows, pivot);
  print_answer(printed(table, words.format));
}

}  // namespace

void add_table(Verb app) {
  auto [verb, words] = add_verb<TableWords>(
      app, "table", "Prints one value of a run's cases as a table.", tabulate, table_footer());
  verb.add_option("RUN", words.run, "Names the run folder.").required();
  verb.add_option("--rows", words.rows, "Puts these parameters down the side, KEY[,KEY].")
      .show_default();
  verb.add_option("--cols", words.columns, "Puts these parameters across the top, KEY[,KEY].");
  verb.add_option("--value", words.value, "Shows this value of each case.").show_default();
  verb.add_repeated("--base", words.base, "Divides by the case with this KEY=VALUE.");
  verb.add_repeated("--filter", words.filters,
                    "Keeps only cases with KEY=VALUE (also !=, <, <=, >, >=); all must hold.");
  verb.add_flag("--interval", words.interval, "Prints the interval behind each median.");
  add_word(verb, "--format", words.format, "Prints the table in this form");
}

}  // namespace qb
