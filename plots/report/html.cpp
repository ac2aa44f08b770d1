// SPDX-License-Identifier: Apache-2.0
#include "plots/report/html.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "base/status.h"

namespace qb::embedded {
extern const std::string_view page_css;  // page.css
extern const std::string_view page_js;   // page.js
}  // namespace qb::embedded

namespace qb {
namespace {

std::string prefix_ids(std::string_view svg, const std::string& prefix) {
  std::map<std::string, std::string> prefixed;  // by what comes before an id that is made or used
  for (const std::string before : {" id=\"", " id='", "href=\"#", "href='#", "url(#"})
    prefixed[before] = before + prefix;
  return replaced(svg, {prefixed.begin(), prefixed.end()});
}

// The colour of a status or a verdict, with which a cell begins, supports its word.
std::string_view cell_class(std::string_view cell) {
  for (const std::string_view good : {"agrees", "within", "shape agrees"})
    if (cell.starts_with(good)) return " class=\"good\"";
  for (const std::string_view bad :
       {"contradicts", "incorrect", "crashed", "error", "timeout", "SLOW"})
    if (cell.starts_with(bad)) return " class=\"bad\"";
  for (const std::string_view limit : {"oom", "oom_skipped", "infeasible", "unsupported"})
    if (cell == limit) return " class=\"limit\"";
  return cell == "ok" ? " class=\"good\"" : "";
}

}  // namespace

std::string html_escape(std::string_view text) {
  static const Replacements replacements = {
      {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}};
  return replaced(text, replacements);
}

std::string inline_svg(std::string_view svg, std::string_view prefix, std::string_view label) {
  const std::size_t begin = svg.find("<svg");
  const std::size_t end = svg.rfind("</svg>");
  if (begin == std::string_view::npos || end == std::string_view::npos)
    throw UsageError(fmt::format("{} is not an SVG picture", label));
  const std::string_view inside = svg.substr(begin + 4, end + 6 - begin - 4);
  return fmt::format("<svg role=\"img\" aria-label=\"{}\"{}", html_escape(label),
                     prefix_ids(inside, std::string(prefix)));
}

std::string html_table(const Table& table, bool caption) {
  constexpr std::size_t kMostOnPhone = 3;  // columns
  const std::vector<std::string> header = joined_header(table.header, table.spans);
  const std::string last = table.header.empty() ? "" : table.header.back();
  // A formula is shown on demand, in the cell before it.
  const std::size_t columns = header.size() - (last == "formula" ? 1 : 0);
  const std::string_view look = last == "verdict" || last == "status" ? " class=\"cards judged\""
                                : header.size() > kMostOnPhone        ? " class=\"cards\""
                                                                      : "";
  std::string out = fmt::format("<table{}>\n", look);
  if (caption && !table.title.empty())
    out += fmt::format("<caption>{}</caption>\n", html_escape(table.title));
  out += "<thead><tr>";
  std::vector<bool> right;
  for (std::size_t i = 0; i < columns; ++i) {
    right.push_back(numeric_column(table, i));
    out += fmt::format("<th scope=\"col\"{}>{}</th>", right[i] ? " class=\"number\"" : "",
                       html_escape(header[i]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < columns; ++i) {
      const bool folds = i + 1 < row.size() && i + 1 == columns && !row[i + 1].empty();
      out +=
          fmt::format("<td{}{}>{}{}</td>", right[i] ? " class=\"number\"" : cell_class(row[i]),
                      look.empty() ? "" : fmt::format(" data-label=\"{}\"", html_escape(header[i])),
                      html_escape(row[i]),
                      folds ? fmt::format("<details><summary>formula</summary>{}</details>",
                                          html_escape(row[i + 1]))
                            : "");
    }
    out += "</tr>\n";
  }
  // What is too wide for a phone scrolls in a box, also by the keyboard.
  out = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">{}</tbody></table></div>\n",
      table.title.empty() ? "table" : html_escape(table.title), out);
  for (const std::string& note : table.notes)
    out += fmt::format("<p class=\"note\">{}</p>\n", html_escape(note));
  return out;
}

std::string data_url(std::string_view type, std::string_view content) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~,:;=/()+*";
  std::string out = fmt::format("data:{},", type);
  for (const char c : content)
    if (plain.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return out;
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}<script>\n{}</script>\n"
      "</body>\n</html>\n",
      html_escape(title), embedded::page_css, body, embedded::page_js);
}

}  // namespace qb
