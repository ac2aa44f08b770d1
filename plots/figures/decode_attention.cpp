#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plots/frame/scale.h"
#include "plots/frame/scheme_cases.h"
#include "plots/published/published_context_parallel.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Attention of a decode step by workers";
constexpr double kMilliseconds = 1e3;
// dense, a single mark, is drawn over the others.
constexpr std::array<std::string_view, 4> kAlgorithms = {"decode", "flash_decoding", "tree_decode",
                                                         "dense"};
constexpr int kComputeDash = 2;
constexpr int kExposedDash = 0;

// Rows of one algorithm by worker count; of several of one count the last stands.
using Line = std::map<double, std::size_t>;

struct Group {
  std::string name{};
  std::map<std::string_view, Line> lines{};
};

// Rows of decode steps; a dense case of the whole sequence is none.
std::vector<std::size_t> decode_rows(const CsvTable& cases) {
  std::vector<std::size_t> rows = rows_of_algorithms(cases, kAlgorithms);
  std::erase_if(rows, [&](std::size_t row) {
    const bool dense = cases.text(row, "algorithm") == "dense";
    return dense && (cases.number(row, "workers") != 1.0 ||
                     !(cases.number(row, "n_tokens") < cases.number(row, "kv_len")));
  });
  return rows;
}

std::vector<Group> groups_of(const CsvTable& cases) {
  std::vector<std::size_t> rows = decode_rows(cases);
  std::erase_if(rows, [&](std::size_t row) { return !ran(cases, row); });
  Columns shape = shape_columns();
  std::erase(shape, "batch");
  const Columns first = joined({"kv_len", "batch"}, place_columns());
  const Columns shown = joined(first, differing_columns(cases, rows, shape));
  std::vector<Group> groups;
  for (const auto& [key, members] : group_cases(cases, rows, joined(first, shape))) {
    Group group{.name = named_values(cases, members.front(), shown)};
    for (const std::size_t row : members)
      for (const std::string_view algorithm : kAlgorithms)
        if (cases.text(row, "algorithm") == algorithm)
          group.lines[algorithm][cases.number(row, "workers")] = row;
    const bool dense_alone = group.lines.size() == 1 && group.lines.contains("dense");
    if (!dense_alone) groups.push_back(std::move(group));
  }
  return groups;
}

// ms a decode step.
double unit_of(const CsvTable& cases, std::size_t row) {
  return kMilliseconds / cases.number(row, "n_tokens");
}

Series part_series(const CsvTable& cases, std::string_view algorithm, const Line& line,
                   const std::string& part, const std::string& column, int dash) {
  Series series{.name = fmt::format("{}, {}", algorithm, part),
                .style = algorithm_style(algorithm),
                .thin = true,
                .in_legend = false};
  series.style.dash = dash;
  for (const auto& [workers, row] : line)
    if (const double seconds = cases.number(row, column); seconds > 0.0)
      series.points.push_back({.x = workers, .y = seconds * unit_of(cases, row)});
  return series;
}

Panel time_panel(const CsvTable& cases, const Group& group) {
  Panel panel{.title = group.name};
  for (const std::string_view algorithm : kAlgorithms) {
    const auto line = group.lines.find(algorithm);
    if (line == group.lines.end()) continue;
    Series wall{.name = std::string(algorithm), .style = algorithm_style(algorithm)};
    for (const auto& [workers, row] : line->second)
      wall.points.push_back(time_point(cases, row, workers, unit_of(cases, row)));
    panel.series.push_back(std::move(wall));
    if (algorithm == "dense") continue;
    for (Series& part :
         std::array{part_series(cases, algorithm, line->second, "compute", "compute_median_s",
                                kComputeDash),
                    part_series(cases, algorithm, line->second, "exposed communication",
                                "exposed_communication_median_s", kExposedDash)})
      if (!part.points.empty()) panel.series.push_back(std::move(part));
  }
  return panel;
}

// The algorithm's own case of one worker, else dense.
std::optional<std::size_t> base_of(const Group& group, std::string_view algorithm) {
  for (const std::string_view from : {algorithm, std::string_view("dense")})
    if (const auto line = group.lines.find(from); line != group.lines.end())
      if (const auto one = line->second.find(1.0); one != line->second.end()) return one->second;
  return std::nullopt;
}

