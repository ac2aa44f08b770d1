#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "plots/frame/frame.h"
#include "plots/report/finding_parts.h"

namespace qb::finding {
namespace {

// Slices have one colour for each part; those with a text of their own are series of their own.
using Look = std::pair<std::uint32_t, bool>;  // colour, published

Look look_of(const Series& series) { return {series.style.colour, series.published}; }

// The parts by the names that the legend has for their colours, in its order.
std::vector<std::pair<Look, std::string>> legend_of(const Figure& figure) {
  std::vector<std::pair<Look, std::string>> parts;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      if (series.draw == Draw::rectangles && series.in_legend && !series.published &&
          std::ranges::count(parts, look_of(series), &std::pair<Look, std::string>::first) == 0)
        parts.emplace_back(look_of(series), series.name);
  return parts;
}

double width_of(const Point& slice) { return slice.x_high - slice.x_low; }
double height_of(const Point& slice) { return slice.high - slice.low; }

bool all_equal(const std::vector<std::pair<Look, Point>>& slices, double (*size_of)(const Point&)) {
  constexpr double kRounding = 1e-6;
  return std::ranges::all_of(slices, [&](const auto& slice) {
    const double first = size_of(slices.front().second);
    return std::abs(size_of(slice.second) - first) <= kRounding * first;
  });
}

using Bars = std::map<double, std::map<Look, double>>;  // sizes of parts by the place of the bar

// Lists the slices of a panel with their looks. What is below 0 is a key at the foot of a bar.
std::vector<std::pair<Look, Point>> slices_of(const Panel& panel) {
  std::vector<std::pair<Look, Point>> slices;
  for (const Series& series : panel.series)
    if (series.draw == Draw::rectangles && !series.published)
      for (const Point& slice : series.points)
        if (slice.high > 0.0) slices.emplace_back(look_of(series), slice);
  return slices;
}

// Bars stand or lie: those that stand are equally wide and begin at 0, those that lie are equally
// high over an axis that does. Areas of other kinds, such as the cells of a map, give none.
Bars bars_of(const Panel& panel) {
  const std::vector<std::pair<Look, Point>> slices = slices_of(panel);
  if (slices.empty()) return {};
  const double least =
      std::ranges::min(slices, {}, [](const auto& one) { return one.second.low; }).second.low;
  const bool stand = all_equal(slices, width_of) && std::abs(least) < 1e-9;
  const bool lie = all_equal(slices, height_of) && panel.x.from_zero;
  if (stand == lie) return {};
  Bars bars;
  for (const auto& [look, slice] : slices) {
    const double middle =
        stand ? (slice.x_low + slice.x_high) / 2.0 : (slice.low + slice.high) / 2.0;
    // Edges of one bar may round differently.
    bars[std::round(middle * 1e6) / 1e6][look] += stand ? height_of(slice) : width_of(slice);
  }
  // A part that is always alone is another kind of bar.
  std::set<Look> shared;
  for (const auto& [middle, sizes] : bars)
    if (sizes.size() > 1)
      for (const auto& [look, size] : sizes) shared.insert(look);
  std::erase_if(bars, [&](const auto& bar) { return !shared.contains(bar.second.begin()->first); });
  return bars;
}

// Writes `40 to 83 % compute`; empty for a part that no bar has a percent of.
std::string share_text(const Bars& bars, const Look& look,
                       const std::vector<std::pair<Look, std::string>>& parts,
                       const std::string& name) {
  double least = kPercent;
  double most = 0.0;
  for (const auto& [middle, sizes] : bars) {
    double whole = 0.0;
    for (const auto& part : parts)
      if (const auto at = sizes.find(part.first); at != sizes.end()) whole += at->second;
    const auto own = sizes.find(look);
    const double share = own == sizes.end() ? 0.0 : kPercent * own->second / whole;
    least = std::min(least, share);
    most = std::max(most, share);
  }
  const std::string low = fmt::format("{:.0f}", least);
  const std::string high = fmt::format("{:.0f}", most);
  if (high == "0") return {};
  return fmt::format("{} % {}", low == high ? high : low + " to " + high, name);
}

}  // namespace

void add_shares(const Figure& figure, std::vector<std::string>& out) {
  const std::vector<std::pair<Look, std::string>> parts = legend_of(figure);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    if (figure.square || panel.x.log || panel.y.log) continue;
    const auto bars = bars_of(panel);
    std::vector<std::string> texts;
    for (const auto& [look, name] : parts)
      if (std::string text = share_text(bars, look, parts, name); !text.empty())
        texts.push_back(std::move(text));
    if (texts.size() < 2) continue;
    const std::string last = std::move(texts.back());
    texts.pop_back();
    out.push_back(sentence(panel_name(figure, p), "The ",
                           fmt::format("{} {} and {}", bars.size() == 1 ? "bar is" : "bars are",
                                       listed(texts), last)));
  }
}

}  // namespace qb::finding
