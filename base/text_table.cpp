// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"

#include <algorithm>
#include <stdexcept>

#include "base/numbers.h"

namespace qb {

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool reads_as_number(std::string_view cell) {
  if (parse_real(cell)) return true;
  if (!cell.empty() && (cell.front() == '-' || cell.front() == '+')) cell.remove_prefix(1);
  return cell.empty() || (cell.front() >= '0' && cell.front() <= '9');
}

void TextTable::add(std::vector<std::string> cells) {
  if (cells.size() != header_.size()) throw std::logic_error("a table row of the wrong width");
  rows_.push_back(std::move(cells));
}

bool TextTable::right_aligned(std::size_t column) const {
  if (column >= values_from_) return true;
  return !rows_.empty() &&
         std::ranges::all_of(rows_, [&](const auto& row) { return reads_as_number(row[column]); });
}

std::string TextTable::span_line(std::vector<std::size_t>& widths) const {
  std::string out;
  std::size_t column = 0;
  for (const Span& span : spans_) {
    std::size_t width = 2 * (span.columns - 1);
    for (std::size_t c = column; c < column + span.columns; ++c) width += widths[c];
    const std::size_t title = display_width(span.title);
    if (title > width) widths[column + span.columns - 1] += title - width;
    width = std::max(width, title);
    const std::size_t left = (width - title) / 2;
    out += (column > 0 ? "  " : "") + std::string(left, ' ') + span.title +
           std::string(width - title - left, ' ');
    column += span.columns;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out.empty() ? out : out + '\n';
}

std::string TextTable::terminal() const {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    std::size_t width = display_width(header_[c]);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
    right.push_back(right_aligned(c));
  }
  std::string out = span_line(widths);
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string padding(widths[c] - display_width(cells[c]), ' ');
      text += (c > 0 ? "  " : "") + (right[c] ? padding + cells[c] : cells[c] + padding);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line(header_);
  std::vector<std::string> rule;
  for (std::size_t width : widths) rule.emplace_back(width, '-');
  line(rule);
  for (const auto& row : rows_) line(row);
  return out;
}

std::string TextTable::markdown() const {
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) out += "| " + cell + ' ';
    out += "|\n";
  };
  line(joined_header(header_, spans_));
  std::vector<std::string> rule;
  for (std::size_t c = 0; c < header_.size(); ++c)
    rule.emplace_back(right_aligned(c) ? "---:" : "---");
  line(rule);
  for (const auto& row : rows_) line(row);
  return out;
}

std::vector<std::string> joined_header(std::vector<std::string> header,
                                       const std::vector<TextTable::Span>& spans) {
  std::size_t column = 0;
  for (const TextTable::Span& span : spans)
    for (std::size_t i = 0; i < span.columns; ++i, ++column)
      if (!span.title.empty()) header.at(column) = span.title + ", " + header[column];
  return header;
}

std::vector<std::string> wrap_text(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string current;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view found = text.substr(at, end - at);
    at = end + 1;
    if (found.empty()) continue;
    if (!current.empty() && display_width(current) + 1 + display_width(found) > columns) {
      lines.push_back(std::move(current));
      current.clear();
    }
    if (!current.empty()) current += ' ';
    current += found;
  }
  if (!current.empty()) lines.push_back(std::move(current));
  return lines;
}

}  // namespace qb
