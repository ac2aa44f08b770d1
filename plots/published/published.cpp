#include "plots/published/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "plots/frame/palette.h"

namespace qb {

namespace embedded {
extern const std::string_view cqs_case_study_2;
extern const std::string_view cqs_interest_set_table;
extern const std::string_view striped_attention_tables;
}  // namespace embedded

namespace {

std::set<std::int64_t> lengths(const CsvTable& table) {
  std::set<std::int64_t> found;
  for (std::size_t row = 0; row < table.size(); ++row)
    found.insert(static_cast<std::int64_t>(table.number(row, "n_tokens")));
  return found;
}

bool shape_of_case_study_2(const CsvTable& cases) {
  for (std::size_t row = 0; row < cases.size(); ++row)
    if (cases.text(row, "batch") != "1" || cases.text(row, "q_heads") != "8" ||
        cases.text(row, "head_dim") != "64" || cases.text(row, "mask") != "full")
      return false;
  return true;
}

template <class Value>
Series published_series(const Overlay& overlay, const CaseSeries& like, Value value) {
  Series series{.name = like.name, .style = like.style, .published = true};
  for (const std::int64_t n : lengths(*overlay.published)) {
    const double y = value(n);
    if (std::isnan(y)) continue;
    series.points.push_back({.x = static_cast<double>(n) / overlay.scale, .y = y});
  }
  return series;
}

}  // namespace

const CsvTable& published_case_study_2() {
  static const CsvTable table = CsvTable::parse(embedded::cqs_case_study_2, "cqs_case_study_2.csv");
  return table;
}

const CsvTable& published_interest_table() {
  static const CsvTable table =
      CsvTable::parse(embedded::cqs_interest_set_table, "cqs_interest_set_table.csv");
  return table;
}

const CsvTable& published_striped_attention() {
  static const CsvTable table =
      CsvTable::parse(embedded::striped_attention_tables, "striped_attention_tables.csv");
  return table;
}

std::vector<Series> published_striped_speed_ups(std::int64_t workers) {
  const CsvTable& table = published_striped_attention();
  const std::map<std::string, int> marks = {{"1B", 0}, {"3B", 1}, {"7B", 2}};
  std::map<std::string, Series> found;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string& block = table.text(row, "block_size_tokens");
    const double mesh = table.number(row, "mesh_sequence_parallel");
    if (table.text(row, "paper_table") == "2" || mesh != static_cast<double>(workers)) continue;
    const std::string& model = table.text(row, "model");
    const std::string& hardware = table.text(row, "hardware");
    const std::string name =
        fmt::format("{}, {}, mesh {}x{}", model, hardware, table.text(row, "mesh_model_parallel"),
                    table.text(row, "mesh_sequence_parallel"));
    Series& series = found[name];
    series.name = name;
    series.published = true;
    const bool tpu = hardware.starts_with("TPU");
    series.style = {tpu ? kGrey : algorithm_style("striped").colour, marks.at(model)};
    series.points.push_back({.x = block.empty() ? table.number(row, "sequence_length_tokens") / mesh
                                                : table.number(row, "block_size_tokens"),
                             .y = table.number(row, "observed_speedup_ratio")});
  }
  std::vector<Series> out;
  for (auto& [name, series] : found) out.push_back(std::move(series));
  return out;
}

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
  for (std::size_t row = 0; row < published.size(); ++row)
    if (published.number(row, "workers") == static_cast<double>(workers) &&
        published.number(row, "n_tokens") == static_cast<double>(n_tokens))
      return published.number(row, "published_mean_ms");
  return kNaN;
}

std::optional<Overlay> overlay_of(const CsvTable& cases, const FigureContext& context) {
  if (context.published == nullptr || cases.size() == 0) return std::nullopt;
  if (!context.published_for_any_shape && !shape_of_case_study_2(cases)) return std::nullopt;
  const std::optional<int> scale = published_scale(cases, *context.published);
  if (!scale) return std::nullopt;
  return Overlay{context.published, *scale};
}

Series published_times(const Overlay& overlay, const CaseSeries& like) {
  return published_series(overlay, like, [&](std::int64_t n) {
    return published_mean_ms(*overlay.published, like.workers, n);
  });
}

Series published_speed_ups(const Overlay& overlay, const CaseSeries& like) {
  return published_series(overlay, like, [&](std::int64_t n) {
    return published_mean_ms(*overlay.published, 1, n) /
           published_mean_ms(*overlay.published, like.workers, n);
  });
}

std::string published_legend(const Overlay& overlay) {
  return overlay.scale == 1 ? "published (A100)" : fmt::format("published, at N/{}", overlay.scale);
}

std::vector<std::string> published_notes(const Overlay& overlay) {
  std::string where =
      "Published: CQS-Attention, IEEE Access 13 (2025), case study 2, one A100 80 GB, f16, mean "
      "without outliers";
  if (overlay.scale != 1)
    where += fmt::format("; its N is {0} times ours and is drawn at N/{0}", overlay.scale);
  return {where + ".",
          "Its host clock was read without synchronising the device, its inputs were made inside "
          "the timed region, and its W = 1 jumps where the GPU allocator must free and retry: "
          "those milliseconds and this machine's are not comparable, the shapes are."};
}

}  // namespace qb
