// SPDX-License-Identifier: Apache-2.0
#include "base/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/numbers.h"
#include "base/statistics.h"
#include "base/status.h"

namespace qb {
namespace {

using Value = double ShapePoint::*;

bool clearly_above(double a, double b) { return a > (1.0 + kShapeResolution) * b; }

bool ours_clearly_above(const ShapePoint& a, const ShapePoint& b) {
  return clearly_above(a.ours, b.ours) && !(a.ours_low <= b.ours_high);
}

std::vector<double> values_of(std::span<const ShapePoint> points, Value value) {
  std::vector<double> values;
  for (const ShapePoint& point : points) values.push_back(point.*value);
  return values;
}

std::vector<double> crossings_of(std::span<const ShapePoint> points, Value value, double level) {
  return crossings(values_of(points, &ShapePoint::x), values_of(points, value), level);
}

// The points that both have.
std::vector<ShapePoint> by_rising_x(std::span<const ShapePoint> points) {
  std::vector<ShapePoint> known(points.begin(), points.end());
  std::erase_if(known, [](const ShapePoint& p) {
    return !std::isfinite(p.published) || !std::isfinite(p.ours);
  });
  std::ranges::sort(known, {}, &ShapePoint::x);
  return known;
}

Verdict one_crossing_each(double theirs, double ours, double level, double factor) {
  const double apart = std::max(theirs / ours, ours / theirs);
  return {apart <= factor ? Answer::shape_agrees : Answer::contradicts,
          fmt::format("published crosses {:g} at {:.4g} and ours at {:.4g}", level, theirs, ours)};
}

double exponent(std::span<const ShapePoint> points, Value value) {
  return fit_power(values_of(points, &ShapePoint::x), values_of(points, value));
}

// Says how the two stand on different sides of the level, if one of them does so clearly.
std::optional<std::string> other_side(std::span<const ShapePoint> points, double level) {
  for (const ShapePoint& p : points) {
    const bool clear = clearly_above(std::max(p.published, p.ours), level) ||
                       clearly_above(level, std::min(p.published, p.ours));
    const bool undecided = p.ours_low <= level && level <= p.ours_high;
    if (clear && !undecided && (p.published > level) != (p.ours > level))
      return fmt::format("at {:g} published is {} {:g} and ours {}", p.x,
                         p.published > level ? "above" : "below", level,
                         p.ours > level ? "above" : "below");
  }
  return std::nullopt;
}

// How many pairs of points there are, how many of them were published clearly apart, how many of
// those ours has in the same order, and what the first is that it has in the other.
struct Pairs {
  std::size_t all = 0;
  std::size_t resolved = 0;
  std::size_t reproduced = 0;
  std::optional<std::string> reversed{};
};

Pairs pairs_of(std::span<const ShapePoint> points) {
  Pairs pairs;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const ShapePoint& a = points[i];
      const ShapePoint& b = points[j];
      const bool rises = clearly_above(b.published, a.published);
      const bool falls = clearly_above(a.published, b.published);
      const bool ours_rises = ours_clearly_above(b, a);
      const bool ours_falls = ours_clearly_above(a, b);
      ++pairs.all;
      pairs.resolved += rises || falls ? 1u : 0u;
      pairs.reproduced += (rises && ours_rises) || (falls && ours_falls) ? 1u : 0u;
      const bool only_published_rises = rises && ours_falls;
      if (!pairs.reversed && (only_published_rises || (falls && ours_rises)))
        pairs.reversed = fmt::format("from {:g} to {:g} published {} and ours {}", a.x, b.x,
                                     only_published_rises ? "rises" : "falls",
                                     only_published_rises ? "falls" : "rises");
    }
  return pairs;
}

std::vector<ShapePoint> with_ours_reversed(std::span<const ShapePoint> points) {
  std::vector<ShapePoint> reversed(points.begin(), points.end());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ShapePoint& other = points[points.size() - 1 - i];
    reversed[i].ours = other.ours;
    reversed[i].ours_low = other.ours_low;
    reversed[i].ours_high = other.ours_high;
  }
  return reversed;
}

