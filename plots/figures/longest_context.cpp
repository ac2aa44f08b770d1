// SPDX-License-Identifier: Apache-2.0
// The longest sequence that a memory budget carries, by scheme, from the peaks of a run's cases.
// Between two cases N is read off a line on log axes; beyond the last one the line through the last
// two is continued. What rests on cases that did not run is a prediction and drawn as one.
#include <ranges>

#include "plots/figures/figures.h"
#include "plots/frame/lines.h"

namespace qb {
namespace {

constexpr double kFarthest = 8.0;  // a line is continued to this multiple of its last peak
// A case, and the bytes that its sequence needs.
struct Held {
  double bytes = 0.0;
  double tokens = 0.0;
  bool measured = false;
};

struct Carried {
  double tokens = kNaN;
  bool measured = false;
};

// Gives the cases of one scheme in ascending length, those whose peaks ascend too.
std::vector<Held> memory_curve(const Rows& rows) {
  std::vector<Held> curve;
  for (const auto& [tokens, row] : by_number(rows, number_in("n_tokens"))) {
    const double peak = ran(row) ? fullest_device_bytes(row) : kNaN;
    const double bytes = std::isnan(peak) ? predicted_fullest_bytes(row) : peak;
    if (bytes > (curve.empty() ? 0.0 : curve.back().bytes))
      curve.push_back({bytes, tokens, !std::isnan(peak)});
  }
  return curve;
}

Carried carried_by(const std::vector<Held>& curve, double budget) {
  if (curve.size() < 2 || budget < curve.front().bytes || budget > kFarthest * curve.back().bytes)
    return {};
  std::size_t next = 1;
  while (next + 1 < curve.size() && curve[next].bytes < budget) ++next;
  const Held& from = curve[next - 1];
  const Held& to = curve[next];
  const double power = std::log(to.tokens / from.tokens) / std::log(to.bytes / from.bytes);
  constexpr double kRounding = 1e-6;  // keeps the length of a case whose peak is the budget
  return {std::floor(from.tokens * std::pow(budget / from.bytes, power) + kRounding),
          from.measured && to.measured && budget <= to.bytes};
}

// Gives the powers of two between the least peak of all schemes and the last of any line.
std::vector<double> budgets_of(const std::vector<std::vector<Held>>& curves) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (const std::vector<Held>& curve : curves)
    if (curve.size() > 1) {
      least = std::fmin(least, curve.front().bytes);
      most = std::fmax(most, kFarthest * curve.back().bytes);
    }
  std::vector<double> budgets;
  if (most > 0.0)
    for (double budget = std::exp2(std::ceil(std::log2(least))); budget <= most; budget *= 2.0)
      budgets.push_back(budget);
  return budgets;
}

// Groups the cases of a panel that differ in length alone, named `ring, W = 8` and by what else
// tells them apart. The memory of a case does not depend on its link.
Groups schemes_of(const Group& panel) {
  const Columns others =
      splitting_columns(panel.rows, {"algorithm", "workers", "kv_len", "interest_set",
                                     "link_bandwidth_byte_per_s", "link_latency_s"});
  Groups schemes = group(panel.rows, joined({"workers", "algorithm"}, others));
  for (Group& one : schemes) {
    const Row& row = one.rows.front();
    one.name = name_with(named_values(row, {"algorithm", "workers"}), row, others);
    one.style = algorithm_style(one.key[1]);
  }
  shade_equal_looks(schemes);
  return schemes;
}

// Draws two lines a scheme: what was measured and, thin from its end on, what is predicted.
std::vector<Series> budget_lines(const Group& panel, const Unit& unit) {
  const Groups schemes = schemes_of(panel);
  std::vector<std::vector<Held>> curves;
  for (const Group& one : schemes) curves.push_back(memory_curve(one.rows));
  const std::vector<double> budgets = budgets_of(curves);
  std::vector<Series> out;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    Series measured{.name = schemes[i].name, .style = schemes[i].style};
    Series predicted{.name = schemes[i].name + ", predicted",
                     .style = schemes[i].style,
                     .thin = true,
                     .in_legend = false};
    predicted.style.dash = 1;
    for (const double budget : budgets) {
      const Carried carried = carried_by(curves[i], budget);
      if (std::isnan(carried.tokens)) continue;
      if (!carried.measured && predicted.points.empty() && !measured.points.empty())
        predicted.points.push_back(measured.points.back());
      (carried.measured ? measured : predicted)
          .points.push_back({.x = budget * unit.factor, .y = carried.tokens});
    }
    // A scheme of which nothing ran is named by its prediction.
    predicted.in_legend = measured.points.empty();
    for (Series* line : {&measured, &predicted})
      if (!line->points.empty()) out.push_back(std::move(*line));
  }
  return out;
}

