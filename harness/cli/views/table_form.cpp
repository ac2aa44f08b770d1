// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/table_form.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/csv.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/text_table.h"

namespace qb {

void add_table_form(Verb app, TableForm& form) {
  Option csv = app.add_flag(
      "--csv", [&form] { form = TableForm::csv; }, "Prints CSV, with every digit that we compute.");
  app.add_flag(
         "--markdown", [&form] { form = TableForm::markdown; }, "Prints a Markdown table.")
      .excludes(csv);
}

ViewTable::Cell::Cell(double value, int decimals)
    : csv(to_text(value)), people(fmt::format("{:.{}f}", value, decimals)) {}

std::string ViewTable::text(TableForm form) const {
  const bool csv = form == TableForm::csv;
  std::vector<std::string> header;
  for (const Column& column : columns_)
    if (const std::string& name = csv ? column.csv : column.people; !name.empty())
      header.push_back(name);
  CsvTable for_programs(header);
  TextTable for_people(header);
  for (const std::vector<Cell>& row : rows_) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!(csv ? columns_[i].csv : columns_[i].people).empty())
        cells.push_back(csv ? row.at(i).csv : row.at(i).people);
    if (csv)
      for_programs.append(std::move(cells));
    else
      for_people.add(std::move(cells));
  }
  if (csv) return for_programs.to_string();
  return form == TableForm::markdown ? for_people.markdown() : for_people.terminal();
}

void print_table(const std::string& table, const std::string& summary, TableForm form) {
  print_answer(table);
  if (form == TableForm::csv)
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
