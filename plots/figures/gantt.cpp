#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "plots/frame/palette.h"
#include "plots/frame/scale.h"

namespace qb {
namespace {

constexpr const char* kTitle = "What each worker does when";
constexpr const char* kLinkBandwidth = "link_bandwidth_byte_per_s";
constexpr std::size_t kMostPanels = 6;
constexpr std::int64_t kMostWorkers = 32;
constexpr std::int64_t kMostNumberedWorkers = 16;
constexpr double kHalfBar = 0.4;  // of the distance between two workers
// Least width, as a share of the axis, of a rectangle that one digit of a step's number fits into.
constexpr double kDigitShare = 0.014;

// One worker's step: exposed communication, idle, compute, in this order (the idle time of a case
// of one step at its end), in seconds.
struct Activity {
  std::int64_t worker = 0;
  std::int64_t step = 0;
  double start = kNaN;
  double exposed = 0.0;
  double idle = 0.0;
  double compute = 0.0;
  [[nodiscard]] double end() const { return start + exposed + idle + compute; }
};

struct Chart {
  std::string title{};
  std::int64_t workers = 0;
  std::int64_t steps = 0;
  double end = 0.0;
  bool composed = false;
  std::vector<Activity> activities{};
};

double or_zero(double value) { return std::isnan(value) ? 0.0 : value; }

// Ascending step. Of several rows of a worker and step (a case that was run again) the last stands.
std::vector<Activity> read_activities(const CsvTable& steps, const std::vector<std::size_t>& rows) {
  std::map<std::pair<std::int64_t, std::int64_t>, Activity> last;  // by step and worker
  for (const std::size_t row : rows) {
    const Activity one{.worker = static_cast<std::int64_t>(steps.number(row, "worker")),
                       .step = static_cast<std::int64_t>(steps.number(row, "step")),
                       .start = steps.number(row, "start_s"),
                       .exposed = or_zero(steps.number(row, "exposed_communication_s")),
                       .idle = or_zero(steps.number(row, "idle_s")),
                       .compute = or_zero(steps.number(row, "compute_s"))};
    last.insert_or_assign({one.step, one.worker}, one);
  }
  std::vector<Activity> out;
  out.reserve(last.size());
  for (const auto& [key, one] : last) out.push_back(one);
  return out;
}

// Steps one after another, each until its slowest worker ends. A worker that is ready before
// another step waits at that step's beginning.
void compose(std::vector<Activity>& activities) {
  std::map<std::int64_t, double> longest;  // of each step
  for (const Activity& one : activities) {
    double& most = longest[one.step];
    most = std::max(most, one.exposed + one.idle + one.compute);
  }
  std::map<std::int64_t, double> begin;
  double now = 0.0;
  for (const auto& [step, duration] : longest) {
    begin[step] = now;
    now += duration;
  }
  std::map<std::int64_t, double> ended;  // of each worker, its step before
  for (Activity& one : activities) {
    const double ready = ended.contains(one.worker) ? ended[one.worker] : 0.0;
    one.start = begin[one.step];
    const double end = one.end();
    one.idle += one.start - ready;
    one.start = ready;
    ended[one.worker] = end;
  }
}

// Infinite without a limit.
double bandwidth(const CsvTable& cases, std::size_t row) {
  const double limit = cases.has(kLinkBandwidth) ? cases.number(row, kLinkBandwidth) : kNaN;
  return std::isnan(limit) ? std::numeric_limits<double>::infinity() : limit;
}

// Rows of cases that ran with steps and several workers. Their order in the file is the random one
// in which they ran; here the longest sequence and the most workers come first, and of several
// links the one in the middle, where computing hides a part: schemes of one size stand below each
// other.
struct Choice {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> left_out;
};
Choice choose(const CsvTable& cases, const std::map<std::string, std::vector<std::size_t>>& steps) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : standing_rows(cases))
    if (ran(cases, row) && cases.number(row, "workers") >= 2.0 &&
        steps.contains(cases.text(row, "case_id")))
      rows.push_back(row);
  std::set<double> links;
  for (const std::size_t row : rows) links.insert(bandwidth(cases, row));
  const auto from_middle = [&](std::size_t row) {
    const auto at = std::distance(links.begin(), links.find(bandwidth(cases, row)));
    return std::abs(at - static_cast<std::ptrdiff_t>(links.size() / 2));
  };
  const auto rank = [&](std::size_t row) {
    return std::tuple(-cases.number(row, "n_tokens"), -cases.number(row, "workers"),
                      from_middle(row), cases.text(row, "ranks"), cases.text(row, "algorithm"));
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), kMostPanels));
  return {{rows.begin(), end}, {end, rows.end()}};
}

