// SPDX-License-Identifier: Apache-2.0
// Tables that a verb prints in one of three forms, and the flags that choose it.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "base/words.h"
#include "harness/cli/verb.h"
#include "plots/frame/table.h"

namespace qb {

enum class TableForm { terminal, csv, markdown };

// Adds --csv and --markdown, which exclude each other.
void add_table_form(Verb app, TableForm& form);

// A CSV has its own column names and every digit; people get short cells.
class ViewTable {
 public:
  // A form leaves out a column whose name is empty in it.
  struct Column {
    std::string csv;
    std::string people;
  };
  struct Cell {
    std::string csv;
    std::string people;
    Cell(std::string both) : csv(both), people(std::move(both)) {}  // NOLINT: a text is a cell
    Cell(std::string csv_text, std::string people_text)
        : csv(std::move(csv_text)), people(std::move(people_text)) {}
    Cell(double value, int decimals);
    Cell(std::integral auto value) : Cell(std::to_string(value)) {}  // NOLINT: so is a number
  };

  explicit ViewTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string text(TableForm form) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Prints a table and its summary. Beside a CSV the summary goes to stderr, so that stdout stays a
// CSV.
void print_table(const std::string& table, const std::string& summary, TableForm form);

// The forms of tables that verbs print for a page, a paper or another program (--format).
enum class TableFormat { text, markdown, latex, csv, json };

template <>
inline constexpr auto kWords<TableFormat> =
    word_table<TableFormat>("format", {{TableFormat::text, "text"},
                                       {TableFormat::markdown, "markdown"},
                                       {TableFormat::latex, "latex"},
                                       {TableFormat::csv, "csv"},
                                       {TableFormat::json, "json"}});

[[nodiscard]] std::string printed(const Table& table, TableFormat format);

}  // namespace qb
