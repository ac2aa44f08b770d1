#include "plots/report/findings.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/statistics.h"
#include "plots/frame/frame.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

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

bool has_interval(const Point& point) {
  return std::isfinite(point.low) && std::isfinite(point.high);
}

bool is_line(const Series& series) {
  const bool drawn = series.draw == Draw::line_points || series.draw == Draw::line ||
                     series.draw == Draw::points || series.draw == Draw::steps;
  return drawn && !series.published && !series.thin;
}

std::vector<Line> lines_of(const Panel& panel) {
  std::vector<Line> lines;
  for (const Series& series : panel.series) {
    if (!is_line(series)) continue;
    Line line{.name = series.name, .joined = series.draw != Draw::points};
    for (const Point& point : series.points)
      if (std::isfinite(point.x) && std::isfinite(point.y)) line.points[point.x] = point;
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Quantity> quantities_of(const Figure& figure) {
  std::vector<Quantity> quantities;
  std::map<std::vector<std::string>, std::size_t> known;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    Curves curves{.panel = &panel, .lines = lines_of(panel)};
    if (curves.lines.empty()) continue;
    if (figure.panels.size() > 1) {
      curves.where = fmt::format("panel {}", p + 1);
      if (!panel.title.empty()) curves.where += fmt::format(" ({})", panel.title);
    }
    const std::vector<std::string> shown = {panel.x.label, panel.x.column, panel.y.label,
                                            panel.y.column};
    const auto [at, is_new] = known.try_emplace(shown, quantities.size());
    if (is_new) quantities.emplace_back();
    Quantity& quantity = quantities[at->second];
    for (const Line& line : curves.lines)
      for (const auto& [x, point] : line.points)
        quantity.intervals = quantity.intervals || has_interval(point);
    quantity.panels.push_back(std::move(curves));
  }
  return quantities;
}

// ---- words -------------------------------------------------------------------------------------

// Takes the unit off: `time` of `time (ms)`.
std::string name_of(const Axis& axis) {
  if (axis.column == "n_tokens") return "N";
  if (axis.column == "workers") return "W";
  const std::string name = axis.label.empty() ? replaced(axis.column, {{"_", " "}}) : axis.label;
  return name.substr(0, name.find(" ("));
}

// The unit behind a number: ` ms` of `time (ms)`. Counts of tokens and workers need none.
std::string unit_of(const Axis& axis) {
  const std::size_t open = axis.label.find(" (");
  if (axis.column == "n_tokens" || axis.column == "workers" || open == std::string::npos ||
      !axis.label.ends_with(')'))
    return {};
  return ' ' + axis.label.substr(open + 2, axis.label.size() - open - 3);
}

// Says whether the places on an axis are words and no numbers.
bool has_words(const Axis& axis) {
  return std::ranges::any_of(axis.tics,
                             [](const Axis::Tic& tic) { return !parse_real(tic.label); });
}

std::string place(const Axis& axis, double x) {
  for (const Axis::Tic& tic : axis.tics)
    if (tic.value == x && has_words(axis)) return tic.label;
  const bool whole = x == std::round(x) && std::abs(x) < 1e15;
  return fmt::format(
      "{} = {}{}", name_of(axis),
      whole ? format_grouped(static_cast<std::int64_t>(x)) : fmt::format("{:.4g}", x),
      unit_of(axis));
}

// Writes `4.00 (3.62 to 4.42)`; an interval that is missing or has no width is left out.
std::string with_interval(double value, double low, double high,
                          const std::function<std::string(double)>& text) {
  if (!std::isfinite(low) || !std::isfinite(high) || text(low) == text(high)) return text(value);
  return fmt::format("{} ({} to {})", text(value), text(low), text(high));
}

// Puts the panel in front: `In panel 2, the largest …`.
std::string sentence(const Curves& curves, std::string_view article, const std::string& text) {
  if (curves.where.empty()) return fmt::format("{}{}.", article, text);
  std::string small(article);
  if (!small.empty()) small.front() = static_cast<char>(small.front() - 'A' + 'a');
  return fmt::format("In {}, {}{}.", curves.where, small, text);
}

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
                                         combined(gap.over.high, gap.under.low), significant);
  return sentence(
      *gap.curves, "The ",
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
  std::vector<Crossing> changes;
  int last = 0;
  double last_x = kNaN;
  for (const auto& [x, point] : a.points) {
    const auto other = b.points.find(x);
    const int now = other == b.points.end() ? 0 : order(point, other->second);
    if (now == 0) continue;
    if (last == -now) changes.push_back({last_x, x, decided, last > 0});
    last = now;
    last_x = x;
  }
  return changes;
}

// Those that are sure; if there are none, the first one of the medians.
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
constexpr std::size_t kMostCrossings = 3;

std::string crossing_sentence(const Curves& curves, const Line& a, const Line& b,
                              const Crossing& found) {
  const std::string between = fmt::format("between {} and {}", place(curves.panel->x, found.from),
                                          place(curves.panel->x, found.to));
  if (found.decided)
    return sentence(curves, "",
                    fmt::format("{} and {} cross {}, where {} becomes the larger one", a.name,
                                b.name, between, found.above_before ? b.name : a.name));
  return sentence(curves, "Whether ",
                  fmt::format("{} and {} cross {} is undecided, since their intervals are not "
                              "apart on both sides",
                              a.name, b.name, between));
}

