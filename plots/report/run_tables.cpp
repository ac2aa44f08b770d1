#include "plots/report/run_tables.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Writes `-` if there is no value.
std::string fixed(double value, int decimals) {
  return std::isnan(value) ? std::string("-") : fmt::format("{:.{}f}", value, decimals);
}

// Writes three significant digits: times of one table span powers of ten.
std::string significant(double value) {
  if (std::isnan(value)) return "-";
  if (value == 0.0) return "0";
  const int decimals = 2 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, decimals > 0 ? decimals : 0);
}

std::string milliseconds(double seconds) { return significant(seconds * 1e3); }

std::string interval(const Row& row, const std::string& prefix) {
  const Point time = timed(row, prefix, 1.0);
  if (std::isnan(time.low) || std::isnan(time.high)) return "-";
  return fmt::format("{} to {}", milliseconds(time.low), milliseconds(time.high));
}

std::string tokens(const Row& row, const char* column) {
  const double value = row.number(column);
  if (std::isnan(value)) return "-";
  return format_grouped(static_cast<std::int64_t>(std::llround(value)));
}

std::string bytes(double value) {
  return std::isnan(value) ? std::string("-") : format_bytes(static_cast<std::uint64_t>(value));
}

// Gives the paper's S of a row; NaN without a base case that has a time.
double paper_speed_up(const Row& row) {
  const auto base = base_case(row);
  return base && ran(*base) ? time_ratio(*base, row, "longest_subsequence").y : kNaN;
}

std::vector<std::string> case_study_2_row(const Row& row, const CsvTable& published,
                                          std::int64_t published_n) {
  const std::int64_t workers = row.integer("workers");
  const double theirs_ms = published_mean_ms(published, workers, published_n);
  const double ours_ms = row.number("longest_subsequence_median_s") * kMilli;
  const bool base = workers == 1;
  const double their_s = base ? kNaN : published_mean_ms(published, 1, published_n) / theirs_ms;
  const double our_s = base ? kNaN : paper_speed_up(row);
  return {row.text("workers"),
          tokens(row, "n_tokens"),
          significant(theirs_ms),
          significant(ours_ms),
          interval(row, "longest_subsequence"),
          significant(ours_ms / theirs_ms),
          significant(their_s),
          significant(our_s),
          significant(our_s / their_s),
          row.text("status")};
}

}  // namespace

Table case_study_2_table(const CsvTable& cases, const CsvTable& published) {
  Table table{.name = "case_study_2",
              .title = "Case study 2: published and ours",
              .header = {"W", "N", "published (ms)", "ours (ms)", "95 % interval", "ours/published",
                         "published S", "our S", "our S/published", "status"}};
  const auto scale = published_scale(cases, published);
  if (!scale) return table;
  for (const Group& line : case_lines(cases))
    for (const Row& row : line.rows) {
      const std::int64_t n = row.integer("n_tokens") * *scale;
      if (!std::isnan(published_mean_ms(published, workers_of(line), n)))
        table.rows.push_back(case_study_2_row(row, published, n));
    }
  table.notes = {
      "Time of the longest subsequence, the paper's own quantity; S is the time of W = 1 "
      "over it, without gather and merge."};
  if (*scale != 1)
    table.notes.push_back(fmt::format(
        "Published times are those of {0} x N: only S can be compared, and it depends on "
        "N too.",
        *scale));
  table.notes = joined_notes({table.notes, Overlay{&published, *scale}.notes()});
  return table;
}

Table memory_summary_table(const CsvTable& cases) {
  Table table{.name = "memory_summary",
              .title = "Subsequence lengths (tokens)",
              .header = {"W", "N", "longest", "shortest", "mean", "deviation", "longest (% of N)",
                         "responsibility ratio"}};
  for (const Row& row : summary_rows(cases)) {
    const double longest = row.number("longest_subsequence_tokens");
    table.rows.push_back({row.text("workers"), tokens(row, "n_tokens"),
                          tokens(row, "longest_subsequence_tokens"),
                          tokens(row, "shortest_subsequence_tokens"),
                          fixed(row.number("mean_subsequence_tokens"), 1),
                          fixed(row.number("stddev_subsequence_tokens"), 2),
                          fixed(100.0 * longest / row.number("n_tokens"), 2),
                          fixed(row.number("responsibility_ratio"), 4)});
  }
  return table;
}

Table cases_table(const CsvTable& cases) {
  Table table{.name = "cases",
              .title = "Cases",
              .header = {"case", "N", "status", "longest subsequence (ms)", "critical path (ms)",
                         "95 % interval", "worker sum (ms)", "wall clock (ms)", "samples",
                         "peak active memory", "largest error/tolerance"}};
  for (const Group& line : case_lines(cases))
    for (const Row& row : line.rows) {
      const auto median = [&](const char* prefix) {
        return milliseconds(row.number(fmt::format("{}_median_s", prefix)));
      };
      table.rows.push_back({line.name, tokens(row, "n_tokens"), row.text("status"),
                            median("longest_subsequence"), median("critical_path"),
                            interval(row, "critical_path"), median("worker_sum"),
                            median("wall_time"), row.text("n_samples"),
                            bytes(row.number("active_memory_peak_bytes")),
                            significant(row.number("max_error") / row.number("tolerance"))});
    }
  table.notes = {shared_parameters(cases)};
  return table;
}

Table failed_cases_table(const CsvTable& cases) {
  Table table{.name = "failed_cases",
              .title = "Cases without a result",
              .header = {"case", "N", "status", "message"}};
  for (const Group& line : case_lines(cases))
    for (const Row& row : line.rows)
      if (!ran(row))
        table.rows.push_back(
            {line.name, tokens(row, "n_tokens"), row.text("status"), row.text("message")});
  return table;
}

Table interest_set_table(const CsvTable& sets) {
  Table table{
      .name = "interest_sets",
      .title = "Interest sets: asymptotic responsibility ratio, published and ours",
      .header = {"W", "m", "interest set", "published", "ours", "ours/published", "verdict"}};
  for (const Row& row : all_rows(sets)) {
    const double ours = row.number("asymptotic_responsibility_ratio");
    const double published = row.number("published_asymptotic_responsibility_ratio");
    table.rows.push_back({row.text("workers"), row.text("quorum_size"), row.text("interest_set"),
                          row.text("published_asymptotic_responsibility_ratio"), fixed(ours, 4),
                          fixed(ours / published, 6), row.text("verdict")});
  }
  return table;
}

}  // namespace qb
