// SPDX-License-Identifier: Apache-2.0
// Where the time of the worker that ends last goes, by scheme and W: the parts of a bar add up to
// the wall clock, whose number stands at its end. A bar is an x_low..x_high of the plotted CSV;
// its x is the time of the part.
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr const char* kTimeTitle = "Where the time of the worker that ends last goes";
constexpr std::size_t kMostCounts = 3;
constexpr double kHalfBar = 0.38;
// A bar ends at this multiple of the longest one of a scheme without a root, and has a slash there.
constexpr double kCut = 1.3;
constexpr double kSlashPlace = 0.91;  // of the cut bar
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
  Series whole = rectangles("wall clock", kWhite);
  Series cut{.name = "cut", .draw = Draw::points, .style = {kWhite, kSlash}, .in_legend = false};
  none.in_legend = whole.in_legend = false;
  for (const Row& row : rows) {
    const double at = add_tic(panel.y, row.text("algorithm"));
    const auto add_bar = [&](Series& to, double from_s, double to_s, std::string text = {}) {
      Point bar =
          box(std::fmin(from_s, scale.end_s) * scale.unit.factor,
              std::fmin(to_s, scale.end_s) * scale.unit.factor, at - kHalfBar, at + kHalfBar);
      bar.y = at;
      bar.x = (to_s - from_s) * scale.unit.factor;
      bar.text = std::move(text);
      to.points.push_back(std::move(bar));
    };
    if (!has_parts(row)) {
      add_bar(none, 0.0, scale.end_s, row.text("status"));
      none.points.back().x = kNaN;
      continue;
    }
    double from = 0.0;
    for (std::size_t p = 0; p < std::size(kParts); ++p) {
      const double to = from + std::fmax(0.0, kParts[p].seconds(row));
      if (to > from && from < scale.end_s) add_bar(panel.series[p], from, to);
      from = to;
    }
    const bool is_cut = from > scale.end_s;
    add_bar(whole, from, from, (is_cut ? "→ " : "") + shown(row, scale.unit));
    whole.points.back().x = from * scale.unit.factor;
    if (is_cut) cut.points.push_back({.x = kSlashPlace * scale.end_s * scale.unit.factor, .y = at});
  }
  for (Series* more : {&none, &whole, &cut}) panel.series.push_back(std::move(*more));
  return panel;
}

// Says for how long a ring waits at the most workers, and when the first scheme ends if their times
// are told apart.
std::string first_title(const Rows& rows, const Unit& unit, int cores, const ModelGrade& grade) {
  const Rows timed = where(rows, [=](const Row& row) { return has_parts(row) && counts(row); });
  const auto ring =
      std::ranges::find_if(timed, [](const Row& row) { return row.is("algorithm", "ring"); });
  if (ring == timed.end()) return listed({kTimeTitle, crowded_name(rows, cores)});
  const Row first = *std::ranges::min_element(timed, {}, whole_s);
  std::string title =
      fmt::format("At {} a ring waits for {:.0f} % of its {}", named_values(first, {"workers"}),
                  kPercent * waited(*ring) / whole_s(*ring), shown(*ring, unit));
  if (told_apart(first, *ring, grade))
    title += fmt::format("; {} ends after {}", first.text("algorithm"), shown(first, unit));
  return modelled_first(timed, title);
}

// The cases of two workers or more by length, mask, link, pass and what ran them; of the settings
// in which two schemes have parts the one with most of them, then with the most worker counts, the
// most tokens; a forward pass if there is one.
Group best_setting(const CsvTable& cases) {
  const Columns place = joined(joined({"n_tokens", "kv_len"}, kShapeColumns),
                               joined({"ranks", "model_device"}, kLinkColumns));
  const Rows rows =
      where(standing_rows(cases), [](const Row& row) { return row.number("workers") >= 2.0; });
  Groups all = panels_by(rows, place, joined(differing_columns(rows, place), {"ranks"}));
  const auto worth = [](const Group& one) {
    const Rows done = where(one.rows, has_parts);
    return std::tuple(is_forward(one.rows.front()), group(done, Columns{"algorithm"}).size(),
                      group(done, Columns{"workers"}).size(), one.rows.front().number("n_tokens"));
  };
  std::erase_if(all, [&](const Group& one) { return std::get<1>(worth(one)) < 2; });
  return all.empty() ? Group{} : *std::ranges::max_element(all, {}, worth);
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
  const Group setting = best_setting(run.cases);
  const Rows& rows = setting.rows;
  if (rows.empty())
    return empty_figure(kTimeTitle,
                        "no two schemes have compute, exposed and idle times at one length, "
                        "mask and link; serial ranks have none");
  const Groups told = told_counts(rows);
  Rows drawn;
  for (const Group& one : told)
    std::ranges::copy(where(one.rows, has_parts), std::back_inserter(drawn));
  const double rootless =
      largest(where(drawn, [](const Row& row) { return !has_root(row); }), whole_s);
  const double longest = largest(drawn, whole_s);
  const double end = rootless > 0.0 ? std::fmin(longest, kCut * rootless) : longest;
  const Scale scale{time_unit(end), end};
  Figure figure{
      .title = first_title(told.back().rows, scale.unit, run.provenance.cores, run.model_grade()),
      .subtitle = setting.name,
      .shared_x = true};
  for (const Group& one : told) {
    Rows own;
    for (const Group& line : group(one.rows, Columns{"algorithm"})) own.push_back(line.rows.back());
    figure.panels.push_back(
        bars_of(order(own,
                      [](const Row& row) {
                        return algorithm_place(row.text("algorithm")).value_or(1 << 20);
                      }),
                scale));
  }
  figure.notes = joined_notes({{"Parts add up to the wall clock at a bar's end; a slash: cut. A "
                                "root's scatter, gather and merge are waited for."},
                               timing_notes(rows)});
  return figure;
}

}  // namespace qb
