// SPDX-License-Identifier: Apache-2.0
// The longest sequence that a memory budget carries, by scheme, from the peaks of a run's cases.
// Between two cases N is read off a line on log axes; beyond the last one the line through the last
// two is continued. What rests on cases that did not run is a prediction and drawn as one.
#include <ranges>

#include "plots/figures/figures.h"
#include "plots/figures/scheme_settings.h"

namespace qb {
namespace {

constexpr const char* kMemoryTitle = "Memory of one device against N";
constexpr double kFarthest = 8.0;  // a line is continued to this multiple of its last peak
constexpr double kMebi = 1024.0 * 1024.0;
constexpr double kBudgets[] = {24.0 * 1024.0 * kMiB,
                               80.0 * 1024.0 * kMiB};  // of a consumer's and a data centre's GPU

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
  }
  style_by_algorithm(schemes, [](const Group& one) { return one.key[1]; });
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
      const double bytes = budget * static_cast<double>(workers_of(scheme)) * unit.factor;
      return fmt::format("{} ({:g} {} in all)", scheme.name, bytes, unit.name);
    };
    return fmt::format("With {:g} {} a device {} reaches N = {}, {:.3g} times that of {}",
                       budget * unit.factor, unit.name, in_all(*longest), grouped(most),
                       most / least, in_all(*shortest));
  }
  return "The longest sequence that a memory budget of a device carries";
}

// The lines of one worker count over ascending lengths, and of one device alone.
Groups memory_lines(const Rows& rows) {
  Groups lines = compared_lines(rows);
  const Rows alone = where(rows, [](const Row& row) { return row.number("workers") == 1.0; });
  if (!alone.empty())
    lines.push_back(
        {.key = {"dense"}, .rows = alone, .name = "one device alone", .style = {kBlack, 0, 2}});
  for (Group& line : lines) line.rows = order(line.rows, number_in("n_tokens"));
  return lines;
}

// The length that fits into 80 GiB, `7.2 Mi`; empty if the line does not reach so far.
std::string fitting(const Group& line) {
  const double tokens = carried_by(memory_curve(line.rows), kBudgets[1]).tokens;
  return tokens > 0.0 ? fmt::format("{:.1f} Mi", tokens / kMebi) : "";
}

// Says which lengths fit: `80 GiB hold 7.2 Mi (ring) to 2.0 Mi (dense) tokens`.
std::string fits_title(const Groups& lines, const std::string& of) {
  std::map<double, std::vector<std::string>, std::greater<>> fits;
  for (const Group& line : lines)
    if (const std::string tokens = fitting(line); !tokens.empty())
      fits[std::stod(tokens)].push_back(line.name);
  std::vector<std::string> said;
  for (const auto& [tokens, names] : fits)
    said.push_back(fmt::format("{:.1f} Mi ({})", tokens, listed(names)));
  return said.size() < 2
             ? kMemoryTitle
             : fmt::format("80 GiB{} hold {} to {} tokens", of, said.front(), said.back());
}

// Draws a mark for each case and a line through them and on through the last two, by doubling the
// length, as far as `until`. Its name has the length that fits into 80 GiB.
std::vector<Series> held_series(const Group& line, const Unit& unit, double until) {
  Series through{.draw = Draw::line, .style = line.style};
  through.name = listed({line.name, fitting(line)});
  Series marks{.name = line.name + ", at its cases",
               .draw = Draw::points,
               .style = line.style,
               .in_legend = false};
  const std::vector<Held> curve = memory_curve(line.rows);
  for (const Held& one : curve)
    marks.points.push_back({.x = one.tokens, .y = one.bytes * unit.factor});
  through.points = marks.points;
  if (curve.size() < 2) return {through, marks};
  const Held& from = curve[curve.size() - 2];
  const Held& to = curve.back();
  const double power = std::log(to.bytes / from.bytes) / std::log(to.tokens / from.tokens);
  for (double times = 2.0; through.points.back().x < until; times *= 2.0)
    through.points.push_back(
        {.x = to.tokens * times, .y = to.bytes * std::pow(times, power) * unit.factor});
  return {through, marks};
}

}  // namespace

