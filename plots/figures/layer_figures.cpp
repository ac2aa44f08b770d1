// SPDX-License-Identifier: Apache-2.0
// The shares of the parts of transformer layers, plain and in blocks, against N.
#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/frame/claims.h"
#include "plots/frame/patterns.h"
#include "plots/frame/table.h"
#include "plots/published/published.h"

namespace qb {
namespace {

bool is_plain(const Group& layer) { return layer.rows.front().is("layer_block_tokens", ""); }

Rows layer_rows(const CsvTable& cases) {
  return order(where(standing_rows(cases), "workload", {"transformer_layer"}),
               number_in("n_tokens"));
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
    layer.name = name_with(block, row, others);
    // A pattern that is written with its arguments is shortened to its name.
    const std::string& mask = row.text("mask");
    if (mask.starts_with('{')) layer.name = replaced(layer.name, {{mask, pattern_kind(mask)}});
  }
  return layers;
}

constexpr std::size_t kMostLabels = 7;
constexpr double kHalfLayerBar = 0.44;  // share of the distance between two bars
constexpr double kLeastNumber = 5.0;    // percents that have room for their number

struct Part {
  std::string name{};
  std::uint32_t colour = kBlack;
  double share = kNaN;  // of the layer, in percent
};
using Parts = std::vector<Part>;
using Layers = std::map<double, Parts>;  // by N, and from below

struct KnownPart {
  std::string_view column;
  const char* label;
  std::uint32_t colour;
};
// Each part has a hue of its own, on which black numbers can be read; both norms are grey.
constexpr KnownPart kLayerParts[] = {
    {"qkv", "QKV projection", 0x56B4E9},
    {"attention", "attention", 0xD55E00},
    {"attention_output", "output projection", 0xE69F00},
    {"attention_norm", "attention norm", 0x8A8A8A},
    {"feed_forward_in", "feed-forward in", 0x009E73},
    {"gelu", "GELU", 0xF0E442},
    {"feed_forward_out", "feed-forward out", 0xCC79A7},
    {"output_norm", "output norm", 0xC4C4C4},
};

// Gives the parts of each case in the order in which they run: medians over the repeats without
// warm-ups, as shares of their sum.
std::map<std::string, Parts> layer_parts(const std::optional<CsvTable>& table) {
  std::map<std::string, Parts> all;
  for (const auto& [id, rows] : table ? rows_by_case(*table) : std::map<std::string, Rows>{}) {
    std::map<std::string, std::vector<double>> times;
    for (const Row& row : where(rows, "warmup", {"0"})) {
      std::vector<double>& seconds = times[row.text("part")];
      if (seconds.empty()) all[id].push_back({row.text("part")});
      seconds.push_back(row.number("time_s"));
    }
    double sum = 0.0;
    for (const Part& one : all[id]) sum += median(times[one.name]);
    for (Part& one : all[id]) {
      one.share = kPercent * (median(times[one.name]) / sum);
      const auto* const known = std::ranges::find(kLayerParts, one.name, &KnownPart::column);
      if (known != std::end(kLayerParts)) one = {known->label, known->colour, one.share};
    }
  }
  return all;
}

// Nine lengths fit side by side if each is as short as `16Ki`.
std::string short_length(double n) {
  return std::fmod(n, 1024.0) == 0.0 ? fmt::format("{:.0f}Ki", n / 1024.0)
                                     : fmt::format("{:.0f}", n);
}

Layers measured_layers(const Group& of, std::map<std::string, Parts>& parts) {
  Layers layers;
  for (const Row& row : of.rows)
    if (const Parts& own = parts[row.text("case_id")]; !own.empty())
      layers[row.number("n_tokens")] = own;
  return layers;
}

// Says between which lengths attention comes to take half of the layer, without those of `spoilt`.
std::string half_share(const Layers& layers, const std::set<double>& spoilt) {
  double before = kNaN;
  for (const auto& [n, parts] : layers) {
    if (spoilt.contains(n)) continue;
    const auto attention = std::ranges::find(parts, "attention", &Part::name);
    if (attention != parts.end() && attention->share >= kPercent / 2.0)
      return std::isnan(before) ? ""
                                : fmt::format("between N = {} and {}", grouped(before), grouped(n));
    before = n;
  }
  return {};
}

// The first published part is our QKV projection and attention together, so that it has a hue of
// its own; the others have those of our nearest parts. The legend shows those of the first bar.
Layers published_layers() {
  constexpr KnownPart kColumns[] = {{"self_attention_s", "published self-attention", 0x8C510A},
                                    {"self_add_norm_s", "published self-output", 0xE69F00},
                                    {"feed_forward_s", "published intermediate", 0x009E73},
                                    {"output_add_norm_s", "published output", 0xCC79A7}};
  Layers layers;
  for (const Row& row : all_rows(published_table("sparse_attention_15618_table_4_bert_layers"))) {
    Parts& parts = layers[row.number_at("sequence_length_tokens")];
    double sum = 0.0;
    for (const KnownPart& column : kColumns) sum += std::fmax(0.0, row.number_at(column.column));
    for (const KnownPart& column : kColumns)
      parts.push_back(
          {column.label, lightened(column.colour), kPercent * row.number_at(column.column) / sum});
  }
  return layers;
}

// Stacks the parts of each layer; those of a name are one series. Lengths of `spoilt` have an
// asterisk.
Panel share_panel(std::string title, const Layers& layers, bool published,
                  const std::set<double>& spoilt = {}) {
  Panel panel{.title = std::move(title),
              .x = {.label = "sequence length N (tokens)", .column = "n_tokens_index"},
              .y = {.label = "share of the layer's time (%)",
                    .column = "share_percent",
                    .tight = true,
                    .tics = whole_tics({0, 25, 50, 75, 100})}};
  for (const auto& [n, parts] : layers) {
    const double place = add_tic(panel.x, short_length(n) + (spoilt.contains(n) ? "*" : ""));
    double low = 0.0;
    for (const Part& part : parts) {
      if (!(part.share > 0.0)) continue;
      Point slice = box(place - kHalfLayerBar, place + kHalfLayerBar, low, low + part.share);
      slice.y = part.share;
      if (part.share >= kLeastNumber) slice.text = fmt::format("{:.0f}", part.share);
      low += part.share;
      const auto known = std::ranges::find(panel.series, part.name, &Series::name);
      Series& of_name = known == panel.series.end()
                            ? panel.series.emplace_back(rectangles(part.name, part.colour))
                            : *known;
      of_name.published = published;
      of_name.thin = !published;
      of_name.points.push_back(std::move(slice));
    }
  }
  // Labels of more bars than this would overlap, so every second one is kept, and the last.
  const std::size_t all = panel.x.tics.size();
  for (std::size_t i = 0; all > kMostLabels && i < all; ++i)
    if ((all - 1 - i) % 2 == 1) panel.x.tics[i].label.clear();
  return panel;
}

}  // namespace

