// Cases that differ in one choice: the times of both by worker count, a panel per mask, and in the
// last panel the time of the second over that of the first.
#include "plots/figures/figures.h"

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
  const char* ratio;  // label of the last panel
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
    "Hollow: the query-key pairs of the most loaded worker, balanced over published.",
    true};

// The marks of one worker count take this share of the distance between two counts.
constexpr double kSpread = 0.6;

struct Line {
  std::string name{};
  std::string mask{};
  Rows first{};
  Rows second{};
};
using Lines = std::vector<Line>;

Lines lines_of(const Rows& rows, const Pairing& pairing) {
  Columns columns = {"ranks", "mask", "n_tokens"};  // parameters that name a line first
  const Columns others =
      splitting_columns(rows, joined(columns, {"workers", pairing.column, "interest_set"}));
  const Columns named = joined(differing_columns(rows, columns), others);
  Lines lines;
  for (const Group& one : group(rows, joined(columns, others))) {
    Line line{.name = named_values(one.rows.front(), named), .mask = one.key[1]};
    if (one.key[0] == "serial" && line.name.starts_with("serial"))
      line.name.insert(6, " (composed)");
    const auto of_choice = [&](const Choice& choice) {
      return by_number(where(one.rows, pairing.column, {choice.value}), "workers");
    };
    const std::map<double, Row> second = of_choice(pairing.second);
    for (const auto& [workers, row] : of_choice(pairing.first))
      if (const auto found = second.find(workers); found != second.end()) {
        line.first.push_back(row);
        line.second.push_back(found->second);
      }
    if (!line.first.empty()) lines.push_back(std::move(line));
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
  return static_cast<double>(at) + kSpread * (static_cast<double>(slot) / all + 0.5 / all - 0.5);
}

// The panel's title says the mask.
std::string without_mask(const Line& line) {
  std::string name = line.name;
  for (const std::string& part : {", " + line.mask + " mask", line.mask + " mask, "})
    if (const std::size_t at = name.find(part); at != std::string::npos)
      return name.erase(at, part.size());
  return name == line.mask + " mask" ? "" : name;
}

Groups time_lines(const Lines& lines, const Pairing& pairing, const Axis& axis, double factor,
                  bool titled) {
  Groups out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (const bool second : {false, true}) {
      const Choice& choice = second ? pairing.second : pairing.first;
      out.push_back({.rows = second ? lines[i].second : lines[i].first,
                     .name = listed({choice.name, titled ? without_mask(lines[i]) : lines[i].name}),
                     .style = {indexed_style(second ? 0 : 1).colour, static_cast<int>(i)},
                     .draw = Draw::points,
                     .value = [=, slot = out.size(), slots = 2 * lines.size()](const Row& row) {
                       return timed(row, clock_of(row), factor, place_of(row, axis, slot, slots));
                     }});
    }
  return out;
}

Groups ratio_lines(const Lines& lines, const Pairing& pairing, const Axis& axis) {
  Groups out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto over_first = [=, first = by_number(lines[i].first, "workers"),
                             slots = lines.size()](auto ratio) {
      return [=](const Row& row) {
        Point point = ratio(row, first.at(row.number("workers")));
        point.x = place_of(row, axis, i, slots);
        return point;
      };
    };
    const Group measured{.rows = lines[i].second,
                         .name = lines[i].name,
                         .style = indexed_style(static_cast<int>(i) + 2),
                         .draw = Draw::points,
                         .value = over_first([](const Row& row, const Row& first) {
                           return time_ratio(row, first, clock_of(first));
                         })};
    Group promised = behind(measured, "", 0, over_first([](const Row& row, const Row& first) {
                              return Point{.y = row.number("critical_path_pairs") /
                                                first.number("critical_path_pairs")};
                            }));
    promised.name = "pairs, " + measured.name;
    out.push_back(measured);
    if (pairing.pairs_are_promised) out.push_back(promised);
  }
  return out;
}

Figure paired_figure(const Rows& rows, const Pairing& pairing) {
  const Lines lines = lines_of(where(rows, ran), pairing);
  if (lines.empty()) return empty_figure(pairing.title, pairing.nothing);
  Rows drawn;
  std::map<std::string, Lines, std::greater<>> by_mask;
  for (const Line& line : lines) {
    by_mask[line.mask].push_back(line);
    for (const auto* choice : {&line.first, &line.second})
      std::ranges::copy(*choice, std::back_inserter(drawn));
  }
  const Unit unit =
      time_unit(largest(drawn, [](const Row& row) { return timed(row, clock_of(row), 1.0).y; }));
  const Axis axis = axis_of(drawn);
  Axis time = axis_in(unit, "time", "time");
  time.from_zero = true;
  const bool titled = by_mask.size() > 1;
  Groups panels;
  for (const auto& [mask, of_mask] : by_mask)
    panels.push_back({.key = {mask}, .name = titled ? mask + " mask" : "Time"});
  return line_figure(
      {.title = pairing.title,
       .y = {{.y = time,
              .lines =
                  [&](const Group& panel) {
                    return time_lines(by_mask.at(panel.key[0]), pairing, axis, unit.factor, titled);
                  },
              .panels = panels},
             {.title = "What it gains",
              .y = {.label = pairing.ratio, .column = "time_ratio"},
              .lines = [&](const Group&) { return ratio_lines(lines, pairing, axis); },
              .reference = always(limit_line("no gain", 1.0, false))}},
       .x_axis = fixed(axis),
       .notes = joined_notes({timing_notes(drawn), {pairing.note}})});
}

}  // namespace

Figure worker_skew_figure(const PlottedRun& run) {
  const Rows slower =
      where(standing_rows(run.cases), [](const Row& row) { return !row.is("worker_speeds", ""); });
  return paired_figure(slower, kSkew);
}

Figure distillation_gain_figure(const PlottedRun& run) {
  return paired_figure(standing_rows(run.cases), kDistillation);
}

}  // namespace qb
