// SPDX-License-Identifier: Apache-2.0
// The shares of the parts of transformer layers, plain and in blocks, against N.
#include "base/numbers.h"
#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/frame/bars.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Shortens a pattern that is written with its arguments to its name, `sliding_window`.
std::string with_short_mask(std::string name, const std::string& mask) {
  const std::size_t at = name.find(mask);
  const std::size_t colon = mask.find(':');
  if (at == std::string::npos || !mask.starts_with('{') || colon == std::string::npos) return name;
  return name.replace(at, mask.size(), mask.substr(1, colon - 1));
}

// Says whether a layer is not in blocks.
bool is_plain(const Group& layer) { return layer.rows.front().is("layer_block_tokens", ""); }

Rows layer_rows(const CsvTable& cases) {
  return order(where(standing_rows(cases), "workload", {"transformer_layer"}), "n_tokens");
}

// Groups layers that differ in n_tokens alone, named by what tells them from the others: `plain`,
// `blocks of 1024 tokens`, `plain, causal mask`. The plain ones come first.
Groups layers_of(const CsvTable& cases) {
  const Rows rows = layer_rows(cases);
  const Columns others = splitting_columns(rows, {"n_tokens", "kv_len", "layer_block_tokens"});
  Groups layers = group(rows, joined({"layer_block_tokens"}, others));
  std::stable_partition(layers.begin(), layers.end(), is_plain);
  for (Group& layer : layers) {
    const Row& row = layer.rows.front();
    const std::string block =
        is_plain(layer) ? "plain" : named_value("layer_block_tokens", layer.key[0]) + " tokens";
    layer.name = with_short_mask(name_with(block, row, others), row.text("mask"));
  }
  return layers;
}

constexpr std::size_t kMostLabels = 7;

using Parts = std::vector<BarFigure::Part>;

struct KnownPart {
  std::string_view column;
  const char* label;
  std::uint32_t colour;
};
constexpr std::uint32_t kAttentionColour = 0xD55E00;
// Each part has a hue of its own, on which black numbers can be read; both norms are grey.
constexpr KnownPart kParts[] = {
    {"qkv", "QKV projection", 0x56B4E9},
    {"attention", "attention", kAttentionColour},
    {"attention_output", "output projection", 0xE69F00},
    {"attention_norm", "attention norm", 0x8A8A8A},
    {"feed_forward_in", "feed-forward in", 0x009E73},
    {"gelu", "GELU", 0xF0E442},
    {"feed_forward_out", "feed-forward out", 0xCC79A7},
    {"output_norm", "output norm", 0xC4C4C4},
};

// Gives the parts of each case in the order in which they run: medians over the repeats without
// warm-ups, in seconds.
std::map<std::string, Parts> layer_parts(const std::optional<CsvTable>& table) {
  std::map<std::string, Parts> all;
  for (const auto& [id, rows] : table ? rows_by_case(*table) : std::map<std::string, Rows>{}) {
    std::map<std::string, std::vector<double>> times;
    for (const Row& row : where(rows, "warmup", {"0"})) {
      std::vector<double>& seconds = times[row.text("part")];
      if (seconds.empty()) all[id].push_back({row.text("part")});
      seconds.push_back(row.number("time_s"));
    }
    for (BarFigure::Part& one : all[id]) {
      one.value = median(times[one.name]);
      const auto* const known = std::ranges::find(kParts, one.name, &KnownPart::column);
      if (known == std::end(kParts)) continue;
      one.name = known->label;
      one.colour = known->colour;
    }
  }
  return all;
}

double attention_of(const Parts& parts) {
  const auto found = std::ranges::find(parts, "attention", &BarFigure::Part::name);
  return found == parts.end() ? kNaN : found->value;
}

// Nine lengths fit side by side if each is as short as `16Ki`.
std::string short_length(double n) {
  return std::fmod(n, 1024.0) == 0.0 ? fmt::format("{:.0f}Ki", n / 1024.0)
                                     : fmt::format("{:.0f}", n);
}

