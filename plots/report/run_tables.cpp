#include "plots/report/run_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "plots/figures/figures.h"
#include "plots/frame/case_series.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// `-` where there is no value.
std::string fixed(double value, int decimals) {
  return std::isnan(value) ? std::string("-") : fmt::format("{:.{}f}", value, decimals);
}

// Three significant digits: times of one table span powers of ten.
std::string significant(double value) {
  if (std::isnan(value)) return "-";
  if (value == 0.0) return "0";
  const int decimals = 2 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, decimals > 0 ? decimals : 0);
}

std::string milliseconds(double seconds) { return significant(seconds * 1e3); }

std::string interval(const CsvTable& cases, std::size_t row, const std::string& prefix) {
  const double low = cases.number(row, prefix + "_low95_s");
  const double high = cases.number(row, prefix + "_high95_s");
  if (std::isnan(low) || std::isnan(high)) return "-";
  return fmt::format("{} to {}", milliseconds(low), milliseconds(high));
}

std::string tokens(const CsvTable& cases, std::size_t row, const char* column) {
  const double value = cases.number(row, column);
  if (std::isnan(value)) return "-";
  return format_grouped(static_cast<std::int64_t>(std::llround(value)));
}

std::string bytes(double value) {
  return std::isnan(value) ? std::string("-") : format_bytes(static_cast<std::uint64_t>(value));
}

// The paper's S of a row, NaN without a base case that has a time.
double paper_speed_up(const CsvTable& cases, std::size_t row) {
  const auto base = base_case(cases, row);
  if (!base || !ran(cases, *base)) return kNaN;
  return cases.number(*base, "longest_subsequence_median_s") /
         cases.number(row, "longest_subsequence_median_s");
}

std::vector<std::string> case_study_2_row(const CsvTable& cases, std::size_t row,
                                          const CaseSeries& group, const CsvTable& published,
                                          std::int64_t published_n) {
  const double theirs_ms = published_mean_ms(published, group.workers, published_n);
  const double ours_ms = cases.number(row, "longest_subsequence_median_s") * 1e3;
  const bool base = group.workers == 1;
  const double their_s = base ? kNaN : published_mean_ms(published, 1, published_n) / theirs_ms;
  const double our_s = base ? kNaN : paper_speed_up(cases, row);
  return {fmt::format("{}", group.workers),
          tokens(cases, row, "n_tokens"),
          significant(theirs_ms),
          significant(ours_ms),
          interval(cases, row, "longest_subsequence"),
          significant(ours_ms / theirs_ms),
          significant(their_s),
          significant(our_s),
          significant(our_s / their_s),
          cases.text(row, "status")};
}

}  // namespace

Table case_study_2_table(const CsvTable& cases, const CsvTable& published) {
  Table table{.name = "case_study_2",
              .title = "Case study 2: published and ours",
              .header = {"W", "N", "published (ms)", "ours (ms)", "95 % interval", "ours/published",
                         "published S", "our S", "our S/published", "status"}};
  const auto scale = published_scale(cases, published);
  if (!scale) return table;
  for (const CaseSeries& group : case_series(cases))
    for (const std::size_t row : group.rows) {
      const auto n = static_cast<std::int64_t>(cases.number(row, "n_tokens")) * *scale;
      if (!std::isnan(published_mean_ms(published, group.workers, n)))
        table.rows.push_back(case_study_2_row(cases, row, group, published, n));
    }
  table.notes = {
      "Time of the longest subsequence, the paper's own quantity; S is the time of W = 1 "
      "over it, without gather and merge."};
  if (*scale != 1)
    table.notes.push_back(fmt::format(
        "Published times are those of {0} x N: only S can be compared, and it depends on "
        "N too.",
        *scale));
  for (std::string& note : published_notes({&published, *scale}))
    table.notes.push_back(std::move(note));
  return table;
}

Table memory_summary_table(const CsvTable& cases) {
  Table table{.name = "memory_summary",
              .title = "Subsequence lengths (tokens)",
              .header = {"W", "N", "longest", "shortest", "mean", "deviation", "longest (% of N)",
                         "responsibility ratio"}};
  for (const std::size_t row : summary_rows(cases)) {
    const double longest = cases.number(row, "longest_subsequence_tokens");
    table.rows.push_back({cases.text(row, "workers"), tokens(cases, row, "n_tokens"),
                          tokens(cases, row, "longest_subsequence_tokens"),
                          tokens(cases, row, "shortest_subsequence_tokens"),
                          fixed(cases.number(row, "mean_subsequence_tokens"), 1),
                          fixed(cases.number(row, "stddev_subsequence_tokens"), 2),
                          fixed(100.0 * longest / cases.number(row, "n_tokens"), 2),
                          fixed(cases.number(row, "responsibility_ratio"), 4)});
  }
  return table;
}

Table cases_table(const CsvTable& cases) {
  Table table{.name = "cases",
              .title = "Cases",
              .header = {"case", "N", "status", "longest subsequence (ms)", "critical path (ms)",
                         "95 % interval", "worker sum (ms)", "wall clock (ms)", "samples",
                         "peak active memory", "largest error/tolerance"}};
  for (const CaseSeries& group : case_series(cases))
    for (const std::size_t row : group.rows) {
      const auto median = [&](const char* prefix) {
        return milliseconds(cases.number(row, fmt::format("{}_median_s", prefix)));
      };
      table.rows.push_back(
          {group.name, tokens(cases, row, "n_tokens"), cases.text(row, "status"),
           median("longest_subsequence"), median("critical_path"),
           interval(cases, row, "critical_path"), median("worker_sum"), median("wall_time"),
           cases.text(row, "n_samples"), bytes(cases.number(row, "active_memory_peak_bytes")),
           significant(cases.number(row, "max_error") / cases.number(row, "tolerance"))});
    }
  table.notes = {shared_parameters(cases)};
  return table;
}

Table failed_cases_table(const CsvTable& cases) {
  Table table{.name = "failed_cases",
              .title = "Cases without a result",
              .header = {"case", "N", "status", "message"}};
  for (const CaseSeries& group : case_series(cases))
    for (const std::size_t row : group.rows)
      if (!ran(cases, row))
        table.rows.push_back({group.name, tokens(cases, row, "n_tokens"), cases.text(row, "status"),
                              cases.text(row, "message")});
  return table;
}

Table interest_set_table(const CsvTable& sets) {
  Table table{
      .name = "interest_sets",
      .title = "Interest sets: asymptotic responsibility ratio, published and ours",
      .header = {"W", "m", "interest set", "published", "ours", "ours/published", "verdict"}};
  for (std::size_t row = 0; row < sets.size(); ++row) {
    const double ours = sets.number(row, "asymptotic_responsibility_ratio");
    const double published = sets.number(row, "published_asymptotic_responsibility_ratio");
    table.rows.push_back({sets.text(row, "workers"), sets.text(row, "quorum_size"),
                          sets.text(row, "interest_set"),
                          sets.text(row, "published_asymptotic_responsibility_ratio"),
                          fixed(ours, 4), fixed(ours / published, 6), sets.text(row, "verdict")});
  }
  return table;
}

}  // namespace qb