// `ring, N = 8,192, W = 8, threads` and what else tells it from the others.
std::string case_name(const CsvTable& cases, std::size_t row,
                      const std::vector<std::string>& others) {
  return name_with(
      fmt::format("{}, N = {}, W = {}, {}", cases.text(row, "algorithm"),
                  format_grouped(static_cast<std::int64_t>(cases.number(row, "n_tokens"))),
                  cases.text(row, "workers"), cases.text(row, "ranks")),
      cases, row, others);
}

// What tells the drawn cases apart, and their link where the run has several: those that are drawn
// may all be of the one in the middle.
std::vector<std::string> naming_columns(const CsvTable& cases, const Choice& choice) {
  std::vector<std::string> columns =
      splitting_columns(cases, choice.rows, {"algorithm", "n_tokens", "workers", "ranks"});
  std::set<double> links;
  for (const auto* rows : {&choice.rows, &choice.left_out})
    for (const std::size_t row : *rows) links.insert(bandwidth(cases, row));
  const bool named = std::find(columns.begin(), columns.end(), kLinkBandwidth) != columns.end();
  if (links.size() > 1 && !named) columns.emplace_back(kLinkBandwidth);
  return columns;
}

Chart read_chart(const CsvTable& cases, std::size_t row, const CsvTable& steps,
                 const std::vector<std::size_t>& step_rows) {
  Chart chart{.workers = static_cast<std::int64_t>(cases.number(row, "workers"))};
  chart.activities = read_activities(steps, step_rows);
  chart.composed = std::any_of(chart.activities.begin(), chart.activities.end(),
                               [](const Activity& one) { return std::isnan(one.start); });
  if (chart.composed) compose(chart.activities);
  for (const Activity& one : chart.activities) {
    chart.end = std::max(chart.end, one.end());
    chart.steps = std::max(chart.steps, one.step + 1);
  }
  return chart;
}

class ChartPanel {
 public:
  // `axis_s` is the length of the time axis.
  ChartPanel(TimeUnit unit, double axis_s) : unit_(std::move(unit)), axis_s_(axis_s) {}

  [[nodiscard]] Panel draw(const Chart& chart) {
    // Neither into flat bars nor where there is nothing to count.
    const bool numbers = chart.workers <= kMostNumberedWorkers && chart.steps > 1;
    for (const Activity& one : chart.activities) {
      if (one.worker >= kMostWorkers) continue;
      // With one step alone there is nobody to wait for but at its end, where all meet.
      const bool joins = chart.steps == 1;
      const double waited = one.start + one.exposed;
      const double computes = joins ? waited : waited + one.idle;
      add(waiting_, one, one.start, one.exposed);
      add(idle_, one, joins ? waited + one.compute : waited, one.idle);
      const std::string number = fmt::format("{}", one.step);
      const double share = one.compute / axis_s_;
      const bool fits = numbers && share >= kDigitShare * static_cast<double>(number.size());
      add(fits ? numbered_[one.step] : compute_, one, computes, one.compute);
    }
    Panel panel{.title = chart.title};
    panel.series.push_back(series("compute", kComputeColour, compute_));
    for (const auto& [step, points] : numbered_) {
      Series one = series(fmt::format("compute, step {}", step), kComputeColour, points);
      one.thin = one.in_legend = false;
      one.text = fmt::format("{}", step);
      panel.series.push_back(std::move(one));
    }
    panel.series.push_back(series("exposed communication", kCommunicationColour, waiting_));
    panel.series.push_back(series("idle", kIdleColour, idle_));
    return panel;
  }