void add_crossings(const Quantity& quantity, std::vector<std::string>& out) {
  std::vector<std::string> decided;
  std::vector<std::string> undecided;
  for (const Curves& curves : quantity.panels) {
    if (has_words(curves.panel->x)) continue;
    for (auto a = curves.lines.begin(); a != curves.lines.end(); ++a)
      for (auto b = std::next(a); b != curves.lines.end(); ++b) {
        if (!a->joined || !b->joined) continue;
        for (const Crossing& found : crossings_of(*a, *b, quantity.intervals))
          (found.decided ? decided : undecided).push_back(crossing_sentence(curves, *a, *b, found));
      }
  }
  const std::string y = name_of(quantity.panels.front().panel->y);
  if (decided.size() <= kMostCrossings)
    out.insert(out.end(), decided.begin(), decided.end());
  else
    out.push_back(
        fmt::format("In {}, two lines change their order in {} places.", y, decided.size()));
  if (undecided.size() <= kMostCrossings)
    out.insert(out.end(), undecided.begin(), undecided.end());
  else
    out.push_back(
        fmt::format("In {}, the medians of {} further pairs of lines change their order, but their "
                    "intervals are not apart on both sides, which decides nothing.",
                    y, undecided.size()));
}

// ---- growth ------------------------------------------------------------------------------------

constexpr std::size_t kLeastPoints = 4;
constexpr double kLeastSpan = 4.0;  // of x, as a factor
constexpr double kLeastFit = 0.95;  // R² of a line that is called a power

struct Growth {
  std::string name{};
  double exponent = kNaN;
  double low = kNaN;
  double high = kNaN;
  std::size_t points = 0;
  const Curves* curves = nullptr;
};

std::optional<Growth> growth_of(const Line& line, const Curves& curves) {
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& [at, point] : line.points) {
    if (!(at > 0.0) || !(point.y > 0.0)) return std::nullopt;
    x.push_back(std::log(at));
    y.push_back(std::log(point.y));
  }
  if (x.size() < kLeastPoints || !(x.back() - x.front() >= std::log(kLeastSpan) * (1.0 - 1e-12)))
    return std::nullopt;
  const LinearFit fit = fit_line(x, y);
  if (!(fit.r_squared >= kLeastFit)) return std::nullopt;
  double mean = 0.0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  double spread = 0.0;
  double residual = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    spread += (x[i] - mean) * (x[i] - mean);
    const double miss = y[i] - fit.intercept - fit.slope * x[i];
    residual += miss * miss;
  }
  const std::size_t freedom = x.size() - 2;
  const double half =
      student_t(freedom) * std::sqrt(residual / static_cast<double>(freedom) / spread);
  return Growth{line.name, fit.slope, fit.slope - half, fit.slope + half, x.size(), &curves};
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
         with_interval(growth.exponent, growth.low, growth.high,
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
      power_of(*most), least->high < most->low ? "" : ", but their intervals overlap", kFit);
}

void add_growth(const Quantity& quantity, std::vector<std::string>& out) {
  const std::vector<Growth> found = growth_of_longest(quantity);
  const std::string y = name_of(quantity.panels.front().panel->y);
  constexpr std::size_t kMostNamed = 2;
  if (found.size() > kMostNamed) {
    out.push_back(extremes_sentence(found, y));
    return;
  }
  for (const Growth& growth : found)
    out.push_back(sentence(*growth.curves, "The ",
                           fmt::format("{} of {} goes as {} over {} points ({})", y, growth.name,
                                       power_of(growth), growth.points, kFit)));
}

}  // namespace

double student_t(std::size_t degrees_of_freedom) {
  constexpr double kFew[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  if (degrees_of_freedom == 0) return kNaN;
  if (degrees_of_freedom <= std::size(kFew)) return kFew[degrees_of_freedom - 1];
  const auto n = static_cast<double>(degrees_of_freedom);
  return 1.95996 + 2.37227 / n + 2.8225 / (n * n);  // the expansion about the normal quantile
}

std::vector<std::string> findings(const Figure& figure) {
  std::vector<std::string> out;
  for (const Quantity& quantity : quantities_of(figure)) {
    const bool ratio = all_positive(quantity);
    if (const auto gap = largest_gap(quantity, ratio))
      out.push_back(gap_sentence(*gap, ratio, quantity.intervals));
    add_crossings(quantity, out);
    add_growth(quantity, out);
  }
  return out;
}

std::string write_findings(const std::vector<Figure>& figures, const std::string& directory) {
  ensure_directory(directory);
  const std::string path = (std::filesystem::path(directory) / "findings.csv").string();
  std::map<std::string, std::vector<std::vector<std::string>>> rows;  // by figure
  if (std::filesystem::exists(path)) {
    const CsvTable old = CsvTable::parse(read_file(path), path);
    for (const Row& row : all_rows(old))
      rows[row.text(kFindingColumns[0])].push_back(old.row(row.index));
  }
  for (const Figure& figure : figures) {
    if (!figure.empty_reason.empty()) continue;
    std::vector<std::vector<std::string>>& own = rows[figure.name];
    own.clear();
    for (const std::string& finding : findings(figure))
      own.push_back({figure.name, figure.title, finding});
    if (own.empty()) own.push_back({figure.name, figure.title, ""});
  }
  CsvTable table({std::begin(kFindingColumns), std::end(kFindingColumns)});
  for (const auto& [name, of_figure] : rows)
    for (const std::vector<std::string>& row : of_figure) table.append(row);
  write_file_atomically(path, table.to_string());
  return path;
}

}  // namespace qb
