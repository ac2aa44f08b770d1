// How far the cost model is off: measured over modelled wall clock, minus one, a mark per case. The
// colour tells the algorithm, the mark who played the workers.
#include "base/statistics.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kResidual = "model_residual_ratio";

// The bar is as wide, relative to the measured time, as the interval of the wall clock.
Point residual_point(const Row& row, const Unit& unit) {
  const double ratio = 1.0 + row.number(kResidual);
  const Point time = timed(row, "wall_time", 1.0);
  return {.x = row.number("modelled_wall_time_s") * unit.factor,
          .y = (ratio - 1.0) * kPercent,
          .low = (ratio * time.low / time.y - 1.0) * kPercent,
          .high = (ratio * time.high / time.y - 1.0) * kPercent};
}

std::string summary(const Rows& rows) {
  const auto residual = [](const Row& row) { return std::abs(row.number(kResidual)); };
  const auto median_percent = [&](const Rows& some) {
    return median(numbers_of(some, residual)) * kPercent;
  };
  std::vector<std::string> parts;
  for (const Group& of_ranks : group(rows, Columns{"ranks"}))
    parts.push_back(fmt::format("{} {:.1f} % of {}", of_ranks.key[0], median_percent(of_ranks.rows),
                                of_ranks.rows.size()));
  const Row& worst = *std::ranges::max_element(rows, {}, residual);
  return fmt::format(
      "Median absolute residual {:.1f} % of {} cases ({}); the worst: {}: {:+.1f} %.",
      median_percent(rows), rows.size(), listed(parts),
      named_values(worst, {"algorithm", "n_tokens", "workers", "ranks"}),
      worst.number(kResidual) * kPercent);
}

}  // namespace

Figure model_residual_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && !std::isnan(row.number(kResidual)) &&
           row.number("modelled_wall_time_s") > 0.0;
  });
  const Unit unit = time_unit(largest(rows, number_in("modelled_wall_time_s")));
  // The legend has the colours, then the marks.
  Groups lines = group(rows, Columns{"algorithm", "ranks"});
  std::map<std::string, Series> algorithms;
  std::map<std::string, Series> players;
  for (Group& marks : lines) {
    marks.name = listed(marks.key);
    marks.style = {algorithm_style(marks.key[0]).colour, ranks_mark(marks.key[1])};
    marks.draw = Draw::points;
    marks.in_legend = false;
    algorithms[marks.key[0]] = legend_key(marks.key[0], {marks.style.colour, 0}, Draw::line);
    players[marks.key[1]] = legend_key(marks.key[1], {kBlack, marks.style.mark}, Draw::points);
  }
  std::vector<Series> keys;
  for (const auto* some : {&algorithms, &players})
    for (const auto& [name, series] : *some) keys.push_back(series);
  Axis x = axis_in(unit, "modelled wall time", "modelled_wall_time");
  x.log = true;
  return line_figure(
      {.title = "Measured against modelled wall clock",
       .nothing = "no case has a measured time beside a modelled one",
       .lines = lines,
       .y = {{.y = {.label = "measured / modelled - 1 (%)", .column = "model_residual_percent"},
              .value = [&](const Row& row) { return residual_point(row, unit); },
              .reference = always(limit_line("measured = modelled", 0.0))}},
       .x_axis = fixed(x),
       .keys = keys,
       .notes = {rows.empty() ? "" : summary(rows),
                 "Above zero the case took longer than the model says. Bars: the interval of the "
                 "measured median alone. Colour: algorithm; mark: who played the workers."}});
}

}  // namespace qb
