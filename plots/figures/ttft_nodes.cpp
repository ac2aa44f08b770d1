// Time to first token against the workers that share a prefill: causal attention over the whole
// sequence, by scheme; beside it the published times of a whole model by context-parallel nodes.
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Keeps prefills: every token attends to those before it, and none was cached.
Rows prefills(const CsvTable& cases) {
  return where(standing_rows(cases), [](const Row& row) {
    return ran(row) && row.is("mask", "causal") && own_value(row, "kv_len") == "=" &&
           time_ms(row).y > 0.0;
  });
}

// Groups what differs in scheme and worker count alone; a panel has two worker counts or more.
Groups prefill_panels(const Rows& rows) {
  const Columns first = joined({"n_tokens"}, kPlaceColumns);
  const Columns shape = without(kShapeColumns, "mask");
  Groups panels =
      panels_by(rows, joined(first, shape), joined(first, differing_columns(rows, shape)));
  std::erase_if(
      panels, [](const Group& panel) { return group(panel.rows, Columns{"workers"}).size() < 2; });
  return panels;
}

Groups prefill_lines(const Group& panel) {
  return scheme_lines(panel, {"workers", "interest_set"});
}

// Draws the time that halves as the workers double, from the fastest of the fewest workers on.
std::vector<Series> halving(const std::vector<Point>& points) {
  std::map<double, double> fastest;
  for (const Point& point : points) {
    double& least = fastest.emplace(point.x, kNaN).first->second;
    least = std::fmin(least, point.y);
  }
  Series line{.name = "twice the workers, half the time",
              .draw = Draw::line,
              .style = {kGrey, 0, 2},
              .thin = true};
  if (fastest.size() < 2) return {};
  const auto [fewest, time] = *fastest.begin();
  for (const auto& [workers, own] : fastest)
    line.points.push_back({.x = workers, .y = time * fewest / workers});
  return {line};
}

// Gives nodes and seconds of a row of table 7, `CP4+TP8` or `TP16` of 8 GPUs a node, or of the
// times that the text prints of figures 6 and 8.
Point published_point(const Row& row) {
  if (row.table->has("cp_nodes")) return {.x = row.number("cp_nodes"), .y = row.number("ttft_s")};
  constexpr double kGpusOfNode = 8.0;
  const std::string& name = row.text("parallelization");
  const double number = std::stod(name.substr(2));
  return {.x = name.starts_with("CP") ? number : number / kGpusOfNode,
          .y = row.number("ttft_ms") / kMilli};
}

Groups published_ttft_lines(const Group&) {
  const Rows table = all_rows(published_table("context_parallel_table_7_cp_vs_tp_scaling"));
  const auto context = [](const Row& row) { return row.text("parallelization").starts_with("CP"); };
  Rows nodes = where(table, context);
  const Rows printed = where(all_rows(published_table("context_parallel_figures_6_to_8_printed")),
                             "context_length_label", {"128K"});
  nodes.insert(nodes.end(), printed.begin(), printed.end());
  Groups lines = {{.rows = nodes,
                   .name = "published: context parallel",
                   .style = {kBlack, 0},
                   .published = true,
                   .value = published_point},
                  {.rows = where(table, [&](const Row& row) { return !context(row); }),
                   .name = "published: tensor parallel",
                   .style = {kGrey, 1},
                   .published = true,
                   .value = published_point}};
  return lines;
}

std::vector<Series> published_halving(const Group& panel) {
  const Groups lines = published_ttft_lines(panel);
  std::vector<Point> points;
  for (const Row& row : lines.front().rows) points.push_back(published_point(row));
  return halving(points);
}

LineFigure::Quantity published_times() {
  return {.y = {.label = "time to first token (s)", .column = "ttft_s", .log = true},
          .lines = published_ttft_lines,
          .panels = {{.name = "published: Llama 3 405B, 128,000 tokens"}},
          .reference = published_halving,
          .x_axis = [](const std::vector<double>& x) {
            Axis axis = workers_axis(x);
            axis.label = "nodes of 8 GPUs";
            return axis;
          }};
}

}  // namespace

Figure ttft_nodes_figure(const PlottedRun& run) {
  const Rows rows = prefills(run.cases);
  Groups panels = prefill_panels(rows);
  // One more panel is published.
  const std::string left_out = keep_first(panels, kMostPanels - 1, "N and place");
  if (panels.empty())
    return empty_figure("Time to first token by nodes",
                        "no causal prefill of one length has times at two worker counts");
  return line_figure(
      {.title = "Time to first token by nodes",
       .y = {{.y = {.label = "time of attention (ms)", .column = "ttft_ms"},
              .value = time_ms,
              .lines = prefill_lines,
              .panels = panels,
              .reference =
                  [](const Group& panel) {
                    std::vector<Point> points;
                    for (const Row& row : panel.rows)
                      points.push_back({.x = row.number("workers"), .y = time_ms(row).y});
                    return halving(points);
                  },
              .fit = powers_or_zero,
              .x_axis = workers_axis},
             published_times()},
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .notes = joined_notes(
           {{"The wall clock of causal attention over the whole sequence, which is what a scheme "
             "adds to the time to first token; a model also has products and passes of its own."},
            timing_notes(rows),
            {fmt::format("Published: {}; Table 7, and of 8 and 16 nodes the times that the text "
                         "prints. They are of the whole model: slopes compare, times do not.",
                         kContextParallelOrigin),
             left_out}})});
}

}  // namespace qb
