// Attention of a decode step against the worker count: wall clock with its compute time and exposed
// communication, and time relative to one worker beside the published tables.
// It shows cases of decode, flash_decoding, tree_decode, and of dense on one worker, in which
// n_tokens decode steps in a row end at kv_len keys.
#include <fmt/format.h>

#include <array>

#include "plots/figures/figures.h"
#include "plots/frame/lines.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// dense has a single mark, which is drawn over the others.
constexpr std::array kAlgorithms = {"decode", "flash_decoding", "tree_decode", "dense"};
constexpr int kComputeDash = 2;
constexpr int kExposedDash = 0;

using Line = std::map<double, Row>;  // by worker count

// Keeps rows of decode steps; a dense case of the whole sequence is not one.
Rows decode_rows(const CsvTable& cases) {
  return where(
      where(standing_rows(cases), "algorithm",
            {"decode", "flash_decoding", "tree_decode", "dense"}),
      [](const Row& row) {
        return !row.is("algorithm", "dense") ||
               (row.number("workers") == 1.0 && row.number("n_tokens") < row.number("kv_len"));
      });
}

// Groups what was measured at one place for one number of keys; a group needs more than dense.
std::vector<Group> groups_of(const CsvTable& cases) {
  const Rows rows = where(decode_rows(cases), ran);
  const Columns shape = without(shape_columns(), "batch");
  const Columns first = joined({"kv_len", "batch"}, place_columns());
  std::vector<Group> groups = group(rows, joined(first, shape));
  for (Group& one : groups)
    one.name = named_values(one.rows.front(), joined(first, differing_columns(rows, shape)));
  std::erase_if(groups, [](const Group& one) {
    return where(one.rows, "algorithm", {"dense"}).size() == one.rows.size();
  });
  return groups;
}

Line line_of(const Group& from, std::string_view algorithm) {
  return by_number(where(from.rows, "algorithm", {algorithm}), "workers");
}

// Converts s of a row to ms per decode step.
double unit_of(const Row& row) { return kMilli / row.number("n_tokens"); }

Panel time_panel(const Group& from) {
  Panel panel{.title = from.name};
  for (const char* algorithm : kAlgorithms) {
    Series wall{.name = algorithm, .style = algorithm_style(algorithm)};
    Series compute = behind(wall, "compute", kComputeDash);
    Series exposed = behind(wall, "exposed communication", kExposedDash);
    for (const auto& [workers, row] : line_of(from, algorithm)) {
      wall.points.push_back(timed(row, clock_of(row), unit_of(row), workers));
      if (wall.name == "dense") continue;
      for (const auto& [series, column] : {std::pair{&compute, "compute_median_s"},
                                           std::pair{&exposed, "exposed_communication_median_s"}})
        if (const double seconds = row.number(column); seconds > 0.0)
          series->points.push_back({.x = workers, .y = seconds * unit_of(row)});
    }
    add(panel, {wall, compute, exposed});
  }
  return panel;
}

// Divides by the algorithm's own case of one worker, or by dense if there is none.
Panel relative_panel(const Group& from) {
  Panel panel;
  for (const char* algorithm : kAlgorithms) {
    const Line line = line_of(from, algorithm);
    const Line base = line.contains(1.0) ? line : line_of(from, "dense");
    if (algorithm == std::string_view("dense") || !base.contains(1.0)) continue;
    const Row& one = base.at(1.0);
    Series series{.name = algorithm, .style = algorithm_style(algorithm)};
    for (const auto& [workers, row] : line) {
      Point point = time_ratio(row, one, clock_of(row), workers);
      const double steps = one.number("n_tokens") / row.number("n_tokens");
      for (double Point::*value : {&Point::y, &Point::low, &Point::high}) point.*value *= steps;
      if (row == one) point.low = point.high = kNaN;
      series.points.push_back(point);
    }
    add(panel, series);
  }
  return panel;
}

// Gives the attention op alone and the whole of pass-Q, each relative to one rank.
std::vector<Series> published_series() {
  constexpr std::array<std::pair<const char*, const char*>, 2> quantities = {
      {{"op", "individual_attention_op_us"}, {"pass-Q", "whole_pass_q_us"}}};
  std::map<std::string, Series> found;
  std::map<std::string, double> base;
  for (const Row& row : all_rows(published_table("context_parallel_table_8_decode_attention")))
    for (int mark = 0; mark < 2; ++mark) {
      const auto& [quantity, column] = quantities.at(static_cast<std::size_t>(mark));
      const std::string& batch = row.text("batch_size");
      const std::string name =
          fmt::format("{}, {}K, B = {}", quantity, row.text("context_length_kilotokens"), batch);
      // `TP8` means one rank, `CP2+TP8` two.
      const std::string& ranks = row.text("parallelization");
      const double workers = ranks.starts_with("CP") ? ranks[2] - '0' : 1.0;
      if (workers == 1.0) base[name] = row.number(column);
      Series& series = found[name];
      series.name = name;
      series.style = {batch == "1" ? kBlack : kGrey, mark};
      series.published = true;
      series.points.push_back({.x = workers, .y = row.number(column) / base.at(name)});
    }
  std::vector<Series> out;
  for (auto& [name, series] : found) out.push_back(std::move(series));
  return out;
}

}  // namespace

Figure decode_attention_figure(const PlottedRun& run, const FigureContext& context) {
  Figure figure{.title = "Attention of a decode step by workers",
                .subtitle = context.subtitle,
                .columns = 2,
                .panel_height = 250};
  for (const Group& from : groups_of(run.cases)) {
    Panel time = time_panel(from);
    time.y =
        powers_or_zero({.label = "time of a decode step (ms)", .column = "step_ms"}, all_y(time));
    Panel relative = relative_panel(from);
    add(relative, published_series());
    relative.y = powers_or_zero({.label = "time / time at W = 1", .column = "relative_time_ratio"},
                                all_y(relative));
    figure.panels.push_back(std::move(time));
    figure.panels.push_back(std::move(relative));
  }
  if (figure.panels.empty())
    return empty_figure(figure.title, "no case of decode, flash_decoding or tree_decode ran");
  const Axis x = workers_axis(all_x(figure.panels));
  for (Panel& panel : figure.panels) panel.x = x;
  for (const auto& [name, dash] :
       {std::pair{"compute", kComputeDash}, std::pair{"exposed comm.", kExposedDash}})
    figure.panels.front().series.push_back(
        legend_key(name, {kGrey, 0, dash}, Draw::line_points, true));
  figure.notes = joined_notes(
      {{"Left: wall clock over the number of decode steps in a row; thin, of the worker where each "
        "is largest: computing and exposed communication. Right: over the algorithm's own case of "
        "W = 1, else over dense."},
       timing_notes(decode_rows(run.cases)),
       {fmt::format(
           "Dashed, hollow: published, {}; Table 8, of context and batch as named, W = 1, 2, 4 "
           "ranks. op is the attention kernel of one rank, pass-Q all of it with its exchanges. W "
           "= 1 there is 8 GPUs that split the heads: shapes compare, times do not.",
           kContextParallelOrigin)}});
  return figure;
}

}  // namespace qb