BarFigure::BarPanel shares_of(const Group& layer, std::map<std::string, Parts>& parts) {
  BarFigure::BarPanel panel{.title = layer.name};
  for (const Row& row : layer.rows) {
    BarFigure::Bar bar{
        .x = row.number("n_tokens"), .parts = parts[row.text("case_id")], .whole = 1.0};
    double sum = 0.0;
    for (const BarFigure::Part& part : bar.parts) sum += part.value;
    for (BarFigure::Part& part : bar.parts) part.value /= sum;
    if (!bar.parts.empty()) panel.bars.push_back(std::move(bar));
  }
  return panel;
}

// Finds the N at which attention takes half of the layer, log-interpolated between the two bars
// around it.
std::optional<double> half_share_tokens(const BarFigure::BarPanel& panel) {
  std::vector<double> tokens;
  std::vector<double> shares;
  for (const BarFigure::Bar& bar : panel.bars)
    if (const double share = attention_of(bar.parts); std::isfinite(share)) {
      tokens.push_back(bar.x);
      shares.push_back(share);
    }
  const std::vector<double> found = crossings(tokens, shares, 0.5);
  if (found.empty() || shares.front() >= 0.5) return std::nullopt;
  return found.front();
}

// The first published part is our QKV projection and attention together, so that it has a hue of
// its own; the others have those of our nearest parts. The legend shows those of the first bar.
BarFigure::BarPanel published_shares() {
  constexpr KnownPart kColumns[] = {{"self_attention_s", "published self-attention", 0x8C510A},
                                    {"self_add_norm_s", "published self-output", 0xE69F00},
                                    {"feed_forward_s", "published intermediate", 0x009E73},
                                    {"output_add_norm_s", "published output", 0xCC79A7}};
  BarFigure::BarPanel panel{.title = "published: 15-618 project, a BERT model"};
  for (const Row& row : all_rows(published_table("sparse_attention_15618_table_4_bert_layers"))) {
    BarFigure::Bar bar{.x = row.number_at("sequence_length_tokens"), .published = true};
    for (const KnownPart& column : kColumns)
      bar.parts.push_back({column.label, column.colour, row.number_at(column.column)});
    panel.bars.push_back(std::move(bar));
  }
  return panel;
}

}  // namespace

// Draws a stacked bar per N and a panel per kind of layer, from parts.csv, which has a row per
// repeat and part of a layer; beside forward passes the published split of the 15-618 project.
Figure layer_shares_figure(const PlottedRun& run) {
  std::map<std::string, Parts> parts = layer_parts(run.parts);
  BarFigure declared{
      .title = "Share of each part of a transformer layer",
      .nothing = "the run has no case of workload transformer_layer with times in parts.csv",
      .x = {.label = "sequence length N (tokens)", .column = "n_tokens_index"},
      .y = percent_axis("share of the layer's time (%)"),
      .tic = short_length,
      .least_texted = 0.05,
      .notes = {"Medians of the parts as shares of their sum."}};
  std::vector<std::string> halves;
  for (const Group& layer : layers_of(run.cases)) {
    BarFigure::BarPanel panel = shares_of(layer, parts);
    // One more panel is published.
    if (panel.bars.empty() || declared.panels.size() == kMostPanels - 1) continue;
    if (const auto half = half_share_tokens(panel))
      halves.push_back(fmt::format("N = {} ({})", grouped(*half), layer.name));
    declared.panels.push_back(std::move(panel));
  }
  if (std::ranges::any_of(layer_rows(run.cases), is_forward)) {
    declared.panels.push_back(published_shares());
    declared.notes.emplace_back(
        "Published: CMU 15-618 project, unknown hardware; its self-attention is our QKV projection "
        "and attention, its intermediate our feed-forward in and GELU: only the trend compares.");
  }
  if (!halves.empty())
    declared.title = "Attention takes half of the layer from " + listed(halves) + " on";
  Figure figure = bar_figure(declared);
  // Labels of more bars than this would overlap, so every second one is kept, and the last.
  for (Panel& panel : figure.panels)
    for (std::size_t all = panel.x.tics.size(), i = 0; all > kMostLabels && i < all; ++i)
      if ((all - 1 - i) % 2 == 1) panel.x.tics[i].label.clear();
  return figure;
}

}  // namespace qb
