#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

#include "base/statistics.h"
#include "plots/frame/frame.h"
#include "plots/report/finding_parts.h"

namespace qb::finding {
namespace {

// ---- the largest ratio or difference -----------------------------------------------------------

struct Gap {
  double size = 0.0;  // of the medians
  Point over{};
  Point under{};
  std::string names{};
  const Curves* curves = nullptr;
};

// Says whether ratios of the values and of the ends of their intervals can be formed.
bool all_positive(const Quantity& quantity) {
  for (const Curves& curves : quantity.panels)
    for (const Line& line : curves.lines)
      for (const auto& [x, point] : line.points)
        if (!(point.y > 0.0) || point.low <= 0.0) return false;
  return true;
}

// What a reader must know of two points before he believes in their order.
std::string caveat(const Gap& gap, bool intervals) {
  std::string out;
  if (has_interval(gap.over) && has_interval(gap.under)) {
    if (!(gap.over.low > gap.under.high))
      out = "; the two intervals overlap, so that their order is not certain";
  } else if (intervals) {
    out = "; without an interval";
  }
  if (gap.over.disturbed || gap.under.disturbed) out += "; measured while disturbed";
  return out;
}

// Finds nothing where lines share no place or coincide.
std::optional<Gap> largest_gap(const Quantity& quantity, bool ratio) {
  std::optional<Gap> largest;
  for (const Curves& curves : quantity.panels)
    for (const Line& over : curves.lines)
      for (const Line& under : curves.lines)
        for (const auto& [x, point] : over.points) {
          const auto other = under.points.find(x);
          if (other == under.points.end()) continue;
          const double size = ratio ? point.y / other->second.y : point.y - other->second.y;
          if (!(size > (largest ? largest->size : ratio ? 1.0 : 0.0))) continue;
          largest = Gap{size, point, other->second,
                        over.name + (ratio ? " over " : " minus ") + under.name, &curves};
        }
  return largest;
}

std::string gap_sentence(const Gap& gap, bool ratio, bool intervals) {
  const Panel& panel = *gap.curves->panel;
  const auto combined = [&](double a, double b) { return ratio ? a / b : a - b; };
  const std::string size = with_interval(gap.size, combined(gap.over.low, gap.under.high),
                                         combined(gap.over.high, gap.under.low), value_text);
  return sentence(
      gap.curves->where, "The ",
      fmt::format("largest {} of {} is {}{}, {} at {}{}", ratio ? "ratio" : "difference",
                  name_of(panel.y), size, ratio ? "" : unit_of(panel.y), gap.names,
                  place(panel.x, gap.over.x), caveat(gap, intervals)));
}

// ---- crossings ---------------------------------------------------------------------------------

// -1: a is surely below b; 1: surely above; 0: their intervals do not say.
int order_of(const Point& a, const Point& b, bool intervals) {
  if (has_interval(a) && has_interval(b)) return a.low > b.high ? 1 : a.high < b.low ? -1 : 0;
  if (intervals) return 0;
  return a.y > b.y ? 1 : a.y < b.y ? -1 : 0;
}

struct Crossing {
  double from = kNaN;  // the last x with the order before
  double to = kNaN;    // the first x with the other
  bool decided = false;
  bool above_before = false;  // the first of the two lines
};

// Finds where the order of two lines changes; `order` gives it at a place: -1, 0 or 1.
std::vector<Crossing> changes_of(const Line& a, const Line& b, bool decided,
                                 const std::function<int(const Point&, const Point&)>& order) {
  std::vector<double> x;
  std::vector<int> orders;
  for (const auto& [at, point] : a.points)
    if (const auto other = b.points.find(at); other != b.points.end()) {
      x.push_back(at);
      orders.push_back(order(point, other->second));
    }
  std::vector<Crossing> changes;
  for (const auto& [before, after] : sign_changes(orders))
    changes.push_back({x[before], x[after], decided, orders[before] > 0});
  return changes;
}

// Keeps those that are sure; if there are none, the first one of the medians.
std::vector<Crossing> crossings_of(const Line& a, const Line& b, bool intervals) {
  std::vector<Crossing> sure = changes_of(a, b, true, [&](const Point& one, const Point& other) {
    return order_of(one, other, intervals);
  });
  if (!sure.empty()) return sure;
  std::vector<Crossing> medians = changes_of(a, b, false, [](const Point& one, const Point& other) {
    return order_of({.y = one.y}, {.y = other.y}, false);
  });
  if (medians.size() > 1) medians.resize(1);
  return medians;
}

// More crossings than these are only counted.
constexpr std::size_t kMostCrossings = 2;

std::string crossing_sentence(const Curves& curves, const Line& a, const Line& b,
                              const Crossing& found) {
  const std::string between = fmt::format("between {} and {}", place(curves.panel->x, found.from),
                                          place(curves.panel->x, found.to));
  if (found.decided)
    return sentence(curves.where, "",
                    fmt::format("{} and {} cross {}, where {} becomes the larger one", a.name,
                                b.name, between, found.above_before ? b.name : a.name));
  return sentence(curves.where, "The ",
                  fmt::format("medians of {} and {} cross {}, but their intervals overlap there",
                              a.name, b.name, between));
}

}  // namespace

void add_gap(const Quantity& quantity, std::vector<std::string>& out) {
  const bool ratio = all_positive(quantity);
  if (const auto gap = largest_gap(quantity, ratio))
    out.push_back(gap_sentence(*gap, ratio, quantity.intervals));
}

void add_crossings(const Quantity& quantity, std::vector<std::string>& out) {
  std::vector<std::string> decided;
  std::vector<std::string> undecided;
  std::map<std::string, std::size_t> places_of_pair;
  for (const Curves& curves : quantity.panels) {
    if (has_words(curves.panel->x)) continue;
    for (auto a = curves.lines.begin(); a != curves.lines.end(); ++a)
      for (auto b = std::next(a); b != curves.lines.end(); ++b) {
        if (!a->joined || !b->joined) continue;
        for (const Crossing& found : crossings_of(*a, *b, quantity.intervals)) {
          (found.decided ? decided : undecided).push_back(crossing_sentence(curves, *a, *b, found));
          if (found.decided) ++places_of_pair[fmt::format("{} and {}", a->name, b->name)];
        }
      }
  }
  const std::string y = name_of(quantity.panels.front().panel->y);
  if (decided.size() <= kMostCrossings) {
    out.insert(out.end(), decided.begin(), decided.end());
  } else {
    const auto& [pair, places] = *std::ranges::max_element(
        places_of_pair, {}, [](const auto& counted) { return counted.second; });
    if (places == decided.size())
      out.push_back(fmt::format("In {}, {} cross in {} places.", y, pair, places));
    else if (places == 1)
      out.push_back(fmt::format("In {}, {} pairs of lines cross once each.", y, decided.size()));
    else
      out.push_back(fmt::format("In {}, lines cross in {} places, most often {} ({}).", y,
                                decided.size(), pair, places));
  }
  if (undecided.size() <= kMostCrossings)
    out.insert(out.end(), undecided.begin(), undecided.end());
  else
    out.push_back(fmt::format(
        "In {}, the medians of {} pairs of lines cross, but their intervals overlap there.", y,
        undecided.size()));
}

}  // namespace qb::finding
