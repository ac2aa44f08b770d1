// SPDX-License-Identifier: Apache-2.0
// Memory of the cases: peaks, and active memory over time.
#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

double budget_of(const Rows& rows) {
  std::set<double> budgets;
  for (const Row& row : rows) budgets.insert(std::max(0.0, row.number("memory_budget_bytes")));
  return budgets.size() == 1 ? *budgets.begin() : kNaN;
}

constexpr std::size_t kMostLengths = 4;

// By n_tokens: the cases that have a timeline, each as its line, by ascending worker count.
using Timelines = std::map<double, Groups>;
Timelines timelines_of(const CsvTable& cases, const std::map<std::string, Rows>& events) {
  Timelines found;
  for (const Group& line : case_lines(cases))
    for (const Row& row : line.rows)
      if (events.contains(row.text("case_id"))) {
        found[row.number("n_tokens")].push_back(line);
        found[row.number("n_tokens")].back().rows = {row};
      }
  return found;
}

// Chooses the shortest, the longest and some between, of those lengths that have both the fewest
// and the most workers of all timelines, or of all lengths if none has both.
std::vector<double> chosen_lengths(const Timelines& all) {
  std::set<std::int64_t> counts;
  for (const auto& [n, timelines] : all)
    for (const Group& line : timelines) counts.insert(workers_of(line));
  std::vector<double> lengths;
  std::vector<double> with_both;
  for (const auto& [n, timelines] : all) {
    lengths.push_back(n);
    if (workers_of(timelines.front()) == *counts.begin() &&
        workers_of(timelines.back()) == *counts.rbegin())
      with_both.push_back(n);
  }
  if (!with_both.empty()) lengths = with_both;
  if (lengths.size() <= kMostLengths) return lengths;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < kMostLengths; ++i)
    chosen.push_back(lengths[i * (lengths.size() - 1) / (kMostLengths - 1)]);
  return chosen;
}

// What an event adds to the active bytes; segments come and go below the tensors.
double added_bytes(const Row& event) {
  if (event.is("action", "alloc")) return event.number("bytes");
  return event.is("action", "free") ? -event.number("bytes") : 0.0;
}

// The events of one device: all of a case of one worker. Of several that share a process, those of
// the one that asked for too much, or of the fullest; worker 0 is left out, since what the caller
// holds is booked there too.
Rows events_of_device(const Group& line, const Rows& events) {
  if (workers_of(line) == 1) return events;
  std::map<std::int64_t, double> active;
  std::int64_t fullest = 1;
  double most = 0.0;
  for (const Row& row : events) {
    const std::int64_t worker = row.integer("worker");
    if (worker < 1) continue;
    if (row.is("action", "oom")) {
      fullest = worker;
      break;
    }
    const double now = active[worker] += added_bytes(row);
    if (now <= most) continue;
    most = now;
    fullest = worker;
  }
  return where(events, [=](const Row& row) { return row.integer("worker") == fullest; });
}

// Draws the active bytes of a device since its first event, and, where the case ran out, a cross at
// what would have been active with the request that failed.
std::vector<Series> timeline_of(const Group& line, const Rows& events, const Unit& unit) {
  Series steps{.name = line.name, .draw = Draw::steps, .style = line.style};
  Series crosses{.name = line.name, .draw = Draw::out_of_memory, .style = line.style};
  double since_start_ms = 0.0;
  double active = 0.0;
  for (const Row& row : events) {
    since_start_ms = (row.number("time_s") - events.front().number("time_s")) * kMilli;
    active += added_bytes(row);
    const double y = active * unit.factor;
    if (row.is("action", "oom"))
      crosses.points = {{.x = since_start_ms, .y = y + row.number("bytes") * unit.factor}};
    if (steps.points.empty() || steps.points.back().y != y)
      steps.points.push_back({.x = since_start_ms, .y = y});
  }
  if (!events.empty()) steps.points.push_back({.x = since_start_ms, .y = steps.points.back().y});
  return {steps, crosses};
}

// Names the request that a case failed on: `26.82 GiB (W = 1, N = 30,000)`.
std::string failed_request(const Group& line, const Rows& events) {
  for (const Row& row : events)
    if (row.is("action", "oom"))
      return fmt::format("{} ({}, {})",
                         format_bytes(static_cast<std::uint64_t>(row.number("bytes"))), line.name,
                         named_values(line.rows.front(), {"n_tokens"}));
  return {};
}

// Compares the peaks of the cases that ran, at the length where they differ most.
std::string peaks_finding(const Timelines& all) {
  const auto peak = number_in("device_peak_bytes");
  double most_apart = 1.0;
  std::string out;
  for (const auto& [n, timelines] : all) {
    Rows rows;
    for (const Group& line : timelines)
      if (ran(line.rows[0]) && peak(line.rows[0]) > 0.0) rows.push_back(line.rows[0]);
    if (rows.empty()) continue;
    const auto [least, most] = std::ranges::minmax(rows, {}, peak);
    const double ratio = peak(most) / peak(least);
    if (!(ratio > most_apart)) continue;
    most_apart = ratio;
    const auto shown = [&](const Row& row) {
      return fmt::format("{} ({})", format_bytes(static_cast<std::uint64_t>(peak(row))),
                         named_values(row, {"workers"}));
    };
    out = fmt::format("The peaks differ most at N = {}: {} is {} times {}.", grouped(n),
                      shown(most), significant(ratio), shown(least));
  }
  return out;
}

