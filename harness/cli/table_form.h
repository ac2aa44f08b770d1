// The forms in which a verb prints a table, and the flags that choose one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace qb {

enum class TableForm { terminal, csv, markdown };

// Adds --csv and --markdown, which exclude each other.
inline void add_table_form(CLI::App& app, TableForm& form) {
  CLI::Option* csv = app.add_flag_callback(
      "--csv", [&form] { form = TableForm::csv; }, "CSV, with every digit of ours");
  app.add_flag_callback(
         "--markdown", [&form] { form = TableForm::markdown; }, "a Markdown table")
      ->excludes(csv);
}

}  // namespace qb
