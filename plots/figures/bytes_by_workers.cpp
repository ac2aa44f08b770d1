// SPDX-License-Identifier: Apache-2.0
// What a device sends against W, forward and backward: what plans count, as marks on the lines of
// the closed forms of harness/plan/theory/sent_bytes.h, which know nothing of plans.
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/theory/sent_bytes.h"
#include "kernels/dtype.h"
#include "plots/figures/figures.h"
#include "plots/figures/scheme_settings.h"

namespace qb {
namespace {

constexpr const char* kBytesTitle = "Bytes that a device sends against W";
constexpr double kDense = 16.0;        // up to here a line has a point for each W
constexpr double kStepsADouble = 8.0;  // and beyond so many from W to 2 W

// The bytes that a worker of the row's scheme sends if there are `workers`, or that its root does;
// NaN for a scheme without a form. It takes three workers or more of CQS.
double bytes_by_formula(const Row& row, double workers, bool of_root) {
  const std::int64_t tokens = row.integer("n_tokens");
  const std::int64_t dim = row.integer("head_dim");
  const Shape shape{.batch = 1,
                    .q_heads = row.integer("q_heads"),
                    .kv_heads = row.integer("kv_heads"),
                    .q_len = tokens,
                    .kv_len = std::max(tokens, row.integer("kv_len")),
                    .head_dim = dim,
                    .value_dim = dim};
  const std::int64_t bytes = formula_bytes(
      row.text("algorithm"), shape, parse_word<DType>(row.text("dtype")).value_or(DType::f16),
      static_cast<int>(workers), is_forward(row) ? Pass::forward : Pass::backward, of_root);
  if (bytes == 0) return kNaN;
  return row.number("batch") * static_cast<double>(bytes) * (of_root ? workers : 1.0);
}

Series formula_line(const Group& line, const Unit& unit, bool of_root) {
  Series out{.name = line.name, .draw = Draw::line, .style = line.style};
  std::set<double> counts;
  for (const Row& row : line.rows) counts.insert(row.number("workers"));
  // What a grid and Ulysses send follows from the divisors of W: their lines join the marks.
  const bool leaps = is_grid(line.name) || line.name == "ulysses";
  for (double w = *counts.begin(); !leaps && w < *counts.rbegin();
       w = w < kDense ? w + 1.0 : std::ceil(w * std::exp2(1.0 / kStepsADouble)))
    counts.insert(w);
  for (const double w : counts)
    out.points.push_back(
        {.x = w, .y = bytes_by_formula(line.rows.front(), w, of_root) * unit.factor});
  return out;
}

Series counted_marks(Group marks, const Unit& unit, NumberColumn column) {
  marks.name += ", counted";
  marks.draw = Draw::points;
  marks.in_legend = false;
  return line_series(marks, [&](const Row& row) {
    return Point{.x = row.number("workers"), .y = row.number(column) * unit.factor};
  });
}

std::vector<Series> panel_series(const Group& panel, const Unit& unit) {
  std::vector<Series> out;
  for (Group line : compared_lines(where(panel.rows, ran))) {
    out.push_back(formula_line(line, unit, false));
    out.push_back(counted_marks(line, unit, "device_sent_bytes"));
    if (std::ranges::none_of(line.rows, has_root)) continue;
    line.name += ", its root";
    line.style.dash = 1;
    out.push_back(formula_line(line, unit, true));
    line.thin = true;
    out.push_back(counted_marks(line, unit, "root_sent_bytes"));
  }
  return out;
}

// The W from which on, up to the most workers, a worker of sharded CQS sends less than one of a
// ring, by the formulas and as its plans count it; 0 if it does not at the most.
double less_from(const Rows& rows) {
  const Rows ring = where(rows, "algorithm", {"ring"});
  const Rows cqs = where(rows, "algorithm", {"cqs_sharded"});
  if (ring.empty() || cqs.empty()) return 0.0;
  const auto less = [&](double workers) {
    const double most = bytes_by_formula(ring.back(), workers, false);
    return bytes_by_formula(cqs.back(), workers, false) < most &&
           std::ranges::none_of(cqs, [=](const Row& row) {
             return row.number("workers") == workers && row.number("device_sent_bytes") >= most;
           });
  };
  const double last = largest(rows, number_in("workers"));
  double from = last + 1.0;
  while (from > 3.0 && less(from - 1.0)) from -= 1.0;
  return from <= last ? from : 0.0;
}

// Says for each pass from which W on sharded CQS sends less than a ring, else which schemes send
// least in the first pass.
std::string bytes_title(const Groups& panels) {
  std::vector<std::string> from;
  const auto of_pass = [&](const Group& panel) {
    return panels.size() > 1 ? fmt::format(" ({})", panel.name) : "";
  };
  for (const Group& panel : panels)
    if (const double workers = less_from(panel.rows); workers > 0.0)
      from.push_back(fmt::format("W = {:.0f} on{}", workers, of_pass(panel)));
  const bool rooted = std::ranges::any_of(
      panels, [](const Group& panel) { return count(panel.rows, has_root) > 0; });
  if (!from.empty())
    return fmt::format("Sharded CQS sends less than a ring from {}{}", listed(from, " and "),
                       rooted ? "; CQS moves the bytes to a root" : "");
  const std::string least = least_of(panels.front().rows, "sends", busiest_sent_bytes);
  return least.empty() ? kBytesTitle : least + of_pass(panels.front());
}

}  // namespace

Figure bytes_by_workers_figure(const PlottedRun& run) {
  const Groups all = scheme_settings(run.cases);
  if (all.empty() || count_schemes(all.front().rows) < 2)
    return empty_figure(kBytesTitle, "no two schemes ran at one length, mask and link with W > 1");
  Rows rows = where(rows_like(run.cases, all.front().rows.front(), {"pass"}), [](const Row& row) {
    return is_compared_scheme(row) && row.number("workers") >= 2 && !row.is("pass", "both");
  });
  // The formula of a grid is of the shape that is left open.
  if (const Rows open = where(where(rows, "grid_heads", {"0"}), "grid_rows", {"0"});
      count_schemes(open) == count_schemes(rows))
    rows = open;
  const Unit unit = byte_unit(largest(rows, busiest_sent_bytes));
  Groups panels = panels_by(rows, {"pass"});
  for (Group& panel : panels)
    if (panel.name.empty()) panel.name = "forward";
  std::ranges::stable_sort(panels, {},
                           [](const Group& one) { return !is_forward(one.rows.front()); });
  Axis y = axis_in(unit, "sent by a device", "device_sent");
  y.log = true;
  return line_figure(
      {.title = bytes_title(panels),
       .nothing = "no case has bytes that its plan counts",
       .y = {{.y = y,
              .reference = [=](const Group& panel) { return panel_series(panel, unit); },
              .timed = false}},
       .panels = panels,
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .shared_axes = true,
       .keys = {legend_key("counted in a plan", {kGrey, 0}, Draw::points)},
       .notes = {
           "Marks are counted in plans; lines are formulas with the least interest set. "
           "Dashed: what the root of CQS scatters.",
           named_values(rows.front(), {"n_tokens"}) + ". Of a device, the one that sends most."}});
}

}  // namespace qb
