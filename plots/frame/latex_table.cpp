// SPDX-License-Identifier: Apache-2.0
// The LaTeX of a table, and how wide it will be.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "plots/frame/table.h"

namespace qb {
namespace {

// The sizes of a paper of 10 pt. Smaller letters of Computer Modern are wider for their height.
constexpr std::pair<std::string_view, double> kSizes[] = {
    {"small", 4.63}, {"footnotesize", 4.25}, {"scriptsize", 3.98}};
constexpr double kLine = 2.2;  // the height of a turned head of one line, in digits

// Widths of letters over that of a digit.
double letter_width(char c) {
  if (c == ' ') return 0.67;
  if (std::string_view(".,:;[]il|'()").find(c) != std::string_view::npos) return 0.62;
  if (std::string_view("mwMW%=+<>").find(c) != std::string_view::npos) return 1.75;
  return c >= 'A' && c <= 'Z' ? 1.45 : 1.0;
}

// The first line of a cell, and the one below it, which may be empty.
std::pair<std::string_view, std::string_view> lines_of(std::string_view cell) {
  const std::size_t end = std::min(cell.find('\n'), cell.size());
  return {cell.substr(0, end), cell.substr(std::min(end + 1, cell.size()))};
}

double text_width(std::string_view text, double digit_pt) {
  double width = 0.0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) width += letter_width(c) * digit_pt;
  return width;
}

double digit_of(std::string_view size) {
  return std::ranges::find_if(kSizes, [=](auto one) { return one.first == size; })->second;
}

double cell_width(std::string_view cell, double digit_pt) {
  const auto [first, below] = lines_of(cell);
  return std::max(text_width(first, digit_pt),
                  text_width(below, std::min(digit_pt, digit_of("scriptsize"))));
}

// A row, and another below it, in small letters and with a gap after it, where cells have a second
// line. `dressed` makes LaTeX of the first line of a cell.
std::string latex_lines(
    const std::vector<std::string>& cells,
    const std::function<std::string(std::size_t, const std::string&)>& dressed) {
  std::vector<std::string> above;
  std::vector<std::string> below;
  for (const std::string& cell : cells) {
    const auto [first, second] = lines_of(cell);
    above.push_back(dressed(above.size(), latex_escape(first)));
    below.push_back(second.empty() ? "" : "\\scriptsize " + latex_escape(second));
  }
  std::string out = fmt::format("{} \\\\", fmt::join(above, " & "));
  if (std::ranges::any_of(cells, [](const auto& cell) { return cell.find('\n') != cell.npos; }))
    out += fmt::format("\n{} \\\\[2pt]", fmt::join(below, " & "));
  return out + '\n';
}

// The titles over several columns, each with a rule below it.
std::string span_rows(const Table& table) {
  std::string titles;
  std::string rules;
  std::size_t column = 1;
  for (const TextTable::Span& span : table.spans) {
    titles += column > 1 ? " & " : "";
    if (span.title.empty()) {
      titles += std::string(span.columns - 1, '&');
    } else {
      titles +=
          fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", span.columns, latex_escape(span.title));
      rules += fmt::format("\\cmidrule(lr){{{}-{}}}", column, column + span.columns - 1);
    }
    column += span.columns;
  }
  return titles.empty() ? titles : titles + " \\\\\n" + rules + '\n';
}

bool is_turned(const Table& table, const LatexLook& look, std::size_t column) {
  return look.turned && column >= table.values_from;
}

}  // namespace

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
                                            {"|", "\\textbar{}"},
                                            {"<", "\\textless{}"},
                                            {">", "\\textgreater{}"},
                                            {"×", "$\\times$"},
                                            {"±", "$\\pm$"},
                                            {"²", "$^2$"}};
  return replaced(text, replacements);
}

double latex_width_pt(const Table& table, const LatexLook& look) {
  const double digit_pt = digit_of(look.size);
  std::vector<double> widths;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    double width =
        is_turned(table, look, i) ? kLine * digit_pt : cell_width(table.header[i], digit_pt);
    for (const auto& row : table.rows) width = std::max(width, cell_width(row[i], digit_pt));
    widths.push_back(width);
  }
  std::size_t column = 0;
  for (const TextTable::Span& span : table.spans) {
    double width = 2.0 * look.gap_pt * static_cast<double>(span.columns - 1);
    for (std::size_t i = 0; i < span.columns; ++i) width += widths[column + i];
    column += span.columns;
    widths[column - 1] += std::max(0.0, text_width(span.title, digit_pt) - width);
  }
  double all = widths.empty() ? 0.0 : 2.0 * look.gap_pt * static_cast<double>(widths.size() - 1);
  for (const double width : widths) all += width;
  return all;
}

std::string table_latex(const Table& table, const LatexLook& look) {
  const std::size_t columns = table.header.size();
  std::string letters;
  for (std::size_t i = 0; i < columns; ++i) letters += numeric_column(table, i) ? 'r' : 'l';
  const std::string_view environment = look.across ? "table*" : "table";
  std::string out = fmt::format(
      "\\begin{{{}}}\n\\centering\\{}\\setlength{{\\tabcolsep}}{{{:g}pt}}\n"
      "\\caption{{{}}}\n\\label{{tab:{}}}\n"
      "\\begin{{tabular}}{{@{{}}{}@{{}}}}\n\\toprule\n",
      environment, look.size, look.gap_pt, latex_escape(table.title), table.name, letters);
  out += span_rows(table);
  out += latex_lines(table.header, [&](std::size_t i, const std::string& head) {
    return is_turned(table, look, i) ? fmt::format("\\rotatebox{{90}}{{{}}}", head) : head;
  });
  out += "\\midrule\n";
  for (const auto& row : table.rows)
    out += latex_lines(row, [](std::size_t, const std::string& cell) {
      return cell == "-" ? "--" : cell;  // a hyphen is too short for an empty place
    });
  out += "\\bottomrule\n\\end{tabular}\n";
  if (!table.notes.empty()) {
    out += "\n\\smallskip\\raggedright\\footnotesize\n";
    for (const std::string& note : table.notes)
      out += (note.starts_with("-:") ? "-" : "") + latex_escape(note) + '\n';
  }
  return out + fmt::format("\\end{{{}}}\n", environment);
}

}  // namespace qb
