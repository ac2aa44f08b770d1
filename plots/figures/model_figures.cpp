// SPDX-License-Identifier: Apache-2.0
// How far numbers are from others, as marks beside a line: measured over modelled wall clock minus
// one, published over predicted time, and ours over published numbers. Each algorithm, paper or
// table has a row with a mark for each of its cases and their median.
#include "base/host_activity.h"
#include "base/statistics.h"
#include "base/verdict.h"
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

struct DotFigure {
  std::string title{};
  std::string nothing{};
  Groups rows{};  // the first on top, with names; the first key tells their look
  std::function<double(const Row&)> value{};
  bool (*counted)(const Row&) = [](const Row&) { return true; };  // others are hollow
  Axis x;
  std::string told_by{};  // column whose values have marks of their own, one above the other
  // The look of the marks of a row (empty: of the legend).
  std::function<Style(const std::string& row, std::size_t place, const std::string& value)> look{};
  std::string mark_name{};  // in the legend, before the value
  bool hollow = false;
  Columns more{};      // what else the CSV says of a case
  std::string line{};  // the name of the vertical line at `line_at`
  double line_at = 0.0;
  std::vector<std::string> notes{};
};

constexpr double kDotSpread = 0.5;  // the share of a row that its kinds of dots take

// The marks of each row, a series for each of its kinds.
std::vector<Series> marks_of(const DotFigure& declared, const Groups& kinds) {
  std::vector<Series> all;
  for (std::size_t row = 0; row < declared.rows.size(); ++row)
    for (std::size_t slot = 0; slot < kinds.size(); ++slot) {
      const std::string& name = declared.rows[row].key[0];
      const std::string& kind = kinds[slot].key[0];
      const double place = (static_cast<double>(slot) + 0.5) / static_cast<double>(kinds.size());
      Series marks{.name = listed({name, kind}),
                   .draw = Draw::points,
                   .style = declared.look(name, slot, kind),
                   .thin = declared.hollow,
                   .in_legend = false};
      for (const Row& one : declared.rows[row].rows)
        if (one.at(declared.told_by) == kind)
          marks.points.push_back({.x = declared.value(one),
                                  .y = static_cast<double>(row) + kDotSpread * (place - 0.5),
                                  .disturbed = !declared.counted(one),
                                  .more = values_of(one, declared.more)});
      all.push_back(std::move(marks));
    }
  return all;
}

// The medians of the cases that count, and a line through all rows, each a rectangle: rows have
// their names one under the other.
std::vector<Series> summaries_of(const DotFigure& declared) {
  Series medians{.name = "median", .draw = Draw::points, .style = {kBlack, 4}};
  Series line = rectangles(declared.line, kGrey);
  line.in_legend = false;
  for (std::size_t row = 0; row < declared.rows.size(); ++row) {
    const auto y = static_cast<double>(row);
    line.points.push_back(box(declared.line_at, declared.line_at, y - 0.5, y + 0.5));
    if (const Rows counted = where(declared.rows[row].rows, declared.counted); !counted.empty())
      medians.points.push_back({.x = median(numbers_of(counted, declared.value)), .y = y});
  }
  return {line, medians};
}

Figure dot_figure(const DotFigure& declared) {
  if (declared.rows.empty()) return empty_figure(declared.title, declared.nothing);
  Panel panel{.x = declared.x, .y = {.column = "row_index", .reversed = true}};
  Rows all;
  for (const Group& row : declared.rows) {
    add_tic(panel.y, row.name);
    std::ranges::copy(row.rows, std::back_inserter(all));
  }
  const Groups kinds = group(all, Columns{declared.told_by});
  add(panel, marks_of(declared, kinds));
  add(panel, summaries_of(declared));
  for (std::size_t slot = 0; slot < kinds.size(); ++slot)
    panel.series.push_back({.name = declared.mark_name + kinds[slot].key[0],
                            .draw = Draw::points,
                            .style = declared.look("", slot, kinds[slot].key[0]),
                            .thin = declared.hollow});
  Figure figure{.title = declared.title,
                .panels = {panel},
                .notes = declared.notes,
                .more_columns = declared.more};
  figure.notes.push_back(disturbed_note(figure));
  std::erase(figure.notes, "");
  return figure;
}

std::uint32_t colour_of(const std::string& algorithm) {
  return algorithm.empty() ? kGrey : algorithm_style(algorithm).colour;
}

