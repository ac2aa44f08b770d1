// SPDX-License-Identifier: Apache-2.0
// How far the cost model is off: measured over modelled wall clock, minus one, and published over
// predicted time. Each algorithm has a row with a mark for each of its cases, their range as a line
// and their median, the one that the model knows best on top.
#include "base/statistics.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

struct DotFigure {
  std::string title{};
  std::string nothing{};
  Groups rows{};  // the first on top; the first word of a key is the algorithm
  std::function<double(const Row&)> value{};
  Axis x;
  std::string told_by{};  // column whose values have marks of their own, one above the other
  std::function<int(std::size_t place, const std::string& value)> mark{};
  std::string mark_name{};  // in the legend, before the value
  bool hollow = false;
  Columns more{};      // what else the CSV says of a case
  std::string line{};  // the name of the vertical line at `line_at`
  double line_at = 0.0;
  std::vector<std::string> notes{};
};

constexpr double kDotSpread = 0.5;  // the share of a row that its kinds of dots take

double dot_place(std::size_t row, std::size_t slot, std::size_t slots) {
  return static_cast<double>(row) +
         kDotSpread * ((static_cast<double>(slot) + 0.5) / static_cast<double>(slots) - 0.5);
}

Axis names_axis(const DotFigure& declared) {
  Axis axis{.label = "", .column = "algorithm_index", .reversed = true};
  for (const Group& row : declared.rows)
    axis.tics.push_back({static_cast<double>(axis.tics.size()), listed(row.key)});
  return axis;
}

// Makes the marks of each row, a line for each of its kinds.
Groups marks_of(const DotFigure& declared, const Groups& kinds) {
  Groups lines;
  for (std::size_t row = 0; row < declared.rows.size(); ++row)
    for (std::size_t slot = 0; slot < kinds.size(); ++slot) {
      const std::string& algorithm = declared.rows[row].key[0];
      const std::string& kind = kinds[slot].key[0];
      Group marks{.rows = where(declared.rows[row].rows,
                                [&](const Row& one) { return one.at(declared.told_by) == kind; }),
                  .name = listed({algorithm, kind}),
                  .style = {algorithm_style(algorithm).colour, declared.mark(slot, kind)},
                  .thin = declared.hollow,
                  .in_legend = false,
                  .draw = Draw::points};
      marks.value = [&declared, y = dot_place(row, slot, kinds.size())](const Row& one) {
        return Point{.x = declared.value(one), .y = y, .more = values_of(one, declared.more)};
      };
      lines.push_back(std::move(marks));
    }
  return lines;
}

std::vector<Series> summaries_of(const DotFigure& declared) {
  if (declared.rows.empty()) return {};
  std::vector<Series> out;
  Series medians{.name = "median", .draw = Draw::points, .style = {kBlack, 4}};
  for (const Group& row : declared.rows) {
    const std::vector<double> values = numbers_of(row.rows, declared.value);
    const auto [least, most] = std::ranges::minmax(values);
    const auto y = static_cast<double>(medians.points.size());
    out.push_back({.name = "range of " + listed(row.key),
                   .draw = Draw::line,
                   .style = {algorithm_style(row.key[0]).colour},
                   .in_legend = false,
                   .points = {{.x = least, .y = y}, {.x = most, .y = y}}});
    medians.points.push_back({.x = median(values), .y = y});
  }
  const double end = static_cast<double>(declared.rows.size()) - 0.5;
  out.push_back(std::move(medians));
  out.push_back(
      {.name = declared.line,
       .draw = Draw::line,
       .style = {kGrey, 0, 1},
       .thin = true,
       .points = {{.x = declared.line_at, .y = -0.5}, {.x = declared.line_at, .y = end}}});
  return out;
}

Figure dot_figure(const DotFigure& declared) {
  Rows all;
  for (const Group& row : declared.rows) std::ranges::copy(row.rows, std::back_inserter(all));
  const Groups kinds = group(all, Columns{declared.told_by});
  std::vector<Series> keys;
  for (std::size_t slot = 0; slot < kinds.size(); ++slot)
    keys.push_back(legend_key(declared.mark_name + kinds[slot].key[0],
                              {kGrey, declared.mark(slot, kinds[slot].key[0])}, Draw::points,
                              declared.hollow));
  Figure figure =
      line_figure({.title = declared.title,
                   .nothing = declared.nothing,
                   .lines = marks_of(declared, kinds),
                   .y = {{.y = names_axis(declared),
                          .reference = [&](const Group&) { return summaries_of(declared); }}},
                   .x_axis = fixed(declared.x),
                   .keys = keys,
                   .notes = declared.notes});
  figure.more_columns = declared.more;
  return figure;
}

