// Active memory over time, one worker compared with many, as in supplement D of CQS-Attention.
//
// There is a panel for each of up to four lengths, and in it the fewest and the most workers that
// have a timeline in memory_timeline.csv.
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr std::size_t kMostPanels = 4;

// The timeline of one case: active bytes after each event, in seconds since its first.
struct Timeline {
  Group line;
  std::vector<Point> points;  // s, bytes
  double oom_s = kNaN;
};

Timeline read_timeline(const Rows& events, const Group& line) {
  Timeline out{line, {}, kNaN};
  const auto since_start = [&](const Row& row) {
    return row.number("time_s") - events.front().number("time_s");
  };
  for (const Row& row : events) {
    if (row.is("action", "oom")) out.oom_s = since_start(row);
    // Segments come and go below the tensors; they do not change what is active.
    const double active = row.number("active_bytes");
    if (out.points.empty() || out.points.back().y != active)
      out.points.push_back({.x = since_start(row), .y = active});
  }
  out.points.push_back({.x = since_start(events.back()), .y = out.points.back().y});
  return out;
}

// n_tokens -> timelines, ascending worker count.
using Timelines = std::map<double, std::vector<Timeline>>;
Timelines timelines_of(const CsvTable& cases, const CsvTable& timeline) {
  const std::map<std::string, Rows> events = rows_by_case(timeline);
  Timelines found;
  for (const Group& line : case_lines(cases))
    for (const Row& row : line.rows)
      if (const auto own = events.find(row.text("case_id")); own != events.end())
        found[row.number("n_tokens")].push_back(read_timeline(own->second, line));
  return found;
}

// Chooses the shortest, the longest and some between, of those lengths that have both the fewest
// and the most workers of all timelines, or of all lengths if none has both.
std::vector<double> chosen_lengths(const Timelines& all) {
  std::set<std::int64_t> counts;
  for (const auto& [n, timelines] : all)
    for (const Timeline& one : timelines) counts.insert(workers_of(one.line));
  std::vector<double> lengths;
  std::vector<double> with_both;
  for (const auto& [n, timelines] : all) {
    lengths.push_back(n);
    if (workers_of(timelines.front().line) == *counts.begin() &&
        workers_of(timelines.back().line) == *counts.rbegin())
      with_both.push_back(n);
  }
  if (!with_both.empty()) lengths = with_both;
  if (lengths.size() <= kMostPanels) return lengths;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < kMostPanels; ++i)
    chosen.push_back(lengths[i * (lengths.size() - 1) / (kMostPanels - 1)]);
  return chosen;
}

void add_timeline(Panel& panel, const Timeline& from, const Unit& unit) {
  Series series{.name = from.line.name, .draw = Draw::steps, .style = from.line.style};
  for (const Point& point : from.points)
    series.points.push_back({.x = point.x * kMilli, .y = point.y * unit.factor});
  panel.series.push_back(series);
  series.draw = Draw::out_of_memory;
  series.points = {{.x = from.oom_s * kMilli}};
  if (!std::isnan(from.oom_s)) panel.series.push_back(series);
}

}  // namespace

Figure memory_timeline_figure(const PlottedRun& run) {
  Figure figure{.title = "Active memory over time"};
  if (!run.timeline)
    return empty_figure(figure.title,
                        "the run has no memory_timeline.csv (measure: {memory_timeline: true})");
  const Timelines all = timelines_of(run.cases, *run.timeline);
  if (all.empty()) return empty_figure(figure.title, "no case has a memory timeline");
  double largest = 0.0;
  for (const auto& [n, timelines] : all)
    for (const Timeline& one : timelines)
      for (const Point& point : one.points) largest = std::max(largest, point.y);
  const Unit unit = byte_unit(largest);
  for (const double n : chosen_lengths(all)) {
    const std::vector<Timeline>& timelines = all.at(n);
    Panel panel{
        .title = "N = " + grouped(n),
        .x = {.label = "time since the case began (ms)", .column = "time_ms", .from_zero = true},
        .y = axis_in(unit, "active memory", "active_memory")};
    panel.y.from_zero = true;
    add_timeline(panel, timelines.front(), unit);
    if (timelines.size() > 1) add_timeline(panel, timelines.back(), unit);
    figure.panels.push_back(std::move(panel));
  }
  figure.columns = figure.panels.size() > 1 ? 2 : 1;
  figure.panel_height = figure.panels.size() > 2 ? 240 : 330;
  figure.notes = {
      "Bytes of all live tensors after each allocation and release, in the memory pass, which is "
      "not the timed one. The device plays the workers of a plan one after the other where ranks "
      "are serial."};
  return figure;
}

}  // namespace qb
