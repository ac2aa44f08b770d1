// Time against memory across schemes: a mark for each scheme, and a line through those that no
// other beats in both.
#include "plots/figures/figures.h"

namespace qb {
namespace {

double seconds(const Row& row) { return timed(row, clock_of(row), 1.0).y; }

// Draws the schemes that none with less memory is faster than, as steps.
Series front_of(const Rows& rows, const char* column, const Unit& memory, const Unit& time) {
  Series front{
      .name = "none is better in both", .draw = Draw::steps, .style = {kGrey, 0}, .thin = true};
  double fastest = std::numeric_limits<double>::infinity();
  for (const Row& row :
       order(rows, [&](const Row& one) { return std::pair(one.number(column), seconds(one)); })) {
    if (!(seconds(row) < fastest)) continue;
    fastest = seconds(row);
    front.points.push_back({.x = row.number(column) * memory.factor, .y = fastest * time.factor});
  }
  return front;
}

Groups scheme_marks(const Group& panel) {
  Groups schemes = scheme_lines(panel, {"n_tokens", "workers", "kv_len"});
  for (Group& one : schemes) one.draw = Draw::points;
  return schemes;
}

// Keeps the rows of both passes together where there are some: they are the step of training that
// its passes are parts of.
Rows whole_steps(const Rows& rows) {
  const Rows both = where(rows, [](const Row& row) { return row.is("pass", "both"); });
  return both.empty() ? rows : both;
}

// The lengths, worker counts and places at which there are schemes to compare.
Groups compared_panels(const Rows& rows) {
  const Columns first = joined({"n_tokens", "workers"}, kPlaceColumns);
  Groups panels = panels_by(rows, joined(first, kShapeColumns),
                            joined(first, differing_columns(rows, kShapeColumns)));
  std::erase_if(panels, [](const Group& panel) {
    return group(panel.rows, Columns{"algorithm"}).size() < 2;
  });
  return panels;
}

}  // namespace

Figure time_memory_figure(const PlottedRun& run) {
  const Rows all = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && row.number("workers") >= 2.0 && seconds(row) > 0.0;
  });
  const PeakColumns columns = peak_columns(all);
  const char* column = columns.measured;
  const Rows held = where(all, [&](const Row& row) { return row.number(column) > 0.0; });
  const Rows rows = whole_steps(held);
  const Unit memory = byte_unit(largest(rows, number_in(column)));
  const Unit time = time_unit(largest(rows, seconds));
  Groups panels = compared_panels(rows);
  const std::string left_out = keep_first(panels, kMostPanels, "N, W and place");
  return line_figure(
      {.title = "Time against memory across schemes",
       .nothing = "no two schemes of the same N and W have a time and a peak of active memory",
       .y = {{.y = axis_in(time, "wall clock", "wall_time"),
              .value = [&](const Row& row) { return timed(row, clock_of(row), time.factor); },
              .lines = scheme_marks,
              .reference =
                  [&](const Group& panel) {
                    return std::vector<Series>{front_of(panel.rows, column, memory, time)};
                  },
              .x_axis =
                  [&](const std::vector<double>& x) {
                    return powers_or_linear(
                        axis_in(memory, fmt::format("peak active memory {}", columns.whose),
                                "peak_memory"),
                        x);
                  }}},
       .panels = panels,
       .x = [&](const Row& row) { return row.number(column) * memory.factor; },
       .notes = joined_notes(
           {timing_notes(rows),
            {"The grey steps lead from scheme to scheme of which none has less "
             "memory and less time.",
             rows.size() < held.size() ? "Both passes together; scheme_passes has each." : "",
             left_out}})});
}

}  // namespace qb
