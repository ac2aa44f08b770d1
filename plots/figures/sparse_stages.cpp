// SPDX-License-Identifier: Apache-2.0
// The stages of the staged kernel beside the fused one. The numbers of the 15-618 report are beside
// a run of its shape.
#include <array>

#include "plots/figures/figures.h"
#include "plots/frame/bars.h"
#include "plots/frame/sparse_cases.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr std::size_t kMostStagePanels = 12;

constexpr std::array<std::tuple<const char*, const char*, std::uint32_t>, 3> kStages = {
    {{"stage_scores_median_s", "dense × dense → sparse", 0x56B4E9},
     {"stage_softmax_median_s", "softmax", 0xE69F00},
     {"stage_product_median_s", "sparse × dense", 0x4DC3A1}}};

double fused_time_s(const Row& staged) {
  const auto fused = case_like(
      staged, [](const Field& field) { return field.column == "kernel"; },
      [](const Row& row) { return ran(row) && row.is("kernel", "flash"); });
  return fused ? fused->number("wall_time_median_s") : kNaN;
}

// Makes the bars of a case of the staged kernel: its stages, those of a published mode, if there is
// one, and the fused kernel in percent of the staged one's time.
std::vector<BarFigure::Bar> stage_bars(const Row& row, const std::optional<std::string>& mode) {
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
    staged.parts.push_back({name, colour, row.number_at(column)});
    sum_s += row.number_at(column);
    if (!theirs.empty())
      published.parts.push_back({std::string("published ") + name, colour, theirs[i]});
  }
  if (!std::isfinite(sum_s)) return {};
  // Medians of parts need not add up to less than the median of the whole.
  staged.parts.push_back({"rest: buffers, schedule", kIdleColour, wall_s - sum_s});
  const double fused_s = fused_time_s(row);
  fused.parts = {{.name = "fused: flash",
                  .colour = kernel_style("flash").colour,
                  .value = fused_s,
                  .text = fmt::format("{:.1f}×", wall_s / fused_s),
                  .above = true}};
  return {staged, published, fused};
}

}  // namespace

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
      .least_texted = 0.07,
      .columns = 1,  // three bars of a length need the room for their numbers
      .panel_height = 210,
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
      std::ranges::move(stage_bars(row, mode), std::back_inserter(panel.bars));
    if (!panel.bars.empty()) declared.panels.push_back(std::move(panel));
  }
  if (const std::size_t all = declared.panels.size(); all > kMostStagePanels) {
    declared.panels.resize(kMostStagePanels);
    declared.notes.push_back(fmt::format("{} more are not drawn.", all - kMostStagePanels));
  }
  const bool beside_published =
      std::ranges::any_of(declared.panels, [](const BarFigure::BarPanel& panel) {
        return std::ranges::any_of(panel.bars, [](const BarFigure::Bar& bar) {
          return bar.published && !bar.parts.empty();
        });
      });
  if (beside_published)
    declared.notes.push_back("Right bar, pale: the report's stages as shares of their sum. " +
                             published_sparse_note());
  return bar_figure(declared);
}

}  // namespace qb
