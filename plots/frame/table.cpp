// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/csv.h"
#include "base/files.h"
#include "base/text_table.h"

namespace qb {
namespace {

TextTable text_table(const Table& table, bool escape_pipes) {
  const auto cells = [&](std::vector<std::string> row) {
    if (escape_pipes)
      for (std::string& cell : row) cell = replaced(cell, {{"|", "\\|"}});
    return row;
  };
  TextTable out(cells(table.header));
  for (const auto& row : table.rows) out.add(cells(row));
  return out;
}

std::string notes_below(const Table& table) {
  std::string out;
  for (const std::string& note : table.notes) out += fmt::format("\n{}\n", note);
  return out;
}

void latex_row(std::string& out, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += " & ";
    out += latex_escape(cells[i]);
  }
  out += " \\\\\n";
}

}  // namespace

bool numeric_column(const Table& table, std::size_t column) {
  return !table.rows.empty() &&
         std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return reads_as_number(row[column]); });
}

std::string table_terminal(const Table& table) {
  const std::string title = table.title.empty() ? "" : table.title + "\n\n";
  return title + text_table(table, false).terminal() + notes_below(table);
}

std::string table_markdown(const Table& table) {
  const std::string title = table.title.empty() ? "" : fmt::format("**{}**\n\n", table.title);
  return title + text_table(table, true).markdown() + notes_below(table);
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

std::string significant(double value) {
  if (std::isnan(value)) return "-";
  if (value == 0.0) return "0";
  const int decimals = 2 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, decimals > 0 ? decimals : 0);
}

std::string shell_quote(std::string_view text) {
  return '\'' + replaced(text, {{"'", "'\\''"}}) + '\'';
}

std::string latex_escape(std::string_view text) {
  static const Replacements replacements = {{"\\", "\\textbackslash{}"},
                                            {"{", "\\{"},
                                            {"}", "\\}"},
                                            {"$", "\\$"},
                                            {"&", "\\&"},
                                            {"#", "\\#"},
                                            {"_", "\\_"},
                                            {"%", "\\%"},
                                            {"~", "\\textasciitilde{}"},
                                            {"^", "\\textasciicircum{}"},
                                            {"<", "\\textless{}"},
                                            {">", "\\textgreater{}"},
                                            {"×", "$\\times$"},
                                            {"±", "$\\pm$"},
                                            {"²", "$^2$"}};
  return replaced(text, replacements);
}

// Small letters and narrow gaps let a table of four intervals a row fit a column.
std::string table_latex(const Table& table) {
  std::string columns;
  for (std::size_t i = 0; i < table.header.size(); ++i)
    columns += numeric_column(table, i) ? 'r' : 'l';
  std::string out = fmt::format(
      "\\begin{{table}}\n\\centering\\small\\setlength{{\\tabcolsep}}{{4pt}}\n"
      "\\caption{{{}}}\n\\label{{tab:{}}}\n"
      "\\begin{{tabular}}{{@{{}}{}@{{}}}}\n\\toprule\n",
      latex_escape(table.title), table.name, columns);
  latex_row(out, table.header);
  out += "\\midrule\n";
  for (const auto& row : table.rows) latex_row(out, row);
  out += "\\bottomrule\n\\end{tabular}\n";
  for (const std::string& note : table.notes)
    out += fmt::format("\n\\smallskip\\footnotesize {}\n", latex_escape(note));
  return out + "\\end{table}\n";
}

std::string table_csv(const Table& table) {
  CsvTable csv(table.header);
  for (const auto& row : table.rows) csv.append(row);
  return csv.to_string();
}

std::vector<std::string> write_table(const Table& table, const std::string& directory) {
  ensure_directory(directory);
  const std::string stem = (std::filesystem::path(directory) / table.name).string();
  const std::array<std::pair<std::string, std::string>, 3> files = {
      {{stem + ".md", table_markdown(table)},
       {stem + ".tex", table_latex(table)},
       {stem + ".csv", table_csv(table)}}};
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) {
    write_file_atomically(path, text);
    paths.push_back(path);
  }
  return paths;
}

}  // namespace qb
