#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "plots/frame/scale.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Speed-up over one worker";

// Quotient of two medians; its bar is the widest that the two intervals allow.
Point speed_up_point(const CsvTable& cases, std::size_t row, std::size_t base,
                     const std::string& prefix) {
  const auto value = [&](std::size_t from, const char* what) {
    return cases.number(from, fmt::format("{}_{}_s", prefix, what));
  };
  return {.x = cases.number(row, "n_tokens"),
          .y = value(base, "median") / value(row, "median"),
          .low = value(base, "low95") / value(row, "high95"),
          .high = value(base, "high95") / value(row, "low95")};
}

Panel speed_up_panel(const CsvTable& cases, const std::vector<CaseSeries>& groups,
                     const std::string& prefix, std::string title) {
  Panel panel{.title = std::move(title)};
  for (const CaseSeries& group : groups) {
    if (group.workers == 1) continue;
    Series series{.name = group.name, .style = group.style};
    for (const std::size_t row : group.rows) {
      const auto base = base_case(cases, row);
      if (!base || !ran(cases, row) || !ran(cases, *base)) continue;
      series.points.push_back(speed_up_point(cases, row, *base, prefix));
    }
    panel.series.push_back(std::move(series));
  }
  return panel;
}

// `dense, materialized, W = 1`, for each kind of base that is used.
std::string base_names(const CsvTable& cases, const std::vector<CaseSeries>& groups) {
  std::set<std::string> names;
  for (const CaseSeries& group : groups)
    for (const std::size_t row : group.rows)
      if (const auto base = base_case(cases, row))
        names.insert(fmt::format("{}, {}, W = 1", cases.text(*base, "algorithm"),
                                 cases.text(*base, "kernel")));
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " or ") + name;
  return out;
}

int without_base(const CsvTable& cases, const std::vector<CaseSeries>& groups) {
  int count = 0;
  for (const CaseSeries& group : groups)
    for (const std::size_t row : group.rows) {
      const auto base = base_case(cases, row);
      if (group.workers > 1 && ran(cases, row) && !(base && ran(cases, *base))) ++count;
    }
  return count;
}

std::vector<std::string> notes(const CsvTable& cases, const std::vector<CaseSeries>& groups) {
  std::vector<std::string> out = {
      fmt::format("Base case: {}, of the same N. Left: time of the whole sequence over kernel time "
                  "of the longest subsequence, the paper's S, without gather and merge. Right: "
                  "critical path over critical path, with both. Bars: quotients of the ends of the "
                  "two intervals.",
                  base_names(cases, groups))};
  if (const int count = without_base(cases, groups); count > 0)
    out.push_back(
        fmt::format("{} case{} that ran {} no point because the base case of that N has no time.",
                    count, count == 1 ? "" : "s", count == 1 ? "has" : "have"));
  return out;
}

}  // namespace

std::optional<std::size_t> base_case(const CsvTable& cases, std::size_t row) {
  std::optional<std::size_t> found;
  for (std::size_t other = 0; other < cases.size(); ++other)
    if (cases.text(other, "workers") == "1" &&
        same_parameters(cases, row, other, {FieldGroup::problem, FieldGroup::means}))
      found = other;  // of repeated cases the last stands
  return found;
}

Figure speed_up_figure(const CsvTable& cases, const FigureContext& context) {
  const std::vector<CaseSeries> groups = case_series(cases);
  Figure figure{.name = "speed_up",
                .title = kTitle,
                .subtitle = context.subtitle,
                .columns = 2,
                .shared_axes = true};
  figure.panels = {
      speed_up_panel(cases, groups, "longest_subsequence", "the paper's S: longest subsequence"),
      speed_up_panel(cases, groups, "critical_path", "critical path, with gather and merge")};
  const std::vector<double> values = all_y(figure.panels[0]);
  if (std::none_of(values.begin(), values.end(), [](double value) { return value > 0.0; }))
    return empty_figure(figure.name, kTitle,
                        "no case has a time beside a case of one worker and the same N");
  figure.notes = notes(cases, groups);
  if (const auto overlay = overlay_of(cases, context)) {
    for (const CaseSeries& group : groups) {
      if (group.workers == 1) continue;
      if (Series series = published_speed_ups(*overlay, group); !series.points.empty())
        figure.panels[0].series.push_back(std::move(series));
    }
    figure.published_legend = published_legend(*overlay);
    for (std::string& note : published_notes(*overlay)) figure.notes.push_back(std::move(note));
  }
  // The left panel has the published points too, so its range holds for both.
  const bool log = spans_powers(all_y(figure.panels[0]));
  for (Panel& panel : figure.panels) {
    panel.x = tokens_axis(figure.panels[0]);
    panel.y = {.label = "speed-up", .column = "speed_up_ratio", .log = log, .from_zero = !log};
  }
  return figure;
}

}  // namespace qb
