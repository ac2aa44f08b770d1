// SPDX-License-Identifier: Apache-2.0
// The legend beside or below the panels.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/numbers.h"
#include "plots/frame/coincident_lines.h"
#include "plots/frame/figure_layout.h"

namespace qb {
namespace {

// Gives, by their places in panel `p`, the names that lines have in the legend because others lie
// under them; those of the others are empty.
std::map<std::size_t, std::string> joined_names(const Figure& figure, std::size_t p) {
  std::map<std::size_t, std::string> names;
  for (const Coincidence& found : coincident_lines(figure, p)) {
    if (!found.in_legend) continue;
    names[found.drawn] = found.name;
    for (const std::size_t hidden : found.hidden) names[hidden].clear();
  }
  return names;
}

// Algorithms come first, in the order of their registry, then worker counts alone, then what has no
// place; worker counts ascend. A name is read part by part: `ring, W = 8`, `zigzag = ring`.
std::pair<int, std::int64_t> legend_place(const Series& entry) {
  std::pair<int, std::int64_t> place(std::numeric_limits<int>::max(), 0);
  std::string_view rest = entry.name;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    const std::string_view part = rest.substr(0, end);
    const std::string_view word = part.substr(0, part.find(' '));
    if (const auto known = algorithm_place(word)) place.first = std::min(place.first, *known);
    if (part.starts_with("W = ")) {
      place.first = std::min(place.first, std::numeric_limits<int>::max() - 1);
      place.second = parse_integer(part.substr(4)).value_or(0);
    }
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return place;
}

}  // namespace

std::vector<Series> legend_entries(const Figure& figure) {
  std::vector<Series> entries;
  if (figure.legend != Figure::Legend::beside) return entries;
  std::set<std::string> seen;
  const bool shared = !figure.published_legend.empty();
  bool published = false;
  bool out_of_memory = false;
  bool not_tried = false;
  std::vector<Series> limits;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const std::map<std::size_t, std::string> joined = joined_names(figure, p);
    for (std::size_t i = 0; i < figure.panels[p].series.size(); ++i) {
      const Series& series = figure.panels[p].series[i];
      const bool in_shared = series.published && shared;
      published = published || in_shared;
      out_of_memory = out_of_memory || series.draw == Draw::out_of_memory;
      not_tried = not_tried || series.draw == Draw::not_tried;
      if (!series.in_legend || in_shared || is_cross(series)) continue;
      if (!seen.insert(series.name).second) continue;
      const auto name = joined.find(i);
      if (name != joined.end() && name->second.empty()) continue;  // it is under another line
      std::vector<Series>& list = series.draw == Draw::limit ? limits : entries;
      list.push_back(series);
      if (name != joined.end()) list.back().name = name->second;
    }
  }
  std::ranges::stable_sort(entries, {}, legend_place);
  if (published)
    entries.push_back({.name = figure.published_legend, .style = {kGrey, 0}, .published = true});
  if (out_of_memory) entries.push_back({.name = "out of memory", .draw = Draw::out_of_memory});
  if (not_tried) entries.push_back({.name = "not tried, longer", .draw = Draw::not_tried});
  entries.insert(entries.end(), limits.begin(), limits.end());
  return entries;
}

}  // namespace qb