 private:
  void add(std::vector<Point>& to, const Activity& of, double start, double length) const {
    if (!(length > 0.0)) return;
    const double from = start * unit_.per_s;
    const double until = (start + length) * unit_.per_s;
    const auto y = static_cast<double>(of.worker);
    to.push_back({(from + until) / 2, y, y - kHalfBar, y + kHalfBar, from, until});
  }
  static Series series(std::string name, std::uint32_t colour, std::vector<Point> points) {
    return {.name = std::move(name),
            .draw = Draw::rectangles,
            .style = {colour, 0},
            .thin = true,
            .points = std::move(points)};
  }

  TimeUnit unit_;
  double axis_s_;
  std::vector<Point> compute_, waiting_, idle_;
  std::map<std::int64_t, std::vector<Point>> numbered_;  // by step
};

Axis worker_axis(std::int64_t workers) {
  Axis axis{.label = "worker", .column = "worker", .reversed = true};
  const std::int64_t drawn = std::min(workers, kMostWorkers);
  const std::int64_t every = drawn <= kMostNumberedWorkers ? 1 : 4;
  for (std::int64_t worker = 0; worker < drawn; worker += every)
    axis.tics.push_back({static_cast<double>(worker), fmt::format("{}", worker)});
  return axis;
}

std::vector<std::string> notes(const CsvTable& cases, const Choice& choice,
                               const std::vector<std::string>& columns,
                               const std::vector<Chart>& charts) {
  std::vector<std::string> out = {
      "One row a worker and step, of the run's steps.csv; numbers are steps. Exposed "
      "communication: waiting for data on its way; idle: waiting for a peer that was not ready."};
  if (std::any_of(charts.begin(), charts.end(), [](const Chart& one) { return one.composed; }))
    out.emplace_back(
        "Cases without start times (serial: one device played the workers in turn) are composed: "
        "a step starts when the slowest worker of the step before ended, and waiting for it is "
        "drawn as idle.");
  if (std::any_of(charts.begin(), charts.end(),
                  [](const Chart& one) { return one.workers > kMostWorkers; }))
    out.push_back(fmt::format("Of more than {0} workers the first {0} are drawn.", kMostWorkers));
  if (!choice.left_out.empty()) {
    std::string names;
    constexpr std::size_t kMostNamed = 8;
    for (std::size_t i = 0; i < std::min(choice.left_out.size(), kMostNamed); ++i)
      names += (i == 0 ? "" : "; ") + case_name(cases, choice.left_out[i], columns);
    if (choice.left_out.size() > kMostNamed) names += "; …";
    out.push_back(
        fmt::format("{} cases are drawn, of the longest sequences first; left out: {} ({}).",
                    choice.rows.size(), choice.left_out.size(), names));
  }
  return out;
}

int panel_height(const std::vector<Chart>& charts) {
  std::int64_t most = 0;
  for (const Chart& chart : charts) most = std::max(most, std::min(chart.workers, kMostWorkers));
  return static_cast<int>(std::clamp<std::int64_t>(16 * most, 80, 330));
}

}  // namespace

Figure gantt_figure(const CsvTable& cases, const CsvTable& steps, const FigureContext& context) {
  const auto rows_of = rows_of_cases(steps);
  const Choice choice = choose(cases, rows_of);
  Figure figure{.name = "gantt", .title = kTitle, .subtitle = context.subtitle, .shared_x = true};
  const std::vector<std::string> others = naming_columns(cases, choice);
  std::vector<Chart> charts;
  double longest = 0.0;
  for (const std::size_t row : choice.rows) {
    charts.push_back(read_chart(cases, row, steps, rows_of.at(cases.text(row, "case_id"))));
    charts.back().title =
        fmt::format("{}: {}", case_name(cases, row, others), format_seconds(charts.back().end));
    longest = std::max(longest, charts.back().end);
  }
  if (!(longest > 0.0))
    return empty_figure(figure.name, kTitle,
                        "no case of two workers or more ran and has times in steps.csv");
  const TimeUnit unit = time_unit(longest);
  for (const Chart& chart : charts) {
    figure.panels.push_back(ChartPanel(unit, longest).draw(chart));
    Panel& panel = figure.panels.back();
    panel.x = {.label = fmt::format("time since all workers were ready ({})", unit.name),
               .column = "time_" + unit.name,
               .from_zero = true};
    panel.y = worker_axis(chart.workers);
  }
  figure.panel_height = panel_height(charts);
  figure.notes = notes(cases, choice, others, charts);
  return figure;
}

}  // namespace qb
