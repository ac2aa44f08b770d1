#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plots/frame/scale.h"
#include "plots/frame/scheme_cases.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Schemes of splitting exact attention at one length";
constexpr std::array<std::string_view, 7> kSchemes = {
    "cqs", "cqs_sharded", "ring", "striped", "zigzag", "ulysses", "all_gather_kv"};
constexpr double kMilliseconds = 1e3;
constexpr std::size_t kMostNamed = 6;
constexpr double kLeastRatioSpan = 0.2;

const Columns kKindColumns = {"ranks", "model_device", "threads"};

// How a group of rows was timed, and the line that shows it: thin beside measured ones.
struct Kind {
  std::string name{};
  Style style{};
  bool thin = false;
  std::vector<std::size_t> rows{};
};

// The rows of one setting.
struct Setting {
  std::string name{};
  std::vector<std::size_t> rows{};
  std::size_t schemes = 0;
  double n_tokens = 0.0;
  std::size_t measured = 0;
};

std::vector<Setting> settings(const CsvTable& cases) {
  std::vector<std::size_t> rows = rows_of_algorithms(cases, kSchemes);
  std::erase_if(rows, [&](std::size_t row) { return cases.number(row, "workers") < 2; });
  Columns shape = shape_columns();
  std::erase(shape, "threads");
  const Columns link = {"link_bandwidth_byte_per_s", "link_latency_s"};
  const Columns columns = joined({"n_tokens", "kv_len"}, joined(shape, link));
  // What all cases share is in the subtitle already.
  const Columns shown =
      joined({"n_tokens"}, joined(differing_columns(cases, standing_rows(cases), shape), link));
  std::vector<Setting> found;
  for (const auto& [key, members] : group_cases(cases, rows, columns)) {
    Setting one{.name = named_values(cases, members.front(), shown), .rows = members};
    std::set<std::string> schemes;
    for (const std::size_t row : members)
      if (ran(cases, row)) {
        schemes.insert(cases.text(row, "algorithm"));
        if (cases.text(row, "ranks") != "model") ++one.measured;
      }
    one.schemes = schemes.size();
    one.n_tokens = cases.number(members.front(), "n_tokens");
    found.push_back(std::move(one));
  }
  std::stable_sort(found.begin(), found.end(), [](const Setting& a, const Setting& b) {
    if (a.schemes != b.schemes) return a.schemes > b.schemes;
    if (a.n_tokens != b.n_tokens) return a.n_tokens > b.n_tokens;
    return a.measured > b.measured;
  });
  return found;
}

std::vector<Kind> kinds_of(const CsvTable& cases, const std::vector<std::size_t>& rows) {
  const CaseGroups groups = group_cases(cases, rows, kKindColumns);
  const Columns shown =
      joined({"ranks", "model_device"}, differing_columns(cases, rows, {"threads"}));
  std::vector<Kind> kinds;
  int measured = 0;
  for (const auto& [key, members] : groups) {
    Kind kind{
        .name = named_values(cases, members.front(), shown), .style = {kGrey, 0}, .rows = members};
    if (key[0] == "serial") kind.name += ", composed";
    kind.thin = key[0] == "serial" || key[0] == "model";
    kind.style.dash = key[0] == "model" ? 2 : kind.thin ? 0 : measured++ % kDashes;
    kinds.push_back(std::move(kind));
  }
  if (kinds.size() == 1) kinds.front().thin = false;
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const Kind& a, const Kind& b) { return a.thin < b.thin; });
  return kinds;
}

using Value = std::function<Point(std::size_t row, double workers)>;

// A line per scheme over the rows that ran; of several rows of one worker count the last stands.
std::map<std::string, std::vector<Point>> lines(const CsvTable& cases,
                                                const std::vector<std::size_t>& rows,
                                                const Value& value) {
  std::map<std::string, std::map<double, Point>> by_workers;
  for (const std::size_t row : rows) {
    if (!ran(cases, row)) continue;
    const double workers = cases.number(row, "workers");
    const Point point = value(row, workers);
    if (std::isfinite(point.y)) by_workers[cases.text(row, "algorithm")][workers] = point;
  }
  std::map<std::string, std::vector<Point>> out;
  for (const auto& [scheme, points] : by_workers)
    for (const auto& [workers, point] : points) out[scheme].push_back(point);
  return out;
}

