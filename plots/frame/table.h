// SPDX-License-Identifier: Apache-2.0
// A table as a value, and its four printers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_table.h"

namespace qb {

struct Table {
  std::string name{};   // stem of files, LaTeX label
  std::string title{};  // caption
  std::vector<std::string> header{};
  std::vector<std::vector<std::string>> rows{};  // each as long as the header
  std::vector<std::string> notes{};
  std::vector<TextTable::Span> spans{};  // over the whole header, or none
  std::size_t values_from =
      std::string::npos;  // these columns are right-aligned whatever they hold
};

// Prints aligned columns, the title above, the notes below.
[[nodiscard]] std::string table_terminal(const Table& table);
[[nodiscard]] std::string table_markdown(const Table& table);
inline constexpr double kPointsPerInch = 72.27;  // of TeX

// How LaTeX sets a table.
struct LatexLook {
  std::string size = "small";  // small, footnotesize or scriptsize
  double gap_pt = 4.0;         // \tabcolsep
  bool turned = false;         // the heads of values stand upright: package graphicx
  bool across = false;         // over both columns of a page
};
// Prints a table environment for the packages booktabs and, in UTF-8, inputenc or a newer engine.
// What follows a '\n' in a cell or a heading stands below it.
[[nodiscard]] std::string table_latex(const Table& table, const LatexLook& look = {});
// Estimates how wide its tabular is, in points: letters are as wide as those of Computer Modern.
[[nodiscard]] double latex_width_pt(const Table& table, const LatexLook& look = {});
// Prints header and rows alone.
[[nodiscard]] std::string table_csv(const Table& table);

// Replaces each first of a pair by the second, wherever it is in a text. Of several that fit at one
// place the first pair counts; what it put there is not searched again.
using Replacements = std::vector<std::pair<std::string_view, std::string_view>>;
[[nodiscard]] std::string replaced(std::string_view text, const Replacements& replacements);

// Writes so many significant digits, and `-` for NaN: values of one table span powers of ten.
[[nodiscard]] std::string significant(double value, int digits = 3);

// Makes one word of a shell's command line, which has quotes only if it must.
[[nodiscard]] std::string shell_quote(std::string_view text);

// Escapes text so that LaTeX prints it unchanged.
[[nodiscard]] std::string latex_escape(std::string_view text);

// Says whether a column is right-aligned, which it is in every form: one of values, or one whose
// cells all read as numbers (reads_as_number).
[[nodiscard]] bool numeric_column(const Table& table, std::size_t column);

// Writes NAME.md, NAME.tex and NAME.csv into `directory` and returns the paths. Throws
// EnvironmentError as write_file_atomically does.
std::vector<std::string> write_table(const Table& table, const std::string& directory);

}  // namespace qb
