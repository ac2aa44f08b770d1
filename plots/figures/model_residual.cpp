// How far the cost model is off: measured over modelled wall clock, minus one. Each algorithm has a
// row with a mark for each of its cases, their range and their median, the best algorithm on top.
#include "base/statistics.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kResidual = "model_residual_ratio";
// The marks of who played the workers are above each other in this share of a row.
constexpr double kSpread = 0.5;
constexpr int kRowHeight = 38;

double residual_percent(const Row& row) { return kPercent * row.number(kResidual); }
double distance_percent(const Row& row) { return std::abs(residual_percent(row)); }

double median_percent(const Rows& rows) { return median(numbers_of(rows, residual_percent)); }

// Groups by algorithm or, if there is one alone, by who played its workers.
Groups groups_of(const Rows& rows) {
  const bool several = group(rows, Columns{"algorithm"}).size() > 1;
  Groups groups = group(rows, several ? Columns{"algorithm"} : Columns{"algorithm", "ranks"});
  std::ranges::stable_sort(groups, {},
                           [](const Group& one) { return std::abs(median_percent(one.rows)); });
  for (Group& one : groups) one.name = listed(one.key);
  return groups;
}

// Makes the marks of each group, a line for each of `players` that it has.
Groups marks_of(const Groups& groups, const Groups& players) {
  Groups lines;
  for (std::size_t place = 0; place < groups.size(); ++place)
    for (std::size_t slot = 0; slot < players.size(); ++slot) {
      const std::string& ranks = players[slot].key[0];
      Group marks{
          .rows = where(groups[place].rows, "ranks", {ranks}),
          .name = fmt::format("{}, {}", groups[place].rows.front().text("algorithm"), ranks),
          .thin = true,
          .in_legend = false,
          .draw = Draw::points};
      marks.style = {algorithm_style(groups[place].key[0]).colour, ranks_mark(ranks)};
      const double offset =
          kSpread * ((static_cast<double>(slot) + 0.5) / static_cast<double>(players.size()) - 0.5);
      marks.value = [y = static_cast<double>(place) + offset](const Row& row) {
        return Point{.x = residual_percent(row), .y = y};
      };
      lines.push_back(std::move(marks));
    }
  return lines;
}

// Makes the range and the median of each group, and a vertical line where the model is right.
std::vector<Series> summaries_of(const Groups& groups) {
  if (groups.empty()) return {};
  std::vector<Series> out;
  Series medians{.name = "median", .draw = Draw::points, .style = {kBlack, 4}};
  for (const Group& one : groups) {
    const auto [least, most] = std::ranges::minmax(numbers_of(one.rows, residual_percent));
    const double y = static_cast<double>(medians.points.size());
    out.push_back({.name = "range of " + one.name,
                   .draw = Draw::line,
                   .style = {algorithm_style(one.key[0]).colour},
                   .in_legend = false,
                   .points = {{.x = least, .y = y}, {.x = most, .y = y}}});
    medians.points.push_back({.x = median_percent(one.rows), .y = y});
  }
  const double end = static_cast<double>(groups.size()) - 0.5;
  out.push_back(std::move(medians));
  out.push_back({.name = "measured = modelled",
                 .draw = Draw::line,
                 .style = {kGrey, 0, 1},
                 .thin = true,
                 .points = {{.x = 0.0, .y = -0.5}, {.x = 0.0, .y = end}}});
  return out;
}

std::string summary(const Rows& rows, const Groups& players) {
  const auto typical = [](const Rows& some) { return median(numbers_of(some, distance_percent)); };
  std::vector<std::string> parts;
  for (const Group& one : players)
    parts.push_back(
        fmt::format("{} {:.1f} % of {}", one.key[0], typical(one.rows), one.rows.size()));
  const Row& worst = *std::ranges::max_element(rows, {}, distance_percent);
  return fmt::format(
      "The typical case is {:.1f} % from its model, the median of {} distances ({}); the worst: "
      "{}: {:+.1f} %.",
      typical(rows), rows.size(), listed(parts),
      named_values(worst, {"algorithm", "n_tokens", "workers", "ranks"}), residual_percent(worst));
}

// Says how far the intervals of the measured medians reach.
std::string interval_reach(const Rows& rows) {
  double reach = 0.0;
  for (const Row& row : rows) {
    const Point time = timed(row, "wall_time", 1.0);
    reach = std::fmax(reach, std::fmax(time.high / time.y - 1.0, 1.0 - time.low / time.y));
  }
  return reach > 0.0 ? fmt::format(
                           "The intervals of the measured medians are not drawn; the widest "
                           "reaches {:.0f} % from its median.",
                           kPercent * reach)
                     : std::string();
}

}  // namespace

Figure model_residual_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && !std::isnan(row.number(kResidual)) &&
           row.number("modelled_wall_time_s") > 0.0;
  });
  const Groups groups = groups_of(rows);
  const Groups players = group(rows, Columns{"ranks"});
  Axis y{.label = "", .column = "algorithm_index", .reversed = true};
  for (const Group& one : groups) y.tics.push_back({static_cast<double>(y.tics.size()), one.name});
  std::vector<Series> keys;
  for (const Group& one : players)
    keys.push_back(
        legend_key("a case, " + one.key[0], {kGrey, ranks_mark(one.key[0])}, Draw::points, true));
  Figure figure = line_figure(
      {.title = "Measured against modelled wall clock",
       .nothing = "no case has a measured time beside a modelled one",
       .lines = marks_of(groups, players),
       .y = {{.y = y, .reference = [&](const Group&) { return summaries_of(groups); }}},
       .x_axis =
           fixed({.label = "measured / modelled - 1 (%)", .column = "model_residual_percent"}),
       .keys = keys,
       .notes = {rows.empty() ? "" : summary(rows, players),
                 "Above zero the case took longer than the model says. A line is the range of an "
                 "algorithm's cases.",
                 interval_reach(rows)}});
  figure.panel_height = std::max(120, kRowHeight * static_cast<int>(groups.size()));
  return figure;
}

}  // namespace qb
