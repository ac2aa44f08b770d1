// SPDX-License-Identifier: Apache-2.0
// Sparse attention against dense. A panel has few enough lines to follow each: patterns are drawn
// by kernel and by family, with dense attention in each panel.
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/frame/sparse_cases.h"

namespace qb {
namespace {

constexpr std::size_t kMostPanelLines = 6;

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
  constexpr const char* kFamilies[] = {"windows", "global tokens", "others"};
  if (lines.size() <= kMostPanelLines) return {{"", lines}};
  Groups dense;
  std::map<std::size_t, Groups> families;
  for (const Group& line : lines)
    (is_dense(line) ? dense : families[family_of(line)]).push_back(line);
  std::vector<PanelLines> parts;
  for (const auto& [family, own] : families) {
    if (parts.empty() || parts.back().lines.size() + own.size() > kMostPanelLines)
      parts.push_back({"", dense});
    parts.back().name = listed({parts.back().name, kFamilies[family]});
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

std::vector<LineFigure::Quantity> quantities(const SparseCases& cases) {
  LineFigure::Quantity over_ideal = {
      "time over the ideal",
      {.label = "time / (dense time × pairs kept)", .column = "over_ideal_ratio", .log = true},
      [&cases](const Row& row) { return cases.over_ideal(row); }};
  over_ideal.reference = always(limit_line("the ideal", 1.0));
  return {{"time",
           {.label = "time (ms)", .column = "time_ms", .log = true},
           [](const Row& row) { return timed(row, "wall_time", kMilli); }},
          over_ideal};
}

// Compares the patterns with the ideal at the longest N, where nothing disturbed either; a plain
// title where dense did not run.
std::string ideal_title(const SparseCases& cases) {
  std::map<double, std::map<double, std::string>> ratios;  // by N and ratio
  for (const Group& line : cases.lines())
    for (const Row& row : line.rows)
      if (const Point ratio = cases.over_ideal(row);
          !is_dense(line) && ratio.y > 0.0 && !ratio.disturbed && counts(row))
        ratios[row.number("n_tokens")][ratio.y] = line.name;
  if (ratios.empty()) return "Sparse attention against sequence length";
  const auto& [n, of_length] = *ratios.rbegin();
  const auto& [least, nearest] = *of_length.begin();
  const auto& [most, farthest] = *of_length.rbegin();
  const std::string at = fmt::format("At N = {} ", grouped(n));
  constexpr const char* kIdeal = "times what dense attention takes for as many pairs";
  return at + (nearest == farthest
                   ? fmt::format("{} takes {} {}", nearest, range_text({least, most}), kIdeal)
                   : fmt::format("patterns take {:.3g} ({}) to {:.3g} ({}) {}", least, nearest,
                                 most, farthest, kIdeal));
}

}  // namespace

// Draws time, and time over the ideal, against sequence length, a line per mask and kernel. The
// ideal is the time of dense attention, the full mask with the flash kernel at the same N, times
// the share of pairs kept. If CPU and GPU both ran, their panels are side by side.
Figure sparse_attention_figure(const PlottedRun& run) {
  const SparseCases cases(run.cases);
  Figure figure = line_figure({.title = ideal_title(cases),
                               .nothing = "no case with a sparse mask has a time",
                               .lines = cases.has_patterns() ? cases.lines() : Groups{},
                               .y = quantities(cases),
                               .panels = cases.has_patterns() ? device_panels(cases) : Groups{},
                               .notes = case_notes(run.cases)});
  std::erase_if(figure.panels, [](const Panel& panel) {
    return std::ranges::all_of(panel.series,
                               [](const Series& one) { return one.draw == Draw::limit; });
  });
  const bool ideal = std::ranges::any_of(
      figure.panels, [](const Panel& panel) { return panel.y.column == "over_ideal_ratio"; });
  figure.notes.emplace_back(ideal
                                ? "Ideal: dense flash at the same N, times the share of pairs kept."
                                : "Dense attention did not run, so nothing is compared with it.");
  return figure;
}

}  // namespace qb
