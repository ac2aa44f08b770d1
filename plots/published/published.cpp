// SPDX-License-Identifier: Apache-2.0
#include "plots/published/published.h"

#include "plots/frame/sparse_cases.h"

namespace qb {

namespace embedded {
#define QB_PUBLISHED(name) extern const std::string_view name;
#include "published_tables.inc"
#undef QB_PUBLISHED
}  // namespace embedded

namespace {

std::set<std::int64_t> lengths(const CsvTable& table, std::string_view column = "n_tokens") {
  std::set<std::int64_t> found;
  for (const Row& row : all_rows(table))
    found.insert(static_cast<std::int64_t>(row.number_at(column)));
  return found;
}

// Says whether at least half of our lengths, times a scale, are published ones.
bool half_known(const std::set<std::int64_t>& ours, const std::set<std::int64_t>& theirs,
                int scale = 1) {
  const auto known = static_cast<std::size_t>(
      std::ranges::count_if(ours, [&](std::int64_t n) { return theirs.contains(n * scale); }));
  return known > 0 && 2 * known >= ours.size();
}

bool shape_of_case_study_2(const Row& row) {
  return row.is("batch", "1") && row.is("q_heads", "8") && row.is("head_dim", "64") &&
         row.is("mask", "full") && is_forward(row);
}

}  // namespace

const CsvTable& published_table(std::string_view name) {
  static const auto tables = [] {
    std::map<std::string_view, CsvTable> parsed;
#define QB_PUBLISHED(name) parsed.emplace(#name, CsvTable::parse(embedded::name, #name ".csv"));
#include "published_tables.inc"
#undef QB_PUBLISHED
    return parsed;
  }();
  return tables.at(name);
}

const CsvTable& published_case_study_2() { return published_table("cqs_case_study_2"); }

std::optional<int> published_scale(const CsvTable& cases, const CsvTable& published) {
  for (const int scale : {1, 10, 100})
    if (half_known(lengths(cases), lengths(published), scale)) return scale;
  return std::nullopt;
}

double published_mean_ms(const CsvTable& published, std::int64_t workers, std::int64_t n_tokens) {
  for (const Row& row : all_rows(published))
    if (row.integer("workers") == workers && row.integer("n_tokens") == n_tokens)
      return row.number_at("published_mean_ms");
  return kNaN;
}

void add_case_study_2(LineFigure& declared, const PlottedRun& run, bool speed_ups) {
  const Rows rows = all_rows(run.cases);
  if (!run.published && count(rows, shape_of_case_study_2) < rows.size()) return;
  const CsvTable& published = run.published ? *run.published : published_case_study_2();
  const std::optional<int> scale = published_scale(run.cases, published);
  if (!scale) return;
  // Speed-ups can be compared, so that they stand where ours do, at N over the scale.
  const double shrunk = speed_ups ? *scale : 1.0;
  const auto theirs = [=, &published, lines = declared.lines](const Group&) {
    std::vector<Series> all;
    for (const Group& line : lines) {
      all.push_back({.name = line.name, .style = line.style, .published = true});
      for (const std::int64_t n : lengths(published)) {
        const double ms = published_mean_ms(published, workers_of(line), n);
        const double y = speed_ups ? published_mean_ms(published, 1, n) / ms : ms;
        if (!std::isnan(y))
          all.back().points.push_back({.x = static_cast<double>(n) / shrunk, .y = y});
      }
    }
    return all;
  };
  if (speed_ups)
    declared.y[0].reference = theirs;
  else
    declared.y.push_back(
        {.title = run.published ? "published" : "published: A100 80 GB, at the paper's N",
         .y = declared.y[0].y,
         .lines = [](const Group&) { return Groups{}; },
         .reference = theirs,
         .fit = declared.y[0].fit,
         .x_axis = tokens_axis,
         .own_axes = true});
  declared.published_legend = "published";
  declared.notes = joined_notes({declared.notes, {case_study_2_note(*scale)}});
}

std::string case_study_2_note(int scale) {
  return fmt::format(
      "Published: one A100{}; its clock was read without synchronising, and W = 1 jumps 28.7 times "
      "at N = 45,000.",
      scale == 1 ? "" : fmt::format(", N {} times ours", scale));
}

std::vector<Series> published_striped_speed_ups(std::int64_t workers) {
  const std::map<std::string, int> marks = {{"1B", 0}, {"3B", 1}, {"7B", 2}};
  const Rows rows =
      where(all_rows(published_table("striped_attention_tables")), [&](const Row& row) {
        return row.at("paper_table") != "2" &&
               row.number_at("mesh_sequence_parallel") == static_cast<double>(workers);
      });
  std::vector<Series> out;
  for (Group& line : group(rows, Columns{"model", "hardware", "mesh_model_parallel"})) {
    line.name = fmt::format("{}, {}, mesh {}x{}", line.key[0], line.key[1], line.key[2], workers);
    line.published = true;
    const bool tpu = line.key[1].starts_with("TPU");
    line.style = {tpu ? kGrey : algorithm_style("striped").colour, marks.at(line.key[0])};
    out.push_back(line_series(line, [&](const Row& row) {
      const double block = row.number_at("block_size_tokens");
      const double tokens = row.number_at("sequence_length_tokens") / static_cast<double>(workers);
      return Point{.x = std::isnan(block) ? tokens : block,
                   .y = row.number_at("observed_speedup_ratio")};
    }));
  }
  return out;
}

double labelled_length(const std::string& label) {
  constexpr double kKi = 1024.0;
  return std::stod(label) * (label.ends_with('k') ? kKi : 1.0);
}

}  // namespace qb
