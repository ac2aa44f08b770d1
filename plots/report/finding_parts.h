// What the sentences of findings.cpp are made of: the lines of a figure, the words for a place, and
// a function for each kind of sentence.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plots/frame/figure.h"

namespace qb::finding {

// A line of a panel, by x. A repeated x keeps its last point.
struct Line {
  std::string name{};
  bool joined = true;  // its marks have a line through them
  std::map<double, Point> points{};
};

struct Curves {
  std::string where{};  // `panel 2 (critical path)`; empty if there is one panel
  const Panel* panel = nullptr;
  std::vector<Line> lines{};
};

// Panels that show the same over the same, whose values may be compared.
struct Quantity {
  std::vector<Curves> panels{};
  bool intervals = false;  // some point has one
};

// ---- words -------------------------------------------------------------------------------------

[[nodiscard]] bool has_interval(const Point& point);

// Takes the unit off: `time` of `time (ms)`.
[[nodiscard]] std::string name_of(const Axis& axis);
// The unit behind a number: ` ms` of `time (ms)`. Counts of tokens and workers need none.
[[nodiscard]] std::string unit_of(const Axis& axis);
// Writes three digits, and those before the point where there are more: `0.0123`, `919,152`.
[[nodiscard]] std::string value_text(double value);
// Says whether the places on an axis are words, not numbers.
[[nodiscard]] bool has_words(const Axis& axis);
// Writes `N = 4,096`, `bandwidth = 0.6 GB/s`, or the word of the place.
[[nodiscard]] std::string place(const Axis& axis, double x);
// Writes `4.00 (3.62 to 4.42)`; an interval that is missing or has no width is left out.
[[nodiscard]] std::string with_interval(double value, double low, double high,
                                        const std::function<std::string(double)>& text);
// Names a panel of a figure: `panel 2 (critical path)`; empty if it has no other.
[[nodiscard]] std::string panel_name(const Figure& figure, std::size_t panel);
// Puts the panel in front, if there is one: `In panel 2, the largest …`.
[[nodiscard]] std::string sentence(const std::string& where, std::string_view article,
                                   const std::string& text);

// ---- kinds of sentences ------------------------------------------------------------------------

// The largest ratio of two lines or, of values that are not all positive, their largest difference.
void add_gap(const Quantity& quantity, std::vector<std::string>& out);
// Where lines cross.
void add_crossings(const Quantity& quantity, std::vector<std::string>& out);
// The exponents of those lines that have most points.
void add_growth(const Quantity& quantity, std::vector<std::string>& out);
// Says of what the bars of a figure are made.
void add_shares(const Figure& figure, std::vector<std::string>& out);

}  // namespace qb::finding
