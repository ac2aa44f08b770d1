// SPDX-License-Identifier: Apache-2.0
// Aligned tables for terminals and, from the same cells, Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qb {

[[nodiscard]] std::size_t display_width(std::string_view text);  // in UTF-8 code points

// True for an empty cell, `-`, and a number with or without a sign and a unit.
[[nodiscard]] bool reads_as_number(std::string_view cell);

// Columns are as wide as their widest cell, and right-aligned where all cells read as numbers.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}
  // Throws std::logic_error unless there are as many cells as in the header.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::string terminal() const;
  [[nodiscard]] std::string markdown() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// Breaks text at spaces into lines of at most `columns` code points; a longer word gets its own
// line.
[[nodiscard]] std::vector<std::string> wrap_text(std::string_view text, std::size_t columns);

}  // namespace qb
