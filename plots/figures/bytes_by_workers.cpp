// SPDX-License-Identifier: Apache-2.0
// What a device sends against W, forward and backward: what plans count, as marks on the lines of
// closed forms that know nothing of plans. The least set of a worker of CQS has m groups, m (m - 1)
// + 1 >= W; a plan's own set may be larger, and its marks then lie above the line.
#include "plots/figures/figures.h"
#include "plots/figures/scheme_settings.h"

namespace qb {
namespace {

constexpr const char* kBytesTitle = "Bytes that a device sends against W";
constexpr double kSumBytes = 4.0;  // of an element of a partial, of an LSE, of a sum of gradients
constexpr double kDense = 16.0;    // up to here a line has a point for each W
constexpr double kStepsADouble = 8.0;  // and beyond so many from W to 2 W

// What 1 / W of the tokens weighs, in elements over all heads.
struct Shard {
  double queries;  // Q, or dO, or dQ
  double keys;     // K and V, or their gradients
  double scalars;  // LSE, or D
  double bytes;    // of an element of the inputs
  [[nodiscard]] double inputs() const { return (queries + keys) * bytes; }
  [[nodiscard]] double partials() const { return (queries + scalars) * kSumBytes; }
  [[nodiscard]] double gradients() const { return (queries + keys) * kSumBytes; }
  // Q, dO, LSE and D, and K and V.
  [[nodiscard]] double backward_inputs() const {
    return (2.0 * queries + keys) * bytes + 2.0 * scalars * kSumBytes;
  }
};

Shard shard_of(const Row& row, double workers) {
  const double tokens = row.number("batch") * row.number("n_tokens") / workers;
  const double element = row.is("dtype", "f64") ? 8.0 : row.is("dtype", "f32") ? 4.0 : 2.0;
  const double queries = tokens * row.number("q_heads");
  const double keys = 2.0 * tokens * row.number("kv_heads");
  return {queries * row.number("head_dim"), keys * row.number("head_dim"), queries, element};
}

double least_set(double workers) {
  double m = 1.0;
  while (m * (m - 1.0) + 1.0 < workers) m += 1.0;
  return m;
}

// The bytes that a worker of the row's scheme sends if there are `w`; NaN for a scheme without a
// form.
double formula_bytes(const Row& row, double w) {
  const Shard shard = shard_of(row, w);
  const double m = least_set(w);
  const std::string& scheme = row.text("algorithm");
  const bool forward = is_forward(row);
  if (scheme == "ring" || scheme == "striped" || scheme == "zigzag" || scheme == "all_gather_kv") {
    const double home = scheme == "all_gather_kv" ? w - 1.0 : w;  // hops of dK and dV
    return (w - 1.0) * shard.keys * shard.bytes + (forward ? 0.0 : home * shard.keys * kSumBytes);
  }
  if (scheme == "ulysses")
    return (w - 1.0) / w *
           (shard.inputs() + (forward ? shard.partials() : shard.queries * shard.bytes));
  if (scheme == "cqs_sharded")
    return (m - 1.0) * (forward ? shard.inputs() + shard.partials()
                                : shard.backward_inputs() + shard.gradients());
  if (scheme == "cqs") return m * (forward ? shard.partials() : shard.gradients());
  return kNaN;
}

// What the root of cqs scatters to all workers.
double root_formula(const Row& row, double w) {
  const Shard shard = shard_of(row, w);
  return w * least_set(w) * (is_forward(row) ? shard.inputs() : shard.backward_inputs());
}

Series formula_line(const Group& line, const Unit& unit, double (*bytes)(const Row&, double)) {
  Series out{.name = line.name, .draw = Draw::line, .style = line.style};
  std::set<double> counts;
  for (const Row& row : line.rows) counts.insert(row.number("workers"));
  for (double w = *counts.begin(); w < *counts.rbegin();
       w = w < kDense ? w + 1.0 : std::ceil(w * std::exp2(1.0 / kStepsADouble)))
    counts.insert(w);
  for (const double w : counts)
    out.points.push_back({.x = w, .y = bytes(line.rows.front(), w) * unit.factor});
  return out;
}

Series counted_marks(const Group& line, const Unit& unit, NumberColumn column) {
  Group marks = line;
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
    out.push_back(formula_line(line, unit, formula_bytes));
    out.push_back(counted_marks(line, unit, "device_sent_bytes"));
    if (!(largest(line.rows, number_in("root_sent_bytes")) > 0.0)) continue;
    line.name += ", its root";
    line.style.dash = 1;
    out.push_back(formula_line(line, unit, root_formula));
    line.thin = true;
    out.push_back(counted_marks(line, unit, "root_sent_bytes"));
  }
  return out;
}

// Says from which W on the formulas let a worker of sharded CQS send less than one of a ring, up to
// the most workers; a plain title where they never do.
std::string crossing_title(const Rows& rows) {
  std::map<std::string, Row> forward;
  for (const Row& row : rows)
    if (is_forward(row)) forward[row.text("algorithm")] = row;
  if (!forward.contains("ring") || !forward.contains("cqs_sharded")) return kBytesTitle;
  const double last = largest(rows, number_in("workers"));
  double from = last + 1.0;
  while (from > 2.0 && formula_bytes(forward["cqs_sharded"], from - 1.0) <
                           formula_bytes(forward["ring"], from - 1.0))
    from -= 1.0;
  return from > last ? kBytesTitle
                     : fmt::format(
                           "Sharded CQS sends less than a ring from W = {:.0f} on; CQS "
                           "moves the bytes to a root",
                           from);
}

}  // namespace

Figure bytes_by_workers_figure(const PlottedRun& run) {
  const Groups all = scheme_settings(run.cases);
  if (all.empty() || count_schemes(all.front().rows) < 2)
    return empty_figure(kBytesTitle, "no two schemes ran at one length, mask and link with W > 1");
  const Rows rows =
      where(rows_like(run.cases, all.front().rows.front(), {"pass"}), [](const Row& row) {
        return is_compared_scheme(row) && row.number("workers") >= 2 && !row.is("pass", "both");
      });
  const Unit unit = byte_unit(largest(rows, busiest_sent_bytes));
  Groups panels = panels_by(rows, {"pass"});
  for (Group& panel : panels)
    if (panel.name.empty()) panel.name = "forward";
  std::ranges::stable_sort(panels, {},
                           [](const Group& one) { return !is_forward(one.rows.front()); });
  Axis y = axis_in(unit, "sent by a device", "device_sent");
  y.log = true;
  return line_figure(
      {.title = crossing_title(rows),
       .nothing = "no case has bytes that its plan counts",
       .y = {{.y = y,
              .reference = [=](const Group& panel) { return panel_series(panel, unit); },
              .timed = false}},
       .panels = panels,
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .shared_axes = true,
       .keys = {legend_key("counted in a plan", {kGrey, 0}, Draw::points)},
       .notes = {"Marks are counted in plans; lines are formulas with the least interest set. "
                 "Dashed: what the root of CQS scatters.",
                 "Of a device, the one that sends most."}});
}

}  // namespace qb
