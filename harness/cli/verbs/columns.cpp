// SPDX-License-Identifier: Apache-2.0
// `qb columns`: what the columns of a run folder and the parameters of a spec mean.
#include <fmt/format.h>

#include "base/print.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/experiment/schema/columns.h"

namespace qb {
namespace {

constexpr const char* kColumnsFooter =
    R"(For each column it says the name, the unit, the meaning, and in which rows the column is empty.

Examples:
  qb columns
  qb columns samples.csv
  qb columns results/smoke/latest/steps.csv
  qb columns --write    writes the tables of parameters and columns into the documents)";

struct ColumnsWords {
  std::string file = "cases.csv";
  bool write = false;
};

// `wall_time_median_s  [s]`, then what it says and when it is empty, in lines of 100 columns.
std::string terminal(const RunTable& table) {
  std::string text = fmt::format("{}: {}\n", table.file, table.meaning);
  for (const Field& field : table.fields) {
    text += fmt::format("\n{}{}\n", field.column,
                        field.unit.empty() ? "" : fmt::format("  [{}]", field.unit));
    const std::string meaning =
        fmt::format("{}{}. Empty: {}.", is_parameter(field.group) ? "A parameter: " : "",
                    plain_meaning(field), plain_empty_when(table, field));
    for (const std::string& line : wrap_text(meaning, 96)) text += fmt::format("    {}\n", line);
  }
  return text;
}

void print_columns(const ColumnsWords& words) {
  if (words.write) return write_documents();
  print_answer(terminal(table_named(words.file)));
}

}  // namespace

void add_columns(Verb app) {
  auto [verb, words] =
      add_verb<ColumnsWords>(app, "columns", "Explains the columns of a run folder's tables.",
                             print_columns, kColumnsFooter);
  verb.add_option(
      "FILE", words.file,
      "Names the table, or a file of a run folder: cases.csv, samples.csv, steps.csv, parts.csv or "
      "memory_timeline.csv (default: cases.csv).");
  verb.add_flag("--write", words.write,
                "Writes the tables of experiments/keys.md and data/README.md, after a change of "
                "the schema.");
}

}  // namespace qb
