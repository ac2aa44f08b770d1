// SPDX-License-Identifier: Apache-2.0
// Sparse attention against dense. A panel has few enough lines to follow each: patterns are drawn
// by kernel and by family, with dense attention in each panel. The numbers of the 15-618 report are
// in panels of their own, by device, beside a run of its shape.
#include <array>

#include "plots/figures/figures.h"
#include "plots/frame/sparse_cases.h"
#include "plots/published/published.h"
#include "plots/report/report.h"

namespace qb {
namespace {

constexpr std::size_t kMostPanelLines = 6;

// ---- panels ------------------------------------------------------------------------------------

// Lines that are drawn together, and what tells their panels from the others.
struct PanelLines {
  std::string name{};
  Groups lines{};
};

bool is_dense(const Group& line) { return !line.key[0].starts_with('{'); }

// Patterns with global tokens come after the windows, and before the others.
std::size_t family_of(const Group& line) {
  const std::string kind = pattern_kind(line.key[0]);
  if (kind == "block_local" || kind.ends_with("_window")) return 0;
  return kind == "global" || kind == "longformer" || kind == "bigbird" ? 1 : 2;
}

// Puts as many families into one part as fit beside dense attention.
std::vector<PanelLines> by_family(const Groups& lines) {
  constexpr std::array<const char*, 3> kFamilies = {"windows", "global tokens", "others"};
  if (lines.size() <= kMostPanelLines) return {{"", lines}};
  Groups dense = lines;
  std::erase_if(dense, [](const Group& line) { return !is_dense(line); });
  std::vector<PanelLines> parts;
  for (std::size_t family = 0; family < kFamilies.size(); ++family) {
    Groups own = lines;
    std::erase_if(own,
                  [&](const Group& line) { return is_dense(line) || family_of(line) != family; });
    if (own.empty()) continue;
    if (parts.empty() || parts.back().lines.size() + own.size() > kMostPanelLines)
      parts.push_back({"", dense});
    parts.back().name = listed({parts.back().name, kFamilies.at(family)});
    parts.back().lines.insert(parts.back().lines.end(), own.begin(), own.end());
  }
  return parts;
}

std::vector<PanelLines> by_kernel(const Groups& lines) {
  if (lines.size() <= kMostPanelLines) return {{"", lines}};
  std::map<std::string, Groups> kernels;
  for (const Group& line : lines) kernels[line.key[1]].push_back(line);
  std::vector<PanelLines> parts;
  for (const auto& [kernel, own] : kernels)
    for (PanelLines& part : by_family(own)) {
      if (kernels.size() > 1) part.name = listed({kernel, part.name});
      parts.push_back(std::move(part));
    }
  return parts;
}

// Gives the panels of each device, with the rows of their lines.
Groups device_panels(const SparseCases& cases) {
  Groups panels;
  for (const Group& device : cases.devices()) {
    Groups lines = cases.lines();
    std::erase_if(lines, [&](const Group& line) { return line.key[2] != device.key[0]; });
    for (const PanelLines& part : by_kernel(lines)) {
      panels.push_back({.key = device.key, .name = listed({device.name, part.name})});
      for (const Group& line : part.lines)
        std::ranges::copy(line.rows, std::back_inserter(panels.back().rows));
    }
  }
  return panels;
}

// ---- quantities --------------------------------------------------------------------------------

// Gives the bytes of a matrix of all scores. Only `materialized` holds it and, for the pairs kept,
// `staged`.
std::vector<Series> score_matrix(const Group& panel) {
  constexpr double kBytes = 4.0;
  Series series{.name = "all N × N scores, f32", .draw = Draw::line, .style = {kGrey, 0, 2}};
  std::set<std::pair<double, double>> points;
  for (const Row& row : panel.rows) {
    const double n = row.number("n_tokens");
    const double mib = kBytes * n * n * row.number("q_heads") * row.number("batch") / kMiB;
    if (std::isfinite(mib)) points.emplace(n, mib);
  }
  for (const auto& [n, mib] : points) series.points.push_back({.x = n, .y = mib});
  return {series};
}

// Draws the report's times or speed-ups, of the modes that the run has, on its GPU and on its CPU
// thread, of which it printed full attention alone.
LineFigure::Quantity published_of(const SparseCases& cases, LineFigure::Quantity like,
                                  bool speed_ups) {
  std::set<std::string> modes;
  for (const Group& line : cases.lines())
    if (const auto mode = published_sparse_mode(line.key[0])) modes.insert(*mode);
  if (speed_ups) modes.erase("full");  // 1 by definition
  like.panels = {{.key = {"gpu"}, .name = "published: one RTX 2080"}};
  if (!speed_ups) like.panels.push_back({.key = {"cpu"}, .name = "published: one CPU thread"});
  like.lines = [](const Group&) { return Groups{}; };
  like.reference = [modes, speed_ups](const Group& device) {
    std::vector<Series> out;
    for (const std::string& mode : modes)
      out.push_back(published_sparse_series(mode, device.key[0], speed_ups));
    return out;
  };
  return like;
}

std::vector<LineFigure::Quantity> quantities(const SparseCases& cases, bool beside_published) {
  const auto log_axis = [](const char* label, const char* column) {
    return Axis{.label = label, .column = column, .log = true};
  };
  const auto time = [](const Row& row, double factor) { return timed(row, "wall_time", factor); };
  const LineFigure::Quantity times = {"time", log_axis("time (ms)", "time_ms"),
                                      [=](const Row& row) { return time(row, kMilli); }};
  LineFigure::Quantity speed_ups = {
      "speed-up over dense", log_axis("dense time / time", "speed_up_ratio"),
      [&cases, time](const Row& row) {
        const double dense_s = cases.dense_time_s(row);
        const Point own = time(row, 1.0);
        return Point{.y = dense_s / own.y, .low = dense_s / own.high, .high = dense_s / own.low};
      }};
  speed_ups.reference = always(limit_line("as fast as dense", 1.0));
  LineFigure::Quantity over_ideal = {
      "time over the ideal", log_axis("time / (dense time × pairs kept)", "over_ideal_ratio"),
      [&cases, time](const Row& row) { return time(row, 1.0 / cases.ideal_time_s(row)); }};
  over_ideal.reference = always(limit_line("the ideal", 1.0));
  LineFigure::Quantity memory = {"memory",
                                 log_axis("peak memory of a device (MiB)", "device_peak_mib"),
                                 shows("device_peak_bytes", 1.0 / kMiB)};
  memory.reference = score_matrix;
  LineFigure::Quantity work = {"work beyond the mask",
                               log_axis("executed / useful pairs", "executed_ratio"),
                               [](const Row& row) { return Point{.y = executed_ratio(row)}; }};
  memory.timed = work.timed = false;
  std::vector<LineFigure::Quantity> shown = {times};
  shown.push_back(speed_ups);
  shown.push_back({"time a token", log_axis("time / N (µs)", "time_per_token_us"),
                   [=](const Row& row) { return time(row, kMicro / row.number("n_tokens")); }});
  shown.push_back(over_ideal);
  shown.push_back(work);
  shown.push_back(memory);
  if (beside_published) shown.push_back(published_of(cases, times, false));
  if (beside_published) shown.push_back(published_of(cases, speed_ups, true));
  return shown;
}

}  // namespace

// Draws six quantities against sequence length, a line per mask and kernel. Dense is the full mask
// with the flash kernel at the same N; the ideal is its time times the share of pairs kept. If CPU
// and GPU both ran, their panels are side by side.
Figure sparse_attention_figure(const PlottedRun& run) {
  const SparseCases cases(run.cases);
  const bool beside_published = of_published_sparse_shape(run.cases);
  Figure figure = line_figure({.title = "Sparse attention against sequence length",
                               .nothing = "no case with a sparse mask has a time",
                               .lines = cases.has_patterns() ? cases.lines() : Groups{},
                               .y = quantities(cases, beside_published),
                               .panels = cases.has_patterns() ? device_panels(cases) : Groups{},
                               .published_legend = beside_published ? "published: 15-618" : "",
                               .notes = case_notes(run.cases)});
  // A GPU's schedules have no executed pairs: a row of panels keeps its place, or is removed as a
  // whole.
  std::set<std::string> shown;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      if (series.draw != Draw::limit && !series.published) shown.insert(panel.y.column);
  std::erase_if(figure.panels, [&](const Panel& panel) { return !shown.contains(panel.y.column); });
  if (figure.panels.empty()) return figure;
  figure.notes = joined_notes(
      {figure.notes,
       {shown.contains("over_ideal_ratio")
            ? "Dense: full mask, flash, the same N and device. Ideal: its time × the share of "
              "pairs that the mask keeps."
            : "Dense attention did not run, so nothing is compared with it."},
       growth_notes(cases),
       {beside_published ? published_sparse_note() + " Its colours are those of our nearest masks."
                         : ""}});
  std::erase(figure.notes, "");
  return figure;
}

}  // namespace qb
