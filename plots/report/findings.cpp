#include "plots/report/findings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/numbers.h"
#include "base/statistics.h"
#include "plots/frame/frame.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

// A line of a panel, by x. A repeated x keeps its last point.
struct Line {
  std::string name{};
  std::map<double, Point> points{};
};

struct Curves {
  std::string where{};  // `in panel 2 (critical path)`; empty if there is one panel
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
  return drawn && !series.published;
}

std::vector<Line> lines_of(const Panel& panel) {
  std::vector<Line> lines;
  for (const Series& series : panel.series) {
    if (!is_line(series)) continue;
    Line line{.name = series.name};
    for (const Point& point : series.points)
      if (std::isfinite(point.x) && std::isfinite(point.y)) line.points[point.x] = point;
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Quantity> quantities_of(const Figure& figure) {
  std::vector<Quantity> quantities;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    Curves curves{.panel = &panel, .lines = lines_of(panel)};
    if (curves.lines.empty()) continue;
    if (figure.panels.size() > 1)
      curves.where =
          fmt::format("in panel {}{}", p + 1, panel.title.empty() ? "" : " (" + panel.title + ")");
    const auto [at, is_new] =
        known.try_emplace({panel.x.column, panel.y.column}, quantities.size());
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

std::string number_text(double value) {
  if (value == std::round(value) && std::abs(value) < 1e15)
    return format_grouped(static_cast<std::int64_t>(value));
  return significant(value);
}

std::string place(const Axis& axis, double x) {
  for (const Axis::Tic& tic : axis.tics)
    if (tic.value == x && !parse_real(tic.label)) return tic.label;
  return fmt::format("{} = {}", name_of(axis), number_text(x));
}

// Whether a ratio of values can be formed, and a power fitted.
bool all_positive(const Quantity& quantity) {
  for (const Curves& curves : quantity.panels)
    for (const Line& line : curves.lines)
      for (const auto& [x, point] : line.points)
        if (!(point.y > 0.0)) return false;
  return true;
}

std::string sentence(const std::string& where, std::string text) {
  if (!where.empty()) text += ' ' + where;
  return text + '.';
}

// ---- the largest ratio or difference -----------------------------------------------------------

struct Gap {
  double size = 0.0;  // of the medians
  Point over{};
  Point under{};
  std::string names{};
  const Curves* curves = nullptr;
};

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

std::optional<Gap> largest_gap(const Quantity& quantity, bool ratio) {
  std::optional<Gap> largest;
  for (const Curves& curves : quantity.panels)
    for (const Line& over : curves.lines)
      for (const Line& under : curves.lines)
        for (const auto& [x, point] : over.points) {
          const auto other = under.points.find(x);
          if (&over == &under || other == under.points.end()) continue;
          const double size = ratio ? point.y / other->second.y : point.y - other->second.y;
          if (!std::isfinite(size) || (largest && !(size > largest->size))) continue;
          largest = Gap{size, point, other->second,
                        over.name + (ratio ? " over " : " minus ") + under.name, &curves};
        }
  // Lines that coincide have no largest one.
  if (largest && !(largest->size > (ratio ? 1.0 : 0.0))) largest.reset();
  return largest;
}

std::string gap_sentence(const Gap& gap, bool ratio, bool intervals) {
  const Panel& panel = *gap.curves->panel;
  const auto combined = [&](double a, double b) { return significant(ratio ? a / b : a - b); };
  std::string size = significant(gap.size);
  if (has_interval(gap.over) && has_interval(gap.under))
    size += fmt::format(" ({} to {})", combined(gap.over.low, gap.under.high),
                        combined(gap.over.high, gap.under.low));
  return sentence(gap.curves->where,
                  fmt::format("The largest {} of {} is {}, {} at {}{}",
                              ratio ? "ratio" : "difference", name_of(panel.y), size, gap.names,
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

// Finds where two lines change their order: surely, and where their medians alone do.
std::vector<Crossing> crossings_of(const Line& a, const Line& b, bool intervals) {
  std::vector<Crossing> sure;
  std::vector<Crossing> of_medians;
  int last_sure = 0;
  int last_median = 0;
  double sure_at = kNaN;
  double median_at = kNaN;
  for (const auto& [x, point] : a.points) {
    const auto other = b.points.find(x);
    if (other == b.points.end()) continue;
    const int now = order_of(point, other->second, intervals);
    const int median = point.y > other->second.y ? 1 : point.y < other->second.y ? -1 : 0;
    if (now != 0 && last_sure == -now) sure.push_back({sure_at, x, true, last_sure > 0});
    if (median != 0 && last_median == -median)
      of_medians.push_back({median_at, x, false, last_median > 0});
    if (now != 0) {
      last_sure = now;
      sure_at = x;
    }
    if (median != 0) {
      last_median = median;
      median_at = x;
    }
  }
  if (!sure.empty() || of_medians.empty()) return sure;
  return {of_medians.front()};
}

constexpr std::size_t kMostCrossings = 3;

void add_crossings(const Quantity& quantity, std::vector<std::string>& out) {
  std::vector<std::string> decided;
  std::vector<std::string> undecided;
  for (const Curves& curves : quantity.panels)
    for (std::size_t i = 0; i < curves.lines.size(); ++i)
      for (std::size_t j = i + 1; j < curves.lines.size(); ++j) {
        const Line& a = curves.lines[i];
        const Line& b = curves.lines[j];
        for (const Crossing& found : crossings_of(a, b, quantity.intervals)) {
          const std::string between =
              fmt::format("between {} and {}", place(curves.panel->x, found.from),
                          place(curves.panel->x, found.to));
          if (found.decided)
            decided.push_back(sentence(
                curves.where,
                fmt::format("{} and {} cross {}, where {} becomes the larger "
                            "one",
                            a.name, b.name, between, found.above_before ? b.name : a.name)));
          else
            undecided.push_back(sentence(
                curves.where, fmt::format("Whether {} and {} cross {} is undecided, since their "
                                          "intervals are not apart on both sides",
                                          a.name, b.name, between)));
        }
      }
  const auto take = [&](const std::vector<std::string>& sentences, const char* more) {
    for (std::size_t i = 0; i < std::min(sentences.size(), kMostCrossings); ++i)
      out.push_back(sentences[i]);
    if (sentences.size() > kMostCrossings)
      out.push_back(fmt::format("{} more {}.", sentences.size() - kMostCrossings, more));
  };
  take(decided, "pairs of lines cross");
  take(undecided, "crossings are undecided");
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
  if (x.size() < kLeastPoints || !(x.back() - x.front() >= std::log(kLeastSpan)))
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

std::string growth_text(const Growth& growth) {
  return fmt::format("{}^{:.2f} ({:.2f} to {:.2f})", name_of(growth.curves->panel->x),
                     growth.exponent, growth.low, growth.high);
}

// Of many lines it names those that grow least and most.
void add_growth(const Quantity& quantity, std::vector<std::string>& out) {
  std::vector<Growth> found;
  for (const Curves& curves : quantity.panels)
    for (const Line& line : curves.lines)
      if (auto growth = growth_of(line, curves)) found.push_back(std::move(*growth));
  std::size_t longest = 0;
  for (const Growth& growth : found) longest = std::max(longest, growth.points);
  std::erase_if(found, [&](const Growth& growth) { return growth.points < longest; });
  if (found.empty()) return;
  const std::string y = name_of(found.front().curves->panel->y);
  constexpr const char* kHow = "by a fit on logarithms with its 95 % interval";
  if (found.size() <= 2) {
    for (const Growth& growth : found)
      out.push_back(sentence(growth.curves->where,
                             fmt::format("The {} of {} goes as {} over {} points, {}", y,
                                         growth.name, growth_text(growth), growth.points, kHow)));
    return;
  }
  const auto [least, most] = std::ranges::minmax_element(found, {}, &Growth::exponent);
  const auto full = [](const Growth& growth) {
    return growth.name + (growth.curves->where.empty() ? "" : ' ' + growth.curves->where);
  };
  out.push_back(
      fmt::format("Of {} lines of {} points, the {} of {} grows least, as {}, and that of "
                  "{} most, as {}, {}.",
                  found.size(), longest, y, full(*least), growth_text(*least), full(*most),
                  growth_text(*most), kHow));
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

Figure figure_of_csv(const CsvTable& csv) {
  Figure figure;
  const std::vector<std::string>& header = csv.header();
  if (header.size() < 7) return figure;
  const std::string& x = header[3];
  const std::string& y = header[4];
  const bool edges = csv.has(x + "_low");
  for (const Row& row : all_rows(csv)) {
    const auto panel = static_cast<std::size_t>(std::max<std::int64_t>(1, row.integer("panel")));
    while (figure.panels.size() < panel)
      figure.panels.push_back({.x = {.column = x}, .y = {.column = y}});
    std::vector<Series>& series = figure.panels[panel - 1].series;
    const std::string& kind = row.text("kind");
    const Draw draw = kind == "limit"                          ? Draw::limit
                      : kind == "out_of_memory"                ? Draw::out_of_memory
                      : edges && !row.text(x + "_low").empty() ? Draw::rectangles
                                                               : Draw::line_points;
    const bool published = kind == "published";
    const auto same = [&](const Series& one) {
      return one.name == row.text("series") && one.published == published && one.draw == draw;
    };
    auto at = std::ranges::find_if(series, same);
    if (at == series.end())
      at = series.insert(series.end(),
                         {.name = row.text("series"), .draw = draw, .published = published});
    at->points.push_back({.x = row.number(x),
                          .y = row.number(y),
                          .low = row.number(y + "_low"),
                          .high = row.number(y + "_high"),
                          .disturbed = csv.has("disturbed") && row.is("disturbed", "1")});
  }
  return figure;
}

}  // namespace qb