// Says on which side of `equal` most values are, and how far: `43 of 44 cases took longer than
// modelled (median 11.7 %, nine of ten at most 18.8 %)`.
std::string side_title(std::vector<double> values, double equal, std::string_view what,
                       std::string_view than, std::string_view unit) {
  std::ranges::sort(values);
  const auto above = std::ranges::count_if(values, [=](double value) { return value > equal; });
  const bool longer = 2 * above >= std::ssize(values);
  const auto below = std::ranges::count_if(values, [=](double value) { return value < equal; });
  return fmt::format("{} of {} {} than {} (median {:.3g}{}, nine of ten at most {:.3g}{})",
                     longer ? above : below, counted(values.size(), what),
                     longer ? "took longer" : "were faster", than, median(values), unit,
                     values[(9 * values.size() - 1) / 10], unit);
}

double slowness(const Row& row) { return row.number_at("published_over_predicted_time"); }
double factor(const Row& row) { return std::fmax(slowness(row), 1.0 / slowness(row)); }

// What the CSV says of a published case: its numbers are in the unit of its table.
const Columns kCaseColumns = {"n_tokens",  "workers",      "pass",  "published",
                              "predicted", "time_or_rate", "table", "line"};

std::string worst_note(const Rows& rows) {
  if (rows.empty()) return {};
  const Row& worst = *std::ranges::max_element(rows, {}, factor);
  return fmt::format("It is off by {:.2f} at worst: {}.", factor(worst), worst.at("case"));
}

constexpr const char* kResidual = "model_residual_ratio";

double residual_percent(const Row& row) { return kPercent * row.number(kResidual); }

// More workers than cores share them in the model too.
bool residual_counts(const Row& row) {
  return !disturbed(row) || row.is("disturbed_by", word(Disturbance::oversubscribed));
}

// Groups by algorithm or, if there is one alone, by who played its workers.
Groups groups_of(const Rows& rows) {
  const bool several = group(rows, Columns{"algorithm"}).size() > 1;
  Groups groups = group(rows, several ? Columns{"algorithm"} : Columns{"algorithm", "ranks"});
  for (Group& one : groups) one.name = listed(one.key);
  std::ranges::stable_sort(groups, {}, [](const Group& one) {
    return std::abs(median(numbers_of(one.rows, residual_percent)));
  });
  return groups;
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

constexpr std::pair<RowStanding, Style> kLooks[] = {{RowStanding::reproduced, {0x56B4E9, 1}},
                                                    {RowStanding::derived, {0x009E73, 0}},
                                                    {RowStanding::predicted, {0x0072B2, 2}},
                                                    {RowStanding::differs, {0xE69F00, 4}},
                                                    {RowStanding::contradicts, {0xD55E00, 3}}};
constexpr double kHalfDisputed = 0.35;
constexpr std::size_t kLeastOnASide = 20;  // fewer numbers show no bias

Style standing_look(std::string_view name) {
  for (const auto& [standing, style] : kLooks)
    if (word(standing) == name) return style;
  return {kGrey};
}

double ratio_of(const Row& row) { return row.number_at("ours") / row.number_at("published"); }

double sum_of(const Rows& tables, std::string_view column) {
  double sum = 0.0;
  for (const Row& table : tables) sum += table.number_at(column);
  return sum;
}
double disputed(const Rows& tables) {
  return sum_of(tables, "contradicts") + sum_of(tables, "differs");
}

std::string spaced(std::string_view name) { return replaced(name, {{"_", " "}, {".csv", ""}}); }

// Says which paper's modelled numbers are all on one side of the published ones, the furthest off.
std::string one_sided(const Rows& answers) {
  std::pair<double, std::string> found;
  for (const Group& paper : group(answers, Columns{"paper", "kind"})) {
    const std::vector<double> ratios = numbers_of(paper.rows, ratio_of);
    if (const std::string bias = bias_text(ratios, 1.0);
        paper.key[1] == "modelled" && ratios.size() >= kLeastOnASide && !bias.empty())
      found = std::max(found, {std::abs(std::log(median(ratios))),
                               fmt::format("modelled numbers of {} ({}): {}", spaced(paper.key[0]),
                                           ratios.size(), bias)});
  }
  return found.second;
}

// A bar of each kind for the tables of each row, with their numbers behind it.
Panel disputed_panel(const Groups& tables, const Axis& names) {
  Panel panel{.x = {.label = "disputed rows: contradict + differ, of all",
                    .column = "rows",
                    .from_zero = true,
                    .whole = true},
              .y = names};
  std::vector<double> ends(tables.size());
  for (const std::string kind : {"contradicts", "differs", "rows"}) {
    Series bars = rectangles(kind, standing_look(kind).colour);
    bars.in_legend = kind == "contradicts";  // marks have the names of the others
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const auto sum = [&](std::string_view column) { return sum_of(tables[i].rows, column); };
      const bool texts = kind == "rows";
      const double half = texts ? 0.5 : kHalfDisputed;
      const double to = ends[i] + (texts ? 0.0 : sum(kind));
      Point bar = box(ends[i], to, static_cast<double>(i) - half, static_cast<double>(i) + half);
      if (texts)
        bar.text = fmt::format("{:.0f} + {:.0f} of {:.0f}", sum("contradicts"), sum("differs"),
                               sum("rows"));
      if (texts || to > ends[i]) bars.points.push_back(std::move(bar));
      ends[i] = to;
    }
    add(panel, {bars});
  }
  return panel;
}

}  // namespace

