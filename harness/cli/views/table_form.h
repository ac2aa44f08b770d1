// SPDX-License-Identifier: Apache-2.0
// The forms in which verbs print tables, and the flags that choose one of three.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "harness/cli/verb.h"
#include "plots/frame/table.h"

namespace qb {

enum class TableFormat { text, markdown, latex, csv, json };

QB_WORDS(TableFormat, "format", text, markdown, latex, csv, json);

[[nodiscard]] std::string printed(const Table& table, TableFormat format);

// Adds --csv and --markdown, which exclude each other.
void add_table_form(Verb app, TableFormat& form);

// The names between the commas of a list.
[[nodiscard]] std::vector<std::string> names_in(std::string_view list);

// Prints a table and its summary. Beside a CSV the summary goes to stderr, so that stdout stays a
// CSV.
void print_table(const std::string& table, const std::string& summary, TableFormat form);

}  // namespace qb
