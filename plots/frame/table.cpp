// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/csv.h"
#include "base/files.h"

namespace qb {
namespace {

TextTable text_table(const Table& table, bool escape_pipes) {
  const auto cells = [&](std::vector<std::string> row) {
    if (escape_pipes)
      for (std::string& cell : row) cell = replaced(cell, {{"|", "\\|"}});
    return row;
  };
  TextTable out(cells(table.header), table.values_from, table.spans);
  for (const auto& row : table.rows) out.add(cells(row));
  return out;
}

std::string notes_below(const Table& table) {
  std::string out;
  for (const std::string& note : table.notes) out += fmt::format("\n{}\n", note);
  return out;
}

}  // namespace

bool numeric_column(const Table& table, std::size_t column) {
  return text_table(table, false).right_aligned(column);
}

std::string table_terminal(const Table& table) {
  const std::string title = table.title.empty() ? "" : table.title + "\n\n";
  return title + text_table(table, false).terminal() + notes_below(table);
}

std::string table_markdown(const Table& table) {
  const std::string title = table.title.empty() ? "" : fmt::format("**{}**\n\n", table.title);
  // A star at the beginning of a line would make a list.
  return title + text_table(table, true).markdown() +
         replaced(notes_below(table), {{"\n* ", "\n\\* "}});
}

std::string replaced(std::string_view text, const Replacements& replacements) {
  std::string out;
  while (!text.empty()) {
    const auto found = std::ranges::find_if(
        replacements, [&](const auto& one) { return text.starts_with(one.first); });
    const bool known = found != replacements.end();
    out += known ? found->second : text.substr(0, 1);
    text.remove_prefix(known ? found->first.size() : 1);
  }
  return out;
}

std::string significant(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (value == 0.0) return "0";
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (std::abs(value) < 1e-4) return fmt::format("{:.{}e}", value, digits - 1);
  return fmt::format("{:.{}f}", value, decimals > 0 ? decimals : 0);
}

std::string shell_quote(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos)
    return std::string(text);
  return '\'' + replaced(text, {{"'", "'\\''"}}) + '\'';
}

std::string table_csv(const Table& table) {
  CsvTable csv(joined_header(table.header, table.spans));
  for (const auto& row : table.rows) csv.append(row);
  return csv.to_string();
}

std::vector<std::string> write_table(const Table& table, const std::string& directory) {
  ensure_directory(directory);
  const std::string stem = (std::filesystem::path(directory) / table.name).string();
  const std::pair<std::string, std::string> files[] = {{stem + ".md", table_markdown(table)},
                                                       {stem + ".tex", table_latex(table)},
                                                       {stem + ".csv", table_csv(table)}};
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) {
    write_file_atomically(path, text);
    paths.push_back(path);
  }
  return paths;
}

}  // namespace qb
