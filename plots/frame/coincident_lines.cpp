// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/coincident_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "base/text_table.h"
#include "plots/frame/figure_layout.h"

namespace qb {
namespace {

using Curve = std::map<double, Point>;  // by x
using Names = std::set<std::string>;

constexpr double kStroke = 1.8;  // pixels at 96 to the inch

bool is_line(const Series& series) {
  return series.draw == Draw::line_points || series.draw == Draw::line;
}

Curve curve_of(const Series& series) {
  Curve curve;
  if (series.draw == Draw::limit && !series.points.empty()) curve[0.0] = series.points.front();
  if (!is_line(series)) return curve;
  for (const Point& point : series.points)
    if (std::isfinite(point.x) && std::isfinite(point.y)) curve[point.x] = point;
  return curve;
}

bool of_one_kind(const Series& a, const Series& b) {
  return a.draw == b.draw && a.published == b.published && a.thin == b.thin &&
         a.style.dash == b.style.dash && a.in_legend == b.in_legend;
}

// Where values are on an axis, as a share of it.
class Heights {
 public:
  explicit Heights(const Scale& scale) : scale_(scale) {}

  [[nodiscard]] bool near(double a, double b, double share) const {
    if (!std::isfinite(a) || !std::isfinite(b)) return std::isfinite(a) == std::isfinite(b);
    return std::abs(at(a) - at(b)) <= share;
  }

 private:
  [[nodiscard]] double at(double value) const {
    if (!scale_.log) return (value - scale_.min) / (scale_.max - scale_.min);
    return std::log(value / scale_.min) / std::log(scale_.max / scale_.min);
  }
  Scale scale_;
};

bool covers(const Curve& above, const Curve& below, const Heights& heights, double share) {
  return !below.empty() && std::ranges::all_of(below, [&](const auto& at) {
    const auto found = above.find(at.first);
    if (found == above.end()) return false;
    const Point& a = found->second;
    const Point& b = at.second;
    return heights.near(a.y, b.y, share) && heights.near(a.low, b.low, share) &&
           heights.near(a.high, b.high, share);
  });
}

// What all names end with after their first part: `, model` of `ring, model` and `cqs, model`.
std::string shared_end(const std::vector<std::string_view>& names) {
  const auto end_of = [](std::string_view name) {
    const std::size_t at = name.find(", ");
    return at == std::string_view::npos ? std::string_view() : name.substr(at);
  };
  const std::string_view end = end_of(names.front());
  const bool shared = std::ranges::all_of(names, [&](auto name) { return end_of(name) == end; });
  return shared ? std::string(end) : std::string();
}

// `ring = cqs (4 to 8)` if cqs has no other points; `W = 7 and W = 8`.
std::string joined_name(const Panel& panel, const Coincidence& found) {
  std::vector<std::size_t> members = {found.drawn};
  members.insert(members.end(), found.hidden.begin(), found.hidden.end());
  std::vector<std::string_view> names;
  for (const std::size_t member : members) names.push_back(panel.series[member].name);
  const std::string end = shared_end(names);
  const std::size_t all = curve_of(panel.series[found.drawn]).size();
  const bool equations = std::ranges::any_of(
      names, [](std::string_view name) { return name.find('=') != std::string_view::npos; });
  std::string out;
  for (const std::size_t member : members) {
    const std::string& name = panel.series[member].name;
    out += (out.empty() ? ""
            : equations ? " and "
                        : " = ") +
           name.substr(0, name.size() - end.size());
    const Curve curve = curve_of(panel.series[member]);
    if (curve.size() == all) continue;
    out += curve.size() == 1
               ? fmt::format(" (at {:g})", curve.begin()->first)
               : fmt::format(" ({:g} to {:g})", curve.begin()->first, curve.rbegin()->first);
  }
  return out + end;
}

std::vector<Coincidence> find_in(const Figure& figure, std::size_t p) {
  const Panel& panel = figure.panels[p];
  const Heights heights(y_scale(figure, p));
  const double share = kStroke / figure.panel_height;
  std::vector<Curve> curves;
  for (const Series& series : panel.series) curves.push_back(curve_of(series));
  // The longest line comes first, since it may cover the others; of equal ones the first of the
  // registry.
  std::vector<std::size_t> order(curves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const std::string& name = panel.series[i].name;
    const auto known = algorithm_place(name.substr(0, name.find_first_of(" ,")));
    return std::pair(-static_cast<std::ptrdiff_t>(curves[i].size()), known.value_or(0));
  });
  std::vector<bool> taken(curves.size(), false);
  std::vector<Coincidence> all;
  for (const std::size_t i : order) {
    if (taken[i] || curves[i].empty()) continue;
    Coincidence found{.drawn = i};
    for (const std::size_t j : order)
      if (j != i && !taken[j] && of_one_kind(panel.series[i], panel.series[j]) &&
          covers(curves[i], curves[j], heights, share)) {
        found.hidden.push_back(j);
        taken[j] = true;
      }
    taken[i] = true;
    if (found.hidden.empty()) continue;
    found.name = joined_name(panel, found);
    all.push_back(std::move(found));
  }
  return all;
}

Names names_of(const Panel& panel, const Coincidence& found) {
  Names names = {panel.series[found.drawn].name};
  for (const std::size_t hidden : found.hidden) names.insert(panel.series[hidden].name);
  return names;
}

// Says whether these lines lie on one another in every panel that has any of them.
bool everywhere(const Figure& figure, const Names& names) {
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    const bool has_any = std::ranges::any_of(panel.series, [&](const Series& series) {
      return names.contains(series.name) && !curve_of(series).empty();
    });
    const std::vector<Coincidence> found =
        has_any ? find_in(figure, p) : std::vector<Coincidence>();
    if (has_any && std::ranges::none_of(found, [&](const Coincidence& one) {
          return names_of(panel, one) == names;
        }))
      return false;
  }
  return true;
}

}  // namespace

std::vector<Coincidence> coincident_lines(const Figure& figure, std::size_t p) {
  std::vector<Coincidence> all = find_in(figure, p);
  for (Coincidence& found : all) {
    const Series& drawn = figure.panels[p].series[found.drawn];
    // A long name would leave the panels no room.
    constexpr std::size_t kLongestInLegend = 32;
    const bool listed = display_width(found.name) <= kLongestInLegend &&
                        figure.legend != Figure::Legend::none && drawn.in_legend &&
                        !(drawn.published && !figure.published_legend.empty());
    found.in_legend = listed && (figure.legend == Figure::Legend::inside ||
                                 everywhere(figure, names_of(figure.panels[p], found)));
  }
  return all;
}

}  // namespace qb
