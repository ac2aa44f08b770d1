// Time and peak memory of transformer layers against N, plain and in blocks.
#include <fmt/format.h>

#include "base/statistics.h"
#include "plots/figures/figures.h"

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

Groups layers_of(const CsvTable& cases) {
  const Rows rows =
      order(where(standing_rows(cases), "workload", {"transformer_layer"}), "n_tokens");
  const Columns others = splitting_columns(rows, {"n_tokens", "kv_len", "layer_block_tokens"});
  Groups layers = group(rows, joined({"layer_block_tokens"}, others));
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
Figure layer_time_figure(const PlottedRun& run) {
  const std::map<std::string, Rows> parts =
      run.parts ? rows_by_case(*run.parts) : std::map<std::string, Rows>{};
  const auto attention = [&](const Row& row) {
    std::vector<double> seconds;
    if (const auto found = parts.find(row.text("case_id")); found != parts.end())
      for (const Row& part : where(found->second, "part", {"attention"}))
        if (part.is("warmup", "0")) seconds.push_back(part.number("time_s"));
    return Point{.y = seconds.empty() ? kNaN : median(seconds) * kMilli};
  };
  const auto slowed = [](const Row& row) {
    return ran(row) && row.number("throttled_samples") > 0;
  };
  Groups lines;
  std::size_t ringed = 0;
  for (const Group& line : layers_of(run.cases)) {
    Group rings{.rows = where(line.rows, slowed),
                .name = "slowed down, " + line.name,
                .thin = true,
                .draw = Draw::points,
                .value = shows("wall_time_median_s", kMilli)};
    Group dashed = behind(line, "", 1, attention);
    dashed.name = "attention, " + line.name;
    dashed.in_legend = true;
    dashed.rows = where(line.rows, [&](const Row& row) {
      return is_plain(line) && std::isfinite(attention(row).y);
    });
    ringed += rings.rows.size();
    lines.insert(lines.end(), {line, rings, dashed});
  }
  Figure figure = line_figure(
      {.title = "Time of a transformer layer",
       .nothing = "the run has no case of workload transformer_layer with times in parts.csv",
       .lines = lines,
       .y = {{.y = {.label = "time (ms)", .column = "time_ms"},
              .value = [](const Row& row) { return timed(row, "wall_time", kMilli); },
              .fit = powers_or_zero}},
       .breaks = true,
       .crosses = kNaN,
       .notes = joined_notes(
           {case_notes(run.cases),
            {"Dashed: the attention kernel alone, of the plain layer.",
             ringed == 0 ? ""
                         : fmt::format("Ringed: the device was throttled in a repeat (column "
                                       "throttled_samples), {} cases.",
                                       ringed)}})});
  if (!figure.panels.empty()) figure.panels[0].y.from_zero = false;
  return figure;
}

// Draws a line per kind of layer.
Figure layer_memory_figure(const PlottedRun& run) {
  const Groups layers = layers_of(run.cases);
  Rows rows;
  for (const Group& layer : layers)
    std::ranges::copy_if(layer.rows, std::back_inserter(rows),
                         [](const Row& row) { return std::isfinite(peak_bytes(row)); });
  const std::size_t as_predicted = count(rows, [](const Row& row) {
    return peak_bytes(row) == row.number("predicted_active_peak_bytes");
  });
  const Unit unit = byte_unit(largest(rows, peak_bytes));
  std::vector<std::string> notes = {fmt::format(
      "Weights, hidden states, output and every buffer alive at the worst moment, as the memory "
      "ledger counts them; {} of {} peaks are the predicted ones to the byte.",
      as_predicted, rows.size())};
  for (const Group& whole : layers)
    for (const Group& blocks : layers)
      if (is_plain(whole) && !is_plain(blocks)) notes.push_back(saving(whole, blocks));
  return line_figure(
      {.title = "Peak active memory of a transformer layer",
       .nothing = "no case of workload transformer_layer has a peak",
       .lines = layers,
       .y = {{.y = axis_in(unit, "peak active memory", "active_memory_peak"),
              .value = [&](const Row& row) { return Point{.y = peak_bytes(row) * unit.factor}; },
              .fit = powers_or_zero}},
       .crosses = kNaN,
       .notes = notes});
}

}  // namespace qb
