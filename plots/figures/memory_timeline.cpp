#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Active memory over time";
constexpr std::size_t kMostPanels = 4;

// Of one case: active bytes after each event, in seconds since its first.
struct Timeline {
  CaseSeries from;
  std::vector<Point> points;  // s, bytes
  double oom_s = kNaN;
};

Timeline read_timeline(const CsvTable& timeline, const std::vector<std::size_t>& rows,
                       const CaseSeries& from) {
  Timeline out{from, {}, kNaN};
  const double start = timeline.number(rows.front(), "time_s");
  for (const std::size_t row : rows) {
    const double time = timeline.number(row, "time_s") - start;
    if (timeline.text(row, "action") == "oom") out.oom_s = time;
    // Segments come and go below the tensors; they do not change what is active.
    const double active = timeline.number(row, "active_bytes");
    if (out.points.empty() || out.points.back().y != active)
      out.points.push_back({.x = time, .y = active});
  }
  out.points.push_back(
      {.x = timeline.number(rows.back(), "time_s") - start, .y = out.points.back().y});
  return out;
}

// n_tokens -> timelines, ascending worker count.
std::map<double, std::vector<Timeline>> timelines_by_length(const CsvTable& cases,
                                                            const CsvTable& timeline) {
  const auto rows_of = rows_of_cases(timeline);
  std::map<double, std::vector<Timeline>> found;
  for (const CaseSeries& group : case_series(cases))
    for (const std::size_t row : group.rows) {
      const auto rows = rows_of.find(cases.text(row, "case_id"));
      if (rows == rows_of.end()) continue;
      found[cases.number(row, "n_tokens")].push_back(read_timeline(timeline, rows->second, group));
    }
  return found;
}

// The shortest, the longest and some between, of those lengths that have both the fewest and the
// most workers of all timelines, or of all lengths where none has both.
std::vector<double> chosen_lengths(const std::map<double, std::vector<Timeline>>& all) {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (const auto& [n, timelines] : all) {
    fewest = std::min(fewest, timelines.front().from.workers);
    most = std::max(most, timelines.back().from.workers);
  }
  std::vector<double> lengths;
  for (const auto& [n, timelines] : all)
    if (timelines.front().from.workers == fewest && timelines.back().from.workers == most)
      lengths.push_back(n);
  if (lengths.empty())
    for (const auto& [n, timelines] : all) lengths.push_back(n);
  if (lengths.size() <= kMostPanels) return lengths;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < kMostPanels; ++i)
    chosen.push_back(lengths[i * (lengths.size() - 1) / (kMostPanels - 1)]);
  return chosen;
}

void add_series(Panel& panel, const Timeline& from, const ByteUnit& unit) {
  constexpr double kMilliseconds = 1e3;
  Series series{.name = from.from.name, .draw = Draw::steps, .style = from.from.style};
  double peak = 0.0;
  for (const Point& point : from.points) {
    series.points.push_back({.x = point.x * kMilliseconds, .y = point.y / unit.bytes});
    peak = std::max(peak, point.y);
  }
  panel.series.push_back(std::move(series));
  if (std::isnan(from.oom_s)) return;
  panel.series.push_back({.name = from.from.name,
                          .draw = Draw::out_of_memory,
                          .style = from.from.style,
                          .points = {{.x = from.oom_s * kMilliseconds}}});
}

}  // namespace

Figure memory_timeline_figure(const CsvTable& cases, const CsvTable& timeline,
                              const FigureContext& context) {
  const auto all = timelines_by_length(cases, timeline);
  Figure figure{.name = "memory_timeline", .title = kTitle, .subtitle = context.subtitle};
  if (all.empty()) return empty_figure(figure.name, kTitle, "no case has a memory timeline");
  double largest = 0.0;
  for (const auto& [n, timelines] : all)
    for (const Timeline& one : timelines)
      for (const Point& point : one.points) largest = std::max(largest, point.y);
  const ByteUnit unit = byte_unit(largest);
  for (const double n : chosen_lengths(all)) {
    const std::vector<Timeline>& timelines = all.at(n);
    Panel panel{.title = fmt::format("N = {}", format_grouped(static_cast<std::int64_t>(n)))};
    add_series(panel, timelines.front(), unit);
    if (timelines.size() > 1) add_series(panel, timelines.back(), unit);
    panel.x = {.label = "time since the case began (ms)", .column = "time_ms", .from_zero = true};
    panel.y = {.label = fmt::format("active memory ({})", unit.name),
               .column = "active_memory_" + unit.suffix,
               .from_zero = true};
    figure.panels.push_back(std::move(panel));
  }
  figure.columns = figure.panels.size() > 1 ? 2 : 1;
  figure.panel_height = figure.panels.size() > 2 ? 240 : 330;
  figure.notes = {
      "Bytes of all live tensors after each allocation and release, in the memory pass, which is "
      "not "
      "the timed one. The device plays the workers of a plan one after the other where ranks are "
      "serial."};
  return figure;
}

}  // namespace qb
