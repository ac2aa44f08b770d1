#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/scale.h"
#include "plots/frame/scheme_cases.h"

namespace qb {
namespace {

struct Choice {
  const char* value;
  const char* name;
};

struct Pairing {
  const char* figure;
  const char* title;
  const char* column;
  Choice first;
  Choice second;
  const char* ratio;        // label of the last panel
  bool pairs_are_promised;  // the pairs of the slowest worker are what its time should follow
};

constexpr Pairing kSkew = {"worker_skew",
                           "Token groups for workers of unequal speed",
                           "group_sizes",
                           {"equal", "equal groups"},
                           {"by_speed", "groups by speed"},
                           "time by speed / time equal",
                           false};
constexpr Pairing kDistillation = {"distillation_gain",
                                   "Published and balanced self-distillation",
                                   "distillation",
                                   {"published", "published"},
                                   {"balanced", "balanced"},
                                   "time balanced / time published",
                                   true};

// What a line has in common, and what names it where lines differ in it.
const Columns kOfLines = {"ranks",    "mask",  "algorithm", "worker_speeds", "distillation",
                          "n_tokens", "dtype", "kernel",    "head_dim",      "group_sizes"};

// Width of the marks of one worker count, of 1 between two.
constexpr double kSpread = 0.6;

class PairedCases {
 public:
  PairedCases(const CsvTable& cases, const Pairing& pairing, std::vector<std::size_t> rows)
      : cases_(cases), pairing_(pairing) {
    std::erase_if(rows, [&](std::size_t row) { return !ran(cases, row); });
    Columns columns = kOfLines;
    std::erase(columns, pairing.column);
    Columns named = differing_columns(cases, rows, columns);
    for (const auto& [key, members] : group_cases(cases, rows, columns)) {
      Line line{.name = named_values(cases, members.front(), named),
                .mask = cases.text(members.front(), "mask")};
      if (cases.text(members.front(), "ranks") == "serial" && line.name.find("serial") == 0)
        line.name.insert(6, " (composed)");
      for (const std::size_t row : members)
        line.rows[static_cast<int>(cases.number(row, "workers"))][cases.text(row, pairing.column)] =
            row;
      std::erase_if(line.rows, [&](const auto& of_workers) {
        return !of_workers.second.contains(pairing.first.value) ||
               !of_workers.second.contains(pairing.second.value);
      });
      if (line.rows.empty()) continue;
      for (const auto& [workers, both] : line.rows) {
        places_.emplace(workers, 0.0);
        for (const auto& [value, row] : both) rows_.push_back(row);
      }
      lines_.push_back(std::move(line));
    }
    double place = 0.0;
    for (auto& [workers, at] : places_) at = place++;
  }

  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] const std::vector<std::size_t>& rows() const { return rows_; }

  [[nodiscard]] std::vector<Panel> time_panels() const {
    double longest_s = 0.0;
    for (const std::size_t row : rows_)
      longest_s = std::max(longest_s, case_seconds(cases_, row, "median"));
    const TimeUnit unit = time_unit(longest_s);
    std::set<std::string> masks;
    for (const Line& line : lines_) masks.insert(line.mask);
    std::vector<Panel> panels;
    for (auto mask = masks.rbegin(); mask != masks.rend(); ++mask) {
      Panel panel{.title = masks.size() > 1 ? *mask + " mask" : "Time",
                  .x = axis(),
                  .y = {.label = fmt::format("time ({})", unit.name),
                        .column = "time_" + unit.name,
                        .from_zero = true}};
      std::vector<const Line*> of_mask;
      for (const Line& line : lines_)
        if (line.mask == *mask) of_mask.push_back(&line);
      const auto slots = static_cast<double>(2 * of_mask.size());
      for (std::size_t i = 0; i < of_mask.size(); ++i) {
        int choice = 0;
        for (const Choice& one : {pairing_.first, pairing_.second}) {
          Series series{.name = joined_name(one.name, without_mask(*of_mask[i], masks.size() > 1)),
                        .draw = Draw::points,
                        .style = {indexed_style(choice == 0 ? 1 : 0).colour, static_cast<int>(i)}};
          for (const auto& [workers, both] : of_mask[i]->rows)
            series.points.push_back(
                time_point(cases_, both.at(one.value),
                           place(workers, (2.0 * static_cast<double>(i) + choice) / slots, slots),
                           unit.per_s));
          ++choice;
          panel.series.push_back(std::move(series));
        }
      }
      panels.push_back(std::move(panel));
    }
    return panels;
  }

