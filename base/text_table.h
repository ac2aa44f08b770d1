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

// Columns are as wide as their widest cell, and right-aligned where all cells read as numbers, or
// from the column `values_from` on.
class TextTable {
 public:
  // A title over neighbouring columns, which the next one follows; one without a text leaves room.
  struct Span {
    std::string title{};
    std::size_t columns = 0;
  };
  explicit TextTable(std::vector<std::string> header, std::size_t values_from = std::string::npos,
                     std::vector<Span> spans = {})
      : header_(std::move(header)), values_from_(values_from), spans_(std::move(spans)) {}
  // Throws std::logic_error unless there are as many cells as in the header.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::string terminal() const;
  [[nodiscard]] std::string markdown() const;
  [[nodiscard]] bool right_aligned(std::size_t column) const;

 private:
  // The spans centred over their columns, of which the last widens where a title needs it.
  std::string span_line(std::vector<std::size_t>& widths) const;

  std::vector<std::string> header_;
  std::size_t values_from_;
  std::vector<Span> spans_;
  std::vector<std::vector<std::string>> rows_;
};

// The header of a table whose form has one line of headings: a span's title stands before each of
// its columns.
[[nodiscard]] std::vector<std::string> joined_header(std::vector<std::string> header,
                                                     const std::vector<TextTable::Span>& spans);

// Breaks text at spaces into lines of at most `columns` code points; a longer word gets its own
// line.
[[nodiscard]] std::vector<std::string> wrap_text(std::string_view text, std::size_t columns);

}  // namespace qb
