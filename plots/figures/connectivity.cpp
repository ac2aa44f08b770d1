#include <fmt/format.h>

#include "plots/figures/figures.h"
#include "plots/frame/pattern_names.h"

namespace qb {
namespace {

constexpr double kPercent = 100.0;

Axis tokens_of(const char* label, const char* column, std::int64_t n_tokens) {
  const auto n = static_cast<double>(n_tokens);
  return {.label = label,
          .column = column,
          .tight = true,
          .tics = whole_tics({0.0, std::floor(n / 2.0), n})};
}

Panel panel_of(const Connectivity& pattern) {
  // The pattern is named alone: a note tells it from others of its kind, since a title has no room.
  const std::string name = mask_names({pattern.mask}).at(pattern.mask);
  // Full squares and partly kept ones are drawn like one worker's, in the pattern's colours.
  Panel panel = std::move(partition_of(pattern.rectangles, "").panels.at(0));
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
                .columns = 3,
                .square = true,
                .legend = Legend::none};
  std::vector<std::string> written;
  bool pale = false;
  for (const Connectivity& pattern : patterns) {
    figure.panels.push_back(panel_of(pattern));
    for (const Series& series : figure.panels.back().series)
      pale = pale || series.name.ends_with("of the square");
    written.push_back(pattern.mask);
  }
  figure.notes = {
      pale ? "Coloured: every pair of a square of tokens is kept; pale: some of them; white: none."
           : "Coloured: the query sees the key.",
      "Row by row: " + listed(written, "; ") + "."};
  return figure;
}

}  // namespace qb
