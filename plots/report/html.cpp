#include "plots/report/report.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "base/status.h"

namespace qb {
namespace {

// These come before an id that is defined or used in an SVG.
constexpr std::array<std::string_view, 5> kBeforeId = {" id=\"", " id='", "href=\"#", "href='#",
                                                       "url(#"};

std::string prefix_ids(std::string_view svg, std::string_view prefix) {
  std::string out;
  out.reserve(svg.size() + svg.size() / 8);
  while (!svg.empty()) {
    std::string_view found = svg.substr(0, 1);
    bool id = false;
    for (const std::string_view before : kBeforeId)
      if (svg.starts_with(before)) {
        found = before;
        id = true;
      }
    out += found;
    if (id) out += prefix;
    svg.remove_prefix(found.size());
  }
  return out;
}

// Colour supports the word, which is in the cell anyway.
std::string_view cell_class(std::string_view cell) {
  for (const std::string_view good : {"ok", "agrees"})
    if (cell == good) return " class=\"good\"";
  for (const std::string_view bad : {"differs", "incorrect", "crashed", "error", "timeout"})
    if (cell == bad) return " class=\"bad\"";
  for (const std::string_view limit : {"oom", "oom_skipped", "infeasible", "unsupported"})
    if (cell == limit) return " class=\"limit\"";
  return "";
}

}  // namespace

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string inline_svg(std::string_view svg, std::string_view prefix, std::string_view label) {
  const std::size_t begin = svg.find("<svg");
  const std::size_t end = svg.rfind("</svg>");
  if (begin == std::string_view::npos || end == std::string_view::npos)
    throw UsageError(fmt::format("{}: no SVG picture", label));
  const std::string_view inside = svg.substr(begin + 4, end + 6 - begin - 4);
  return fmt::format("<svg role=\"img\" aria-label=\"{}\"{}", html_escape(label),
                     prefix_ids(inside, prefix));
}

std::string html_table(const Table& table) {
  std::string out = "<div class=\"wide\"><table>\n";
  if (!table.title.empty()) out += fmt::format("<caption>{}</caption>\n", html_escape(table.title));
  out += "<thead><tr>";
  std::vector<bool> right;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    right.push_back(numeric_column(table, i));
    out += fmt::format("<th{}>{}</th>", right[i] ? " class=\"number\"" : "",
                       html_escape(table.header[i]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += fmt::format("<td{}>{}</td>", right[i] ? " class=\"number\"" : cell_class(row[i]),
                         html_escape(row[i]));
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  for (const std::string& note : table.notes)
    out += fmt::format("<p class=\"note\">{}</p>\n", html_escape(note));
  return out;
}

}  // namespace qb