  [[nodiscard]] Panel ratio_panel() const {
    Panel panel{.title = "What it gains",
                .x = axis(),
                .y = {.label = pairing_.ratio, .column = "time_ratio"}};
    const auto slots = static_cast<double>(lines_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      Series measured{
          .name = line.name, .draw = Draw::points, .style = indexed_style(static_cast<int>(i) + 2)};
      Series promised{.name = "pairs, " + line.name,
                      .draw = Draw::points,
                      .style = measured.style,
                      .thin = true,
                      .in_legend = false};
      for (const auto& [workers, both] : line.rows) {
        const std::size_t first = both.at(pairing_.first.value);
        const std::size_t second = both.at(pairing_.second.value);
        const double x = place(workers, static_cast<double>(i) / slots, slots);
        measured.points.push_back(time_ratio(cases_, second, first, x));
        promised.points.push_back({.x = x,
                                   .y = cases_.number(second, "critical_path_pairs") /
                                        cases_.number(first, "critical_path_pairs")});
      }
      panel.series.push_back(std::move(measured));
      if (pairing_.pairs_are_promised) panel.series.push_back(std::move(promised));
    }
    panel.series.push_back({.name = "no gain",
                            .draw = Draw::limit,
                            .style = {kGrey, 0},
                            .in_legend = false,
                            .points = {{.y = 1.0}}});
    return panel;
  }

 private:
  struct Line {
    std::string name{};
    std::string mask{};
    std::map<int, std::map<std::string, std::size_t>> rows{};  // by workers and choice
  };

  static std::string joined_name(const char* choice, const std::string& line) {
    return line.empty() ? choice : fmt::format("{}, {}", choice, line);
  }

  // The panel's title says the mask.
  static std::string without_mask(const Line& line, bool titled) {
    if (!titled) return line.name;
    std::string name = line.name;
    for (const std::string& part : {", " + line.mask + " mask", line.mask + " mask, "})
      if (const std::size_t at = name.find(part); at != std::string::npos)
        return name.erase(at, part.size());
    return name == line.mask + " mask" ? "" : name;
  }

  // Worker counts stand 1 apart, whatever they are.
  [[nodiscard]] Axis axis() const {
    Axis axis{.label = "workers W", .column = "place"};
    for (const auto& [workers, at] : places_) axis.tics.push_back({at, fmt::format("{}", workers)});
    return axis;
  }
  [[nodiscard]] double place(int workers, double share, double slots) const {
    return places_.at(workers) + kSpread * (share + 0.5 / slots - 0.5);
  }

  const CsvTable& cases_;
  const Pairing& pairing_;
  std::vector<Line> lines_;
  std::vector<std::size_t> rows_;
  std::map<int, double> places_;
};

Figure paired_figure(const CsvTable& cases, const Pairing& pairing, std::vector<std::size_t> rows,
                     const FigureContext& context, const char* none) {
  const PairedCases paired(cases, pairing, std::move(rows));
  if (paired.empty()) return empty_figure(pairing.figure, pairing.title, none);
  Figure figure{.name = pairing.figure, .title = pairing.title, .subtitle = context.subtitle};
  figure.panels = paired.time_panels();
  figure.panels.push_back(paired.ratio_panel());
  arrange_panels(figure);
  figure.notes = timing_notes(cases, paired.rows());
  return figure;
}

}  // namespace

Figure worker_skew_figure(const CsvTable& cases, const FigureContext& context) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : standing_rows(cases))
    if (!cases.text(row, "worker_speeds").empty()) rows.push_back(row);
  Figure figure = paired_figure(cases, kSkew, std::move(rows), context,
                                "no case with slower workers has a time with equal groups and with "
                                "groups by speed");
  if (figure.empty_reason.empty())
    figure.notes.emplace_back(
        "A slower worker is emulated: after computing it sleeps (1 / speed - 1) times as long as "
        "that took.");
  return figure;
}

Figure distillation_gain_figure(const CsvTable& cases, const FigureContext& context) {
  Figure figure = paired_figure(cases, kDistillation, standing_rows(cases), context,
                                "no case has a time with both distillations");
  if (figure.empty_reason.empty())
    figure.notes.emplace_back(
        "Hollow: the query-key pairs of the most loaded worker, balanced over published.");
  return figure;
}

}  // namespace qb
