// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <fmt/format.h>

namespace qb {
namespace {

// One drawing of a figure; ids of two in one page differ by `prefix`.
std::string drawing(const Report::Picture& figure, const std::string& svg, std::string_view look,
                    const std::string& prefix) {
  return fmt::format(
      "<div class=\"paper{}\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">{}</div>\n", look,
      html_escape(figure.title), inline_svg(svg, prefix, figure.title));
}

constexpr std::size_t kMostOpenRows = 12;

// A table that repeats the title of its section does not show it again.
std::string table_html(const Report::Section& section, const Table& table) {
  const bool closed = !section.folded && table.rows.size() > kMostOpenRows;
  if (!closed) return html_table(table, table.title != section.title);
  return fmt::format("<details><summary>{}: {} rows</summary>\n{}</details>\n",
                     html_escape(table.title), table.rows.size(), html_table(table, false));
}

std::string section_body(const Report::Section& section, std::size_t& figures) {
  std::string out;
  for (const std::string& text : section.paragraphs)
    out += fmt::format("<p>{}</p>\n", html_escape(text));
  for (const Report::Picture& figure : section.figures) out += figure_html(figure, ++figures);
  for (const Table& table : section.tables) out += table_html(section, table);
  for (const std::string& text : section.code)
    out += fmt::format("<pre tabindex=\"0\">{}</pre>\n", html_escape(text));
  return out;
}

std::string section_html(const Report::Section& section, const std::string& id,
                         const std::string& body) {
  const std::string heading = fmt::format("<h2>{}</h2>", html_escape(section.title));
  return fmt::format(
      "<section id=\"{}\">\n{}</section>\n", id,
      section.folded ? fmt::format("<details><summary>{}</summary>\n{}</details>\n", heading, body)
                     : heading + '\n' + body);
}

}  // namespace

std::string links_html(const std::vector<Report::Link>& links, std::string_view name) {
  std::string out;
  for (const Report::Link& link : links) {
    // A file that the page holds is saved under its name, not opened.
    const bool held = link.address.starts_with("data:");
    out += fmt::format("<a href=\"{}\"{}>{}</a> ", html_escape(link.address),
                       held ? fmt::format(" download=\"{}.csv\"", html_escape(name)) : "",
                       html_escape(link.text));
  }
  return out;
}

std::string figure_html(const Report::Picture& figure, std::size_t index) {
  std::string out = fmt::format("<figure data-name=\"{}\">\n", html_escape(figure.name));
  const std::string prefix = fmt::format("f{}-", index);
  out += drawing(figure, figure.svg, figure.narrow.empty() ? "" : " broad", prefix);
  if (!figure.narrow.empty()) out += drawing(figure, figure.narrow, " narrow", "n" + prefix);
  const std::string& said = figure.finding.empty() ? figure.title : figure.finding;
  out += fmt::format("<figcaption><p>{}</p>\n", html_escape(said.empty() ? figure.name : said));
  if (!figure.notes.empty())
    out += fmt::format("<p>{}</p>\n", html_escape(fmt::format("{}", fmt::join(figure.notes, " "))));
  if (!figure.provenance.empty())
    out += fmt::format("<p class=\"note\">{}</p>\n", html_escape(figure.provenance));
  return out + fmt::format("<span class=\"files\">{}</span></figcaption>\n</figure>\n",
                           links_html(figure.files, figure.name));
}

std::string report_html(const Report& report) {
  std::string out = fmt::format("<h1>{}</h1>\n", html_escape(report.title));
  if (!report.subtitle.empty())
    out += fmt::format("<p class=\"subtitle\">{}</p>\n", html_escape(report.subtitle));
  std::string links;
  std::string sections;
  std::size_t figures = 0;
  for (std::size_t i = 0; i < report.sections.size(); ++i) {
    const Report::Section& section = report.sections[i];
    const std::string body = section_body(section, figures);
    if (i == 0) {
      out += fmt::format("<div class=\"opening\">\n{}</div>\n", body);
      continue;
    }
    const std::string id = fmt::format("section-{}", i);
    links += fmt::format("<a href=\"#{}\">{}</a>\n", id, html_escape(section.title));
    sections += section_html(section, id, body);
  }
  return html_page(report.title,
                   fmt::format("{}<nav aria-label=\"Sections\">{}</nav>\n<main>\n{}</main>\n", out,
                               links, sections));
}

}  // namespace qb
