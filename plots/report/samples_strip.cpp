// SPDX-License-Identifier: Apache-2.0
#include "plots/report/case_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/numbers.h"
#include "plots/report/html.h"

namespace qb {
namespace {

constexpr double kStripWidth = 380.0;
constexpr double kStripHeight = 96.0;
constexpr double kLeft = 80.0;  // room for the two ends of the scale
constexpr double kRight = 10.0;
constexpr double kMargin = 12.0;

struct Range {
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] double y(double value) const {
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    return kStripHeight - kMargin - share * (kStripHeight - 2.0 * kMargin);
  }
};

Range range_of(const std::vector<Repeat>& repeats, const Point& median) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const auto widen = [&](double value) {
    if (!std::isfinite(value)) return;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  };
  for (const Repeat& repeat : repeats) widen(repeat.time_s);
  for (const double value : {median.y, median.low, median.high}) widen(value);
  return range;
}

}  // namespace

std::string samples_strip(const std::vector<Repeat>& repeats, const Point& median,
                          std::string_view label) {
  if (std::ranges::none_of(repeats, [](const Repeat& one) { return std::isfinite(one.time_s); }))
    return {};
  const Range range = range_of(repeats, median);
  std::string out = fmt::format(
      "<svg class=\"strip\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:g} {:g}\">\n",
      html_escape(label), kStripWidth, kStripHeight);
  const auto add = [&](auto text, auto&&... values) {
    fmt::format_to(std::back_inserter(out), fmt::runtime(text), values...);
  };
  const double width = kStripWidth - kLeft - kRight;
  if (std::isfinite(median.low) && std::isfinite(median.high))
    add("<rect class=\"band\" x=\"{:g}\" y=\"{:.1f}\" width=\"{:g}\" height=\"{:.1f}\"/>\n", kLeft,
        range.y(median.high), width, std::max(1.0, range.y(median.low) - range.y(median.high)));
  if (std::isfinite(median.y))
    add("<line class=\"median\" x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n", kLeft,
        kStripWidth - kRight, range.y(median.y));
  for (const double end : {range.high, range.low}) {
    add("<text x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8.0,
        range.y(end) + 4.0, format_seconds(end));
    if (!(range.high > range.low)) break;
  }
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    const auto& [time_s, disturbed_by] = repeats[i];
    if (!std::isfinite(time_s)) continue;
    add("<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>repeat {}: {}{}</title></circle>\n",
        disturbed_by.empty() ? "" : " class=\"disturbed\"",
        kLeft + width * (static_cast<double>(i) + 0.5) / static_cast<double>(repeats.size()),
        range.y(time_s), i, format_seconds(time_s),
        disturbed_by.empty() ? "" : ", disturbed by " + html_escape(disturbed_by));
  }
  return out + "</svg>\n";
}

}  // namespace qb
