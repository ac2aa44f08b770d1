#include "plots/report/report.h"

#include <array>
#include <string_view>

#include "base/status.h"

namespace qb {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 62rem; padding: 1.2rem; background: #fff; color: #1a1a1a;
  font: 1rem/1.55 "DejaVu Sans", Verdana, "Segoe UI", system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .6rem 0 .2rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid #d0d0d0; padding-bottom: .2rem; }
nav { margin: 1rem 0; font-size: .92rem; }
nav a { margin-right: 1rem; white-space: nowrap; }
a { color: #005a8e; }
p { max-width: 46rem; }
.subtitle, .note, figcaption { color: #4a4a4a; font-size: .88rem; }
.note { margin: .3rem 0; }
.subtitle { max-width: none; }
figure { margin: 1.2rem 0; }
.wide { overflow-x: auto; -webkit-overflow-scrolling: touch; }
figure svg { display: block; width: 100%; min-width: 38rem; height: auto; }
table { border-collapse: collapse; margin: 1rem 0 .4rem; font-size: .86rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #e2e2e2; text-align: left; vertical-align: top; }
th { border-bottom: 1.5px solid #808080; font-weight: 600; vertical-align: bottom; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
.good { color: #00614a; font-weight: 600; }
.bad { color: #a3260a; font-weight: 600; }
.limit { color: #7a4a00; font-weight: 600; }
pre { background: #f4f4f4; padding: .7rem .9rem; overflow-x: auto; font-size: .84rem; }
summary { cursor: pointer; color: #005a8e; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, details:not([open]), section:has(> details:not([open])) { display: none; }
  h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  figure svg { min-width: 0; }
  .wide { overflow: visible; }
}
)";

std::string anchor(std::size_t section) { return fmt::format("section-{}", section + 1); }

std::string figure_html(const Report::Picture& figure, std::size_t index) {
  std::string out = fmt::format(
      "<figure>\n<div class=\"wide\">{}</div>\n<figcaption>{}</figcaption>\n",
      inline_svg(figure.svg, fmt::format("f{}-", index), figure.title), html_escape(figure.name));
  if (!figure.csv.empty())
    out += fmt::format("<details><summary>plotted numbers</summary><pre>{}</pre></details>\n",
                       html_escape(figure.csv));
  return out + "</figure>\n";
}

std::string section_body(const Report::Section& section, std::size_t& figures) {
  std::string out;
  for (const std::string& text : section.paragraphs)
    out += fmt::format("<p>{}</p>\n", html_escape(text));
  for (const Report::Picture& figure : section.figures) out += figure_html(figure, ++figures);
  for (const Table& table : section.tables) out += html_table(table);
  for (const std::string& text : section.code)
    out += fmt::format("<pre>{}</pre>\n", html_escape(text));
  return out;
}

// These come before an id that is defined or used in an SVG.
std::string prefix_ids(std::string_view svg, const std::string& prefix) {
  std::array<std::string, 5> before = {" id=\"", " id='", "href=\"#", "href='#", "url(#"};
  std::array<std::string, 5> prefixed;
  Replacements replacements;
  for (std::size_t i = 0; i < before.size(); ++i) {
    prefixed.at(i) = before.at(i) + prefix;
    replacements.emplace_back(before.at(i), prefixed.at(i));
  }
  return replaced(svg, replacements);
}

// Colour supports the word, which is in the cell anyway.
std::string_view cell_class(std::string_view cell) {
  if (cell == "ok") return " class=\"good\"";
  for (const std::string_view good : {"agrees", "within", "shape agrees"})
    if (cell.starts_with(good)) return " class=\"good\"";
  for (const std::string_view bad : {"contradicts", "incorrect", "crashed", "error", "timeout"})
    if (cell.starts_with(bad)) return " class=\"bad\"";
  for (const std::string_view limit : {"oom", "oom_skipped", "infeasible", "unsupported"})
    if (cell == limit) return " class=\"limit\"";
  return "";
}

}  // namespace

std::string report_html(const Report& report) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      html_escape(report.title), kStyle);
  if (!report.subtitle.empty())
    out += fmt::format("<p class=\"subtitle\">{}</p>\n", html_escape(report.subtitle));
  out += "<nav>";
  for (std::size_t i = 0; i < report.sections.size(); ++i)
    out +=
        fmt::format("<a href=\"#{}\">{}</a>\n", anchor(i), html_escape(report.sections[i].title));
  out += "</nav>\n";
  std::size_t figures = 0;
  for (std::size_t i = 0; i < report.sections.size(); ++i) {
    const Report::Section& section = report.sections[i];
    const std::string body = section_body(section, figures);
    out += fmt::format(
        "<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", anchor(i), html_escape(section.title),
        section.folded ? fmt::format("<details><summary>show</summary>\n{}</details>\n", body)
                       : body);
  }
  return out + "</body>\n</html>\n";
}

std::string html_escape(std::string_view text) {
  static const Replacements replacements = {
      {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}};
  return replaced(text, replacements);
}

std::string inline_svg(std::string_view svg, std::string_view prefix, std::string_view label) {
  const std::size_t begin = svg.find("<svg");
  const std::size_t end = svg.rfind("</svg>");
  if (begin == std::string_view::npos || end == std::string_view::npos)
    throw UsageError(fmt::format("{} is no SVG picture", label));
  const std::string_view inside = svg.substr(begin + 4, end + 6 - begin - 4);
  return fmt::format("<svg role=\"img\" aria-label=\"{}\"{}", html_escape(label),
                     prefix_ids(inside, std::string(prefix)));
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
