// SPDX-License-Identifier: Apache-2.0
#include "plots/published/published.h"

namespace qb {

namespace embedded {
#define QB_PUBLISHED(name) extern const std::string_view name;
#include "published_tables.inc"
#undef QB_PUBLISHED
}  // namespace embedded

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

namespace {

const CsvTable& case_study_2() { return published_table("cqs_case_study_2"); }

std::set<std::int64_t> lengths(const CsvTable& table) {
  std::set<std::int64_t> found;
  for (const Row& row : all_rows(table)) found.insert(row.integer("n_tokens"));
  return found;
}

bool shape_of_case_study_2(const Row& row) {
  return row.is("batch", "1") && row.is("q_heads", "8") && row.is("head_dim", "64") &&
         row.is("mask", "full") && is_forward(row);
}

// Finds the factor s in 1, 10, 100 for which at least half of a run's lengths, times s, are
// published ones: a sweep at a tenth of the paper's N has s = 10.
std::optional<int> scale_of(const CsvTable& cases) {
  const std::set<std::int64_t> ours = lengths(cases);
  const std::set<std::int64_t> theirs = lengths(case_study_2());
  for (const int scale : {1, 10, 100}) {
    const auto known = static_cast<std::size_t>(
        std::ranges::count_if(ours, [&](std::int64_t n) { return theirs.contains(n * scale); }));
    if (known > 0 && 2 * known >= ours.size()) return scale;
  }
  return std::nullopt;
}

// Gives the published times (ms) of a worker count, by N.
std::map<std::int64_t, double> times_of(std::int64_t workers) {
  std::map<std::int64_t, double> found;
  for (const Row& row : all_rows(case_study_2()))
    if (row.integer("workers") == workers)
      found[row.integer("n_tokens")] = row.number_at("published_mean_ms");
  return found;
}

void add_case_study_2(Figure& figure, const Groups& lines, const PlottedRun& run, bool speed_ups) {
  const Rows rows = all_rows(run.cases);
  const std::optional<int> scale = scale_of(run.cases);
  if (count(rows, shape_of_case_study_2) < rows.size() || !scale) return;
  Panel panel{.title = "published: another machine, an A100",
              .y = {.label = speed_ups ? "speed-up over W = 1" : "time (ms)",
                    .column = speed_ups ? "speed_up" : "time_ms"},
              .own_axes = true};
  const std::map<std::int64_t, double> alone_ms = times_of(1);
  for (const Group& line : lines) {
    Series theirs{.name = line.name, .style = line.style, .published = true};
    for (const auto& [n, ms] : times_of(line.rows.front().integer("workers")))
      theirs.points.push_back(
          {.x = static_cast<double>(n), .y = speed_ups ? alone_ms.at(n) / ms : ms});
    add(panel, {theirs});
  }
  panel.x = tokens_axis(numbers_at({panel}, &Point::x));
  panel.y = powers_or_zero(panel.y, numbers_at({panel}, &Point::y));
  figure.panels.push_back(std::move(panel));
  figure.notes.push_back(fmt::format(
      "Published: one A100{}, clock unsynchronised; W = 1 jumps 28.7 times at N = 45,000.",
      *scale == 1 ? "" : fmt::format(", N {} times ours", *scale)));
}

// Speed-ups of a training step over a ring, on `workers` sequence-parallel devices (tables 3 to 5);
// a line for each model, hardware and mesh.
std::vector<Series> striped_speed_ups(std::int64_t workers) {
  const std::map<std::string, int> marks = {{"1B", 0}, {"3B", 1}, {"7B", 2}};
  const auto of_workers = [=](const Row& row) {
    return row.at("paper_table") != "2" &&
           row.number_at("mesh_sequence_parallel") == static_cast<double>(workers);
  };
  std::vector<Series> lines;
  for (Group& line : group(where(all_rows(published_table("striped_attention_tables")), of_workers),
                           Columns{"model", "hardware", "mesh_model_parallel"})) {
    line.name = fmt::format("{}, {}, mesh {}x{}", line.key[0], line.key[1], line.key[2], workers);
    line.published = true;
    line.in_legend = false;
    const bool tpu = line.key[1].starts_with("TPU");
    line.style = {tpu ? kGrey : algorithm_style("striped").colour, marks.at(line.key[0])};
    lines.push_back(line_series(line, line.rows, [=](const Row& row) {
      const double block = row.number_at("block_size_tokens");
      const double tokens = row.number_at("sequence_length_tokens") / static_cast<double>(workers);
      return Point{.x = std::isnan(block) ? tokens : block,
                   .y = row.number_at("observed_speedup_ratio")};
    }));
  }
  return lines;
}

std::vector<Series> passes_over_miss_rate() {
  Series line{.name = "pass_q / pass_kv, TTFT", .style = {kGrey, 1}, .published = true};
  for (const Row& row : all_rows(published_table("context_parallel_table_4_pass_kv_vs_pass_q")))
    line.points.push_back(
        {.x = row.number_at("miss_rate_percent"),
         .y = row.number_at("pass_q_ttft_ms") / row.number_at("pass_kv_ttft_ms")});
  return {line};
}

}  // namespace

void add_published(Figure& figure, const std::vector<DeclaredPanel>& panels,
                   const std::string& name, const PlottedRun& run) {
  if (!run.published || panels.empty()) return;
  figure.published_legend = "published";
  if (name == "wall_clock" || name == "speed_up")
    add_case_study_2(figure, panels.front().lines, run, name == "speed_up");
  const bool striped = name == "striped_speed_up";
  if (!striped && name != "ttft_miss_rate") return;
  for (std::size_t p = 0; p < panels.size(); ++p)
    add(figure.panels[p],
        striped ? striped_speed_ups(panels[p].lines.front().rows.front().integer("workers"))
                : passes_over_miss_rate());
  figure.notes.emplace_back(
      striped ? "Published: steps with feed-forward layers; grey: TPU v4; circle 1B, square 3B, "
                "triangle 7B parameters."
              : "Published: Llama 3 405B (arXiv 2411.01783); of whole models only the side of 1 "
                "compares.");
}

}  // namespace qb