// What follows from the plan is the same wherever it ran. A scheme without a point is in the
// legend.
Panel plan_panel(const CsvTable& cases, const Setting& setting, Axis y, const Value& value) {
  Panel panel{.y = std::move(y)};
  std::set<std::string> present;
  for (const std::size_t row : setting.rows) present.insert(cases.text(row, "algorithm"));
  auto found = lines(cases, setting.rows, value);
  for (const std::string_view scheme : kSchemes)
    if (const std::string name(scheme); present.contains(name))
      panel.series.push_back(
          {.name = name, .style = algorithm_style(scheme), .points = std::move(found[name])});
  return panel;
}

Panel kind_panel(const CsvTable& cases, const std::vector<Kind>& kinds, Axis y,
                 const Value& value) {
  Panel panel{.y = std::move(y)};
  for (const Kind& kind : kinds) {
    auto found = lines(cases, kind.rows, value);
    for (const std::string_view scheme : kSchemes) {
      const auto line = found.find(std::string(scheme));
      if (line == found.end()) continue;
      Style style = algorithm_style(scheme);
      style.dash = kind.style.dash;
      panel.series.push_back({.name = fmt::format("{}, {}", scheme, kind.name),
                              .style = style,
                              .thin = kind.thin,
                              .in_legend = false,
                              .points = std::move(line->second)});
    }
  }
  return panel;
}

void add_crosses(Panel& panel, const CsvTable& cases, const Setting& setting) {
  for (const std::string_view scheme : kSchemes) {
    Series crosses{
        .name = std::string(scheme), .draw = Draw::out_of_memory, .style = algorithm_style(scheme)};
    std::set<double> workers;
    for (const std::size_t row : setting.rows)
      if (cases.text(row, "algorithm") == scheme && out_of_memory(cases, row))
        workers.insert(cases.number(row, "workers"));
    for (const double at : workers) crosses.points.push_back({.x = at});
    if (!crosses.points.empty()) panel.series.push_back(std::move(crosses));
  }
}

double peak_bytes(const CsvTable& cases, std::size_t row) {
  const double measured = cases.number(row, "worker_active_peak_bytes");
  return std::isfinite(measured) ? measured
                                 : cases.number(row, "predicted_worker_active_peak_bytes");
}

double largest(const Setting& setting, const std::function<double(std::size_t)>& value) {
  double found = 0.0;
  for (const std::size_t row : setting.rows)
    if (const double bytes = value(row); bytes > found) found = bytes;
  return found;
}

Axis ratio_axis(std::string label, std::string column) {
  return {.label = std::move(label), .column = std::move(column), .least_span = kLeastRatioSpan};
}

// The least that a ratio can be.
Series line_at_one() {
  return {.name = "1",
          .draw = Draw::limit,
          .style = {kGrey, 0},
          .in_legend = false,
          .points = {{.y = 1.0}}};
}

std::vector<Panel> plan_panels(const CsvTable& cases, const Setting& setting) {
  const auto over_mask = [&](std::size_t row, const char* pairs) {
    return cases.number(row, pairs) / cases.number(row, "unmasked_pairs");
  };
  const auto sent = [&](std::size_t row) { return cases.number(row, "worker_sent_bytes"); };
  const ByteUnit unit = byte_unit(largest(setting, sent));
  return {
      plan_panel(cases, setting, ratio_axis("slowest / ideal", "critical_path_ratio"),
                 [&](std::size_t row, double workers) {
                   return Point{.x = workers, .y = over_mask(row, "critical_path_pairs") * workers};
                 }),
      plan_panel(cases, setting, ratio_axis("executed / unmasked", "executed_ratio"),
                 [&](std::size_t row, double workers) {
                   return Point{.x = workers, .y = over_mask(row, "executed_pairs")};
                 }),
      plan_panel(
          cases, setting,
          {.label = fmt::format("sent ({})", unit.name), .column = "worker_sent_" + unit.suffix},
          [&](std::size_t row, double workers) {
            return Point{.x = workers, .y = sent(row) / unit.bytes};
          })};
}

