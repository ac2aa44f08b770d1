// SPDX-License-Identifier: Apache-2.0
// How far the cost model is off: measured over modelled wall clock, minus one. Each algorithm has a
// row with a mark for each of its cases, their range and their median, the best algorithm on top.
#include "base/statistics.h"
#include "plots/figures/dot_rows.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

constexpr const char* kResidual = "model_residual_ratio";

double residual_percent(const Row& row) { return kPercent * row.number(kResidual); }
double distance_percent(const Row& row) { return std::abs(residual_percent(row)); }

// Groups by algorithm or, if there is one alone, by who played its workers.
Groups groups_of(const Rows& rows) {
  const bool several = group(rows, Columns{"algorithm"}).size() > 1;
  Groups groups = group(rows, several ? Columns{"algorithm"} : Columns{"algorithm", "ranks"});
  std::ranges::stable_sort(groups, {}, [](const Group& one) {
    return std::abs(median(numbers_of(one.rows, residual_percent)));
  });
  return groups;
}

std::string distance_title(const Rows& rows) {
  const auto typical = [](const Rows& some) { return median(numbers_of(some, distance_percent)); };
  return rows.empty()
             ? "Measured against modelled wall clock"
             : fmt::format("The typical case is {:.1f} % from its model, the worst {:.1f} %",
                           typical(rows), largest(rows, distance_percent));
}

// Says which device the model is of: it need not be the one that was measured.
std::string modelled_devices(const Rows& rows) {
  std::vector<std::string> names;
  for (const Group& one : group(rows, Columns{"model_device"}))
    if (!one.key[0].empty()) names.push_back(named_value("model_device", one.key[0]));
  return names.empty() ? "" : fmt::format("Modelled device: {}.", listed(names, " and "));
}

// Says how far the intervals of the measured medians reach.
std::string interval_reach(const Rows& rows) {
  double reach = 0.0;
  for (const Row& row : rows) {
    const Point time = timed(row, "wall_time", 1.0);
    reach = std::fmax(reach, std::fmax(time.high / time.y - 1.0, 1.0 - time.low / time.y));
  }
  if (!(reach > 0.0)) return {};
  return fmt::format("Not drawn: intervals of the medians (at most {:.0f} % wide).",
                     kPercent * reach);
}

}  // namespace

Figure model_residual_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && !std::isnan(row.number(kResidual)) &&
           row.number("modelled_wall_time_s") > 0.0;
  });
  return dot_figure(
      {.title = distance_title(rows),
       .nothing = "no case has a measured time beside a modelled one",
       .rows = groups_of(rows),
       .value = residual_percent,
       .x = {.label = "measured / modelled - 1 (%)", .column = "model_residual_percent"},
       .y_column = "algorithm_index",
       .told_by = "ranks",
       .mark = [](std::size_t, const std::string& ranks) { return ranks_mark(ranks); },
       .mark_name = "a case, ",
       .line = "measured = modelled",
       .notes = {"Above zero a case took longer than modelled. Lines: ranges of an algorithm.",
                 modelled_devices(rows), interval_reach(rows)}});
}

}  // namespace qb
