// Sparse attention against dense. The numbers of the 15-618 report are beside a run of its shape.
#include <array>

#include "plots/figures/figures.h"
#include "plots/frame/bars.h"
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

constexpr std::size_t kMostPanels = 12;

constexpr std::array<std::tuple<const char*, const char*, std::uint32_t>, 3> kStages = {
    {{"stage_scores_median_s", "dense × dense → sparse", 0x56B4E9},
     {"stage_softmax_median_s", "softmax", 0xE69F00},
     {"stage_product_median_s", "sparse × dense", 0x4DC3A1}}};

double fused_time_s(const SparseCases& cases, const Row& staged) {
  for (const Group& line : cases.lines())
    for (const Row& row : line.rows)
      if (row.is("kernel", "flash") && row.text("mask") == staged.text("mask") &&
          row.text("device") == staged.text("device") &&
          row.text("n_tokens") == staged.text("n_tokens"))
        return row.number("wall_time_median_s");
  return kNaN;
}

// Makes the bars of a case of the staged kernel: its stages, those of a published mode, if there is
// one, and the fused kernel in percent of the staged one's time.
std::vector<BarFigure::Bar> stage_bars(const SparseCases& cases, const Row& row,
                                       const std::optional<std::string>& mode) {
  const double wall_s = row.number("wall_time_median_s");
  const double n = row.number("n_tokens");
  const std::string at = fmt::format(" at N = {:.0f}", n);
  const auto bar = [&](double left, double right) {
    return BarFigure::Bar{.x = n, .at = at, .left = left, .right = right};
  };
  BarFigure::Bar staged = mode ? bar(-0.42, -0.15) : bar(-0.38, -0.02);
  BarFigure::Bar fused = mode ? bar(-0.13, 0.14) : bar(0.02, 0.38);
  BarFigure::Bar published = bar(0.16, 0.43);
  staged.whole = fused.whole = wall_s;
  published.published = true;
  const std::vector<double> theirs =
      mode ? published_sparse_stages(*mode, n) : std::vector<double>{};
  double sum_s = 0.0;
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    const auto& [column, name, colour] = kStages.at(i);
    staged.parts.push_back({name, colour, row.number(column)});
    sum_s += row.number(column);
    if (!theirs.empty())
      published.parts.push_back({std::string("published ") + name, colour, theirs[i]});
  }
  if (!std::isfinite(sum_s)) return {};
  // Medians of parts need not add up to less than the median of the whole.
  staged.parts.push_back({"rest: buffers, schedule", kIdleColour, wall_s - sum_s});
  const double fused_s = fused_time_s(cases, row);
  fused.parts = {{.name = "fused: flash",
                  .colour = kernel_style("flash").colour,
                  .value = fused_s,
                  .text = fmt::format("{:.1f}×", wall_s / fused_s),
                  .above = true}};
  return {staged, published, fused};
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

// Draws a panel per mask from the columns stage_*_median_s: the stages of the staged kernel as
// shares of its time, and what the fused kernel takes beside them.
Figure sparse_stages_figure(const PlottedRun& run) {
  const SparseCases cases(run.cases);
  const bool with_published = of_published_sparse_shape(run.cases);
  BarFigure declared{
      .title = "Attention in three stages beside the fused kernel",
      .nothing = "no case of the kernel staged under serial ranks has a time",
      .x = {.label = "sequence length N (tokens)", .column = "n_tokens_index"},
      .y = {.label = "% of the staged time", .column = "share_percent", .from_zero = true},
      .tic = [](double n) { return fmt::format("{:.0f}", n); },
      .least_texted = 0.07,
      .notes = {"Left bar: medians of the stages of the staged kernel, which holds the kept scores "
                "in memory; the rest of its wall clock is grey. Beside it the fused kernel at the "
                "same mask and N; above, how many times faster it is. The other numbers are "
                "percents."}};
  for (const Group& line : cases.lines()) {
    if (line.key[1] != "staged") continue;
    auto mode = with_published ? published_sparse_mode(line.key[0]) : std::nullopt;
    if (mode == "full") mode.reset();
    BarFigure::BarPanel panel{.title = line.name.substr(0, line.name.rfind(", staged"))};
    for (const Row& row : line.rows)
      std::ranges::move(stage_bars(cases, row, mode), std::back_inserter(panel.bars));
    if (!panel.bars.empty()) declared.panels.push_back(std::move(panel));
  }
  if (const std::size_t all = declared.panels.size(); all > kMostPanels) {
    declared.panels.resize(kMostPanels);
    declared.notes.push_back(fmt::format("{} more are not drawn.", all - kMostPanels));
  }
  if (with_published)
    declared.notes.push_back("Right bar, pale: the report's stages as shares of their sum. " +
                             published_sparse_note());
  return bar_figure(declared);
}

}  // namespace qb
