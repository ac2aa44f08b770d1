#include "plots/published/published_sparse.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "plots/frame/case_series.h"
#include "plots/frame/pattern_names.h"

namespace qb {

namespace embedded {
extern const std::string_view sparse_attention_15618_table_1_main;
extern const std::string_view sparse_attention_15618_table_2_ablation;
}  // namespace embedded

namespace {

// Rows of table 1, in its order, which is ascending N.
std::vector<std::size_t> rows_of(const std::string& mode, const std::string& device) {
  const CsvTable& table = published_sparse_times();
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.size(); ++row)
    if (table.text(row, "attention_mode") == mode && table.text(row, "device") == device)
      rows.push_back(row);
  return rows;
}

// Our kind of mask that a mode is drawn like.
std::string kind_of_mode(const std::string& mode) {
  return mode == "window" ? "block_local" : mode;
}

Series empty_series(const std::string& mode, const std::string& device) {
  Series series{.name = "15-618 " + mode + (device == "cpu" ? ", one CPU thread" : ""),
                .style = pattern_style(kind_of_mode(mode)),
                .published = true};
  return series;
}

}  // namespace

const CsvTable& published_sparse_times() {
  static const CsvTable table = CsvTable::parse(embedded::sparse_attention_15618_table_1_main,
                                                "sparse_attention_15618_table_1_main.csv");
  return table;
}

const CsvTable& published_sparse_ablations() {
  static const CsvTable table = CsvTable::parse(embedded::sparse_attention_15618_table_2_ablation,
                                                "sparse_attention_15618_table_2_ablation.csv");
  return table;
}

std::optional<std::string> published_sparse_mode(const std::string& mask) {
  const std::string kind = pattern_kind(mask);
  auto arguments = pattern_arguments(mask);
  if (kind == "full") return kind;
  if (kind == "block_local" && arguments["block"] == "16") return "window";
  if (kind == "global" && arguments["tokens"] == "16") return kind;
  const std::string& block = arguments["block"];
  if (kind == "random" && (block.empty() || block == "1")) return kind;
  return std::nullopt;
}

bool of_published_sparse_shape(const CsvTable& cases) {
  std::set<double> theirs;
  const CsvTable& table = published_sparse_times();
  for (std::size_t row = 0; row < table.size(); ++row)
    theirs.insert(table.number(row, "sequence_length_tokens"));
  std::set<double> ours;
  for (std::size_t row = 0; row < cases.size(); ++row) {
    if (cases.text(row, "q_heads") != "8" || cases.text(row, "head_dim") != "64") return false;
    ours.insert(cases.number(row, "n_tokens"));
  }
  const auto shared =
      std::count_if(ours.begin(), ours.end(), [&](double n) { return theirs.contains(n); });
  return shared > 0 && 2 * static_cast<std::size_t>(shared) >= ours.size();
}

Series published_sparse_series(const std::string& mode, const std::string& device) {
  constexpr double kPerMillisecond = 1e-3;
  const CsvTable& table = published_sparse_times();
  Series series = empty_series(mode, device);
  for (const std::size_t row : rows_of(mode, device))
    series.points.push_back({.x = table.number(row, "sequence_length_tokens"),
                             .y = table.number(row, "total_us") * kPerMillisecond});
  return series;
}

Series published_sparse_speed_ups(const std::string& mode, const std::string& device) {
  const Series full = published_sparse_series("full", device);
  Series series = published_sparse_series(mode, device);
  for (std::size_t i = 0; i < series.points.size(); ++i)
    series.points[i].y = full.points.at(i).y / series.points[i].y;
  return series;
}

std::optional<PublishedStages> published_sparse_stages(const std::string& mode, double n_tokens) {
  const CsvTable& table = published_sparse_times();
  for (const std::size_t row : rows_of(mode, "gpu"))
    if (table.number(row, "sequence_length_tokens") == n_tokens &&
        !table.text(row, "dds_us").empty())
      return PublishedStages{table.number(row, "dds_us"), table.number(row, "softmax_us"),
                             table.number(row, "sdd_us")};
  return std::nullopt;
}

std::string published_sparse_note() {
  return "Published: final report of the CMU 15-618 project Sparse Attention in CUDA (2023), one "
         "GeForce RTX 2080 against one CPU thread, f32, 8 heads of 64, no spread given. Not "
         "comparable: its public code divides by the row sum without an exponential, does not "
         "check launches, and launches the softmax of full attention with an empty grid below N = "
         "1024; the same cell differs between its tables by up to 42 %. The axes compare, the "
         "numbers do not.";
}

}  // namespace qb
