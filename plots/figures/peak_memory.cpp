// Peak active memory against sequence length, a line per worker count, with the device's limit and
// a cross on it if a case ran out of memory.
//
// The limit is the cases' memory_budget_bytes if they share one, and otherwise the machine's
// memory.
#include "base/numbers.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

// Is NaN if there is none.
double budget_of(const Rows& rows) {
  std::set<double> budgets;
  for (const Row& row : rows) budgets.insert(std::max(0.0, row.number("memory_budget_bytes")));
  return budgets.size() == 1 ? *budgets.begin() : kNaN;
}

}  // namespace

Figure peak_memory_figure(const PlottedRun& run) {
  const Rows rows = all_rows(run.cases);
  const double peak =
      largest(rows, [](const Row& row) { return row.number("active_memory_peak_bytes"); });
  const Unit unit = byte_unit(peak);
  const double budget = budget_of(rows);
  const double limit = budget == 0.0 ? run.provenance.memory_bytes : budget;
  const bool crosses = count(standing_rows(run.cases), out_of_memory) > 0;
  const auto limits = [&](const Group&) -> std::vector<Series> {
    // A limit far above all data would only squeeze them.
    if (!(limit > 0.0) || !(crosses || limit < 4.0 * peak)) return {};
    return {limit_line(
        (budget > 0.0 ? "budget " : "machine ") + format_bytes(static_cast<std::uint64_t>(limit)),
        limit * unit.factor)};
  };
  return line_figure(
      {.title = "Peak active memory against sequence length",
       .nothing = "no case has a memory peak",
       .lines = case_lines(run.cases),
       .y = {{.y = axis_in(unit, "peak active memory", "active_memory_peak"),
              .value =
                  [&](const Row& row) {
                    return Point{.y = ran(row)
                                          ? row.number("active_memory_peak_bytes") * unit.factor
                                          : kNaN};
                  },
              .reference = limits,
              .fit = powers_or_zero}},
       .crosses = limit * unit.factor,
       .notes = {"Bytes of every tensor alive at once at the worst moment, inputs and outputs "
                 "included, as the memory ledger counts them.",
                 !crosses ? ""
                 : limit > 0.0
                     ? "Crosses: out of memory, or not tried because a shorter sequence of that "
                       "line ran out."
                     : "Crosses at the upper edge: out of memory; there is no one limit to draw "
                       "them on."}});
}

}  // namespace qb