std::vector<Panel> measured_panels(const CsvTable& cases, const Setting& setting,
                                   const std::vector<Kind>& kinds) {
  const auto peak = [&](std::size_t row) { return peak_bytes(cases, row); };
  const ByteUnit unit = byte_unit(largest(setting, peak));
  const auto exposed = [&](std::size_t row, double workers) {
    const double seconds = cases.number(row, "exposed_communication_median_s");
    return Point{.x = workers, .y = seconds * kMilliseconds};
  };
  std::vector<Panel> panels = {
      kind_panel(cases, kinds,
                 {.label = fmt::format("peak memory ({})", unit.name),
                  .column = "worker_active_peak_" + unit.suffix},
                 [&](std::size_t row, double workers) {
                   return Point{.x = workers, .y = peak(row) / unit.bytes};
                 }),
      kind_panel(cases, kinds, {.label = "exposed (ms)", .column = "exposed_communication_ms"},
                 exposed),
      kind_panel(cases, kinds, {.label = "wall clock (ms)", .column = "wall_time_ms"},
                 [&](std::size_t row, double workers) {
                   return time_point(cases, row, workers, kMilliseconds);
                 })};
  add_crosses(panels.back(), cases, setting);
  return panels;
}

std::vector<Panel> panels_of(const CsvTable& cases, const Setting& setting,
                             const std::vector<Kind>& kinds) {
  std::vector<Panel> panels = plan_panels(cases, setting);
  for (Panel& panel : measured_panels(cases, setting, kinds)) panels.push_back(std::move(panel));
  constexpr std::array titles = {"pairs of the slowest worker",    "pairs of all workers",
                                 "sent by the busiest worker",     "memory of the fullest worker",
                                 "exposed communication, longest", "wall clock"};
  for (std::size_t i = 0; i < panels.size(); ++i) panels[i].title = titles[i];
  for (Panel& panel : panels)
    if (panel.y.least_span > 0.0) panel.series.push_back(line_at_one());
  std::erase_if(panels, [](const Panel& panel) {
    return std::all_of(panel.series.begin(), panel.series.end(), [](const Series& series) {
      return series.points.empty() || series.draw == Draw::limit;
    });
  });
  return panels;
}

void finish_axes(std::vector<Panel>& panels) {
  const Axis x = workers_axis(all_x(panels));
  for (Panel& panel : panels) {
    const std::vector<double> y = all_y(panel);
    const bool zero = std::any_of(y.begin(), y.end(), [](double value) { return value <= 0.0; });
    panel.x = x;
    panel.y.log = !zero && spans_powers(y);
    panel.y.from_zero = !panel.y.log && !(panel.y.least_span > 0.0);
  }
}

void add_kinds_to_legend(Panel& panel, const std::vector<Kind>& kinds) {
  for (const Kind& kind : kinds) {
    panel.series.push_back(legend_key(kind.name, kind.style));
    panel.series.back().thin = kind.thin;
  }
}

std::string others_note(const std::vector<Setting>& all) {
  std::string note = fmt::format("Drawn: {}.", all.front().name);
  if (all.size() < 2) return note;
  note += " Not drawn: ";
  for (std::size_t i = 1; i < std::min(all.size(), kMostNamed + 1); ++i)
    note += fmt::format("{}{} ({} scheme{})", i == 1 ? "" : "; ", all[i].name, all[i].schemes,
                        all[i].schemes == 1 ? "" : "s");
  if (all.size() > kMostNamed + 1) note += fmt::format("; {} more", all.size() - kMostNamed - 1);
  return note + ".";
}

std::vector<std::string> notes_of(const CsvTable& cases, const std::vector<Setting>& all) {
  std::vector<std::string> notes = {
      others_note(all),
      "Slowest worker: query-key pairs of the slowest worker of each round, summed over rounds, "
      "over unmasked pairs / W; 1 is perfect balance and no pair in vain. cqs scatters from one "
      "root and gathers there; cqs_sharded begins and ends sharded, as the others do.",
      "Pairs and bytes follow from the plan. Memory is measured where a case measured it, else "
      "predicted."};
  for (std::string& note : timing_notes(cases, all.front().rows)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace

Figure scheme_comparison_figure(const CsvTable& cases, const FigureContext& context) {
  const std::vector<Setting> all = settings(cases);
  if (all.empty() || all.front().schemes < 2)
    return empty_figure("scheme_comparison", kTitle,
                        "no two schemes ran at one length, mask and link with W > 1");
  const Setting& setting = all.front();
  const std::vector<Kind> kinds = kinds_of(cases, setting.rows);
  Figure figure{.name = "scheme_comparison",
                .title = kTitle,
                .subtitle = fmt::format("{}{}{}", setting.name,
                                        context.subtitle.empty() ? "" : "; ", context.subtitle),
                .panels = panels_of(cases, setting, kinds),
                .columns = 2,
                .panel_height = 200};
  finish_axes(figure.panels);
  add_kinds_to_legend(figure.panels.front(), kinds);
  figure.notes = notes_of(cases, all);
  return figure;
}

}  // namespace qb
