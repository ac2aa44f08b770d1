// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <fmt/format.h>

namespace qb {
namespace {

std::string anchor(std::size_t section) { return fmt::format("section-{}", section + 1); }

std::string files_html(const std::vector<Report::Link>& files, const std::string& name) {
  std::string out = "<p class=\"files\">";
  for (const Report::Link& file : files) {
    // A file that the page holds is saved under its name, not opened.
    const bool held = file.address.starts_with("data:");
    out += fmt::format("<a href=\"{}\"{}>{}</a> ", html_escape(file.address),
                       held ? fmt::format(" download=\"{}.csv\"", html_escape(name)) : "",
                       html_escape(file.text));
  }
  return out + "</p>\n";
}

std::string figure_html(const Report::Picture& figure, std::size_t index) {
  std::string out = fmt::format(
      "<figure data-name=\"{}\">\n<div class=\"wide paper\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"{}\">{}</div>\n",
      html_escape(figure.name), html_escape(figure.title),
      inline_svg(figure.svg, fmt::format("f{}-", index), figure.title));
  out += fmt::format("<figcaption>{}</figcaption>\n",
                     html_escape(figure.title.empty() ? figure.name : figure.title));
  if (!figure.finding.empty()) out += fmt::format("<p>{}</p>\n", html_escape(figure.finding));
  return out + files_html(figure.files, figure.name) + "</figure>\n";
}

std::string section_body(const Report::Section& section, std::size_t& figures) {
  std::string out;
  for (const std::string& text : section.paragraphs)
    out += fmt::format("<p>{}</p>\n", html_escape(text));
  for (const Report::Picture& figure : section.figures) out += figure_html(figure, ++figures);
  for (const Table& table : section.tables) out += html_table(table);
  out += section.markup;
  for (const std::string& text : section.code)
    out += fmt::format("<pre tabindex=\"0\">{}</pre>\n", html_escape(text));
  return out;
}

}  // namespace

std::string report_html(const Report& report) {
  std::string out = fmt::format("<h1>{}</h1>\n", html_escape(report.title));
  if (!report.subtitle.empty())
    out += fmt::format("<p class=\"subtitle\">{}</p>\n", html_escape(report.subtitle));
  out += "<nav aria-label=\"Sections\">";
  for (std::size_t i = 0; i < report.sections.size(); ++i)
    out +=
        fmt::format("<a href=\"#{}\">{}</a>\n", anchor(i), html_escape(report.sections[i].title));
  out += "</nav>\n<main>\n";
  std::size_t figures = 0;
  for (std::size_t i = 0; i < report.sections.size(); ++i) {
    const Report::Section& section = report.sections[i];
    const std::string body = section_body(section, figures);
    out += fmt::format(
        "<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", anchor(i), html_escape(section.title),
        section.folded ? fmt::format("<details><summary>show</summary>\n{}</details>\n", body)
                       : body);
  }
  return html_page(report.title, out + "</main>\n");
}

}  // namespace qb
