// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/schema/column.h"
#include "base/status.h"
#include "base/words.h"

namespace qb {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

using Links = std::vector<Report::Link>;

void add_link(Links& links, const fs::path& root, const fs::path& file, std::string text) {
  if (fs::exists(file))
    links.push_back({std::move(text), file.lexically_relative(root).generic_string()});
}

Json object_in(const fs::path& file) {
  Json json = parse_json(read_text(file.string()), file.string(), false);
  if (!json.is_object()) throw UsageError(fmt::format("{} is not a JSON object", file.string()));
  return json;
}

fs::path with(fs::path file, const char* extension) { return file.replace_extension(extension); }

// Says whether a panel shows what plans count, a column of the schema's group `prediction`.
bool counts_plans(const Json& panel) {
  for (const char* axis : {"/x/column", "/y/column"}) {
    const std::string name = panel.value(Json::json_pointer(axis), "");
    const Field* field = find_field(replaced(name, {{"_gib", "_bytes"}, {"_mib", "_bytes"}}));
    if (field != nullptr && field->group == FieldGroup::prediction) return true;
  }
  return false;
}

// Says how the numbers of a figure came about, and on which machine. Those without a run behind
// them, or that plans count, are derived. The others are measured where the figure names the
// machine of its run: a model's are the same on any.
std::pair<std::string, std::string> source_of(const Json& declaration, const fs::path& provenance) {
  if (!fs::exists(provenance) ||
      std::ranges::all_of(declaration.value("panels", Json::array()), counts_plans))
    return {"derived", "no machine"};
  Json origin = object_in(provenance);
  const std::string machine = origin["machine"].is_string() ? origin["machine"] : "unknown";
  const std::string said = declaration.value("provenance", "");
  const std::size_t at = said.find("modelled");
  if (at == std::string::npos || said.find(machine) != std::string::npos)
    return {"measured", machine};
  const std::string modelled = said.substr(at, said.find(';', at) - at);
  return {"modelled", modelled == "modelled" ? "several modelled devices" : modelled};
}

struct Placed {
  std::size_t place = 0;  // the line in order.txt
  std::string topic{};
  fs::path declaration{};
};

// The drawn figures: first those that order.txt names, in its order, each under the last line
// `# TOPIC` before it.
std::vector<Placed> figures_in_order(const fs::path& root) {
  const fs::path file = root / "order.txt";
  const std::string text = fs::exists(file) ? read_text(file.string()) : "";
  std::map<std::string, Placed> order;
  std::string topic = "Figures";
  for (const std::string_view line : split_words(text, "\n"))
    if (line.starts_with("# "))
      topic = line.substr(2);
    else
      order.insert({std::string(line), {order.size(), topic}});
  std::vector<Placed> figures;
  for (const fs::path& folder : paths_in(root))
    for (const fs::path& place : {folder, folder / "figures"})
      for (const fs::path& entry : paths_in(place)) {
        if (entry.extension() != ".json" || !fs::exists(with(entry, "svg")) ||
            !fs::exists(with(entry, "csv")))
          continue;
        const auto found = order.find((folder.filename() / entry.stem()).generic_string());
        figures.push_back(found == order.end() ? Placed{order.size(), "Figures"} : found->second);
        figures.back().declaration = entry;
      }
  std::ranges::stable_sort(figures, {}, &Placed::place);
  return figures;
}

// A figure as a card that says its topic, its machine and what its numbers are, also to the script.
std::string figure_card(const fs::path& root, const Placed& placed, std::size_t index) {
  const fs::path& declaration = placed.declaration;
  const Json json = object_in(declaration);
  Report::Picture picture{.name = declaration.stem().string(),
                          .title = json.value("title", declaration.stem().string()),
                          .svg = read_text(with(declaration, "svg").string()),
                          .finding = json.value("finding", ""),
                          .notes = json.value("notes", std::vector<std::string>{}),
                          .provenance = json.value("provenance", "")};
  for (const auto& [extension, text] : {std::pair{"svg", "SVG"}, {"csv", "CSV"}, {"json", "JSON"}})
    add_link(picture.files, root, with(declaration, extension), text);
  const fs::path folder = declaration.parent_path();
  const fs::path own = folder / "provenance.json";
  const fs::path provenance = fs::exists(own) ? own : folder.parent_path() / "provenance.json";
  add_link(picture.files, root, provenance, "provenance");
  const auto [numbers, machine] = source_of(json, provenance);
  return fmt::format(
      "<li data-topic=\"{0}\" data-machine=\"{1}\" data-numbers=\"{2}\">\n"
      "<p class=\"source\"><span>{1}</span> <b>{2}</b></p>\n{3}</li>\n",
      html_escape(placed.topic), html_escape(machine), numbers, figure_html(picture, index));
}

// The figures of each topic under a heading.
std::string galleries(const fs::path& root) {
  std::string out;
  std::string topic;
  std::size_t index = 0;
  for (const Placed& figure : figures_in_order(root)) {
    if (figure.topic != topic)
      out += fmt::format("{}<section>\n<h2>{}</h2>\n<ul class=\"gallery\">\n",
                         index > 0 ? "</ul>\n</section>\n" : "", html_escape(figure.topic));
    topic = figure.topic;
    out += figure_card(root, figure, ++index);
  }
  return index > 0 ? out + "</ul>\n</section>\n" : out;
}

// The pages in a folder after its name; empty without such.
std::string page_links(const fs::path& root, const fs::path& folder) {
  Links links;
  for (const fs::path& page : paths_in(folder))
    if (page.extension() == ".html")
      add_link(links, root, page, replaced(page.stem().string(), {{"_", " "}}));
  if (links.empty()) return {};
  return fmt::format("<b>{}:</b> {}\n", html_escape(folder.filename().string()), links_html(links));
}

// The tables of a folder, an item each, with the titles that stand in their first lines.
std::string table_items(const fs::path& root, const fs::path& folder) {
  std::string items;
  for (const fs::path& place : {folder, folder / "tables"})
    for (const fs::path& entry : paths_in(place)) {
      if (entry.extension() != ".md" || !fs::exists(with(entry, "csv"))) continue;
      const std::string text = read_text(entry.string());
      const std::string title =
          text.starts_with("**") ? text.substr(2, text.find("**", 2) - 2) : entry.stem().string();
      Links links;
      for (const auto& [extension, name] :
           {std::pair{"md", "Markdown"}, {"tex", "LaTeX"}, {"csv", "CSV"}})
        add_link(links, root, with(entry, extension), name);
      items += fmt::format("<li>{}: {}</li>\n", html_escape(title), links_html(links));
    }
  return items;
}

constexpr const char* kIntroduction =
    "QuorumBench compares ways to split exact attention over N tokens (the length of the sequence) "
    "among W workers (the devices that share the work): their time, their memory, the bytes that "
    "they send, and whether the answer is right. CQS-Attention is one of these ways: by cyclic "
    "quorum sets (CQS) each worker holds a few blocks of the sequence, so that every two blocks "
    "meet on a worker.";

}  // namespace

std::string index_html(const std::string& folder) {
  if (!fs::is_directory(folder))
    throw UsageError(fmt::format("{}: there is no such folder", folder));
  const std::string figures = galleries(folder);
  std::string pages;
  std::string tables;
  for (const fs::path& entry : paths_in(folder)) {
    pages += page_links(folder, entry);
    tables += table_items(folder, entry);
  }
  if (figures.empty() && tables.empty() && pages.empty())
    throw UsageError(fmt::format("{}: no folder in it has a figure or a table", folder));
  if (!tables.empty())
    tables = fmt::format("<section>\n<h2>Tables</h2>\n<ul>\n{}</ul>\n</section>\n", tables);
  return html_page(
      "QuorumBench: figures and tables",
      fmt::format("<h1>QuorumBench</h1>\n<p>{}</p>\n<nav aria-label=\"Pages\">{}</nav>\n"
                  "<main>\n{}{}</main>\n",
                  kIntroduction, pages, figures, tables));
}

}  // namespace qb
