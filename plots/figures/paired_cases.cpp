// SPDX-License-Identifier: Apache-2.0
// Cases that differ in one choice: the times of both by worker count, a panel per mask, and below
// them the time of the second over that of the first. In every panel the mark tells what is
// compared; the colour tells the choice, and black is a ratio of both.
#include "plots/figures/figures.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

struct Choice {
  const char* value;
  const char* name;
};

struct Pairing {
  const char* title;
  const char* nothing;
  const char* column;
  Choice first;
  Choice second;
  const char* ratio;  // label of the panels below
  const char* note;
  bool pairs_are_promised;  // the pairs of the slowest worker are what its time should follow
};

constexpr Pairing kSkew = {
    "Token groups for workers of unequal speed",
    "no case with slower workers has a time with equal groups and with groups by speed",
    "group_sizes",
    {"equal", "equal groups"},
    {"by_speed", "groups by speed"},
    "time by speed / time equal",
    "A slower worker is emulated: after computing it sleeps (1 / speed - 1) times as long as that "
    "took.",
    false};
constexpr Pairing kDistillation = {
    "Published and balanced self-distillation",
    "no case has a time with both distillations",
    "distillation",
    {"published", "published"},
    {"balanced", "balanced"},
    "time balanced / time published",
    "Hollow: the same ratio of the query-key pairs of the most loaded worker.",
    true};

// The marks of one worker count take this share of the distance between two counts.
constexpr double kMarkSpread = 0.6;

// Finds the case of the first choice that one of the second is compared with, if it ran.
std::optional<Row> first_choice(const Row& second, const Pairing& pairing) {
  return case_like(
      second,
      [&](const Field& field) {
        return field.column == pairing.column || field.column == "interest_set";
      },
      [&](const Row& row) { return ran(row) && row.at(pairing.column) == pairing.first.value; });
}

// Groups the cases of the second choice that differ in their worker counts alone. The last of the
// key is the name in a panel of their mask alone.
Groups paired_lines(const Rows& rows, const Pairing& pairing) {
  const Columns columns = {"ranks", "mask", "n_tokens"};  // parameters that name a line first
  const Columns others =
      splitting_columns(rows, joined(columns, {"workers", pairing.column, "interest_set"}));
  const Columns named = joined(differing_columns(rows, columns), others);
  Groups lines = group(where(rows,
                             [&](const Row& row) {
                               return row.at(pairing.column) == pairing.second.value &&
                                      first_choice(row, pairing);
                             }),
                       joined(columns, others));
  for (Group& line : lines) {
    const auto name = [&](const Columns& shown) {
      const std::string values = named_values(line.rows.front(), shown);
      return values.starts_with("serial") ? "serial (composed)" + values.substr(6) : values;
    };
    line.name = name(named);
    line.key.push_back(name(without(named, "mask")));
    line.draw = Draw::points;
  }
  return lines;
}

Axis axis_of(const Rows& drawn) {
  Axis axis{.label = "workers W", .column = "place"};
  for (const auto& [workers, row] : by_number(drawn, "workers"))
    axis.tics.push_back({static_cast<double>(axis.tics.size()), fmt::format("{:.0f}", workers)});
  return axis;
}

// Worker counts are 1 apart, whatever they are; the marks of one count are side by side.
double place_of(const Row& row, const Axis& axis, std::size_t slot, std::size_t slots) {
  const auto at =
      std::ranges::find(axis.tics, row.text("workers"), &Axis::Tic::label) - axis.tics.begin();
  const auto all = static_cast<double>(slots);
  return static_cast<double>(at) +
         kMarkSpread * (static_cast<double>(slot) / all + 0.5 / all - 0.5);
}

// Gives the lines of one mask.
Groups lines_in(const Groups& lines, const Group& panel) {
  Groups own = lines;
  std::erase_if(own, [&](const Group& one) { return one.key[1] != panel.key[0]; });
  return own;
}

// Gives the mark of a line: lines of one name have one in the panels of all masks.
int mark_of(const Group& line, const Groups& all) {
  return place_among(line, all, [](const Group& one) { return one.key.back(); }) % kMarks;
}

Groups time_lines(const Groups& lines, const Groups& all, const Pairing& pairing, const Axis& axis,
                  double factor) {
  Groups out;
  for (const Group& one : lines)
    for (const bool second : {false, true}) {
      Group line = one;
      line.name = listed({second ? pairing.second.name : pairing.first.name, line.key.back()});
      line.style = {indexed_style(second ? 0 : 1).colour, mark_of(one, all)};
      line.value = [=, slot = out.size(), slots = 2 * lines.size()](const Row& row) {
        const Row shown = second ? row : *first_choice(row, pairing);
        return timed(shown, clock_of(shown), factor, place_of(row, axis, slot, slots));
      };
      out.push_back(std::move(line));
    }
  return out;
}

