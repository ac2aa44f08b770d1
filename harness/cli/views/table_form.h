// The forms in which a verb prints a table, and the flags that choose one.
#pragma once

#include "harness/cli/command_line.h"

namespace qb {

enum class TableForm { terminal, csv, markdown };

// Adds --csv and --markdown, which exclude each other.
inline void add_table_form(Verb app, TableForm& form) {
  Option csv = app.flag(
      "--csv", [&form] { form = TableForm::csv; }, "CSV, with every digit of ours");
  app.flag(
         "--markdown", [&form] { form = TableForm::markdown; }, "a Markdown table")
      .excludes(csv);
}

}  // namespace qb
