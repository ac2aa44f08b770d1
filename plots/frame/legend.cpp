// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/figure.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "base/numbers.h"

namespace qb {
namespace {

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

bool is_cross(const Series& series) {
  return series.draw == Draw::out_of_memory || series.draw == Draw::not_tried;
}

std::vector<std::string> legend_order(const Figure& figure) {
  std::vector<const Series*> entries;
  std::set<std::string> seen;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series) {
      const bool shared = series.published && !figure.published_legend.empty();
      if (series.in_legend && !shared && !is_cross(series) && seen.insert(series.name).second)
        entries.push_back(&series);
    }
  std::ranges::stable_sort(entries, {}, [](const Series* series) {
    return std::pair(series->draw == Draw::limit, legend_place(*series));
  });
  std::vector<std::string> names;
  for (const Series* series : entries) names.push_back(series->name);
  return names;
}

}  // namespace qb
