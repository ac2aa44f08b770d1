// Cases that differ in one choice: how much the second value gains, by worker count.
//
// The left panels show the times of both, one per mask; the last panel shows the time of the second
// over that of the first, with a mark for each other parameter in which the cases differ.
#include <fmt/format.h>

#include "plots/figures/figures.h"
#include "plots/frame/lines.h"

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

// Two rows of one worker count, by their choice.
struct Pair {
  double workers = 0.0;
  Row first{};
  Row second{};
};

// Pairs with the same parameters except for the worker count and the choice.
struct Line {
  std::string name{};
  std::string mask{};
  std::vector<Pair> pairs{};
};

std::vector<Line> lines_of(const Rows& rows, const Pairing& pairing) {
  Columns columns = {"ranks", "mask", "n_tokens"};  // parameters that name a line first
  const Columns others =
      splitting_columns(rows, joined(columns, {"workers", pairing.column, "interest_set"}));
  const Columns named = joined(differing_columns(rows, columns), others);
  columns = joined(columns, others);
  std::vector<Line> lines;
  for (const Group& one : group(rows, columns)) {
    Line line{.name = named_values(one.rows.front(), named), .mask = one.key[1]};
    if (one.key[0] == "serial" && line.name.starts_with("serial"))
      line.name.insert(6, " (composed)");
    const auto of_choice = [&](const Choice& choice) {
      return by_number(where(one.rows, pairing.column, {choice.value}), "workers");
    };
    const std::map<double, Row> second = of_choice(pairing.second);
    for (const auto& [workers, row] : of_choice(pairing.first))
      if (const auto found = second.find(workers); found != second.end())
        line.pairs.push_back({workers, row, found->second});
    if (!line.pairs.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

// Worker counts are 1 apart, whatever they are; the marks of one count are side by side.
class Places {
 public:
  explicit Places(const std::vector<Line>& lines) {
    std::set<double> counts;
    for (const Line& line : lines)
      for (const Pair& pair : line.pairs) counts.insert(pair.workers);
    for (const double workers : counts)
      axis_.tics.push_back(
          {static_cast<double>(axis_.tics.size()), fmt::format("{:.0f}", workers)});
    counts_ = {counts.begin(), counts.end()};
  }
  [[nodiscard]] const Axis& axis() const { return axis_; }
  [[nodiscard]] double of(double workers, double slot, std::size_t slots) const {
    const auto at = std::find(counts_.begin(), counts_.end(), workers) - counts_.begin();
    const auto all = static_cast<double>(slots);
    return static_cast<double>(at) + kSpread * (slot / all + 0.5 / all - 0.5);
  }

 private:
  std::vector<double> counts_;
  Axis axis_{.label = "workers W", .column = "place"};
};

// The panel's title says the mask.
std::string without_mask(const Line& line) {
  std::string name = line.name;
  for (const std::string& part : {", " + line.mask + " mask", line.mask + " mask, "})
    if (const std::size_t at = name.find(part); at != std::string::npos)
      return name.erase(at, part.size());
  return name == line.mask + " mask" ? "" : name;
}

Panel time_panel(const std::vector<Line>& lines, const Pairing& pairing, const Places& places,
                 const Unit& unit, bool titled) {
  Panel panel{.title = titled ? lines.front().mask + " mask" : "Time",
              .x = places.axis(),
              .y = axis_in(unit, "time", "time")};
  panel.y.from_zero = true;
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (int second = 0; second < 2; ++second) {
      const Choice& choice = second == 1 ? pairing.second : pairing.first;
      Series series{.name = listed({choice.name, titled ? without_mask(lines[i]) : lines[i].name}),
                    .draw = Draw::points,
                    .style = {indexed_style(1 - second).colour, static_cast<int>(i)}};
      for (const Pair& pair : lines[i].pairs) {
        const Row& row = second == 1 ? pair.second : pair.first;
        const double slot = 2.0 * static_cast<double>(i) + second;
        series.points.push_back(timed(row, clock_of(row), unit.factor,
                                      places.of(pair.workers, slot, 2 * lines.size())));
      }
      panel.series.push_back(std::move(series));
    }
  return panel;
}

Panel ratio_panel(const std::vector<Line>& lines, const Pairing& pairing, const Places& places) {
  Panel panel{.title = "What it gains",
              .x = places.axis(),
              .y = {.label = pairing.ratio, .column = "time_ratio"}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Series measured{.name = lines[i].name,
                    .draw = Draw::points,
                    .style = indexed_style(static_cast<int>(i) + 2)};
    Series promised{.name = "pairs, " + lines[i].name,
                    .draw = Draw::points,
                    .style = measured.style,
                    .thin = true,
                    .in_legend = false};
    for (const Pair& pair : lines[i].pairs) {
      const double x = places.of(pair.workers, static_cast<double>(i), lines.size());
      measured.points.push_back(time_ratio(pair.second, pair.first, clock_of(pair.first), x));
      promised.points.push_back({.x = x,
                                 .y = pair.second.number("critical_path_pairs") /
                                      pair.first.number("critical_path_pairs")});
    }
    add(panel, measured);
    if (pairing.pairs_are_promised) add(panel, promised);
  }
  add(panel, limit_line("no gain", 1.0, false));
  return panel;
}

Figure paired_figure(const Rows& rows, const Pairing& pairing, const FigureContext& context) {
  const std::vector<Line> lines = lines_of(where(rows, ran), pairing);
  if (lines.empty()) return empty_figure(pairing.title, pairing.nothing);
  Rows drawn;
  double longest_s = 0.0;
  std::map<std::string, std::vector<Line>, std::greater<>> by_mask;
  for (const Line& line : lines) {
    by_mask[line.mask].push_back(line);
    for (const Pair& pair : line.pairs)
      for (const Row& row : {pair.first, pair.second}) {
        drawn.push_back(row);
        longest_s = std::max(longest_s, timed(row, clock_of(row), 1.0).y);
      }
  }
  const Places places(lines);
  Figure figure{.title = pairing.title, .subtitle = context.subtitle};
  for (const auto& [mask, of_mask] : by_mask)
    figure.panels.push_back(
        time_panel(of_mask, pairing, places, time_unit(longest_s), by_mask.size() > 1));
  figure.panels.push_back(ratio_panel(lines, pairing, places));
  arrange_panels(figure);
  figure.notes = joined_notes({timing_notes(drawn), {pairing.note}});
  return figure;
}

}  // namespace

// Compares groups of equal size with groups by speed, for cases with slower workers.
Figure worker_skew_figure(const PlottedRun& run, const FigureContext& context) {
  const Rows slower =
      where(standing_rows(run.cases), [](const Row& row) { return !row.is("worker_speeds", ""); });
  return paired_figure(slower, kSkew, context);
}

// Compares published with balanced self-distillation, and shows what the pairs of the slowest
// worker promise.
Figure distillation_gain_figure(const PlottedRun& run, const FigureContext& context) {
  return paired_figure(standing_rows(run.cases), kDistillation, context);
}

}  // namespace qb
