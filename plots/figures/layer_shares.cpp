#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers.h"
#include "plots/frame/layer_cases.h"

namespace qb {

namespace embedded {
extern const std::string_view sparse_attention_15618_table_4_bert_layers;
}  // namespace embedded

namespace {

constexpr const char* kTitle = "Share of each part of a transformer layer";
constexpr double kPercent = 100.0;
constexpr double kHalfBar = 0.44;
constexpr double kLeastTexted = 5.0;  // percent; thinner slices have no room for a number
constexpr std::size_t kMostPanels = 5;
constexpr std::size_t kMostLabels = 7;

Series& series_of(Panel& panel, const std::string& name, std::uint32_t colour) {
  for (Series& series : panel.series)
    if (series.name == name) return series;
  panel.series.push_back({.name = name, .draw = Draw::rectangles, .style = {colour}, .thin = true});
  return panel.series.back();
}

// A bar of parts, each on the one before it; a slice's own text needs a series of its own.
void stack(Panel& panel, const PartMedians& parts, double place, const std::string& n,
           const std::string& suffix) {
  double low = 0.0;
  for (const auto& [part, seconds] : parts) {
    const double share = kPercent * share_of(parts, part);
    const Point slice{.x = place,
                      .y = low + share / 2,
                      .low = low,
                      .high = low + share,
                      .x_low = place - kHalfBar,
                      .x_high = place + kHalfBar};
    low += share;
    const std::string name = part_label(part) + suffix;
    series_of(panel, name, part_colour(part)).points.push_back(slice);
    if (share >= kLeastTexted)
      panel.series.push_back({.name = fmt::format("{} at N = {}", name, n),
                              .draw = Draw::rectangles,
                              .style = {part_colour(part)},
                              .thin = true,
                              .in_legend = false,
                              .text = fmt::format("{:.0f}", share),
                              .points = {slice}});
  }
}

// Nine lengths side by side have room for `16Ki` each.
std::string short_length(const std::string& n) {
  const auto tokens = parse_integer(n);
  return tokens && *tokens % 1024 == 0 ? fmt::format("{}Ki", *tokens / 1024) : n;
}

void finish(Panel& panel, const std::vector<std::string>& lengths) {
  panel.x = {.label = "sequence length N (tokens)", .column = "n_tokens_index"};
  // Labels of more bars than these would run into each other: each second, the last among them.
  const std::size_t every = lengths.size() > kMostLabels ? 2 : 1;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    panel.x.tics.push_back({static_cast<double>(i), (lengths.size() - 1 - i) % every == 0
                                                        ? short_length(lengths[i])
                                                        : std::string()});
  panel.y = {.label = "share of the layer's time (%)", .column = "share_percent", .tight = true};
  for (const double tic : {0.0, 25.0, 50.0, 75.0, 100.0})
    panel.y.tics.push_back({tic, fmt::format("{:.0f}", tic)});
}

Panel panel_of(const CsvTable& cases, const LayerVariant& variant,
               const std::map<std::string, PartMedians>& parts) {
  Panel panel{.title = variant.name};
  std::vector<std::string> lengths;
  for (const std::size_t row : variant.rows) {
    const auto found = parts.find(cases.text(row, "case_id"));
    if (found == parts.end()) continue;
    lengths.push_back(cases.text(row, "n_tokens"));
    stack(panel, found->second, static_cast<double>(lengths.size() - 1), lengths.back(), "");
  }
  finish(panel, lengths);
  return panel;
}

// Drawn with ours in mind: its first part is our QKV projection and attention together.
Panel published_panel() {
  const CsvTable table = CsvTable::parse(embedded::sparse_attention_15618_table_4_bert_layers,
                                         "sparse_attention_15618_table_4_bert_layers.csv");
  struct Column {
    const char* name;
    const char* label;
    const char* like;
  };
  constexpr Column kColumns[] = {{"self_attention_s", "self-attention", "attention"},
                                 {"self_add_norm_s", "self-output", "attention_output"},
                                 {"feed_forward_s", "intermediate", "feed_forward_in"},
                                 {"output_add_norm_s", "output", "feed_forward_out"}};
  Panel panel{.title = "published: 15-618 project, a BERT model"};
  std::vector<std::string> lengths;
  for (std::size_t row = 0; row < table.size(); ++row) {
    lengths.push_back(table.text(row, "sequence_length_tokens"));
    double sum = 0.0;
    for (const Column& column : kColumns) sum += table.number(row, column.name);
    double low = 0.0;
    for (const Column& column : kColumns) {
      const double share = kPercent * table.number(row, column.name) / sum;
      const auto place = static_cast<double>(row);
      const std::string name = fmt::format("published {}", column.label);
      panel.series.push_back(
          {.name = row == 0 ? name : fmt::format("{} at N = {}", name, lengths.back()),
           .draw = Draw::rectangles,
           .style = {lightened(part_colour(column.like))},
           .published = true,
           .in_legend = row == 0,
           .text = share >= kLeastTexted ? fmt::format("{:.0f}", share) : "",
           .points = {{.x = place,
                       .y = low + share / 2,
                       .low = low,
                       .high = low + share,
                       .x_low = place - kHalfBar,
                       .x_high = place + kHalfBar}}});
      low += share;
    }
  }
  finish(panel, lengths);
  return panel;
}

}  // namespace

Figure layer_shares_figure(const CsvTable& cases, const CsvTable& parts,
                           const FigureContext& context) {
  const std::vector<LayerVariant> variants = layer_variants(cases);
  const std::map<std::string, PartMedians> medians = part_medians(parts);
  Figure figure{.name = "layer_shares", .title = kTitle, .subtitle = context.subtitle};
  figure.notes = {
      "A bar: medians of the parts as shares of their sum. Biases, residual sums and the norm's "
      "scale are in the pass beside them; QKV projection, output projection and feed-forward are "
      "matrix products."};
  for (const LayerVariant& variant : variants) {
    if (figure.panels.size() == kMostPanels) break;
    Panel panel = panel_of(cases, variant, medians);
    if (panel.series.empty()) continue;
    const double half = half_share_tokens(cases, variant, medians);
    if (std::isfinite(half))
      figure.notes.push_back(
          fmt::format("{}: attention takes half of the layer from N = {} on "
                      "(log-interpolated).",
                      panel.title, format_grouped(static_cast<std::int64_t>(half))));
    figure.panels.push_back(std::move(panel));
  }
  if (figure.panels.empty()) return empty_figure(figure.name, kTitle, kNoLayers);
  figure.panels.push_back(published_panel());
  figure.notes.emplace_back(
      "Published: final report of the CMU 15-618 project Sparse Attention in CUDA, Table 4; "
      "hardware "
      "and batch size are not stated. Its self-attention is our QKV projection and attention, its "
      "intermediate our feed-forward in and GELU; only the trend compares.");
  arrange_panels(figure);
  return figure;
}

}  // namespace qb