// Says which line runs out first, or how many times less the most workers hold at the longest N.
std::string peak_title(const Groups& lines, const std::string& limit) {
  for (const Group& line : lines)
    for (const Row& row : line.rows)
      if (out_of_memory(row) && ran(lines.back().rows.back()) && !limit.empty())
        return fmt::format("{} does not fit into {} from N = {} on; {} fits up to {}", line.name,
                           limit, grouped(row.number("n_tokens")), lines.back().name,
                           grouped(lines.back().rows.back().number("n_tokens")));
  const auto last = [](const Group& line) { return line.rows.back().number("n_tokens"); };
  if (lines.size() > 1 && last(lines.front()) == last(lines.back())) {
    const double ratio = fullest_device_bytes(lines.front().rows.back()) /
                         fullest_device_bytes(lines.back().rows.back());
    if (ratio > 1.0)
      return fmt::format("A device of {} holds {:.3g} times less than {} at N = {}",
                         lines.back().name, ratio, lines.front().name, grouped(last(lines.back())));
  }
  return "Peak memory of a device against sequence length";
}

std::string crosses_sentence(bool crosses, double limit) {
  if (!crosses) return {};
  return fmt::format(
      "Crosses at the {}: out of memory. Pluses: a shorter one of that line ran out.",
      limit > 0.0 ? "limit" : "upper edge");
}

// `requests` are those that failed.
std::vector<std::string> timeline_notes(const std::string& requests, std::size_t drawn,
                                        std::size_t all) {
  return {
      "Live tensors of the fullest device after each allocation and release; worker 0, the root, "
      "is left out of several.",
      requests.empty() ? "" : "Crosses: with the request that failed, of " + requests + ".",
      not_drawn({{.number = all - drawn,
                  .what = "length",
                  .reason = fmt::format("beyond {}", kMostLengths),
                  .of = all}})};
}

}  // namespace

// Draws a line per worker count, the limit of memory, and a cross on it for cases that ran out. The
// limit is the cases' memory_budget_bytes if they share one, and otherwise the machine's memory.
Figure peak_memory_figure(const PlottedRun& run) {
  const Rows rows = all_rows(run.cases);
  const double peak = largest(rows, fullest_device_bytes);
  const Unit unit = byte_unit(peak);
  const double budget = budget_of(rows);
  const double limit = budget == 0.0 ? run.provenance.memory_bytes : budget;
  const bool crosses = count(standing_rows(run.cases), out_of_memory) > 0;
  const std::vector<std::string> said = case_notes(run.cases);  // the first is on bars
  const std::string amount =
      limit > 0.0 ? format_bytes(static_cast<std::uint64_t>(limit)) : std::string();
  const auto limits = [&](const Group&) -> std::vector<Series> {
    // A limit far above all data would only squeeze them.
    if (!(limit > 0.0) || !(crosses || limit < 4.0 * peak)) return {};
    return {limit_line((budget > 0.0 ? "budget " : "machine ") + amount, limit * unit.factor)};
  };
  return line_figure(
      {.title = peak_title(case_lines(run.cases), amount),
       .nothing = "no case has a memory peak",
       .lines = case_lines(run.cases),
       .y = {{.y = axis_in(unit, "peak memory of a device", "device_peak"),
              .value =
                  [&](const Row& row) {
                    return Point{.y = ran(row) ? fullest_device_bytes(row) * unit.factor : kNaN};
                  },
              .reference = limits,
              .fit = powers_or_zero,
              .timed = false}},
       .crosses = limit * unit.factor,
       .notes = {"Tensors of the fullest device at the worst moment; the root of cqs holds the "
                 "whole ones.",
                 said.size() > 1 ? said[1] : "", crosses_sentence(crosses, limit)}});
}

// Compares one worker with many, as in supplement D of CQS-Attention: a panel for each of up to
// four lengths, and in it all worker counts that have a timeline in memory_timeline.csv.
Figure memory_timeline_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Active memory of a device over time";
  if (!run.timeline)
    return empty_figure(kTitle,
                        "the run has no memory_timeline.csv (measure: {memory_timeline: true})");
  const std::map<std::string, Rows> events = rows_by_case(*run.timeline);
  const Timelines all = timelines_of(run.cases, events);
  const Unit unit = byte_unit(largest(all_rows(*run.timeline), number_in("active_bytes")));
  Groups panels;
  std::map<std::string, std::vector<Series>> drawn;  // by panel
  std::vector<std::string> failed;
  for (const double n : chosen_lengths(all)) {
    panels.push_back({.name = "N = " + grouped(n)});
    for (const Group& line : all.at(n)) {
      const Rows own = events_of_device(line, events.at(line.rows[0].text("case_id")));
      std::ranges::move(timeline_of(line, own, unit),
                        std::back_inserter(drawn[panels.back().name]));
      failed.push_back(failed_request(line, own));
    }
  }
  Axis active = axis_in(unit, "active memory of a device", "active_memory");
  active.from_zero = true;
  Figure figure = line_figure(
      {.title = kTitle,
       .nothing = "no case has a memory timeline",
       .y = {{.y = active, .reference = [&](const Group& panel) { return drawn[panel.name]; }}},
       .panels = panels,
       .x_axis = fixed(
           {.label = "time since its first tensor (ms)", .column = "time_ms", .from_zero = true}),
       .notes = timeline_notes(listed(failed), panels.size(), all.size())});
  figure.finding = peaks_finding(all);
  return figure;
}

}  // namespace qb
