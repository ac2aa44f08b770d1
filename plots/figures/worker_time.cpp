// SPDX-License-Identifier: Apache-2.0
// Where the time of the worker that ends last goes, by scheme and W: the parts of a bar add up to
// the wall clock, whose number stands at its name. A bar is an x_low..x_high of the plotted CSV;
// its x is the time of the part.
#include "plots/figures/figures.h"
#include "plots/figures/scheme_settings.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr const char* kTimeTitle = "Where the time of the worker that ends last goes";
constexpr std::size_t kMostCounts = 3;
constexpr double kHalfBar = 0.38;
constexpr double kCut =
    1.3;  // a bar ends at this multiple of the longest one of a scheme without a root
constexpr std::uint32_t kNothing = 0xF3F3F3;

struct TimePart {
  const char* name;
  std::uint32_t colour;
  double (*seconds)(const Row&);
};

double waited(const Row& row) { return row.number("exposed_communication_median_s"); }

// What waits for a root's scatter, gather and merge has a name of its own: no link is at fault.
constexpr TimePart kParts[] = {
    {"compute and merge", kComputeColour,
     [](const Row& row) { return row.number("compute_median_s"); }},
    {"idle", kIdleColour, [](const Row& row) { return row.number("idle_median_s"); }},
    {"exposed communication", kCommunicationColour,
     [](const Row& row) { return has_root(row) ? 0.0 : waited(row); }},
    {"scatter and gather of a root", kGatherColour,
     [](const Row& row) { return has_root(row) ? waited(row) : 0.0; }}};

double whole_s(const Row& row) {
  double sum = 0.0;
  for (const TimePart& part : kParts) sum += std::fmax(0.0, part.seconds(row));
  return sum;
}

bool has_parts(const Row& row) { return ran(row) && waited(row) >= 0.0 && whole_s(row) > 0.0; }

struct Scale {
  Unit unit;
  double end_s;  // of the axis
};

std::string shown(const Row& row, const Unit& unit) {
  return fmt::format("{} {}", significant(whole_s(row) * unit.factor), unit.name);
}

// A bar for each row, its parts one after another; a row without times says why.
Panel bars_of(const Rows& rows, const Scale& scale) {
  Panel panel{.title = named_values(rows.front(), {"workers"}),
              .x = axis_in(scale.unit, "time of the worker that ends last", "time"),
              .y = {.column = "scheme_index", .reversed = true}};
  panel.x.from_zero = true;
  for (const TimePart& part : kParts) panel.series.push_back(rectangles(part.name, part.colour));
  Series none = rectangles("no time", kNothing);
  none.in_legend = false;
  for (const Row& row : rows) {
    const auto at = static_cast<double>(panel.y.tics.size());
    const auto bar = [&](double from_s, double to_s) {
      const double end = std::fmin(to_s, scale.end_s) * scale.unit.factor;
      Point point = box(from_s * scale.unit.factor, end, at - kHalfBar, at + kHalfBar);
      point.y = at;
      point.x = (to_s - from_s) * scale.unit.factor;
      return point;
    };
    std::string name = row.text("algorithm");
    if (has_parts(row)) name += ", " + shown(row, scale.unit);
    if (has_parts(row) && whole_s(row) > scale.end_s) name += " (cut)";
    panel.y.tics.push_back({at, std::move(name)});
    if (!has_parts(row)) {
      none.points.push_back(bar(0.0, scale.end_s));
      none.points.back().x = kNaN;
      none.points.back().text = row.text("status");
      continue;
    }
    double from = 0.0;
    for (std::size_t p = 0; p < std::size(kParts); ++p) {
      const double to = from + std::fmax(0.0, kParts[p].seconds(row));
      if (to > from && from < scale.end_s) panel.series[p].points.push_back(bar(from, to));
      from = to;
    }
  }
  panel.series.push_back(std::move(none));
  return panel;
}

// Compares the scheme that ends first at the most workers with a ring, beyond the model's error.
std::string first_title(const Rows& rows, const Unit& unit, double model_error) {
  const Rows timed = where(rows, has_parts);
  const auto ring =
      std::ranges::find_if(timed, [](const Row& row) { return row.is("algorithm", "ring"); });
  if (timed.empty() || ring == timed.end()) return kTimeTitle;
  const Row first = *std::ranges::min_element(timed, {}, whole_s);
  const std::string waits =
      fmt::format("At {} a ring waits for {:.0f} % of its {}", named_values(first, {"workers"}),
                  kPercent * waited(*ring) / whole_s(*ring), shown(*ring, unit));
  if (whole_s(first) * model_error >= whole_s(*ring)) return waits;
  return fmt::format("{}; {} ends after {}", waits, first.text("algorithm"), shown(first, unit));
}

// The fewest, the most and one between of the worker counts with times of all schemes but one.
Groups told_counts(const Rows& rows) {
  Groups counts = group(rows, Columns{"workers"});
  std::size_t most = 0;
  for (const Group& one : counts) most = std::max(most, count(one.rows, has_parts));
  std::erase_if(counts, [=](const Group& one) { return count(one.rows, has_parts) + 1 < most; });
  return spread(std::move(counts), kMostCounts);
}

}  // namespace

Figure worker_time_figure(const PlottedRun& run) {
  std::string setting;
  const Rows rows = best_setting(run.cases, has_parts, &setting);
  if (rows.empty())
    return empty_figure(kTimeTitle,
                        "no two schemes have compute, exposed and idle times at one length, "
                        "mask and link; serial ranks have none");
  const Groups counts = told_counts(rows);
  Rows drawn;
  for (const Group& one : counts)
    std::ranges::copy(where(one.rows, has_parts), std::back_inserter(drawn));
  const double rootless =
      largest(where(drawn, [](const Row& row) { return !has_root(row); }), whole_s);
  const double longest = largest(drawn, whole_s);
  const double end = rootless > 0.0 ? std::fmin(longest, kCut * rootless) : longest;
  const Scale scale{time_unit(end), end};
  const std::string crowded = crowded_name(rows, run.provenance.cores);
  Figure figure{.title = crowded.empty()
                             ? first_title(counts.back().rows, scale.unit,
                                           modelled(rows.front()) ? run.model_grade().p90 : 1.0)
                             : listed({kTimeTitle, crowded}),
                .subtitle = setting,
                .shared_x = true};
  for (const Group& one : counts) {
    Rows own;
    for (const Group& line : compared_lines(one.rows)) own.push_back(line.rows.back());
    figure.panels.push_back(bars_of(own, scale));
  }
  figure.notes = joined_notes({{"Parts add up to the wall clock at the name. A root's scatter, "
                                "gather and merge are waited for."},
                               timing_notes(rows)});
  return figure;
}

}  // namespace qb
