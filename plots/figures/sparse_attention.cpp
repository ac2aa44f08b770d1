#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "plots/frame/scale.h"
#include "plots/frame/sparse_cases.h"
#include "plots/published/published_sparse.h"
#include "plots/report/sparse_tables.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Sparse attention against sequence length";
constexpr double kMilli = 1e3;
constexpr double kMicro = 1e6;
constexpr double kMiB = 1024.0 * 1024.0;

using Value = std::function<Point(const SparseCases& cases, std::size_t row)>;

// What a row of panels shows.
struct Quantity {
  std::string title;
  Axis y;
  Value value;
};

Point speed_up(const SparseCases& cases, std::size_t row) {
  const double dense_s = cases.dense_time_s(row);
  return {.y = dense_s / cases.number(row, "wall_time_median_s"),
          .low = dense_s / cases.number(row, "wall_time_high95_s"),
          .high = dense_s / cases.number(row, "wall_time_low95_s")};
}

std::vector<Quantity> quantities() {
  return {
      {"time",
       {.label = "time (ms)", .column = "time_ms", .log = true},
       [](const SparseCases& cases, std::size_t row) { return timed_point(cases, row, kMilli); }},
      {"speed-up over dense",
       {.label = "dense time / time", .column = "speed_up_ratio", .log = true},
       speed_up},
      {"time a token: flat is linear in N",
       {.label = "time / N (µs)", .column = "time_per_token_us", .log = true},
       [](const SparseCases& cases, std::size_t row) {
         return timed_point(cases, row, kMicro / cases.number(row, "n_tokens"));
       }},
      {"time over the ideal",
       {.label = "time / (dense time × pairs kept)", .column = "over_ideal_ratio", .log = true},
       [](const SparseCases& cases, std::size_t row) {
         return timed_point(cases, row, 1.0 / cases.ideal_time_s(row));
       }},
      {"work beyond the mask",
       {.label = "executed / useful pairs", .column = "executed_ratio", .log = true},
       [](const SparseCases& cases, std::size_t row) {
         return Point{.y = cases.number(row, "executed_pairs") /
                           cases.number(row, "unmasked_pairs")};
       }},
      {"memory",
       {.label = "peak active memory (MiB)", .column = "active_memory_mib", .log = true},
       [](const SparseCases& cases, std::size_t row) {
         return Point{.y = cases.number(row, "active_memory_peak_bytes") / kMiB};
       }}};
}

Panel panel_of(const SparseCases& cases, const Quantity& quantity, const std::string& device) {
  Panel panel{.title = quantity.title, .y = quantity.y};
  for (const SparseLine& line : cases.lines()) {
    if (line.device != device) continue;
    Series series{.name = line.name, .style = line.style};
    for (const std::size_t row : line.rows) {
      Point point = quantity.value(cases, row);
      point.x = cases.number(row, "n_tokens");
      if (std::isfinite(point.y)) series.points.push_back(point);
    }
    if (!series.points.empty()) panel.series.push_back(std::move(series));
  }
  return panel;
}

// What a matrix of all scores would take, which no kernel but `materialized` and, of the pairs
// kept, `staged` holds.
Series score_matrix(const SparseCases& cases, const std::string& device) {
  Series series{.name = "all N × N scores, f32", .draw = Draw::line, .style = {kGrey, 0, 2}};
  std::set<std::pair<double, double>> points;
  for (const SparseLine& line : cases.lines())
    for (const std::size_t row : line.rows)
      if (line.device == device) {
        const double n = cases.number(row, "n_tokens");
        constexpr double kBytes = 4.0;
        points.emplace(
            n, kBytes * n * n * cases.number(row, "q_heads") * cases.number(row, "batch") / kMiB);
      }
  for (const auto& [n, mib] : points)
    if (std::isfinite(mib)) series.points.push_back({.x = n, .y = mib});
  return series;
}

// The report's series of the modes that the run has, into the panels of time and of speed-up. A
// panel of a GPU has those of its GPU; one of a CPU has those of its CPU, and where it stands
// alone all of them.
void add_published(Panel& panel, const SparseCases& cases, bool speed_ups,
                   const std::vector<std::string>& devices) {
  std::set<std::string> modes;
  for (const SparseLine& line : cases.lines())
    if (const auto mode = published_sparse_mode(line.mask)) modes.insert(*mode);
  for (const std::string& device : devices)
    for (const std::string& mode : modes) {
      if (speed_ups && mode == "full") continue;  // 1 by definition
      Series series = speed_ups ? published_sparse_speed_ups(mode, device)
                                : published_sparse_series(mode, device);
      if (!series.points.empty()) panel.series.push_back(std::move(series));
    }
}

void add_published(Figure& figure, const SparseCases& cases,
                   const std::vector<std::string>& devices) {
  bool any = false;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    Panel& panel = figure.panels[i];
    const bool speed_ups = panel.y.column == "speed_up_ratio";
    if (!speed_ups && panel.y.column != "time_ms") continue;
    std::vector<std::string> from = {"cpu", "gpu"};
    if (devices.size() > 1) from = {devices[i % devices.size()] == "cuda" ? "gpu" : "cpu"};
    add_published(panel, cases, speed_ups, from);
    any = true;
  }
  if (!any) return;
  figure.published_legend = kPublishedSparseLegend;
  figure.notes.push_back(published_sparse_note());
}

}  // namespace

Figure sparse_attention_figure(const CsvTable& cases, const FigureContext& context) {
  const SparseCases sparse(cases);
  if (!sparse.has_patterns())
    return empty_figure("sparse_attention", kTitle, "no case with a sparse mask has a time");
  Figure figure{.name = "sparse_attention", .title = kTitle, .subtitle = context.subtitle};
  const std::vector<std::string> devices = sparse.devices();
  for (const Quantity& quantity : quantities()) {
    std::vector<Panel> row;
    for (const std::string& device : devices) {
      row.push_back(panel_of(sparse, quantity, device));
      if (devices.size() > 1) row.back().title += ", " + sparse.device_name(device);
    }
    // A GPU's schedules have no executed pairs: the row keeps its place, or goes as a whole.
    if (std::all_of(row.begin(), row.end(),
                    [](const Panel& panel) { return panel.series.empty(); }))
      continue;
    if (quantity.y.column == "active_memory_mib")
      for (std::size_t i = 0; i < devices.size(); ++i)
        if (Series all = score_matrix(sparse, devices[i]); !all.points.empty())
          row[i].series.push_back(std::move(all));
    for (Panel& panel : row) figure.panels.push_back(std::move(panel));
  }
  const Axis x = tokens_axis(all_x(figure.panels));
  for (Panel& panel : figure.panels) panel.x = x;
  arrange_panels(figure);
  figure.notes = case_notes(cases);
  figure.notes.emplace_back(
      "Dense: full mask, flash, the same N and device. Ideal: its time × the share of pairs that "
      "the mask keeps.");
  for (std::string& note : growth_notes(sparse)) figure.notes.push_back(std::move(note));
  if (of_published_sparse_shape(cases)) add_published(figure, sparse, devices);
  return figure;
}

}  // namespace qb