Groups ratio_lines(const Groups& lines, const Groups& all, const Pairing& pairing,
                   const Axis& axis) {
  Groups out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto over_first = [=, slots = lines.size()](auto ratio) {
      return [=](const Row& row) {
        Point point = ratio(row, *first_choice(row, pairing));
        point.x = place_of(row, axis, i, slots);
        return point;
      };
    };
    Group measured = lines[i];
    measured.name = listed({"ratio", measured.key.back()});
    measured.style = {kBlack, mark_of(measured, all)};
    measured.value = over_first(
        [](const Row& row, const Row& first) { return time_ratio(row, first, clock_of(first)); });
    Group promised = behind(measured, "", 0, over_first([](const Row& row, const Row& first) {
                              return Point{.y = row.number("critical_path_pairs") /
                                                first.number("critical_path_pairs")};
                            }));
    promised.name = listed({"ratio of pairs", measured.key.back()});
    promised.in_legend = true;
    out.push_back(measured);
    if (pairing.pairs_are_promised) out.push_back(promised);
  }
  return out;
}

// Counts the ratios whose intervals lie below 1, above it, and around it.
std::string gains_title(const Figure& figure, const Pairing& pairing) {
  std::size_t all = 0;
  std::size_t faster = 0;
  std::size_t slower = 0;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      for (const Point& point : series.points) {
        if (panel.y.column != "time_ratio" || !(point.low <= point.high)) continue;
        ++all;
        if (point.high < 1.0) ++faster;
        if (point.low > 1.0) ++slower;
      }
  return all == 0 ? std::string(pairing.title)
                  : fmt::format("{}: faster than {} in {} of {}, slower in {}, else undecided",
                                pairing.second.name, pairing.first.name, faster,
                                counted(all, "pair"), slower);
}

// Names the least and the largest ratio of the measured times.
std::string ratios_finding(const Groups& lines, const Pairing& pairing) {
  std::map<double, std::string> ratios;
  for (const Group& line : lines)
    for (const Row& row : line.rows) {
      const Row first = *first_choice(row, pairing);
      ratios.try_emplace(time_ratio(row, first, clock_of(first)).y,
                         listed({line.name, named_value("workers", row.text("workers"))}));
    }
  if (ratios.size() < 2) return {};
  const auto shown = [](const auto& ratio) {
    return fmt::format("{} ({})", significant(ratio.first), ratio.second);
  };
  return fmt::format("The ratio, {}, lies between {} and {}.", pairing.ratio,
                     shown(*ratios.begin()), shown(*ratios.rbegin()));
}

Figure paired_figure(const PlottedRun& run, const Rows& rows, const Pairing& pairing) {
  const Groups lines = paired_lines(where(rows, ran), pairing);
  if (lines.empty()) return empty_figure(pairing.title, pairing.nothing);
  Rows drawn;
  for (const Group& line : lines)
    for (const Row& row : line.rows) drawn.insert(drawn.end(), {row, *first_choice(row, pairing)});
  const Unit unit =
      time_unit(largest(drawn, [](const Row& row) { return timed(row, clock_of(row), 1.0).y; }));
  const Axis axis = axis_of(drawn);
  Axis time = axis_in(unit, "time", "time");
  time.from_zero = true;
  Groups panels = group(drawn, Columns{"mask"});
  std::ranges::reverse(panels);
  for (Group& panel : panels) panel.name = panel.key[0] + " mask";
  Figure figure = line_figure(
      {.title = pairing.title,
       .y = {{.title = "Time",
              .y = time,
              .lines =
                  [&](const Group& panel) {
                    return time_lines(lines_in(lines, panel), lines, pairing, axis, unit.factor);
                  }},
             {.title = "What it gains",
              .y = {.label = pairing.ratio, .column = "time_ratio"},
              .lines =
                  [&](const Group& panel) {
                    return ratio_lines(lines_in(lines, panel), lines, pairing, axis);
                  },
              .reference = always(limit_line("no gain", 1.0))}},
       .panels = panels,
       .x_axis = fixed(axis),
       .last_of_x = true,
       .notes = joined_notes({timing_notes(drawn), {pairing.note}})});
  if (!oversubscription(run.cases, run.provenance.cores).empty()) return figure;
  figure.title = gains_title(figure, pairing);
  figure.finding = ratios_finding(lines, pairing);
  return figure;
}

}  // namespace

Figure worker_skew_figure(const PlottedRun& run) {
  const Rows slower =
      where(standing_rows(run.cases), [](const Row& row) { return !row.is("worker_speeds", ""); });
  return paired_figure(run, slower, kSkew);
}

Figure distillation_gain_figure(const PlottedRun& run) {
  return paired_figure(run, standing_rows(run.cases), kDistillation);
}

}  // namespace qb
