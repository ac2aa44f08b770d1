// The numbers of the CMU 15-618 project "Sparse Attention in CUDA"
// (data/published/sparse_attention_15618_*.csv).
//
// Table 1 has times by mode (full, window, random, global), device and N, of three stages if the
// mode is sparse; table 2 has times at N = 1024 against one parameter; table 4 has parts of BERT
// layers.
#include "plots/frame/pattern_names.h"
#include "plots/published/published.h"

namespace qb {
namespace {

const CsvTable& times() { return published_table("sparse_attention_15618_table_1_main"); }

// Keeps the order of the table, which is ascending N.
Rows rows_of(const std::string& mode, const std::string& device) {
  return where(all_rows(times()), [&](const Row& row) {
    return row.is("attention_mode", mode) && row.is("device", device);
  });
}

}  // namespace

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
  for (const Row& row : all_rows(times())) theirs.insert(row.number("sequence_length_tokens"));
  std::set<double> ours;
  for (const Row& row : all_rows(cases)) {
    if (!row.is("q_heads", "8") || !row.is("head_dim", "64")) return false;
    ours.insert(row.number("n_tokens"));
  }
  const auto shared =
      std::count_if(ours.begin(), ours.end(), [&](double n) { return theirs.contains(n); });
  return shared > 0 && 2 * static_cast<std::size_t>(shared) >= ours.size();
}

Series published_sparse_series(const std::string& mode, const std::string& device) {
  constexpr double kPerMillisecond = 1e-3;
  // A mode is drawn like our nearest kind of mask.
  Series series{.name = "15-618 " + mode + (device == "cpu" ? ", one CPU thread" : ""),
                .style = pattern_style(mode == "window" ? "block_local" : mode),
                .published = true};
  for (const Row& row : rows_of(mode, device))
    series.points.push_back(
        {.x = row.number("sequence_length_tokens"), .y = row.number("total_us") * kPerMillisecond});
  return series;
}

Series published_sparse_speed_ups(const std::string& mode, const std::string& device) {
  const Series full = published_sparse_series("full", device);
  Series series = published_sparse_series(mode, device);
  for (std::size_t i = 0; i < series.points.size(); ++i)
    series.points[i].y = full.points.at(i).y / series.points[i].y;
  return series;
}

std::vector<double> published_sparse_stages(const std::string& mode, double n_tokens) {
  for (const Row& row : rows_of(mode, "gpu"))
    if (row.number("sequence_length_tokens") == n_tokens && !row.is("dds_us", ""))
      return {row.number("dds_us"), row.number("softmax_us"), row.number("sdd_us")};
  return {};
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