// Draws the memory of one device against N at one worker count, below the memories of two GPUs.
Figure device_memory_figure(const PlottedRun& run) {
  Groups counts = group(where(standing_rows(run.cases),
                              [](const Row& row) {
                                return is_compared_scheme(row) && row.number("workers") >= 2 &&
                                       is_forward(row) && held_bytes(row) > 0.0;
                              }),
                        joined({"workers"}, joined(kShapeColumns, kPlaceColumns)));
  std::ranges::stable_sort(counts, std::greater{}, [](const Group& one) {
    return std::pair(group(one.rows, Columns{"n_tokens"}).size(), count_schemes(one.rows));
  });
  if (counts.empty() || group(counts.front().rows, Columns{"n_tokens"}).size() < 2)
    return empty_figure(kMemoryTitle, "no worker count has memory peaks at two lengths");
  const Row& like = counts.front().rows.front();
  Rows rows = counts.front().rows;
  const double shortest = std::ranges::min(numbers_of(rows, number_in("n_tokens")));
  std::ranges::copy(where(rows_like(run.cases, like, {"n_tokens", "kv_len"}),
                          [=](const Row& row) {
                            return row.is("workers", "1") && held_bytes(row) > 0.0 &&
                                   row.number("n_tokens") >= shortest;
                          }),
                    std::back_inserter(rows));
  const Groups lines = memory_lines(rows);
  const Unit unit = byte_unit(largest(rows, held_bytes));
  double until = 0.0;  // where the last line is above 80 GiB
  for (const Group& line : lines)
    until = std::fmax(until, carried_by(memory_curve(line.rows), kBudgets[1]).tokens);
  LineFigure::Quantity shown =
      bytes_quantity("", "memory of one device", "device_peak", rows, held_bytes);
  shown.y.log = true;
  shown.fit = {};
  shown.reference = [&](const Group&) {
    std::vector<Series> all;
    for (const Group& line : lines)
      for (Series& series : held_series(line, unit, until)) all.push_back(std::move(series));
    for (const double budget : kBudgets)
      if (budget < kFarthest * largest(rows, held_bytes))
        all.push_back(
            limit_line(fmt::format("{:.0f} GiB", budget / kMiB / 1024.0), budget * unit.factor));
    return all;
  };
  return line_figure(
      {.title = fits_title(lines, fmt::format(" of each of {} devices", like.text("workers"))),
       .nothing = "no case has a memory peak",
       .y = {shown},
       .notes = {fmt::format("W = {}. Tensors of the fullest device{}; the root of cqs holds the "
                             "whole ones. Marks are cases; lines go on through the last two.",
                             like.text("workers"),
                             like.is("device_peak_bytes", "") ? ", planned" : "")}});
}

Figure longest_context_figure(const PlottedRun& run) {
  const Rows rows = standing_rows(run.cases);
  const Unit unit = byte_unit(largest(rows, [](const Row& row) {
    return std::fmax(fullest_device_bytes(row), predicted_fullest_bytes(row));
  }));
  const Columns place = joined(kShapeColumns, {"ranks", "model_device"});
  Groups panels = panels_by(rows, place, differing_columns(rows, place));
  std::erase_if(panels, [&](const Group& panel) { return budget_lines(panel, unit).empty(); });
  const std::string left_out = keep_first(panels, kMostPanels, "mask and shape");
  Axis budget = axis_in(unit, "memory budget of a device", "memory_budget");
  budget.log = budget.powers_of_two = true;
  return line_figure(
      {.title = carried_title(panels, unit),
       .nothing = "no scheme has memory peaks at two lengths",
       .y = {{.y = {.label = "longest N (tokens)", .column = "n_tokens", .log = true},
              .reference = [&](const Group& panel) { return budget_lines(panel, unit); }}},
       .panels = panels,
       .x_axis = fixed(budget),
       .keys = {legend_key("predicted", {kGrey, 0, 1}, Draw::line_points, true)},
       .notes = {fmt::format("Peak memory of the fullest device, interpolated between two cases. "
                             "Predicted: from the plan, or continued to {:g} times the last case.",
                             kFarthest),
                 left_out}});
}

}  // namespace qb
