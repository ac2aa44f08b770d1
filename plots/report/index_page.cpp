// SPDX-License-Identifier: Apache-2.0
#include "plots/report/index_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/split.h"
#include "base/status.h"
#include "plots/frame/frame.h"
#include "plots/frame/run.h"
#include "plots/report/html.h"
#include "plots/report/report.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

// A file as a link relative to the page; empty if it does not exist.
std::string link(const fs::path& root, const fs::path& file, std::string_view text) {
  if (!fs::exists(file)) return {};
  return fmt::format("<a href=\"{}\">{}</a> ",
                     html_escape(file.lexically_relative(root).generic_string()),
                     html_escape(text));
}

// The title of a figure and what it shows, as write_findings() wrote them beside it.
struct Said {
  std::string title{};
  std::string finding{};
};

Said said_of(const fs::path& declaration) {
  const std::string name = declaration.stem().string();
  Said said{.title = name};
  const std::string path = (declaration.parent_path() / "findings.csv").string();
  if (!fs::exists(path)) return said;
  const CsvTable table = CsvTable::parse(read_text(path), path);
  for (const Row& row : all_rows(table)) {
    if (row.at(kFindingColumns[0]) != name) continue;
    said.title = row.at(kFindingColumns[1]);
    said.finding = row.at(kFindingColumns[2]);
  }
  return said;
}

// Reads the title of a table from its first line, `**TITLE**`; empty if it has none.
std::string title_of_table(const std::string& markdown) {
  const std::string line = markdown.substr(0, markdown.find('\n'));
  if (line.size() < 4 || !line.starts_with("**") || !line.ends_with("**")) return {};
  return line.substr(2, line.size() - 4);
}

// What a page is called in a list: a run has one, a paper is named by it.
std::string title_of_page(const fs::path& page) {
  const std::string stem = page.stem().string();
  return stem == "report" ? "The page of this run" : replaced("The page of " + stem, {{"_", " "}});
}

// The declarations of all drawn figures, those that order.txt names first and in its order.
std::vector<fs::path> figures_in_order(const fs::path& root) {
  const fs::path file = root / "order.txt";
  const std::string text = fs::exists(file) ? read_text(file.string()) : "";
  const std::vector<std::string_view> order = split_words(text, "\n");
  std::vector<std::pair<std::ptrdiff_t, fs::path>> found;
  for (const fs::path& folder : sorted_entries(root))
    for (const fs::path& place : {folder, folder / "figures"})
      for (fs::path entry : sorted_entries(place)) {
        const fs::path declaration = entry;
        if (entry.extension() != ".json" || !fs::exists(entry.replace_extension("svg")) ||
            !fs::exists(entry.replace_extension("csv")))
          continue;
        const std::string name = (folder.filename() / entry.stem()).generic_string();
        found.emplace_back(std::ranges::find(order, name) - order.begin(), declaration);
      }
  std::ranges::stable_sort(found, {}, &std::pair<std::ptrdiff_t, fs::path>::first);
  std::vector<fs::path> figures;
  for (auto& [place, figure] : found) figures.push_back(std::move(figure));
  return figures;
}

std::string figure_card(const fs::path& root, const fs::path& declaration) {
  fs::path file = declaration;
  const auto with = [&](const char* extension) { return file.replace_extension(extension); };
  const auto& [title, finding] = said_of(declaration);
  std::string out = fmt::format(
      "<li>\n<a href=\"{0}\"><img loading=\"lazy\" src=\"{0}\" alt=\"{1}\"></a>\n<h3>{1}</h3>\n",
      html_escape(with("svg").lexically_relative(root).generic_string()), html_escape(title));
  if (!finding.empty()) out += fmt::format("<p>{}</p>\n", html_escape(finding));
  const std::string folder = html_escape(declaration.lexically_relative(root).begin()->string());
  out += fmt::format("<p class=\"files\"><a href=\"#{0}\">{0}</a> ", folder) +
         link(root, with("svg"), "SVG") + link(root, with("csv"), "CSV") +
         link(root, declaration, "JSON");
  for (const fs::path& place : {declaration.parent_path(), declaration.parent_path().parent_path()})
    if (const std::string found = link(root, place / "provenance.json", "provenance");
        !found.empty()) {
      out += found;
      break;
    }
  return out + "</p>\n</li>\n";
}

std::string table_item(const fs::path& root, const fs::path& markdown) {
  fs::path file = markdown;
  const auto with = [&](const char* extension) { return file.replace_extension(extension); };
  if (!fs::exists(with("csv"))) return {};
  std::string title = title_of_table(read_text(markdown.string()));
  if (title.empty()) title = markdown.stem().string();
  return fmt::format("<li>{}: {}{}{}</li>\n", html_escape(title), link(root, markdown, "Markdown"),
                     link(root, with("tex"), "LaTeX"), link(root, with("csv"), "CSV"));
}

// Says where the run behind the figures of a folder ran, as provenance.json has it.
std::string origin_of(const fs::path& folder) {
  for (const fs::path& place : {folder / "figures", folder}) {
    const fs::path file = place / "provenance.json";
    if (!fs::exists(file)) continue;
    const auto json = parse_json(read_text(file.string()), file.string(), false);
    if (!json.is_object()) throw UsageError(fmt::format("{} is not a JSON object", file.string()));
    const auto text = [&](const char* key) {
      return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
    };
    Provenance origin;
    origin.machine = text("machine");
    origin.peer = text("peer");
    origin.version = text("qb_version");
    origin.commit = text("commit");
    origin.sources_modified = json.value("sources_modified", false);
    origin.started_at = text("started_at");
    return provenance_line(origin);
  }
  return {};
}

// Where the figures of a folder come from, its pages and its tables.
std::string section(const fs::path& root, const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::string out = fmt::format("<section id=\"{0}\">\n<h2>{1}</h2>\n", html_escape(name),
                                html_escape(replaced(name, {{"_", " "}})));
  if (const std::string origin = origin_of(folder); !origin.empty())
    out += fmt::format("<p class=\"subtitle\">{}</p>\n", html_escape(origin));
  std::string items;
  for (const fs::path& page : sorted_entries(folder))
    if (page.extension() == ".html")
      items += fmt::format("<li>{}</li>\n", link(root, page, title_of_page(page)));
  for (const fs::path& place : {folder, folder / "tables"})
    for (const fs::path& entry : sorted_entries(place))
      if (entry.extension() == ".md") items += table_item(root, entry);
  if (!items.empty()) out += fmt::format("<ul>\n{}</ul>\n", items);
  return out + "</section>\n";
}

}  // namespace

std::string index_html(const std::string& folder) {
  if (!fs::is_directory(folder))
    throw UsageError(fmt::format("{}: there is no such folder", folder));
  std::string figures;
  std::string sections;
  for (const fs::path& figure : figures_in_order(folder)) figures += figure_card(folder, figure);
  bool tables = false;
  for (const fs::path& entry : sorted_entries(folder)) {
    if (!fs::is_directory(entry)) continue;
    sections += section(folder, entry);
    tables = tables || sections.find("<li>") != std::string::npos;
  }
  if (figures.empty() && !tables)
    throw UsageError(fmt::format("{}: no folder in it has a figure or a table", folder));
  return html_page(
      "Figures and tables",
      fmt::format(
          "<h1>Figures and tables</h1>\n<p>Every figure of this folder, then where they come "
          "from, and the tables. The sentences are computed from the plotted numbers, which "
          "are the CSV beside each figure.</p>\n<main>\n<ul "
          "class=\"gallery\">\n{}</ul>\n{}</main>\n",
          figures, sections));
}

}  // namespace qb
