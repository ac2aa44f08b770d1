#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "plots/frame/pattern_names.h"

namespace qb {
namespace {

constexpr int kColumns = 3;
constexpr double kPercent = 100.0;

Axis tokens_of(const char* label, const char* column, std::int64_t n_tokens) {
  Axis axis{.label = label, .column = column, .tight = true};
  for (const std::int64_t tic : {std::int64_t{0}, n_tokens / 2, n_tokens})
    axis.tics.push_back({static_cast<double>(tic), to_text(tic)});
  return axis;
}

Panel panel_of(const Connectivity& pattern) {
  // By itself: what tells it from others of its kind is in the note, a title has no room for it.
  const std::string name = mask_names({pattern.mask}).at(pattern.mask);
  // Full squares and half-empty ones as of one worker, in colours of their own.
  Panel panel = std::move(partition_figure(pattern.rectangles, "").panels.at(0));
  const std::uint32_t colour = pattern_style(pattern_kind(pattern.mask)).colour;
  for (Series& series : panel.series) {
    const bool some = series.name.ends_with("some pairs");
    series.name = pattern.mask + (some ? ", some of the square" : "");
    series.style.colour = some ? lightened(colour) : colour;
    series.thin = true;
    series.in_legend = false;
    series.text.clear();
  }
  panel.title = fmt::format("{}: {:.3g} % kept", name, kPercent * pattern.kept_share);
  panel.x = tokens_of("key token", "key_token", pattern.n_tokens);
  panel.y = tokens_of("query token", "query_token", pattern.n_tokens);
  panel.y.reversed = true;
  return panel;
}

}  // namespace

Figure connectivity_figure(std::span<const Connectivity> patterns) {
  Figure figure{.name = "sparse_connectivity",
                .title = "Which pairs of tokens each pattern keeps",
                .columns = kColumns,
                .square = true,
                .legend = Legend::none};
  std::string written;
  bool pale = false;
  for (const Connectivity& pattern : patterns) {
    figure.panels.push_back(panel_of(pattern));
    for (const Series& series : figure.panels.back().series)
      pale = pale || series.name.ends_with("of the square");
    written += (written.empty() ? "" : "; ") + pattern.mask;
  }
  figure.notes.push_back(
      pale ? "Coloured: every pair of a square of tokens is kept; pale: some of them; white: none."
           : "Coloured: the query sees the key.");
  figure.notes.push_back("Row by row: " + written + ".");
  return figure;
}

}  // namespace qb