double slowness(const Row& row) { return row.number_at("published_over_predicted_time"); }
double factor(const Row& row) { return std::fmax(slowness(row), 1.0 / slowness(row)); }

// What the CSV says of a published case: its numbers are in the unit of its table.
const Columns kCaseColumns = {"n_tokens",     "workers", "published", "predicted",
                              "time_or_rate", "table",   "line"};

std::string grade_title(const Rows& rows) {
  if (rows.empty()) return "Published measurements beside the cost model";
  return fmt::format("The cost model is off by a factor of {:.2f} in the median of {}",
                     median(numbers_of(rows, factor)),
                     counted(rows.size(), "published measurement"));
}

std::string worst_note(const Rows& rows) {
  if (rows.empty()) return {};
  const Row& worst = *std::ranges::max_element(rows, {}, factor);
  return fmt::format("It is off by {:.2f} at worst: {}.", factor(worst), worst.at("case"));
}

constexpr const char* kResidual = "model_residual_ratio";

double residual_percent(const Row& row) { return kPercent * row.number(kResidual); }
double distance_percent(const Row& row) { return std::abs(residual_percent(row)); }

// Groups by algorithm or, if there is one alone, by who played its workers.
Groups groups_of(const Rows& rows) {
  const bool several = group(rows, Columns{"algorithm"}).size() > 1;
  Groups groups = group(rows, several ? Columns{"algorithm"} : Columns{"algorithm", "ranks"});
  std::ranges::stable_sort(groups, {}, [](const Group& one) {
    return std::abs(median(numbers_of(one.rows, residual_percent)));
  });
  return groups;
}

std::string distance_title(const Rows& rows) {
  return rows.empty()
             ? "Measured against modelled wall clock"
             : fmt::format("The typical case is {:.1f} % from its model, the worst {:.1f} %",
                           median(numbers_of(rows, distance_percent)),
                           largest(rows, distance_percent));
}

// Says which device the model is of: it need not be the one that was measured.
std::string modelled_devices(const Rows& rows) {
  std::vector<std::string> names;
  for (const Group& one : group(rows, Columns{"model_device"}))
    if (!one.key[0].empty()) names.push_back(named_value("model_device", one.key[0]));
  return names.empty() ? "" : fmt::format("Modelled device: {}.", listed(names, " and "));
}

// Says how far the intervals of the measured medians reach.
std::string interval_reach(const Rows& rows) {
  double reach = 0.0;
  for (const Row& row : rows) {
    const Point time = timed(row, "wall_time", 1.0);
    reach = std::fmax(reach, std::fmax(time.high / time.y - 1.0, 1.0 - time.low / time.y));
  }
  if (!(reach > 0.0)) return {};
  return fmt::format("Not drawn: intervals of the medians (at most {:.0f} % wide).",
                     kPercent * reach);
}

}  // namespace

Figure model_grade_figure(const CsvTable& graded) {
  const Rows rows = all_rows(graded);
  Groups algorithms = group(rows, Columns{"algorithm"});
  std::ranges::stable_sort(algorithms, {},
                           [](const Group& one) { return median(numbers_of(one.rows, factor)); });
  Figure figure = dot_figure(
      {.title = grade_title(rows),
       .nothing = "no published measurement has a prediction",
       .rows = algorithms,
       .value = slowness,
       .x = {.label = "published / predicted time",
             .column = "published_over_predicted_time",
             .log = true},
       .told_by = "device",
       .mark = [](std::size_t place, const std::string&) { return static_cast<int>(place); },
       .mark_name = "a published case, ",
       .hollow = true,
       .more = kCaseColumns,
       .line = "published = predicted",
       .line_at = 1.0,
       .notes = {worst_note(rows),
                 "Right of 1 the published case took longer; no device was made from them."}});
  figure.name = "model_grade";
  figure.finding = "Published over predicted time of each published measurement, by scheme.";
  return figure;
}

Figure model_residual_figure(const PlottedRun& run) {
  const Rows rows = where(standing_rows(run.cases), [](const Row& row) {
    return ran(row) && !std::isnan(row.number(kResidual)) &&
           row.number("modelled_wall_time_s") > 0.0;
  });
  return dot_figure(
      {.title = distance_title(rows),
       .nothing = "no case has a measured time beside a modelled one",
       .rows = groups_of(rows),
       .value = residual_percent,
       .x = {.label = "measured / modelled - 1 (%)", .column = "model_residual_percent"},
       .told_by = "ranks",
       .mark = [](std::size_t, const std::string& ranks) { return ranks_mark(ranks); },
       .mark_name = "a case, ",
       .line = "measured = modelled",
       .notes = {"Above zero a case took longer than modelled. Lines: ranges of an algorithm.",
                 modelled_devices(rows), interval_reach(rows)}});
}

}  // namespace qb
