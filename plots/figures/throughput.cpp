#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "plots/frame/scale.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Throughput against sequence length";
constexpr double kGiga = 1e9;

// Cases that differ in n_tokens, head_dim and mask alone: one line in every panel.
struct LineKey {
  std::size_t run = 0;  // index of its first row, so that the figure's own run comes first
  std::string kernel{};
  std::string dtype{};
  std::vector<std::string> others{};  // as they are named
  auto operator<=>(const LineKey&) const = default;
};

struct PanelKey {
  std::int64_t head_dim = 0;
  std::string mask{};
  auto operator<=>(const PanelKey&) const = default;
};

using Lines = std::map<LineKey, std::map<PanelKey, std::vector<std::size_t>>>;

Lines read_lines(const CsvTable& cases, const std::vector<std::size_t>& rows) {
  const std::vector<std::string> columns =
      splitting_columns(cases, rows, {"head_dim", "mask", "kernel", "dtype", "run", "kv_len"});
  std::map<std::string, std::size_t> runs;
  Lines lines;
  for (const std::size_t row : rows) {
    LineKey key{.run = runs.emplace(cases.text(row, "run"), row).first->second,
                .kernel = cases.text(row, "kernel"),
                .dtype = cases.text(row, "dtype")};
    for (const std::string& column : columns)
      key.others.push_back(named_value(column, cases.text(row, column)));
    if (const std::string& keys = cases.text(row, "kv_len"); keys != cases.text(row, "n_tokens"))
      key.others.push_back(fmt::format("{} keys", keys));
    const auto head_dim = static_cast<std::int64_t>(cases.number(row, "head_dim"));
    lines[std::move(key)][{head_dim, cases.text(row, "mask")}].push_back(row);
  }
  return lines;
}

std::string name_without_run(const LineKey& key) {
  std::string name = key.kernel + ' ' + key.dtype;
  for (const std::string& other : key.others)
    if (!other.empty()) name += ", " + other;
  return name;
}

// The run is named only where two of them have a line of the same name.
std::map<LineKey, std::string> line_names(const CsvTable& cases, const Lines& lines) {
  std::map<std::string, int> count;
  for (const auto& [key, panels] : lines) ++count[name_without_run(key)];
  std::map<LineKey, std::string> names;
  for (const auto& [key, panels] : lines) {
    std::string name = name_without_run(key);
    if (count[name] > 1) name += ", " + cases.text(key.run, "run");
    names.emplace(key, std::move(name));
  }
  return names;
}

// The colour tells what computed, the mark and the dash the element type. A kernel's own colour
// goes to the first line that has it; the same kernel in another run, or for another worker count,
// takes a spare one.
std::map<LineKey, Style> line_styles(const Lines& lines) {
  std::map<LineKey, std::uint32_t> colours;  // of keys without dtype
  std::set<std::uint32_t> taken;
  int spare = 0;
  std::map<LineKey, Style> styles;
  for (const auto& [key, panels] : lines) {
    LineKey computing = key;
    computing.dtype.clear();
    if (!colours.contains(computing)) {
      std::uint32_t colour = kernel_style(key.kernel).colour;
      while (taken.contains(colour) && spare < kSpareColours) colour = spare_colour(spare++);
      taken.insert(colour);
      colours.emplace(computing, colour);
    }
    const Style dtype = dtype_style(key.dtype);
    styles.emplace(key, Style{colours.at(computing), dtype.mark, dtype.dash});
  }
  return styles;
}

// The wider bound of the time is the lower one of the rate.
Point rate_point(const CsvTable& cases, std::size_t row) {
  Point point{.x = cases.number(row, "n_tokens")};
  if (!ran(cases, row)) return point;
  const double flop =
      cases.number(row, "achieved_flop_per_s") * cases.number(row, "wall_time_median_s") / kGiga;
  point.y = cases.number(row, "achieved_flop_per_s") / kGiga;
  point.low = flop / cases.number(row, "wall_time_high95_s");
  point.high = flop / cases.number(row, "wall_time_low95_s");
  return point;
}

Series rate_series(const CsvTable& cases, const std::vector<std::size_t>& rows, std::string name,
                   const Style& style) {
  Series series{.name = std::move(name), .style = style};
  for (const std::size_t row : rows)
    if (!out_of_memory(cases, row)) series.points.push_back(rate_point(cases, row));
  std::stable_sort(series.points.begin(), series.points.end(),
                   [](const Point& a, const Point& b) { return a.x < b.x; });
  return series;
}

std::vector<Panel> rate_panels(const CsvTable& cases, const Lines& lines) {
  const std::map<LineKey, std::string> names = line_names(cases, lines);
  const std::map<LineKey, Style> styles = line_styles(lines);
  std::map<PanelKey, Panel> panels;
  for (const auto& [key, rows_of] : lines)
    for (const auto& [where, rows] : rows_of) {
      Panel& panel = panels[where];
      panel.title = panel_title(where.head_dim, where.mask);
      Series series = rate_series(cases, rows, names.at(key), styles.at(key));
      // A line without a point would only be a word in the legend; the notes count its cases.
      if (std::any_of(series.points.begin(), series.points.end(),
                      [](const Point& point) { return point.y > 0.0; }))
        panel.series.push_back(std::move(series));
    }
  std::vector<Panel> out;
  for (auto& [where, panel] : panels) out.push_back(std::move(panel));
  return out;
}

}  // namespace

CsvTable join_runs(std::span<const NamedCases> runs) {
  std::vector<std::string> header = runs.front().cases->header();
  header.emplace_back("run");
  CsvTable joined(header);
  for (const NamedCases& from : runs)
    for (std::size_t row = 0; row < from.cases->size(); ++row) {
      std::vector<std::string> fields;
      for (const std::string& column : runs.front().cases->header())
        fields.push_back(column == "case_id"
                             ? fmt::format("{} {}", from.run, from.cases->text(row, column))
                             : from.cases->text(row, column));
      fields.push_back(from.run);
      joined.append(std::move(fields));
    }
  return joined;
}

Figure throughput_figure(const CsvTable& cases, const FigureContext& context) {
  const std::vector<std::size_t> rows = standing_rows(cases);
  Figure figure{.name = "throughput",
                .title = kTitle,
                .subtitle = context.subtitle,
                .panels = rate_panels(cases, read_lines(cases, rows)),
                .shared_axes = true};
  const std::vector<double> y = all_y(figure.panels);
  if (std::none_of(y.begin(), y.end(), [](double value) { return value > 0.0; }))
    return empty_figure(figure.name, kTitle, "no case has a rate");
  const Axis x = tokens_axis(all_x(figure.panels));
  for (Panel& panel : figure.panels) {
    panel.x = x;
    panel.y = {.label = "achieved GFLOP/s", .column = "achieved_gflop_per_s"};
    panel.y.log = spans_powers(y);
    panel.y.from_zero = !panel.y.log;
  }
  arrange_panels(figure);
  figure.notes = case_notes(cases);
  figure.notes.emplace_back(
      "FLOP: 4 × unmasked query-key pairs × heads × d, over the wall clock of the whole call; what "
      "a kernel computes beyond the mask counts for nothing.");
  if (const auto lost = std::count_if(rows.begin(), rows.end(),
                                      [&](std::size_t row) { return out_of_memory(cases, row); });
      lost > 0)
    figure.notes.push_back(
        fmt::format("Out of memory, so without a point: {} of {} cases.", lost, rows.size()));
  return figure;
}

}  // namespace qb
