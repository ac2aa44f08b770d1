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

std::string TextTable::terminal() const {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    std::size_t width = display_width(header_[c]);
    bool numeric = true;
    for (const auto& row : rows_) {
      width = std::max(width, display_width(row[c]));
      numeric = numeric && reads_as_number(row[c]);
    }
    widths.push_back(width);
    right.push_back(numeric);
  }
  std::string out;
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
  line(header_);
  line(std::vector<std::string>(header_.size(), "---"));
  for (const auto& row : rows_) line(row);
  return out;
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
