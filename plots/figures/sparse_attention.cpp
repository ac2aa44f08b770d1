// Sparse attention against dense. The numbers of the 15-618 report are beside a run of its shape.
#include "plots/figures/figures.h"
#include "plots/frame/sparse_cases.h"
#include "plots/published/published.h"
#include "plots/report/report.h"

namespace qb {
namespace {

constexpr double kMicro = 1e6;
constexpr double kMiB = 1024.0 * 1024.0;

// Gives the bytes of a matrix of all scores. Only `materialized` holds it and, for the pairs kept,
// `staged`.
std::vector<Series> score_matrix(const Group& device) {
  constexpr double kBytes = 4.0;
  Series series{.name = "all N × N scores, f32", .draw = Draw::line, .style = {kGrey, 0, 2}};
  std::set<std::pair<double, double>> points;
  for (const Row& row : device.rows) {
    const double n = row.number("n_tokens");
    const double mib = kBytes * n * n * row.number("q_heads") * row.number("batch") / kMiB;
    if (std::isfinite(mib)) points.emplace(n, mib);
  }
  for (const auto& [n, mib] : points) series.points.push_back({.x = n, .y = mib});
  return {series};
}

// Gives the report's series of the modes that the run has: of both devices if the run has one.
std::vector<Series> published_times(const SparseCases& cases, const Group& device, bool speed_ups) {
  std::set<std::string> modes;
  for (const Group& line : cases.lines())
    if (const auto mode = published_sparse_mode(line.key[0])) modes.insert(*mode);
  if (speed_ups) modes.erase("full");  // 1 by definition
  std::vector<std::string> from = {"cpu", "gpu"};
  if (cases.devices().size() > 1) from = {device.key[0] == "cuda" ? "gpu" : "cpu"};
  std::vector<Series> out;
  for (const std::string& name : from)
    for (const std::string& mode : modes)
      out.push_back(published_sparse_series(mode, name, speed_ups));
  return out;
}

std::vector<LineFigure::Quantity> quantities(const SparseCases& cases, bool beside_published) {
  const auto log_axis = [](const char* label, const char* column) {
    return Axis{.label = label, .column = column, .log = true};
  };
  const auto time = [](const Row& row, double factor) { return timed(row, "wall_time", factor); };
  std::vector<LineFigure::Quantity> shown = {
      {"time", log_axis("time (ms)", "time_ms"), [=](const Row& row) { return time(row, kMilli); }},
      {"speed-up over dense", log_axis("dense time / time", "speed_up_ratio"),
       [&cases, time](const Row& row) {
         const double dense_s = cases.dense_time_s(row);
         const Point own = time(row, 1.0);
         return Point{.y = dense_s / own.y, .low = dense_s / own.high, .high = dense_s / own.low};
       }},
      {"time a token: flat is linear in N", log_axis("time / N (µs)", "time_per_token_us"),
       [=](const Row& row) { return time(row, kMicro / row.number("n_tokens")); }},
      {"time over the ideal", log_axis("time / (dense time × pairs kept)", "over_ideal_ratio"),
       [&cases, time](const Row& row) { return time(row, 1.0 / cases.ideal_time_s(row)); }},
      {"work beyond the mask", log_axis("executed / useful pairs", "executed_ratio"),
       [](const Row& row) { return Point{.y = executed_ratio(row)}; }},
      {"memory", log_axis("peak active memory (MiB)", "active_memory_mib"),
       shows("active_memory_peak_bytes", 1.0 / kMiB)}};
  shown.back().reference = score_matrix;
  for (const bool speed_ups : {false, true})
    if (beside_published)
      shown[speed_ups ? 1 : 0].reference = [&cases, speed_ups](const Group& device) {
        return published_times(cases, device, speed_ups);
      };
  return shown;
}

}  // namespace

// Draws six quantities against sequence length, a line per mask and kernel. Dense is the full mask
// with the flash kernel at the same N; the ideal is its time times the share of pairs kept. If CPU
// and GPU both ran, their panels are side by side.
Figure sparse_attention_figure(const PlottedRun& run) {
  const SparseCases cases(run.cases);
  const bool beside_published = of_published_sparse_shape(run.cases);
  Figure figure = line_figure(
      {.title = "Sparse attention against sequence length",
       .nothing = "no case with a sparse mask has a time",
       .lines = cases.has_patterns() ? cases.lines() : Groups{},
       .y = quantities(cases, beside_published),
       .panels = cases.has_patterns() ? cases.devices() : Groups{},
       .published_legend = beside_published ? kPublishedSparseLegend : "",
       .notes = joined_notes(
           {case_notes(run.cases),
            {"Dense: full mask, flash, the same N and device. Ideal: its time × the share of pairs "
             "that the mask keeps."},
            growth_notes(cases),
            {beside_published ? published_sparse_note() : ""}})});
  // A GPU's schedules have no executed pairs: a row of panels keeps its place, or is removed as a
  // whole.
  std::set<std::string> shown;
  for (const Panel& panel : figure.panels)
    if (!panel.series.empty()) shown.insert(panel.y.column);
  std::erase_if(figure.panels, [&](const Panel& panel) { return !shown.contains(panel.y.column); });
  return figure;
}

}  // namespace qb