std::vector<Series> relative_series(const CsvTable& cases, const Group& group) {
  std::vector<Series> out;
  for (const auto& [algorithm, line] : group.lines) {
    const auto base = base_of(group, algorithm);
    if (algorithm == "dense" || !base) continue;
    Series series{.name = std::string(algorithm), .style = algorithm_style(algorithm)};
    for (const auto& [workers, row] : line) {
      Point point = time_ratio(cases, row, *base, workers);
      const double steps = cases.number(*base, "n_tokens") / cases.number(row, "n_tokens");
      point = {
          .x = workers, .y = point.y * steps, .low = point.low * steps, .high = point.high * steps};
      if (row == *base) point.low = point.high = kNaN;
      series.points.push_back(point);
    }
    out.push_back(std::move(series));
  }
  return out;
}

// `TP8` is one rank, `CP2+TP8` two.
double ranks_of(const std::string& parallelization) {
  return parallelization.starts_with("CP") ? parallelization[2] - '0' : 1.0;
}

// The attention op alone and the whole of pass-Q, each relative to one rank.
std::vector<Series> published_series() {
  struct Quantity {
    const char* name;
    const char* column;
    int mark;
  };
  constexpr std::array quantities = {Quantity{"op", "individual_attention_op_us", 0},
                                     Quantity{"pass-Q", "whole_pass_q_us", 1}};
  const CsvTable& table = published_decode_attention();
  std::map<std::string, Series> found;
  std::map<std::string, double> base;
  for (std::size_t row = 0; row < table.size(); ++row)
    for (const Quantity& quantity : quantities) {
      const std::string& batch = table.text(row, "batch_size");
      const std::string name = fmt::format("{}, {}K, B = {}", quantity.name,
                                           table.text(row, "context_length_kilotokens"), batch);
      const double time = table.number(row, quantity.column);
      const double ranks = ranks_of(table.text(row, "parallelization"));
      if (ranks == 1.0) base[name] = time;
      Series& series = found[name];
      series.name = name;
      series.style = {batch == "1" ? kBlack : kGrey, quantity.mark};
      series.published = true;
      series.points.push_back({.x = ranks, .y = time / base.at(name)});
    }
  std::vector<Series> out;
  out.reserve(found.size());
  for (auto& [name, series] : found) out.push_back(std::move(series));
  return out;
}

Panel relative_panel(const CsvTable& cases, const Group& group) {
  Panel panel;
  panel.series = relative_series(cases, group);
  for (Series& series : published_series()) panel.series.push_back(std::move(series));
  return panel;
}

void finish_axes(Figure& figure) {
  const Axis x = workers_axis(all_x(figure.panels));
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    Panel& panel = figure.panels[p];
    panel.x = x;
    panel.y = p % 2 == 0 ? Axis{.label = "time of a decode step (ms)", .column = "step_ms"}
                         : Axis{.label = "time / time at W = 1", .column = "relative_time_ratio"};
    panel.y.log = spans_powers(all_y(panel));
    panel.y.from_zero = !panel.y.log;
  }
}

std::vector<std::string> notes_of(const CsvTable& cases) {
  std::vector<std::string> notes = {
      "Left: wall clock over the number of decode steps in a row; thin, of the worker where each "
      "is largest: computing and exposed communication. Right: over the algorithm's own case of W "
      "= 1, else over dense."};
  for (std::string& note : timing_notes(cases, decode_rows(cases)))
    notes.push_back(std::move(note));
  notes.push_back(fmt::format(
      "Dashed, hollow: published, {}; Table 8, of context and batch as named, W = 1, 2, 4 ranks. "
      "op is the attention kernel of one rank, pass-Q all of it with its exchanges. W = 1 there is "
      "8 GPUs that split the heads: shapes compare, times do not.",
      kContextParallelOrigin));
  return notes;
}

}  // namespace

Figure decode_attention_figure(const CsvTable& cases, const FigureContext& context) {
  Figure figure{.name = "decode_attention",
                .title = kTitle,
                .subtitle = context.subtitle,
                .columns = 2,
                .panel_height = 250};
  for (const Group& group : groups_of(cases)) {
    figure.panels.push_back(time_panel(cases, group));
    figure.panels.push_back(relative_panel(cases, group));
  }
  if (figure.panels.empty())
    return empty_figure(figure.name, kTitle,
                        "no case of decode, flash_decoding or tree_decode ran");
  finish_axes(figure);
  for (const auto& [name, dash] :
       {std::pair{"compute", kComputeDash}, std::pair{"exposed comm.", kExposedDash}}) {
    figure.panels.front().series.push_back(legend_key(name, {kGrey, 0, dash}));
    figure.panels.front().series.back().thin = true;
  }
  figure.notes = notes_of(cases);
  return figure;
}

}  // namespace qb
