// SPDX-License-Identifier: Apache-2.0
// A table as a value, and its four printers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qb {

struct Table {
  std::string name{};   // stem of files, LaTeX label
  std::string title{};  // caption
  std::vector<std::string> header{};
  std::vector<std::vector<std::string>> rows{};  // each as long as the header
  std::vector<std::string> notes{};
};

// Prints aligned columns, the title above, the notes below.
[[nodiscard]] std::string table_terminal(const Table& table);
[[nodiscard]] std::string table_markdown(const Table& table);
// Prints a table environment for the packages booktabs and, in UTF-8, inputenc or a newer engine.
[[nodiscard]] std::string table_latex(const Table& table);
// Prints header and rows alone.
[[nodiscard]] std::string table_csv(const Table& table);

// Replaces each first of a pair by the second, wherever it is in a text. Of several that fit at one
// place the first pair counts; what it put there is not searched again.
using Replacements = std::vector<std::pair<std::string_view, std::string_view>>;
[[nodiscard]] std::string replaced(std::string_view text, const Replacements& replacements);

// Writes three significant digits, and `-` for NaN: values of one table span powers of ten.
[[nodiscard]] std::string significant(double value);

// Makes one word of a shell's command line.
[[nodiscard]] std::string shell_quote(std::string_view text);

// Escapes text so that LaTeX prints it unchanged.
[[nodiscard]] std::string latex_escape(std::string_view text);

// Says whether all cells of a column read as numbers (reads_as_number); it is then right-aligned in
// every form.
[[nodiscard]] bool numeric_column(const Table& table, std::size_t column);

// Writes NAME.md, NAME.tex and NAME.csv into `directory` and returns the paths. Throws
// EnvironmentError as write_file_atomically does.
std::vector<std::string> write_table(const Table& table, const std::string& directory);

}  // namespace qb
