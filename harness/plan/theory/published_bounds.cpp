// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/published_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/numbers.h"
#include "base/status.h"

namespace qb {

namespace embedded {
extern const std::string_view ring_attention_table_2_min_block;
extern const std::string_view striped_attention_appendix_a;
extern const std::string_view striped_attention_table_1_models;
extern const std::string_view striped_attention_tables;
}  // namespace embedded

namespace {

std::vector<TransformerModel> read_models() {
  const CsvTable table =
      CsvTable::parse(embedded::striped_attention_table_1_models, "striped table 1");
  std::vector<TransformerModel> models;
  for (std::size_t row = 0; row < table.size(); ++row)
    models.push_back({.name = table.text(row, "model"),
                      .d_model = table.number(row, "d_model"),
                      .d_ff = table.number(row, "d_ff"),
                      .layers = table.number(row, "layers"),
                      .vocabulary = table.number(row, "vocab_size")});
  return models;
}

const TransformerModel& find_model(const std::vector<TransformerModel>& models,
                                   const std::string& name) {
  const auto found = std::ranges::find_if(
      models, [&](const TransformerModel& model) { return model.name == name; });
  if (found == models.end()) throw UsageError(fmt::format("no model '{}' in table 1", name));
  return *found;
}

// Attention's buffers are float32 there: its products run in TF32 on A100, at half the rate of
// bfloat16, and in bfloat16 on TPUs.
double attention_slowdown(std::string_view hardware) {
  return hardware.starts_with("A100") ? 2.0 : 1.0;
}

void read_speed_ups(std::string_view text, std::string_view name, std::string_view table_column,
                    std::vector<PublishedSpeedUp>& rows) {
  const auto models = read_models();
  const CsvTable table = CsvTable::parse(text, name);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string& printed = table.text(row, "theoretical_max_speedup_ratio");
    if (printed.empty()) continue;  // table 2 prints none
    const int workers = static_cast<int>(table.number(row, "mesh_sequence_parallel"));
    // Table 5 gives the block of a worker, the others give the whole sequence.
    const double sequence = table.number(row, "sequence_length_tokens");
    const double tokens =
        std::isnan(sequence) ? table.number(row, "block_size_tokens") : sequence / workers;
    const std::string& hardware = table.text(row, "hardware");
    rows.push_back({.table = table.text(row, table_column),
                    .hardware = hardware,
                    .model_parallel = static_cast<int>(table.number(row, "mesh_model_parallel")),
                    .step = {.model = find_model(models, table.text(row, "model")),
                             .workers = workers,
                             .tokens_per_worker = tokens,
                             .attention_slowdown = attention_slowdown(hardware)},
                    .printed = parse_printed(printed)});
  }
}

double sum_of_squares(std::span<const PublishedSpeedUp> rows, DenseCount count, double weight) {
  double sum = 0.0;
  for (const PublishedSpeedUp& row : rows) {
    const double difference = max_speed_up(row.step, count, weight) - row.printed.value;
    sum += difference * difference;
  }
  return sum;
}

// Golden-section search. Every row grows with w, so the sum falls below all rows' own weights and
// rises above them; in between, the printed tables have one minimum (the test scans for others).
double least_squares_weight(std::span<const PublishedSpeedUp> rows, DenseCount count) {
  const double ratio = (std::sqrt(5.0) - 1.0) / 2.0;
  double low = 0.0;
  double high = 10.0;
  while (high - low > 1e-9) {
    const double left = high - ratio * (high - low);
    const double right = low + ratio * (high - low);
    if (sum_of_squares(rows, count, left) < sum_of_squares(rows, count, right))
      high = right;
    else
      low = left;
  }
  return (low + high) / 2.0;
}

}  // namespace

const std::vector<PublishedSpeedUp>& published_speed_ups() {
  static const std::vector<PublishedSpeedUp> rows = [] {
    std::vector<PublishedSpeedUp> read;
    read_speed_ups(embedded::striped_attention_tables, "striped tables", "paper_table", read);
    read_speed_ups(embedded::striped_attention_appendix_a, "striped appendix", "paper_section",
                   read);
    return read;
  }();
  return rows;
}

double default_weight(DenseCount count) {
  return count == DenseCount::layers ? kLayersWeight : kLayersAndVocabularyWeight;
}

WeightFit fit_weight(std::span<const PublishedSpeedUp> rows, DenseCount count) {
  struct Edge {
    double weight;
    int change;
  };
  std::vector<Edge> edges;
  for (const PublishedSpeedUp& row : rows) {
    const double half = row.printed.unit / 2.0;
    edges.push_back({weight_for_speed_up(row.step, count, row.printed.value - half), 1});
    edges.push_back({weight_for_speed_up(row.step, count, row.printed.value + half), -1});
  }
  // Intervals are half open: one that ends where another begins does not overlap it.
  std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
    return a.weight < b.weight || (a.weight == b.weight && a.change < b.change);
  });
  WeightFit fit;
  int agreeing = 0;
  for (std::size_t at = 0; at < edges.size(); ++at) {
    agreeing += edges[at].change;
    if (agreeing <= static_cast<int>(fit.most_agreeing)) continue;
    fit.most_agreeing = static_cast<std::size_t>(agreeing);
    fit.from = edges[at].weight;
    fit.to = edges[at + 1].weight;  // an end follows each beginning
  }
  fit.least_squares = least_squares_weight(rows, count);
  fit.rms_difference =
      std::sqrt(sum_of_squares(rows, count, fit.least_squares) / static_cast<double>(rows.size()));
  return fit;
}

const std::vector<PublishedMinBlock>& published_min_blocks() {
  static const std::vector<PublishedMinBlock> rows = [] {
    const CsvTable table =
        CsvTable::parse(embedded::ring_attention_table_2_min_block, "ring attention table 2");
    std::vector<PublishedMinBlock> read;
    for (std::size_t row = 0; row < table.size(); ++row)
      read.push_back(
          {.host = table.text(row, "host_spec"),
           .peak_flop_per_s = 1e12 * table.number(row, "peak_tflop_per_s"),
           .link_byte_per_s = 1e9 * table.number(row, "interconnect_bandwidth_gb_per_s"),
           .block_kilotokens = parse_printed(table.text(row, "min_block_size_kilotokens")),
           .sequence_kilotokens =
               parse_printed(table.text(row, "min_sequence_length_kilotokens"))});
    return read;
  }();
  return rows;
}

}  // namespace qb
