// SPDX-License-Identifier: Apache-2.0
// Gantt chart of cases: what each worker does when, one panel per case, with a lane for what it
// does, one for what it receives and one for what it sends. An algorithm has a panel
// before any has a second one, so that every shape of schedule is seen. A step without start_s (the
// serial executor plays the workers one after another) starts when the slowest worker of the step
// before ended; the others' wait is drawn as idle time.
#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"

namespace qb {
namespace {

constexpr const char* kGanttTitle = "What each worker does when";
// Of the time of which steps.csv says nothing: a worker sends, plans or has no processor.
constexpr std::uint32_t kBetweenColour = 0xF3E3B0;
constexpr const char* kLinkBandwidth = "link_bandwidth_byte_per_s";
constexpr std::size_t kMostCharts = 8;  // of as many algorithms
// Cases of which one takes this many times as long as another have ranges of time of their own.
constexpr double kOneRange = 4.0;
constexpr std::int64_t kMostWorkers = 32;
constexpr std::int64_t kMostNumberedWorkers = 16;
// A case with more steps has its first ones drawn: bars of all would be too narrow.
constexpr std::int64_t kMostSteps = 8;
// The lanes of a worker, from its place, in distances between two workers.
constexpr std::pair<double, double> kDoing{-0.48, 0.2};
constexpr std::pair<double, double> kReceiving{0.23, 0.34};
constexpr std::pair<double, double> kSending{0.37, 0.48};
// A gap between two steps that is shorter, as a share of the axis, is not drawn.
constexpr double kLeastGap = 1e-3;

// One worker's step: exposed communication, idle, compute, in this order (the idle time of a case
// of one step at its end), in seconds.
struct Activity {
  std::int64_t worker = 0;
  std::int64_t step = 0;
  double start = kNaN;
  double exposed = 0.0;
  double idle = 0.0;
  double compute = 0.0;
  // When its messages travelled; NaN in older runs, and where there were none.
  std::pair<double, double> receives{kNaN, kNaN};
  std::pair<double, double> sends{kNaN, kNaN};
  [[nodiscard]] double end() const { return start + exposed + idle + compute; }
};

struct Chart {
  std::string title{};
  std::int64_t workers = 0;
  std::int64_t steps = 0;
  double end = 0.0;  // of what is drawn
  double wall = 0.0;
  bool composed = false;
  bool cut = false;  // it has more steps than are drawn
  // A root scatters the shards before the first step and has merged the results at the end.
  bool gathers = false;
  std::vector<Activity> activities{};
};

// Orders by step. Of a case that was run again it keeps the last rows.
std::vector<Activity> read_activities(const Rows& steps) {
  std::map<std::pair<std::int64_t, std::int64_t>, Activity> last;  // by step and worker
  for (const Row& row : steps) {
    const auto seconds = [&](RealColumn column) { return std::fmax(0.0, row.number(column)); };
    const Activity one{.worker = row.integer("worker"),
                       .step = row.integer("step"),
                       .start = row.number("start_s"),
                       .exposed = seconds("exposed_communication_s"),
                       .idle = seconds("idle_s"),
                       .compute = seconds("compute_s"),
                       .receives = {row.number("receive_start_s"), row.number("receive_end_s")},
                       .sends = {row.number("send_start_s"), row.number("send_end_s")}};
    last.insert_or_assign({one.step, one.worker}, one);
  }
  std::vector<Activity> out;
  for (const auto& [key, one] : last) out.push_back(one);
  return out;
}

void compose(std::vector<Activity>& activities) {
  std::map<std::int64_t, double> begin;  // by step: at first how long its slowest worker takes
  for (const Activity& one : activities) {
    double& most = begin[one.step];
    most = std::max(most, one.exposed + one.idle + one.compute);
  }
  double now = 0.0;
  for (auto& [step, duration] : begin) now += std::exchange(duration, now);
  std::map<std::int64_t, double> ended;  // by worker: the end of its step before
  for (Activity& one : activities) {
    const double ready = ended.contains(one.worker) ? ended[one.worker] : 0.0;
    one.start = begin[one.step];
    const double end = one.end();
    one.idle += one.start - ready;
    one.start = ready;
    ended[one.worker] = end;
  }
}

double link_bandwidth(const Row& row) {
  const double limit = row.number(kLinkBandwidth);
  return std::isnan(limit) ? std::numeric_limits<double>::infinity() : limit;
}

// Keeps cases with steps and several workers: the longest sequence and the most workers come first,
// and of several links the middle one, where compute hides a part.
Rows ranked_rows(const CsvTable& cases, const std::map<std::string, Rows>& steps) {
  const Rows rows = where(standing_rows(cases), [&](const Row& row) {
    return ran(row) && row.number("workers") >= 2.0 && steps.contains(row.text("case_id"));
  });
  std::set<double> links;
  for (const Row& row : rows) links.insert(link_bandwidth(row));
  return order(rows, [&](const Row& row) {
    const auto at = std::distance(links.begin(), links.find(link_bandwidth(row)));
    const auto from_middle = std::abs(at - static_cast<std::ptrdiff_t>(links.size() / 2));
    return std::tuple(-row.number("n_tokens"), -row.number("workers"), from_middle,
                      row.text("ranks"), -row.number("batch"), row.text("algorithm"));
  });
}

// Keeps a case of each algorithm.
Rows telling_rows(const Rows& ranked) {
  Rows drawn;
  for (const Group& one : group(ranked, Columns{"algorithm"})) drawn.push_back(one.rows.front());
  if (drawn.size() > kMostCharts) drawn.resize(kMostCharts);
  return drawn;
}

// What the titles of the panels say, and what all of them share and the subtitle says. The link is
// named if the run has several, though all the drawn ones may use the middle one.
std::pair<Columns, Columns> named_columns(const Rows& drawn, const Rows& all) {
  Columns titles = {"algorithm"};
  Columns shared;
  for (const std::string column : {"n_tokens", "workers", "ranks", kLinkBandwidth}) {
    if (differing_columns(drawn, {column}).size() == 1)
      titles.push_back(column);
    else if (column == "n_tokens" || column == "workers" ||
             differing_columns(all, {column}).size() == 1)
      shared.push_back(column);
  }
  const Columns others =
      splitting_columns(drawn, {"algorithm", "n_tokens", "workers", "ranks", kLinkBandwidth});
  return {joined(titles, others), shared};
}

// Names a case; parameters that have the value of the one that they follow add nothing.
std::string case_name(const Row& row, Columns columns) {
  std::erase_if(columns, [&](const std::string& column) { return own_value(row, column) == "="; });
  return named_values(row, columns);
}

double last_end(const std::vector<Activity>& activities) {
  return activities.empty() ? 0.0 : std::ranges::max(activities, {}, &Activity::end).end();
}

Chart read_chart(const Row& row, const Rows& steps, const Columns& named) {
  Chart chart{.workers = row.integer("workers"), .activities = read_activities(steps)};
  chart.composed = std::ranges::any_of(chart.activities,
                                       [](const Activity& one) { return std::isnan(one.start); });
  if (chart.composed) compose(chart.activities);
  for (const Activity& one : chart.activities) chart.steps = std::max(chart.steps, one.step + 1);
  chart.cut = chart.steps > kMostSteps;
  chart.gathers = !chart.composed && has_root(row);
  chart.wall = std::fmax(last_end(chart.activities),
                         chart.composed ? kNaN : row.number("wall_time_median_s"));
  chart.title = fmt::format("{}: {}", case_name(row, named), format_seconds(chart.wall));
  if (chart.cut) {
    std::erase_if(chart.activities, [](const Activity& one) { return one.step >= kMostSteps; });
    chart.title += fmt::format(", the first {} of {} steps", kMostSteps, chart.steps);
  }
  chart.end = std::fmax(last_end(chart.activities), chart.cut ? kNaN : chart.wall);
  return chart;
}

// Adds a bar to a lane of a worker, if it has a length.
void add_bar(Series& to, std::int64_t worker, const std::pair<double, double>& lane,
             const std::pair<double, double>& span, const Unit& unit) {
  if (!(span.second > span.first)) return;
  const auto y = static_cast<double>(worker);
  to.points.push_back(
      box(span.first * unit.factor, span.second * unit.factor, y + lane.first, y + lane.second));
  to.points.back().y = y;
}

// `axis_s` is the length of the time axis.
std::vector<Series> chart_bars(const Chart& chart, const Unit& unit, double axis_s) {
  Series waiting = rectangles("exposed communication", kCommunicationColour);
  Series idle = rectangles("idle", kIdleColour);
  Series between = rectangles("waiting between steps", kBetweenColour);
  Series gathering = rectangles("gather and merge", kGatherColour);
  Series compute = rectangles("compute", kComputeColour);
  Series receiving = rectangles("receives", kReceiveColour);
  Series sending = rectangles("sends", kSendColour);
  Series wall = rectangles("wall clock", kBlack);
  std::map<std::int64_t, double> ended;  // by worker: the end of its step before
  // Flat bars have no numbers, and neither have cases of one step.
  const bool numbers = chart.workers <= kMostNumberedWorkers && chart.steps > 1;
  // With a single step, workers wait only at its end, where all meet.
  const bool joins = chart.steps == 1;
  for (const Activity& one : chart.activities) {
    if (one.worker >= kMostWorkers) continue;
    const auto does = [&](Series& what, double from, double to) {
      add_bar(what, one.worker, kDoing, {from, to}, unit);
    };
    const double before = ended[one.worker];
    if (one.start - before > kLeastGap * axis_s)
      does(one.step == 0 && chart.gathers ? waiting : between, before, one.start);
    ended[one.worker] = one.end();
    add_bar(receiving, one.worker, kReceiving, one.receives, unit);
    add_bar(sending, one.worker, kSending, one.sends, unit);
    const double waited = one.start + one.exposed;
    const double computes = joins ? waited : waited + one.idle;
    const double idles = joins ? waited + one.compute : waited;
    does(waiting, one.start, waited);
    does(idle, idles, idles + one.idle);
    does(compute, computes, computes + one.compute);
    if (numbers && one.compute > 0.0) compute.points.back().text = fmt::to_string(one.step);
  }
  for (const auto& [worker, end] : ended) {
    if (chart.cut) continue;
    if (chart.gathers && chart.wall - end > kLeastGap * axis_s)
      add_bar(gathering, worker, kDoing, {end, chart.wall}, unit);
    const auto y = static_cast<double>(worker);
    const double at = chart.wall * unit.factor;
    wall.points.push_back(box(at, at, y - 0.5, y + 0.5));
  }
  compute.thin = !numbers;
  return {waiting, idle, between, gathering, compute, receiving, sending, wall};
}

Axis worker_axis(std::int64_t workers) {
  Axis axis{.label = "worker", .column = "worker", .reversed = true};
  const std::int64_t drawn = std::min(workers, kMostWorkers);
  const std::int64_t every = drawn <= kMostNumberedWorkers ? 1 : 4;
  for (std::int64_t worker = 0; worker < drawn; worker += every)
    axis.tics.push_back({static_cast<double>(worker), fmt::to_string(worker)});
  return axis;
}

std::vector<std::string> notes(std::size_t left_out, const std::vector<Chart>& charts) {
  const bool composed = std::ranges::any_of(charts, &Chart::composed);
  const bool many =
      std::ranges::any_of(charts, [](const Chart& one) { return one.workers > kMostWorkers; });
  return joined_notes(
      {{"Numbers are steps.",
        composed ? "Steps without start times are composed: they begin when the slowest worker of "
                   "the step before ends."
                 : "Below what a worker does: when its messages travel.",
        std::ranges::any_of(charts, &Chart::gathers)
            ? "Before step 0 a worker waits for its root, which gathers and merges at the end."
            : "",
        many ? fmt::format("Only the first {} workers are drawn.", kMostWorkers) : "",
        not_drawn({{.number = left_out,
                    .what = "case",
                    .reason = "shorter, of fewer workers or of other links",
                    .of = charts.size() + left_out}})}});
}

// Says what workers do in which share of their time, where the clocks of all drawn cases count.
std::string shares_title(const std::vector<Chart>& charts, const Rows& drawn, int cores) {
  if (count(drawn, [](const Row& row) { return counts(row); }) < drawn.size())
    return listed({kGanttTitle, crowded_name(drawn, cores)});
  const auto span = [&](double Activity::*part) {
    std::vector<double> shares;
    for (const Chart& chart : charts) {
      double sum = 0.0;
      for (const Activity& one : chart.activities) sum += one.*part;
      shares.push_back(kPercent * sum / (chart.end * static_cast<double>(chart.workers)));
    }
    const auto [least, most] = std::ranges::minmax(shares);
    return std::round(least) < std::round(most) ? fmt::format("{:.0f} to {:.0f} %", least, most)
                                                : fmt::format("{:.0f} %", most);
  };
  return modelled_first(drawn,
                        fmt::format("Workers compute in {} of their time and wait for data in {}",
                                    span(&Activity::compute), span(&Activity::exposed)));
}

}  // namespace

Figure gantt_figure(const PlottedRun& run) {
  if (!run.steps) return empty_figure(kGanttTitle, "the run folder has no steps.csv");
  const std::map<std::string, Rows> steps = rows_by_case(*run.steps);
  const Rows rows = ranked_rows(run.cases, steps);
  const Rows drawn = telling_rows(rows);
  const auto& [titles, shared] = named_columns(drawn, rows);
  std::vector<Chart> charts;
  for (const Row& row : drawn)
    charts.push_back(read_chart(row, steps.at(row.text("case_id")), titles));
  const auto [first, last] = std::ranges::minmax_element(charts, {}, &Chart::end);
  if (charts.empty() || !(last->end > 0.0))
    return empty_figure(kGanttTitle,
                        "no case of two workers or more ran and has times in steps.csv");
  const double longest = last->end;
  Figure figure{.title = shares_title(charts, drawn, run.provenance.cores),
                .subtitle = case_name(drawn.front(), shared),
                .shared_x = longest <= kOneRange * first->end,
                .notes = notes(rows.size() - drawn.size(), charts)};
  const Unit unit = time_unit(longest);
  Axis x = axis_in(unit, "time since all workers were ready", "time");
  x.from_zero = true;
  for (const Chart& chart : charts) {
    Panel panel{.title = chart.title, .x = x, .y = worker_axis(chart.workers)};
    add(panel, chart_bars(chart, unit, figure.shared_x ? longest : chart.end));
    figure.panels.push_back(std::move(panel));
  }
  if (!figure.shared_x) figure.notes.emplace_back("Each panel has its own range of time.");
  return figure;
}

}  // namespace qb
