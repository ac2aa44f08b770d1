// CQS for a matrix product: speed-up over the whole product, and idle workers, by worker count.
//
// It draws workload matrix_product: for each size a panel with the time of the whole product
// (algorithm dense) over that of the slowest worker, beside the greatest value that the split
// allows, and a last panel with the share of workers without a block. There is a mark for each way
// to split W into W1 + W2.
#include <fmt/format.h>

#include "plots/figures/figures.h"
#include "plots/frame/lines.h"

namespace qb {
namespace {

// Says how W was split, and by which distillation; 1 comes first if it is also a half or a quarter.
std::string split_name(const Row& row) {
  const std::int64_t workers = row.integer("workers");
  const std::int64_t row_groups = row.integer("product_row_groups");
  if (row_groups == 1) return "W1 = 1";
  if (row_groups == workers / 2) return "W1 = W/2";
  if (row_groups == workers / 4) return "W1 = W/4";
  return fmt::format("W1 = {}", row_groups);
}

std::string size_name(const Row& row) {
  return fmt::format("{} × {} × {}", row.text("n_tokens"), row.text("product_depth"),
                     row.text("kv_len"));
}

// Makes a line for each way to split; the same way has the same mark in every panel.
std::vector<Group> splits_of(const Rows& rows) {
  std::vector<Group> splits = group(rows, [](const Row& row) {
    return std::vector<std::string>{row.text("distillation"), split_name(row)};
  });
  for (std::size_t i = 0; i < splits.size(); ++i) {
    Group& split = splits[i];
    split.name = listed({split.key[1], split.key[0] == "published" ? "" : split.key[0]});
    split.style = indexed_style(static_cast<int>(i));
  }
  return splits;
}

Rows in(const Group& split, const Rows& rows) {
  return where(split.rows, [&](const Row& row) {
    return std::find(rows.begin(), rows.end(), row) != rows.end();
  });
}

// `whole` is the case of the whole product, if it ran.
Panel speed_up_panel(const Rows& rows, const std::vector<Group>& splits, const Rows& whole) {
  Panel panel{.title = size_name(rows.front()),
              .y = {.label = "speed-up", .column = "speed_up_ratio", .log = true}};
  for (const Group& split : splits) {
    Series measured{.name = split.name, .draw = Draw::points, .style = split.style};
    Series bound{.name = "bound, " + split.name,
                 .draw = Draw::line,
                 .style = {split.style.colour, split.style.mark, 1},
                 .in_legend = false};
    for (const auto& [workers, row] : by_number(in(split, rows), "workers")) {
      if (!whole.empty())
        measured.points.push_back(time_ratio(whole.back(), row, clock_of(row), workers));
      bound.points.push_back({.x = workers, .y = row.number("responsibility_ratio")});
    }
    add(panel, {measured, bound});
  }
  return panel;
}

// The share follows from the split, whatever the size.
Panel idle_panel(const std::vector<Group>& splits) {
  Panel panel{
      .title = "Idle workers",
      .y = {.label = "workers without a block (%)", .column = "idle_percent", .from_zero = true}};
  for (const Group& split : splits) {
    Series series{.name = split.name, .style = split.style, .in_legend = false};
    for (const auto& [workers, row] : by_number(split.rows, "workers"))
      series.points.push_back({.x = workers, .y = kPercent * row.number("idle_workers") / workers});
    panel.series.push_back(std::move(series));
  }
  return panel;
}

}  // namespace

Figure product_speed_up_figure(const PlottedRun& run, const FigureContext& context) {
  Figure figure{.title = "CQS for a matrix product: speed-up and idle workers",
                .subtitle = context.subtitle};
  const Rows rows = where(where(standing_rows(run.cases), "workload", {"matrix_product"}), ran);
  const auto is_whole = [](const Row& row) { return row.is("algorithm", "dense"); };
  const std::vector<Group> splits =
      splits_of(where(rows, [&](const Row& row) { return !is_whole(row); }));
  if (splits.empty())
    return empty_figure(figure.title,
                        "no case of workload matrix_product over several workers has a time");
  for (const Group& size : group(rows, Columns{"n_tokens", "kv_len", "product_depth", "seed"}))
    if (const Rows whole = where(size.rows, is_whole); whole.size() < size.rows.size())
      figure.panels.push_back(speed_up_panel(size.rows, splits, whole));
  figure.panels.push_back(idle_panel(splits));
  const Axis x = workers_axis(all_x(figure.panels));
  for (Panel& panel : figure.panels) panel.x = x;
  arrange_panels(figure);
  figure.notes = joined_notes(
      {case_notes(run.cases),
       {"Speed-up: time of the whole product by one worker over that of the slowest of W, each "
        "alone on one core. Dashed: elements of C over those of the most loaded worker.",
        "A size is rows × depth × columns. W = W1 + W2: groups of rows of A and of columns of B; a "
        "worker is idle where none of its pairs of groups has one of each."}});
  return figure;
}

}  // namespace qb
