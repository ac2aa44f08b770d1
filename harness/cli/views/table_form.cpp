// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/table_form.h"

#include "base/json.h"
#include "base/print.h"
#include "base/words.h"

namespace qb {

void add_table_form(Verb app, TableFormat& form) {
  Option csv = app.add_flag(
      "--csv", [&form] { form = TableFormat::csv; },
      "Prints CSV, with every digit that we compute.");
  app.add_flag(
         "--markdown", [&form] { form = TableFormat::markdown; }, "Prints a Markdown table.")
      .excludes(csv);
}

std::vector<std::string> names_in(std::string_view list) {
  const std::vector<std::string_view> names = split_words(list, ",");
  return {names.begin(), names.end()};
}

void print_table(const std::string& table, const std::string& summary, TableFormat form) {
  print_answer(table);
  if (form == TableFormat::csv)
    print_note("{}", summary);
  else
    print_answer("\n{}", summary);
}

namespace {

// A list of rows, each an object by the names of the columns.
std::string json_of(const Table& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::vector<std::string>& cells : table.rows) {
    nlohmann::ordered_json row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[table.header[i]] = cells[i];
    rows.push_back(std::move(row));
  }
  return rows.dump(1) + "\n";
}

}  // namespace

std::string printed(const Table& table, TableFormat format) {
  switch (format) {
    case TableFormat::text:
      return table_terminal(table);
    case TableFormat::markdown:
      return table_markdown(table);
    case TableFormat::latex:
      return table_latex(table);
    case TableFormat::csv:
      return table_csv(table);
    case TableFormat::json:
      return json_of(table);
  }
  return {};
}

}  // namespace qb