// A verdict that agrees, with what it could have told from agreeing.
template <class Judge>
Verdict with_power(std::span<const ShapePoint> known, const Judge& judge_curve) {
  Verdict verdict = judge_curve(known);
  if (verdict.answer != Answer::shape_agrees) return verdict;
  const Pairs pairs = pairs_of(known);
  if (pairs.reproduced == 0)
    return {Answer::not_comparable,
            fmt::format("a constant would agree too: {} of {} pairs are published more than {:g} % "
                        "apart, and ours has none of them beyond its intervals",
                        pairs.resolved, pairs.all, 100.0 * kShapeResolution)};
  const std::vector<ShapePoint> reversed = with_ours_reversed(known);
  const bool blind = judge_curve(reversed).answer == Answer::shape_agrees;
  const bool agrees = blind && pairs_of(reversed).reproduced > 0;
  verdict.detail +=
      fmt::format("{}{} of {} resolved pairs in order, of {} (a constant: open; reversed: {})",
                  verdict.detail.empty() ? "" : "; ", pairs.reproduced, pairs.resolved, pairs.all,
                  agrees  ? "agrees too"
                  : blind ? "open"
                          : "differs");
  return verdict;
}

// The verdict of a curve that needs two points.
Verdict judge_two_points(std::span<const ShapePoint> points, const auto& judge_curve) {
  const std::vector<ShapePoint> known = by_rising_x(points);
  if (known.size() < 2) return {Answer::not_measured, "two points that both have"};
  return with_power(known, judge_curve);
}

Verdict judge_known_shape(std::span<const ShapePoint> known, double level, double factor) {
  if (const auto reversed = pairs_of(known).reversed) return {Answer::contradicts, *reversed};
  const auto theirs = crossings_of(known, &ShapePoint::published, level);
  const auto ours = crossings_of(known, &ShapePoint::ours, level);
  if (theirs.size() != 1 || ours.size() != 1) {
    if (const auto side = other_side(known, level)) return {Answer::contradicts, *side};
    return {Answer::shape_agrees};
  }
  return one_crossing_each(theirs[0], ours[0], level, factor);
}

}  // namespace

std::string Verdict::text() const {
  std::string text(word(answer));
  if (detail.empty()) return text;
  const bool goes_on = answer == Answer::within || answer == Answer::modelled ||
                       answer == Answer::obeys || answer == Answer::not_comparable ||
                       answer == Answer::not_measured;
  return text + (goes_on ? " " : answer == Answer::disturbed ? " by " : ": ") + detail;
}

Printed parse_printed(std::string_view text) {
  const auto value = parse_real(text);
  if (!value || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    throw UsageError(fmt::format("'{}' is not a printed decimal", text));
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = digits.find('.');
  const double decimals =
      point == std::string_view::npos ? 0.0 : static_cast<double>(digits.size() - point - 1);
  const double exponent = e == text.size() ? 0.0 : parse_real(text.substr(e + 1)).value_or(0.0);
  return {*value, std::pow(10.0, exponent - decimals)};
}

Verdict judge_shape(std::span<const ShapePoint> points, double level, double factor) {
  std::vector<ShapePoint> known = by_rising_x(points);
  if (known.empty()) return {Answer::not_measured, "a point that both have"};
  const Verdict sure = with_power(known, [&](std::span<const ShapePoint> curve) {
    return judge_known_shape(curve, level, factor);
  });
  if (sure.answer == Answer::contradicts) return sure;
  for (ShapePoint& point : known) point.ours_low = point.ours_high = point.ours;
  const Verdict of_medians = judge_known_shape(known, level, factor);
  if (of_medians.answer != Answer::contradicts) return sure;
  return {Answer::not_comparable, "our intervals leave it open: " + of_medians.detail};
}

Verdict judge_crossover(std::span<const ShapePoint> points, double level, double factor) {
  return judge_two_points(points, [&](std::span<const ShapePoint> curve) -> Verdict {
    const auto theirs = crossings_of(curve, &ShapePoint::published, level);
    const auto ours = crossings_of(curve, &ShapePoint::ours, level);
    if (theirs.size() != 1 || ours.size() != 1)
      return {Answer::contradicts, fmt::format("published crosses {:g} {} times and ours {}", level,
                                               theirs.size(), ours.size())};
    return one_crossing_each(theirs[0], ours[0], level, factor);
  });
}

Verdict judge_exponent(std::span<const ShapePoint> points, double factor) {
  return judge_two_points(points, [&](std::span<const ShapePoint> curve) -> Verdict {
    const double theirs = exponent(curve, &ShapePoint::published);
    const double ours = exponent(curve, &ShapePoint::ours);
    const double apart = std::max(theirs / ours, ours / theirs);
    return {apart <= factor && apart >= 0.0 ? Answer::shape_agrees : Answer::contradicts,
            fmt::format("exponent {:.2f} published and {:.2f} ours", theirs, ours)};
  });
}

}  // namespace qb
