// SPDX-License-Identifier: Apache-2.0
// `qb table RUN`: values of a run's cases as a table for a paper, a page or another program.
#include <fmt/format.h>

#include "base/numbers.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/publish.h"
#include "harness/cli/views/table_form.h"
#include "plots/frame/run.h"
#include "plots/report/pivot.h"

namespace qb {
namespace {

struct TableWords {
  std::string run;
  std::string rows = "n_tokens";
  std::string columns;
  std::string values = "time";
  std::vector<std::string> base;
  std::vector<std::string> filters;
  bool interval = false;
  TableFormat format = TableFormat::text;
  std::string width;
};

std::string table_footer() {
  return value_list(false) + R"(
The base case of a speed-up is the one of one worker with the same problem; --base names another.
An unsupported case is a dash, a failed one its status, and what the run does not have is empty.

The LaTeX needs the package booktabs, and graphicx where --width turns heads. --width takes smaller
letters and gaps, intervals and units on lines of their own, two digits, or heads that stand
upright, in this order, as far as it needs to; a table wider than 5.6in goes over both columns of a
page.

Exit codes: 0, 2 usage (no such run, parameter or value; several cases in one cell; no way to fit
into --width).

Examples:
  qb table results/smoke/latest --filter kernel=flash --cols workers
  qb table results/schemes/latest --rows workers --cols algorithm --value device_sent_bytes
  qb table RUN --rows algorithm --value time,device_peak,device_sent --filter workers=8
  qb table RUN --cols algorithm --value speed_up --base algorithm=dense --interval \
    --format latex --width 3.5in)";
}

// Reads a width in points: `3.5in`, `89mm`, `8.9cm`, `252pt`.
double width_in_points(const std::string& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"in", kPointsPerInch},
                                                            {"mm", kPointsPerInch / 25.4},
                                                            {"cm", kPointsPerInch / 2.54},
                                                            {"pt", 1.0}};
  for (const auto& [unit, points] : kUnits)
    if (text.ends_with(unit))
      if (const auto number = parse_real(text.substr(0, text.size() - unit.size()));
          number && *number > 0.0)
        return *number * points;
  throw UsageError(fmt::format("--width {}: write a length, as in 3.5in or 89mm", text));
}

void tabulate(const TableWords& words) {
  if (!words.width.empty() && words.format != TableFormat::latex)
    throw UsageError("--width: only with --format latex, since other forms have no width");
  const PlottedRun run = run_to_plot(words.run);
  if (!run.has_cases())
    throw UsageError(fmt::format("{}: it has no cases.csv to tabulate", words.run));
  Pivot pivot{.rows = names_in(words.rows),
              .columns = names_in(words.columns),
              .values = names_in(words.values),
              .unfinished = run.provenance.unfinished,
              .noise_floor = run.provenance.noise_floor,
              .interval = words.interval,
              .plain = words.format == TableFormat::csv || words.format == TableFormat::json};
  for (const std::string& text : words.base) pivot.base.push_back(base_parameter(text));
  for (const std::string& filter : words.filters)
    pivot.filtered.push_back(parameter_word(filter.substr(0, filter.find_first_of("=!<>"))));
  const std::vector<bool> kept = rows_kept(run.cases, words.filters);
  const Rows rows =
      where(standing_rows(run.cases), [&](const Row& row) { return kept[row.index]; });
  if (pivot.plain && !pivot.unfinished.empty()) print_note("qb: {}\n", pivot.unfinished);
  print_answer(words.width.empty() ? printed(pivot_table(rows, pivot), words.format)
                                   : fitted_latex(rows, pivot, width_in_points(words.width)));
}

}  // namespace

void add_table(Verb app) {
  auto [verb, words] = add_verb<TableWords>(
      app, "table", "Prints values of a run's cases as a table.", tabulate, table_footer());
  verb.add_option("RUN", words.run, "Names the run folder.").required();
  verb.add_option("--rows", words.rows, "Puts these parameters down the side, KEY[,KEY].")
      .show_default();
  verb.add_option("--cols", words.columns, "Puts these parameters across the top, KEY[,KEY].");
  verb.add_option("--value", words.values, "Shows these values of each case, VALUE[,VALUE].")
      .show_default();
  verb.add_repeated("--base", words.base, "Divides by the case with this KEY=VALUE.");
  verb.add_repeated("--filter", words.filters,
                    "Keeps only cases with KEY=VALUE (also !=, <, <=, >, >=); all must hold.");
  verb.add_flag("--interval", words.interval, "Prints the interval behind each median.");
  add_word(verb, "--format", words.format, "Prints the table in this form");
  verb.add_option("--width", words.width, "Makes the LaTeX fit this width, as in 3.5in or 89mm.");
}

}  // namespace qb