Figure model_grade_figure(const CsvTable& graded) {
  const Rows rows = all_rows(graded);
  Groups algorithms = group(rows, Columns{"algorithm"});
  for (Group& one : algorithms) one.name = one.key[0];
  std::ranges::stable_sort(algorithms, {},
                           [](const Group& one) { return median(numbers_of(one.rows, factor)); });
  Figure figure = dot_figure(
      {.title = rows.empty() ? "Published measurements beside the cost model"
                             : side_title(numbers_of(rows, slowness), 1.0, "published measurement",
                                          "predicted", " times"),
       .nothing = "no published measurement has a prediction",
       .rows = algorithms,
       .value = slowness,
       .x = {.label = "published / predicted time",
             .column = "published_over_predicted_time",
             .log = true},
       .told_by = "device",
       .look =
           [](const std::string& row, std::size_t place, const std::string&) {
             return Style{colour_of(row), static_cast<int>(place)};
           },
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
  const Rows counted = where(rows, residual_counts);
  return dot_figure(
      {.title = counted.empty() ? "Measured against modelled wall clock"
                                : side_title(numbers_of(counted, residual_percent), 0.0, "case",
                                             "modelled", " %"),
       .nothing = "no case has a measured time beside a modelled one",
       .rows = groups_of(rows),
       .value = residual_percent,
       .counted = residual_counts,
       .x = {.label = "measured / modelled - 1 (%)", .column = "model_residual_percent"},
       .told_by = "ranks",
       .look =
           [](const std::string& row, std::size_t, const std::string& ranks) {
             return Style{colour_of(row), ranks_mark(ranks)};
           },
       .mark_name = "a case, ",
       .line = "measured = modelled",
       .notes = {"Above zero a case took longer than modelled.", modelled_devices(rows),
                 interval_reach(rows)}});
}

Figure published_parity_figure(const CsvTable& answers, const CsvTable& coverage) {
  const Rows shown = where(all_rows(answers), [](const Row& row) {
    return ratio_of(row) > 0.0 && row.at("verdict") != word(RowStanding::contradicts);
  });
  const Rows all = all_rows(coverage);
  const std::string by = group(all, Columns{"paper"}).size() > 1 ? "paper" : "table";
  Groups tables = group(all, Columns{by});
  std::ranges::stable_sort(tables, std::greater(),
                           [](const Group& one) { return disputed(one.rows); });
  Groups rows;
  std::erase_if(tables, [&](const Group& one) {
    Group marks{{.name = spaced(one.key[0])}, one.key, where(shown, [&](const Row& row) {
                  return row.at(by) == one.key[0];
                })};
    const std::string paper = spaced(one.rows.front().at("paper")) + " ";
    if (marks.name.starts_with(paper)) marks.name.erase(0, paper.size());
    const bool nothing = marks.rows.empty() && disputed(one.rows) == 0.0;
    if (!nothing) rows.push_back(std::move(marks));
    return nothing;
  });
  Figure figure = dot_figure(
      {.title = listed({fmt::format("Of {} published rows {:.0f} contradict and {:.0f} differ",
                                    grouped(sum_of(all, "rows")), sum_of(all, "contradicts"),
                                    sum_of(all, "differs")),
                        one_sided(shown)},
                       "; "),
       .nothing = "no published number has one of ours beside it",
       .rows = rows,
       .value = ratio_of,
       .x = {.label = "ours / published", .column = "ours_over_published_ratio", .log = true},
       .told_by = "verdict",
       .look = [](const std::string&, std::size_t,
                  const std::string& standing) { return standing_look(standing); },
       .more = {"paper", "table", "line", "claim", "published", "ours"},
       .line = "ours = published",
       .line_at = 1.0,
       .notes = {"Predicted, differs: by the cost model. Derived: from parameters. Bars: rows that "
                 "contradict themselves, others or the hardware, and rows that differ.",
                 not_drawn({{.number = answers.size() - shown.size(),
                             .what = "answer",
                             .reason = "it contradicts, or is not above zero",
                             .of = answers.size()}})}});
  figure.name = "published_parity";
  figure.finding = "Our numbers over published ones, and the disputed rows beside them.";
  if (!figure.empty_reason.empty()) return figure;
  figure.panels.push_back(disputed_panel(tables, figure.panels.front().y));
  arrange_panels(figure, 2);
  return figure;
}

}  // namespace qb
