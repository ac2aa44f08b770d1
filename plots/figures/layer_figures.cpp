// Time and peak memory of transformer layers against N, plain and in blocks.
#include <fmt/format.h>

#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/frame/lines.h"

namespace qb {
namespace {

// Shortens a pattern that is written with its arguments to its name, `sliding_window`.
std::string with_short_mask(std::string name, const std::string& mask) {
  const std::size_t at = name.find(mask);
  const std::size_t colon = mask.find(':');
  if (at == std::string::npos || !mask.starts_with('{') || colon == std::string::npos) return name;
  return name.replace(at, mask.size(), mask.substr(1, colon - 1));
}

double peak_bytes(const Row& row) {
  return ran(row) ? row.number("active_memory_peak_bytes") : kNaN;
}

// Compares memory at the longest sequence that both ran; empty if there is none.
std::string saving(const Group& whole, const Group& blocks) {
  const std::map<double, Row> of_whole = by_number(whole.rows, "n_tokens");
  for (auto row = blocks.rows.rbegin(); row != blocks.rows.rend(); ++row) {
    const auto found = of_whole.find(row->number("n_tokens"));
    if (found == of_whole.end()) continue;
    const double ratio = peak_bytes(found->second) / peak_bytes(*row);
    if (std::isfinite(ratio))
      return fmt::format("At N = {} {} takes {:.2f} × the memory of {}.", grouped(found->first),
                         whole.name, ratio, blocks.name);
  }
  return {};
}

}  // namespace

bool is_plain(const Group& layer) { return layer.rows.front().is("layer_block_tokens", ""); }

std::vector<Group> layers_of(const CsvTable& cases) {
  const Rows rows =
      order(where(standing_rows(cases), "workload", {"transformer_layer"}), "n_tokens");
  const Columns others = splitting_columns(rows, {"n_tokens", "kv_len", "layer_block_tokens"});
  std::vector<Group> layers = group(rows, joined({"layer_block_tokens"}, others));
  std::stable_partition(layers.begin(), layers.end(), is_plain);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Row& row = layers[i].rows.front();
    const std::string block = is_plain(layers[i])
                                  ? "plain"
                                  : named_value("layer_block_tokens", layers[i].key[0]) + " tokens";
    layers[i].name = with_short_mask(name_with(block, row, others), row.text("mask"));
    layers[i].style = indexed_style(static_cast<int>(i));
  }
  return layers;
}

// Draws a line per kind of layer, and a dashed one for the attention of the plain ones. Hollow
// marks surround the rows of which repeats were slowed down.
Figure layer_time_figure(const PlottedRun& run, const FigureContext& context) {
  const std::map<std::string, Rows> parts =
      run.parts ? rows_by_case(*run.parts) : std::map<std::string, Rows>{};
  const auto whole = [](const Row& row) {
    return timed(row, "wall_time", kMilli, row.number("n_tokens"));
  };
  const auto attention = [&](const Row& row) {
    std::vector<double> seconds;
    if (const auto found = parts.find(row.text("case_id")); found != parts.end())
      for (const Row& part : where(found->second, "part", {"attention"}))
        if (part.is("warmup", "0")) seconds.push_back(part.number("time_s"));
    return Point{.x = row.number("n_tokens"),
                 .y = seconds.empty() ? kNaN : median(seconds) * kMilli};
  };
  const auto slowed = [](const Row& row) {
    return ran(row) && row.number("throttled_samples") > 0;
  };
  LineFigure declared{
      .title = "Time of a transformer layer",
      .nothing = "the run has no case of workload transformer_layer with times in parts.csv",
      .lines = layers_of(run.cases),
      .y = {{.y = {.label = "time (ms)", .column = "time_ms"}, .value = whole}},
      .y_by_range = true,
      .breaks = true,
      .crosses = kNaN};
  std::size_t ringed = 0;
  declared.beside = [&](const Group& line) {
    Series rings{.name = "slowed down, " + line.name, .draw = Draw::points, .thin = true};
    for (const Row& row : where(line.rows, slowed))
      rings.points.push_back({.x = row.number("n_tokens"), .y = whole(row).y});
    ringed += rings.points.size();
    Series dashed = line_series(line, attention);
    dashed.name = "attention, " + line.name;
    dashed.thin = true;
    dashed.style.dash = 1;
    if (!is_plain(line)) dashed.points.clear();
    return std::vector<Series>{rings, dashed};
  };
  Figure figure = line_figure(declared, context);
  if (!figure.empty_reason.empty()) return figure;
  figure.panels[0].y.from_zero = false;
  figure.notes = case_notes(run.cases);
  figure.notes.emplace_back("Dashed: the attention kernel alone, of the plain layer.");
  if (ringed > 0)
    figure.notes.push_back(fmt::format(
        "Ringed: the device was throttled in a repeat (column throttled_samples), {} cases.",
        ringed));
  return figure;
}

// Draws a line per kind of layer.
Figure layer_memory_figure(const PlottedRun& run, const FigureContext& context) {
  const std::vector<Group> layers = layers_of(run.cases);
  double largest = 0.0;
  Rows rows;
  for (const Group& layer : layers)
    for (const Row& row : layer.rows)
      if (const double bytes = peak_bytes(row); std::isfinite(bytes)) {
        largest = std::max(largest, bytes);
        rows.push_back(row);
      }
  const std::size_t as_predicted = count(rows, [](const Row& row) {
    return peak_bytes(row) == row.number("predicted_active_peak_bytes");
  });
  const Unit unit = byte_unit(largest);
  LineFigure declared{
      .title = "Peak active memory of a transformer layer",
      .nothing = "no case of workload transformer_layer has a peak",
      .lines = layers,
      .y = {{.y = axis_in(unit, "peak active memory", "active_memory_peak"),
             .value = [&](const Row& row) { return Point{.y = peak_bytes(row) * unit.factor}; }}},
      .y_by_range = true,
      .crosses = kNaN,
      .notes = {fmt::format(
          "Weights, hidden states, output and every buffer alive at the worst moment, as the "
          "memory ledger counts them; {} of {} peaks are the predicted ones to the byte.",
          as_predicted, rows.size())}};
  for (const Group& whole : layers)
    for (const Group& blocks : layers)
      if (is_plain(whole) && !is_plain(blocks))
        if (std::string note = saving(whole, blocks); !note.empty())
          declared.notes.push_back(std::move(note));
  return line_figure(declared, context);
}

}  // namespace qb
