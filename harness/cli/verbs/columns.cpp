// `qb columns`: what the columns of a run folder and the parameters of a spec mean.
#include <fmt/format.h>

#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/experiment/schema/columns.h"

namespace qb {
namespace {

struct ColumnsWords {
  std::string file = "cases.csv";
  bool markdown = false;
  bool parameters = false;
  bool write = false;
};

const RunTable& table_named(const std::string& file) {
  std::vector<std::string_view> files;
  for (const RunTable& table : run_tables()) {
    if (table.file == file) return table;
    files.push_back(table.file);
  }
  throw UsageError(unknown_word("--file", file, files));
}

std::string terminal(const RunTable& table) {
  TextTable text({"column", "unit", "since", "what it says"});
  for (const Field& field : table.fields)
    text.add({std::string(field.column), std::string(field.unit), fmt::to_string(field.since),
              plain_meaning(field)});
  return text.terminal();
}

void print_columns(const ColumnsWords& words) {
  if (words.write) return write_documents();
  fmt::print("{}", words.parameters ? parameters_markdown()
                   : words.markdown ? columns_markdown()
                                    : terminal(table_named(words.file)));
}

}  // namespace

void add_columns(CLI::App* app) {
  auto [verb, words] = add_verb<ColumnsWords>(
      app, "columns", "Explains the columns of a run folder's tables.", print_columns, R"(Examples:
  qb columns
  qb columns --file samples.csv
  qb columns --markdown      prints the tables of data/README.md
  qb columns --parameters    prints the table of parameters in experiments/README.md
  qb columns --write         writes both tables into the documents of this checkout)");
  verb->add_option(
      "--file", words.file,
      "Explains this table: cases.csv, samples.csv, steps.csv, parts.csv or memory_timeline.csv "
      "(default: cases.csv).");
  verb->add_flag("--markdown", words.markdown, "Prints all tables as Markdown.");
  verb->add_flag("--parameters", words.parameters, "Prints the parameters of a spec as Markdown.");
  verb->add_flag(
      "--write", words.write,
      "Writes both into experiments/README.md and data/README.md, after a change of the schema.");
}

}  // namespace qb
