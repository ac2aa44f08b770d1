// The schemes side by side at one length, mask and link: balance, work, bytes sent, peak memory,
// exposed communication and wall clock against the worker count.
//
// It draws the cases of one setting: the one with the most schemes, then the most tokens, then the
// most measured cases; the notes name the others.
#include <fmt/format.h>

#include <array>

#include "plots/figures/figures.h"
#include "plots/frame/lines.h"

namespace qb {
namespace {

constexpr std::array<const char*, 7> kSchemes = {"cqs",    "cqs_sharded", "ring",         "striped",
                                                 "zigzag", "ulysses",     "all_gather_kv"};
constexpr std::size_t kMostNamed = 6;
constexpr double kLeastRatioSpan = 0.2;

// The rows of one setting.
struct Setting {
  std::string name{};
  Rows rows{};
  std::size_t schemes = 0;   // schemes that ran
  std::size_t measured = 0;  // cases that ran and are not modelled
};

std::vector<Setting> settings(const CsvTable& cases) {
  const Rows rows = where(standing_rows(cases), [](const Row& row) {
    return std::ranges::find(kSchemes, row.text("algorithm")) != kSchemes.end() &&
           row.number("workers") >= 2;
  });
  const Columns shape = without(shape_columns(), "threads");
  const Columns link = {"link_bandwidth_byte_per_s", "link_latency_s"};
  // The subtitle already says what all cases share.
  const Columns shown =
      joined({"n_tokens"}, joined(differing_columns(standing_rows(cases), shape), link));
  std::vector<Setting> found;
  for (const Group& one : group(rows, joined({"n_tokens", "kv_len"}, joined(shape, link)))) {
    const Rows timed = where(one.rows, ran);
    found.push_back({.name = named_values(one.rows.front(), shown),
                     .rows = one.rows,
                     .schemes = group(timed, Columns{"algorithm"}).size(),
                     .measured = timed.size() - count(timed, modelled)});
  }
  std::stable_sort(found.begin(), found.end(), [](const Setting& a, const Setting& b) {
    const auto rank = [](const Setting& one) {
      return std::tuple(one.schemes, one.rows.front().number("n_tokens"), one.measured);
    };
    return rank(a) > rank(b);
  });
  return found;
}

// Groups rows by how they were timed, and sets the look of their lines: thin beside measured ones.
std::vector<Group> kinds_of(const Rows& rows) {
  const Columns shown = joined({"ranks", "model_device"}, differing_columns(rows, {"threads"}));
  std::vector<Group> kinds = group(rows, Columns{"ranks", "model_device", "threads"});
  int measured = 0;
  for (Group& kind : kinds) {
    const std::string& ranks = kind.key[0];
    kind.name = named_values(kind.rows.front(), shown) + (ranks == "serial" ? ", composed" : "");
    kind.thin = ranks == "serial" || ranks == "model";
    kind.style = {kGrey, 0, ranks == "model" ? 2 : kind.thin ? 0 : measured++ % kDashes};
  }
  if (kinds.size() == 1) kinds.front().thin = false;
  std::stable_partition(kinds.begin(), kinds.end(), [](const Group& kind) { return !kind.thin; });
  return kinds;
}

// Makes a line of a scheme over the rows that ran; of several rows of one worker count it keeps the
// last.
std::vector<Point> line_of(const Rows& rows, const char* scheme, const Value& value) {
  std::map<double, Point> points;
  for (const Row& row : where(where(rows, "algorithm", {scheme}), ran)) {
    Point point = value(row);
    point.x = row.number("workers");
    if (std::isfinite(point.y)) points[point.x] = point;
  }
  std::vector<Point> out;
  for (const auto& [workers, point] : points) out.push_back(point);
  return out;
}

// Values that follow from the plan are the same wherever it ran. A scheme without a point is in the
// legend.
Panel plan_panel(const Setting& setting, const Quantity& quantity) {
  Panel panel{.title = quantity.title, .y = quantity.y};
  for (const char* scheme : kSchemes)
    if (!where(setting.rows, "algorithm", {scheme}).empty())
      panel.series.push_back({.name = scheme,
                              .style = algorithm_style(scheme),
                              .points = line_of(setting.rows, scheme, quantity.value)});
  return panel;
}

Panel kind_panel(const std::vector<Group>& kinds, const Quantity& quantity) {
  Panel panel{.title = quantity.title, .y = quantity.y};
  for (const Group& kind : kinds)
    for (const char* scheme : kSchemes) {
      Style style = algorithm_style(scheme);
      style.dash = kind.style.dash;
      add(panel, {.name = fmt::format("{}, {}", scheme, kind.name),
                  .style = style,
                  .thin = kind.thin,
                  .in_legend = false,
                  .points = line_of(kind.rows, scheme, quantity.value)});
    }
  return panel;
}

void add_crosses(Panel& panel, const Setting& setting) {
  for (const char* scheme : kSchemes) {
    Series crosses{.name = scheme, .draw = Draw::out_of_memory, .style = algorithm_style(scheme)};
    const Rows lost = where(where(setting.rows, "algorithm", {scheme}), out_of_memory);
    for (const auto& [workers, row] : by_number(lost, "workers"))
      crosses.points.push_back({.x = workers});
    add(panel, crosses);
  }
}

double pairs_over_mask(const Row& row, const char* pairs) {
  return row.number(pairs) / row.number("unmasked_pairs");
}

double sent_bytes(const Row& row) { return row.number("worker_sent_bytes"); }

double peak_bytes(const Row& row) {
  const double measured = row.number("worker_active_peak_bytes");
  return std::isfinite(measured) ? measured : row.number("predicted_worker_active_peak_bytes");
}

// Shows bytes of a row in the unit of the largest of a setting.
Quantity bytes(const char* title, const char* label, const char* column, const Rows& rows,
               double (*value)(const Row&)) {
  double largest = 0.0;
  for (const Row& row : rows) largest = std::fmax(largest, value(row));
  const Unit unit = byte_unit(largest);
  return {title, axis_in(unit, label, column),
          [=](const Row& row) { return Point{.y = value(row) * unit.factor}; }};
}

std::vector<Panel> panels_of(const Setting& setting, const std::vector<Group>& kinds) {
  const auto ratio_axis = [](const char* label, const char* column) {
    return Axis{.label = label, .column = column, .least_span = kLeastRatioSpan};
  };
  std::vector<Panel> panels = {
      plan_panel(setting, {"pairs of the slowest worker",
                           ratio_axis("slowest / ideal", "critical_path_ratio"),
                           [](const Row& row) {
                             return Point{.y = pairs_over_mask(row, "critical_path_pairs") *
                                               row.number("workers")};
                           }}),
      plan_panel(
          setting,
          {"pairs of all workers", ratio_axis("executed / unmasked", "executed_ratio"),
           [](const Row& row) { return Point{.y = pairs_over_mask(row, "executed_pairs")}; }}),
      plan_panel(setting, bytes("sent by the busiest worker", "sent", "worker_sent", setting.rows,
                                sent_bytes)),
      kind_panel(kinds, bytes("memory of the fullest worker", "peak memory", "worker_active_peak",
                              setting.rows, peak_bytes)),
      kind_panel(kinds, {"exposed communication, longest",
                         {.label = "exposed (ms)", .column = "exposed_communication_ms"},
                         [](const Row& row) {
                           return Point{.y = row.number("exposed_communication_median_s") * kMilli};
                         }}),
      kind_panel(kinds, {"wall clock",
                         {.label = "wall clock (ms)", .column = "wall_time_ms"},
                         [](const Row& row) { return timed(row, clock_of(row), kMilli); }})};
  add_crosses(panels.back(), setting);
  std::erase_if(panels, [](const Panel& panel) { return all_x(panel).empty(); });
  const Axis x = workers_axis(all_x(panels));
  for (Panel& panel : panels) {
    const bool ratio = panel.y.least_span > 0.0;
    if (ratio) add(panel, limit_line("1", 1.0, false));  // the least possible ratio
    const std::vector<double> y = all_y(panel);
    const bool zero = std::any_of(y.begin(), y.end(), [](double value) { return value <= 0.0; });
    panel.x = x;
    panel.y.log = !zero && spans_powers(y);
    panel.y.from_zero = !panel.y.log && !ratio;
  }
  return panels;
}

std::string others_note(const std::vector<Setting>& all) {
  std::vector<std::string> others;
  for (std::size_t i = 1; i < std::min(all.size(), kMostNamed + 1); ++i)
    others.push_back(fmt::format("{} ({} scheme{})", all[i].name, all[i].schemes,
                                 all[i].schemes == 1 ? "" : "s"));
  if (all.size() > kMostNamed + 1)
    others.push_back(fmt::format("{} more", all.size() - kMostNamed - 1));
  return fmt::format("Drawn: {}.", all.front().name) +
         (others.empty() ? "" : fmt::format(" Not drawn: {}.", listed(others, "; ")));
}

}  // namespace

Figure scheme_comparison_figure(const PlottedRun& run, const FigureContext& context) {
  constexpr const char* kTitle = "Schemes of splitting exact attention at one length";
  const std::vector<Setting> all = settings(run.cases);
  if (all.empty() || all.front().schemes < 2)
    return empty_figure(kTitle, "no two schemes ran at one length, mask and link with W > 1");
  const Setting& setting = all.front();
  const std::vector<Group> kinds = kinds_of(setting.rows);
  Figure figure{.title = kTitle,
                .subtitle = listed({setting.name, context.subtitle}, "; "),
                .panels = panels_of(setting, kinds),
                .columns = 2,
                .panel_height = 200};
  for (const Group& kind : kinds)
    figure.panels.front().series.push_back(
        legend_key(kind.name, kind.style, Draw::line_points, kind.thin));
  figure.notes = joined_notes(
      {{others_note(all),
        "Slowest worker: query-key pairs of the slowest worker of each round, summed over rounds, "
        "over unmasked pairs / W; 1 is perfect balance and no pair in vain. cqs scatters from one "
        "root and gathers there; cqs_sharded begins and ends sharded, as the others do.",
        "Pairs and bytes follow from the plan. Memory is measured where a case measured it, else "
        "predicted."},
       timing_notes(setting.rows)});
  return figure;
}

}  // namespace qb