// Draws a stacked bar per N and a panel per kind of layer, from parts.csv, which has a row per
// repeat and part of a layer; beside forward passes, if asked for, the published split of the
// 15-618 project.
Figure layer_shares_figure(const PlottedRun& run) {
  Figure figure{.title = "Share of each part of a transformer layer",
                .notes = {"Medians of the parts as shares of their sum."}};
  std::map<std::string, Parts> parts = layer_parts(run.parts);
  std::map<std::string, std::vector<std::string>> halves;  // layers by lengths
  for (const Group& of : layers_of(run.cases)) {
    const Layers layers = measured_layers(of, parts);
    // One more panel is published.
    if (layers.empty() || figure.panels.size() == kMostPanels - 1) continue;
    std::set<double> spoilt;
    for (const Row& row : where(of.rows, ran))
      if (!counts(row)) spoilt.insert(row.number("n_tokens"));
    if (!spoilt.empty())
      figure.notes.front() = "Medians of the parts as shares of their sum; *: disturbed.";
    if (const std::string half = half_share(layers, spoilt); !half.empty())
      halves[half].push_back(of.name);
    figure.panels.push_back(share_panel(of.name, layers, false, spoilt));
  }
  if (figure.panels.empty())
    return empty_figure(
        figure.title, "the run has no case of workload transformer_layer with times in parts.csv");
  if (run.published && std::ranges::any_of(layer_rows(run.cases), is_forward)) {
    figure.panels.push_back(
        share_panel("published: 15-618 project, a BERT model", published_layers(), true));
    figure.notes.emplace_back(
        "Published: CMU 15-618 project, unknown hardware; its self-attention is our QKV projection "
        "and attention, its intermediate our feed-forward in and GELU: only the trend compares.");
  }
  std::vector<std::string> said;
  for (const auto& [half, names] : halves)
    said.push_back(fmt::format("{} ({})", half, listed(names)));
  if (!said.empty())
    figure.title = "Attention comes to take half of the layer's time " + listed(said);
  arrange_panels(figure, 2);
  return figure;
}

}  // namespace qb
