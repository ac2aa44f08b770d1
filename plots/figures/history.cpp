// SPDX-License-Identifier: Apache-2.0
// Times of the same cases, commit by commit.
#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr std::size_t kMostNamedCases = 8;
constexpr std::size_t kMostCommitTics = 6;
constexpr std::size_t kShownOfCommit = 7;

bool stands_out(const Group& line) {
  return std::ranges::any_of(line.rows, [](const Row& row) {
    return row.at("change") == "1" || row.at("verdict") == "SLOW" || row.at("verdict") == "FAST";
  });
}

// `algorithm=cqs workers=7` is `cqs W=7` in a legend.
std::string short_name(const Group& line) {
  return listed(
      {line.key[0],
       replaced(line.key[1],
                {{"algorithm=", ""}, {"kernel=", ""}, {"workers=", "W="}, {"n_tokens=", "N="}})},
      ": ");
}

Groups history_lines(const CsvTable& history) {
  Groups lines = group(all_rows(history), Columns{"experiment", "case"});
  std::ranges::stable_partition(lines, [](const Group& line) { return !stands_out(line); });
  std::size_t named = 0;
  for (Group& line : lines) {
    line.name = short_name(line);
    line.in_legend = stands_out(line) && named < kMostNamedCases;
    line.thin = !line.in_legend;
    line.style = line.in_legend ? indexed_style(static_cast<int>(named++)) : Style{kGrey};
    if (line.thin) line.draw = Draw::line;
  }
  return lines;
}

// Commits by their index; of many, evenly spread ones are named.
Axis commits_axis(const CsvTable& history) {
  const std::map<double, Row> commits =
      by_number(all_rows(history), [](const Row& row) { return row.number_at("commit_index"); });
  Axis axis{.label = "commit, the oldest on the left", .column = "commit_index"};
  const std::size_t every = (commits.size() + kMostCommitTics - 1) / kMostCommitTics;
  std::size_t at = 0;
  for (const auto& [index, row] : commits)
    if (at++ % every == 0) axis.tics.push_back({index, row.at("commit").substr(0, kShownOfCommit)});
  return axis;
}

}  // namespace

Figure history_figure(const CsvTable& history) {
  // Division by the first level puts cases of all lengths on one axis.
  const Groups lines = history_lines(history);
  std::map<std::vector<std::string>, double> first_s;
  for (const Group& line : lines) first_s[line.key] = line.rows.front().number_at("level_s");
  const LineFigure declared{
      .title = "Time by commit",
      .nothing = "no case has a time",
      .lines = lines,
      .y = {{.y = {.label = "time over the first level", .column = "time_ratio"},
             .value =
                 [=](const Row& row) {
                   const double over = first_s.at({row.text("experiment"), row.at("case")});
                   return Point{.y = row.number_at("time_median_s") / over};
                 }}},
      .x = [](const Row& row) { return row.number_at("commit_index"); },
      .x_axis = fixed(commits_axis(history)),
      .notes = {fmt::format("{} cases; named are those whose level changed, or that the newest "
                            "commit made slower or faster.",
                            lines.size())}};
  Figure figure = line_figure(declared);
  figure.name = "history";
  figure.finding = "Each line is one case: its median time at each commit over its first level.";
  return figure;
}

}  // namespace qb
