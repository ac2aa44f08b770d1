// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"
#include "base/words.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

// A file as a link relative to the page; empty if it does not exist.
std::string link(const fs::path& root, const fs::path& file, std::string_view text) {
  if (!fs::exists(file)) return {};
  return fmt::format("<a href=\"{}\">{}</a> ",
                     html_escape(file.lexically_relative(root).generic_string()),
                     html_escape(text));
}

// Reads what a declaration says of its figure.
Report::Picture picture_of(const fs::path& declaration) {
  const std::string path = declaration.string();
  const auto json = parse_json(read_text(path), path, false);
  if (!json.is_object()) throw UsageError(fmt::format("{} is not a JSON object", path));
  Report::Picture picture{.name = declaration.stem().string(),
                          .title = json.value("title", ""),
                          .finding = json.value("finding", ""),
                          .notes = json.value("notes", std::vector<std::string>{}),
                          .provenance = json.value("provenance", "")};
  if (picture.title.empty()) picture.title = picture.name;
  return picture;
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

fs::path with(fs::path file, const char* extension) { return file.replace_extension(extension); }

// The declarations of all drawn figures, those that order.txt names first and in its order.
std::vector<fs::path> figures_in_order(const fs::path& root) {
  std::vector<fs::path> figures;
  for (const fs::path& folder : paths_in(root))
    for (const fs::path& place : {folder, folder / "figures"})
      for (const fs::path& entry : paths_in(place))
        if (entry.extension() == ".json" && fs::exists(with(entry, "svg")) &&
            fs::exists(with(entry, "csv")))
          figures.push_back(entry);
  const fs::path file = root / "order.txt";
  const std::string text = fs::exists(file) ? read_text(file.string()) : "";
  const std::vector<std::string_view> order = split_words(text, "\n");
  std::ranges::stable_sort(figures, {}, [&](const fs::path& figure) {
    const fs::path folder = *figure.lexically_relative(root).begin();
    return std::ranges::find(order, (folder / figure.stem()).generic_string()) - order.begin();
  });
  return figures;
}

std::string figure_card(const fs::path& root, const fs::path& declaration) {
  const Report::Picture picture = picture_of(declaration);
  std::string out = fmt::format(
      "<li>\n<a href=\"{0}\"><img loading=\"lazy\" src=\"{0}\" alt=\"{1}\"></a>\n<h3>{1}</h3>\n{2}",
      html_escape(with(declaration, "svg").lexically_relative(root).generic_string()),
      html_escape(picture.title), caption_html(picture));
  out += fmt::format("<p class=\"files\">{}: ",
                     html_escape(declaration.lexically_relative(root).begin()->string())) +
         link(root, with(declaration, "svg"), "SVG") + link(root, with(declaration, "csv"), "CSV") +
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
  if (!fs::exists(with(markdown, "csv"))) return {};
  std::string title = title_of_table(read_text(markdown.string()));
  if (title.empty()) title = markdown.stem().string();
  return fmt::format("<li>{}: {}{}{}</li>\n", html_escape(title), link(root, markdown, "Markdown"),
                     link(root, with(markdown, "tex"), "LaTeX"),
                     link(root, with(markdown, "csv"), "CSV"));
}

// The pages and the tables of a folder; empty without such.
std::string section(const fs::path& root, const fs::path& folder) {
  std::string items;
  for (const fs::path& page : paths_in(folder))
    if (page.extension() == ".html")
      items += fmt::format("<li>{}</li>\n", link(root, page, title_of_page(page)));
  for (const fs::path& place : {folder, folder / "tables"})
    for (const fs::path& entry : paths_in(place))
      if (entry.extension() == ".md") items += table_item(root, entry);
  if (items.empty()) return {};
  return fmt::format("<section>\n<h2>{}</h2>\n<ul>\n{}</ul>\n</section>\n",
                     html_escape(replaced(folder.filename().string(), {{"_", " "}})), items);
}

}  // namespace

std::string index_html(const std::string& folder) {
  if (!fs::is_directory(folder))
    throw UsageError(fmt::format("{}: there is no such folder", folder));
  std::string figures;
  std::string sections;
  for (const fs::path& figure : figures_in_order(folder)) figures += figure_card(folder, figure);
  for (const fs::path& entry : paths_in(folder))
    if (fs::is_directory(entry)) sections += section(folder, entry);
  if (figures.empty() && sections.empty())
    throw UsageError(fmt::format("{}: no folder in it has a figure or a table", folder));
  return html_page(
      "QuorumBench: figures and tables",
      fmt::format(
          "<h1>QuorumBench: figures and tables</h1>\n<p>Ways to split exact attention over N "
          "tokens among W workers, and what they cost; CQS is the one by cyclic quorum sets. Each "
          "figure has what it says and where it comes from; pages and tables follow. The sentences "
          "are computed from the plotted numbers, which are the CSV beside each "
          "figure.</p>\n<main>\n<ul class=\"gallery\">\n{}</ul>\n{}</main>\n",
          figures, sections));
}

}  // namespace qb