// Compares the lines that were measured at the largest budget that two of them reach.
std::string carried_title(const Groups& panels, const Unit& unit) {
  const Groups schemes = panels.empty() ? Groups{} : schemes_of(panels.front());
  std::vector<std::vector<Held>> curves;
  for (const Group& one : schemes) curves.push_back(memory_curve(one.rows));
  for (const double budget : std::views::reverse(budgets_of(curves))) {
    std::map<double, const Group*> lengths;
    for (std::size_t i = 0; i < schemes.size(); ++i)
      if (const Carried carried = carried_by(curves[i], budget); carried.measured)
        lengths[carried.tokens] = &schemes[i];
    if (lengths.size() < 2) continue;
    const auto& [least, shortest] = *lengths.begin();
    const auto& [most, longest] = *lengths.rbegin();
    const auto in_all = [&](const Group& scheme) {
      const double bytes =
          budget * static_cast<double>(scheme.rows.front().integer("workers")) * unit.factor;
      return fmt::format("{} ({:g} {} in all)", scheme.name, bytes, unit.name);
    };
    return fmt::format("With {:g} {} a device {} reaches N = {}, {:.3g} times that of {}",
                       budget * unit.factor, unit.name, in_all(*longest), grouped(most),
                       most / least, in_all(*shortest));
  }
  return "The longest sequence that a memory budget of a device carries";
}

}  // namespace

Figure longest_context_figure(const PlottedRun& run) {
  const Rows rows = standing_rows(run.cases);
  const Unit unit = byte_unit(largest(rows, [](const Row& row) {
    return std::fmax(fullest_device_bytes(row), predicted_fullest_bytes(row));
  }));
  const Columns place = joined(kShapeColumns, {"ranks", "model_device"});
  Groups panels = panels_by(rows, place, differing_columns(rows, place));
  std::erase_if(panels, [&](const Group& panel) { return budget_lines(panel, unit).empty(); });
  const std::string left_out = keep_first(panels, kMostPanels, "mask and shape");
  if (panels.empty())
    return empty_figure(carried_title(panels, unit), "no scheme has memory peaks at two lengths");
  Axis budget = axis_in(unit, "memory budget of a device", "memory_budget");
  budget.log = budget.powers_of_two = true;
  Figure figure{
      .title = carried_title(panels, unit),
      .notes = joined_notes(
          {{fmt::format("Peak memory of the fullest device, interpolated between two cases. "
                        "Predicted: from the plan, or continued to {:g} times the last case.",
                        kFarthest),
            left_out}})};
  for (const Group& one : panels)
    figure.panels.push_back(
        {.title = one.name,
         .x = budget,
         .y = {.label = "longest N (tokens)", .column = "n_tokens", .log = true},
         .series = budget_lines(one, unit)});
  arrange_panels(figure, 2);
  figure.panels.front().series.push_back(
      {.name = "predicted", .style = {kGrey, 0, 1}, .thin = true});
  return figure;
}

}  // namespace qb
