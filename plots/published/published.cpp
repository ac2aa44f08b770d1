#include "plots/published/published.h"

#include <fmt/format.h>

#include <cmath>

#include "plots/frame/lines.h"

#define QB_PUBLISHED(TABLE)                         \
  TABLE(context_parallel_table_4_pass_kv_vs_pass_q) \
  TABLE(context_parallel_table_5_time_breakdown)    \
  TABLE(context_parallel_table_8_decode_attention)  \
  TABLE(cqs_case_study_2)                           \
  TABLE(cqs_interest_set_table)                     \
  TABLE(sparse_attention_15618_table_1_main)        \
  TABLE(sparse_attention_15618_table_2_ablation)    \
  TABLE(sparse_attention_15618_table_4_bert_layers) \
  TABLE(striped_attention_tables)

namespace qb {

namespace embedded {
#define QB_EMBEDDED(name) extern const std::string_view name;
QB_PUBLISHED(QB_EMBEDDED)
#undef QB_EMBEDDED
}  // namespace embedded

namespace {

std::set<std::int64_t> lengths(const CsvTable& table) {
  std::set<std::int64_t> found;
  for (const Row& row : all_rows(table)) found.insert(row.integer("n_tokens"));
  return found;
}

bool shape_of_case_study_2(const Row& row) {
  return row.is("batch", "1") && row.is("q_heads", "8") && row.is("head_dim", "64") &&
         row.is("mask", "full");
}

template <class Value>
Series published_series(const Overlay& overlay, const Group& like, Value value) {
  Series series{.name = like.name, .style = like.style, .published = true};
  for (const std::int64_t n : lengths(*overlay.published))
    if (const double y = value(n); !std::isnan(y))
      series.points.push_back({.x = static_cast<double>(n) / overlay.scale, .y = y});
  return series;
}

}  // namespace

const CsvTable& published_table(std::string_view name) {
  static const auto tables = [] {
    std::map<std::string_view, CsvTable> parsed;
#define QB_PARSED(name) \
  parsed.emplace(#name, CsvTable::parse(embedded::name, std::string(#name) + ".csv"));
    QB_PUBLISHED(QB_PARSED)
#undef QB_PARSED
    return parsed;
  }();
  return tables.at(name);
}

const CsvTable& published_case_study_2() { return published_table("cqs_case_study_2"); }

std::optional<int> published_scale(const CsvTable& cases, const CsvTable& published) {
  const std::set<std::int64_t> ours = lengths(cases);
  const std::set<std::int64_t> theirs = lengths(published);
  for (const int scale : {1, 10, 100}) {
    const auto matched = static_cast<std::size_t>(std::count_if(
        ours.begin(), ours.end(), [&](std::int64_t n) { return theirs.contains(n * scale); }));
    if (matched > 0 && 2 * matched >= ours.size()) return scale;
  }
  return std::nullopt;
}

double published_mean_ms(const CsvTable& published, std::int64_t workers, std::int64_t n_tokens) {
  for (const Row& row : all_rows(published))
    if (row.integer("workers") == workers && row.integer("n_tokens") == n_tokens)
      return row.number("published_mean_ms");
  return kNaN;
}

std::optional<Overlay> overlay_of(const CsvTable& cases, const FigureContext& context) {
  const Rows rows = all_rows(cases);
  if (context.published == nullptr || rows.empty()) return std::nullopt;
  if (!context.published_for_any_shape && count(rows, shape_of_case_study_2) < rows.size())
    return std::nullopt;
  const std::optional<int> scale = published_scale(cases, *context.published);
  if (!scale) return std::nullopt;
  return Overlay{context.published, *scale};
}

Series Overlay::times(const Group& like) const {
  return published_series(*this, like, [&](std::int64_t n) {
    return published_mean_ms(*published, workers_of(like), n);
  });
}

Series Overlay::speed_ups(const Group& like) const {
  return published_series(*this, like, [&](std::int64_t n) {
    return published_mean_ms(*published, 1, n) / published_mean_ms(*published, workers_of(like), n);
  });
}

std::string Overlay::legend() const {
  return scale == 1 ? "published (A100)" : fmt::format("published, at N/{}", scale);
}

std::vector<std::string> Overlay::notes() const {
  std::string where =
      "Published: CQS-Attention, IEEE Access 13 (2025), case study 2, one A100 80 GB, f16, mean "
      "without outliers";
  if (scale != 1) where += fmt::format("; its N is {0} times ours and is drawn at N/{0}", scale);
  return {where + ".",
          "Its host clock was read without synchronising the device, its inputs were made inside "
          "the timed region, and its W = 1 jumps where the GPU allocator must free and retry: "
          "those milliseconds and this machine's are not comparable, the shapes are."};
}

std::vector<Series> published_striped_speed_ups(std::int64_t workers) {
  const std::map<std::string, int> marks = {{"1B", 0}, {"3B", 1}, {"7B", 2}};
  std::map<std::string, Series> found;
  for (const Row& row : all_rows(published_table("striped_attention_tables"))) {
    if (row.is("paper_table", "2") || row.integer("mesh_sequence_parallel") != workers) continue;
    const std::string& model = row.text("model");
    const std::string& hardware = row.text("hardware");
    const std::string name =
        fmt::format("{}, {}, mesh {}x{}", model, hardware, row.text("mesh_model_parallel"),
                    row.text("mesh_sequence_parallel"));
    Series& series = found[name];
    series.name = name;
    series.published = true;
    const bool tpu = hardware.starts_with("TPU");
    series.style = {tpu ? kGrey : algorithm_style("striped").colour, marks.at(model)};
    series.points.push_back(
        {.x = row.is("block_size_tokens", "")
                  ? row.number("sequence_length_tokens") / static_cast<double>(workers)
                  : row.number("block_size_tokens"),
         .y = row.number("observed_speedup_ratio")});
  }
  std::vector<Series> out;
  for (auto& [name, series] : found) out.push_back(std::move(series));
  return out;
}

double speed_up_bound(double n, std::int64_t workers) {
  const double side = std::max(n, 1.0);
  const auto w = static_cast<double>(workers);
  return (side + 1.0 + 2.0 * (w - 1.0) * side) / (w * (side + 1.0));
}

double executed_tile(const Row& ring) {
  const double workers = ring.number("workers");
  const double block = ring.number("n_tokens") / workers;
  const double whole = workers * (workers - 1.0) / 2.0 * block * block;
  // A block on the diagonal executes (n + 1) / 2n of its pairs.
  const double share = (ring.number("executed_pairs") - whole) / (workers * block * block);
  if (!(share > 0.5) || share > 1.0) return kNaN;
  return block * (2.0 * share - 1.0);
}

}  // namespace qb
