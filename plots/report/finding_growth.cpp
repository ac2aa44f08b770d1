#include <algorithm>
#include <cmath>
#include <optional>

#include "base/statistics.h"
#include "plots/frame/frame.h"
#include "plots/report/finding_parts.h"
#include "plots/report/findings.h"

namespace qb {

namespace finding {
namespace {

constexpr std::size_t kLeastPoints = 4;
constexpr double kLeastSpan = 4.0;  // of x, as a factor
constexpr double kLeastFit = 0.95;  // R² of a line that is called a power
constexpr double kLeastRise = 1.2;  // of y by the fit, as a factor: less is flat

struct Growth {
  std::string name{};
  double exponent = kNaN;
  double half_width = kNaN;  // of its interval
  std::size_t points = 0;
  const Curves* curves = nullptr;
};

std::optional<Growth> growth_of(const Line& line, const Curves& curves) {
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& [at, point] : line.points) {
    if (!(at > 0.0) || !(point.y > 0.0)) return std::nullopt;
    x.push_back(at);
    y.push_back(point.y);
  }
  if (x.size() < kLeastPoints || !(x.back() >= kLeastSpan * x.front() * (1.0 - 1e-12)))
    return std::nullopt;
  const LinearFit fit = fit_power(x, y);
  const double rise = std::pow(x.back() / x.front(), std::abs(fit.slope));
  if (!(fit.r_squared >= kLeastFit) || !(rise >= kLeastRise)) return std::nullopt;
  return Growth{line.name, fit.slope, fit.slope_half_width, x.size(), &curves};
}

// The growth of those lines that have most points.
std::vector<Growth> growth_of_longest(const Quantity& quantity) {
  std::vector<Growth> found;
  for (const Curves& curves : quantity.panels)
    for (const Line& line : curves.lines)
      if (line.joined && !has_words(curves.panel->x))
        if (auto growth = growth_of(line, curves)) found.push_back(std::move(*growth));
  std::size_t longest = 0;
  for (const Growth& growth : found) longest = std::max(longest, growth.points);
  std::erase_if(found, [&](const Growth& growth) { return growth.points < longest; });
  return found;
}

std::string power_of(const Growth& growth) {
  return name_of(growth.curves->panel->x) + '^' +
         with_interval(growth.exponent, growth.exponent - growth.half_width,
                       growth.exponent + growth.half_width,
                       [](double value) { return fmt::format("{:.2f}", value); });
}

constexpr std::string_view kFit = "fit on logarithms with its 95 % interval";

// Names the lines with the least and the largest exponent.
std::string extremes_sentence(const std::vector<Growth>& found, const std::string& y) {
  const auto [least, most] = std::ranges::minmax_element(found, {}, &Growth::exponent);
  const auto full = [](const Growth& growth) {
    const std::string& where = growth.curves->where;
    return growth.name + (where.empty() ? "" : " in " + where);
  };
  return fmt::format(
      "Of {} lines of {} points, {} has the least exponent of {}, {}, and {} the largest, {}{} "
      "({}).",
      found.size(), found.front().points, full(*least), y, power_of(*least), full(*most),
      power_of(*most),
      least->exponent + least->half_width < most->exponent - most->half_width
          ? ""
          : ", but their intervals overlap",
      kFit);
}

}  // namespace

void add_growth(const Quantity& quantity, std::vector<std::string>& out) {
  const std::vector<Growth> found = growth_of_longest(quantity);
  const std::string y = name_of(quantity.panels.front().panel->y);
  constexpr std::size_t kMostNamed = 2;
  if (found.size() > kMostNamed) {
    out.push_back(extremes_sentence(found, y));
    return;
  }
  for (const Growth& growth : found)
    out.push_back(sentence(growth.curves->where, "The ",
                           fmt::format("{} of {} goes as {} over {} points ({})", y, growth.name,
                                       power_of(growth), growth.points, kFit)));
}

}  // namespace finding
}  // namespace qb
