// SPDX-License-Identifier: Apache-2.0
// Time and speed-up against sequence length, a line per worker count, as in case study 2 of
// CQS-Attention: the paper's own quantity (kernel time of the worker with the longest subsequence)
// beside the critical path, which counts gather and merge.
#include <ranges>

#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Finds the base case of a row, if both have times.
std::optional<Row> timed_base(const Row& row) {
  const auto base = base_case(row);
  return base && ran(row) && ran(*base) ? base : std::nullopt;
}

std::vector<std::string> speed_up_notes(const Rows& rows) {
  const Rows split = where(rows, [](const Row& row) { return row.integer("workers") > 1; });
  const std::size_t alone =
      count(split, [](const Row& row) { return ran(row) && !timed_base(row); });
  const std::size_t lost = count(split, out_of_memory);
  return {"Dashed: what the pairs of the critical path allow.", slow_base_note(rows),
          not_drawn({{.number = alone, .what = "case", .reason = "untimed base"},
                     {.number = lost, .what = "case", .reason = "out of memory"}})};
}

Point speed_up_of(const Row& row, IntervalColumns columns) {
  const auto base = timed_base(row);
  return base ? time_ratio(*base, row, columns) : Point{};
}

// Makes a dashed line for what its pairs allow behind each line, whose name has the largest.
Groups with_bounds(Groups lines) {
  Groups bounds;
  for (Group& line : lines) {
    const auto allowed = [](const Row& row) { return timed_base(row) ? pairs_allow(row) : kNaN; };
    bounds.push_back(
        behind(line, "bound", 1, [=](const Row& row) { return Point{.y = allowed(row)}; }));
    bounds.back().draw = Draw::line;
    if (const double most = largest(line.rows, allowed); most > 0.0)
      line.name += fmt::format(", ≤ {:.3g}", most);
  }
  lines.insert(lines.end(), bounds.begin(), bounds.end());
  return lines;
}

// Names the base of all lines, and how much of its machine's peak it reaches:
// `one worker (dense, 54 to 63 % of peak)`.
std::string base_name(const Rows& rows) {
  Rows bases;
  std::vector<double> shares;
  for (const Row& row : rows)
    if (const auto base = timed_base(row); base && std::ranges::count(bases, *base) == 0) {
      bases.push_back(*base);
      if (const double share = base->number("peak_fraction"); share > 0.0)
        shares.push_back(std::round(kPercent * share));
    }
  std::vector<std::string> said;
  for (const Group& one : group(bases, Columns{"algorithm"})) said.push_back(one.key[0]);
  if (!splitting_columns(bases, {"algorithm"}).empty()) said.emplace_back("each line its own");
  if (!shares.empty()) said.push_back(range_text(shares) + " % of peak");
  return said.empty() ? "one worker" : fmt::format("one worker ({})", listed(said));
}

// Says what the line of the most workers gains by either definition, where its clocks and those of
// its base count.
std::string gain_title(const Groups& lines) {
  for (const Group& line : std::views::reverse(lines)) {
    const Rows told = where(line.rows, [=](const Row& row) {
      const auto base = timed_base(row);
      return base && counts(row) && counts(*base);
    });
    const auto gains = [&](IntervalColumns columns) {
      std::vector<double> all =
          numbers_of(told, [=](const Row& row) { return speed_up_of(row, columns).y; });
      std::erase_if(all, [](double gain) { return !(gain > 0.0); });
      return all;
    };
    const std::vector<double> longest = gains("longest_subsequence");
    const std::vector<double> whole = gains("critical_path");
    if (!longest.empty() && !whole.empty())
      return modelled_first(
          told, fmt::format("{}: {} times for the longest worker, {} with gather and merge",
                            line.name, range_text(longest), range_text(whole)));
  }
  return "Speed-up over one worker";
}

// Compares the critical path of the most workers with that of the fewest, or of another algorithm,
// at the longest N where they are told apart.
std::string time_title(const Groups& lines, const PlottedRun& run) {
  const auto time = [](const Row& row) { return timed(row, "critical_path", 1.0).y; };
  const ModelGrade grade = run.model_grade();
  for (const Group& line : std::views::reverse(lines))
    for (const Group& other : lines)
      for (const Row& row : std::views::reverse(line.rows))
        for (const Row& longer : other.rows)
          if (comparable(row, longer) && time(row) < time(longer) &&
              side_of(row, longer, grade).value_or(0) != 0)
            return modelled_first(
                {row}, fmt::format("The critical path of {} is {:.3g} times shorter than that of "
                                   "{} at N = {}",
                                   line.name, time(longer) / time(row), other.name,
                                   grouped(row.number("n_tokens"))));
  return "Time against sequence length";
}

}  // namespace

Figure wall_clock_figure(const PlottedRun& run) {
  if (auto of_operators = operators_figure(run)) return *of_operators;
  const auto time = [](const char* title, IntervalColumns columns) {
    return LineFigure::Quantity{
        .title = title,
        .y = {.label = "time (ms)", .column = "time_ms", .log = true},
        .value = [=](const Row& row) { return timed(row, columns, kMilli); }};
  };
  const Groups lines = case_lines(run.cases);
  LineFigure declared{.title = time_title(lines, run),
                      .nothing = "no case has a time",
                      .lines = lines,
                      .y = {time("longest subsequence (the paper's time)", "longest_subsequence"),
                            time("critical path, with gather and merge", "critical_path")},
                      .shared_axes = true,
                      .breaks = true,
                      .crosses = kNaN,
                      .notes = case_notes(run.cases)};
  add_case_study_2(declared, run, false);
  return line_figure(declared);
}

Figure speed_up_figure(const PlottedRun& run) {
  const Rows rows = standing_rows(run.cases);
  const Axis y{.label = "speed-up over " + base_name(rows), .column = "speed_up_ratio"};
  const auto speed_up = [&](const char* title, IntervalColumns columns) {
    return LineFigure::Quantity{.title = title,
                                .y = y,
                                .value = [=](const Row& row) { return speed_up_of(row, columns); },
                                .fit = powers_or_zero};
  };
  Groups lines = case_lines(run.cases);
  std::erase_if(lines, [](const Group& line) { return workers_of(line) == 1; });
  LineFigure declared{.title = gain_title(lines),
                      .nothing = "no case has a time beside a case of one worker and the same N",
                      .lines = lines,
                      .y = {speed_up("longest worker (the paper's S)", "longest_subsequence"),
                            speed_up("with gather and merge", "critical_path")},
                      .shared_axes = true,
                      .notes = speed_up_notes(rows)};
  add_case_study_2(declared, run, true);
  declared.lines = with_bounds(declared.lines);
  return line_figure(declared);
}

}  // namespace qb
