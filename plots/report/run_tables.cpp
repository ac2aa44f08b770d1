// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include "base/numbers.h"
#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Writes `-` if there is no value.
std::string number_text(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : std::string("-");
}

std::string milliseconds(double seconds) { return significant(seconds * 1e3); }

std::string interval(const Row& row, IntervalColumns columns) {
  const Point time = timed(row, columns, 1.0);
  if (std::isnan(time.low) || std::isnan(time.high)) return "-";
  return fmt::format("{} to {}", milliseconds(time.low), milliseconds(time.high));
}

std::string repeats_of(const Row& row) {
  return repeats_text(row.number("n_samples"), row.number("interval_coverage"),
                      row.number("disturbed_samples"), row.text("disturbed_by"));
}

std::string tokens(const Row& row, IntegerColumn column) {
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
          repeats_of(row),
          significant(ours_ms / theirs_ms),
          significant(their_s),
          significant(our_s),
          significant(our_s / their_s),
          row.text("status") + (base && is_slow_base(row) ? ", slow base" : "")};
}

constexpr std::size_t kLeastLengths = 4;

// How the times of a line grow with N, by least squares. It is NaN if a value is not above 0.
struct LineFit {
  std::string name{};
  double first = 0.0;  // lengths
  double last = 0.0;
  std::size_t points = 0;
  LinearFit power{kNaN, kNaN, kNaN, kNaN};  // of the logarithms, so that the slope is the exponent
  LinearFit line{kNaN, kNaN, kNaN, kNaN};   // of the times, in s
  double per_token_s = kNaN;                // the geometric mean of time / N
  double largest_deviation = kNaN;          // of a length from it: 0.05 is 5 %
};

LineFit fit_of(const SparseCases& cases, const Group& line) {
  std::vector<double> n_tokens;
  std::vector<double> time_s;
  double sum = 0.0;
  for (const Row& row : line.rows) {
    n_tokens.push_back(row.number("n_tokens"));
    time_s.push_back(row.number("wall_time_median_s"));
    sum += std::log(time_s.back() / n_tokens.back());
  }
  LineFit fit{cases.full_name(line), n_tokens.front(), n_tokens.back(), n_tokens.size()};
  if (!std::isfinite(sum)) return fit;
  fit.power = fit_power(n_tokens, time_s);
  fit.line = fit_line(n_tokens, time_s);
  fit.per_token_s = std::exp(sum / static_cast<double>(fit.points));
  fit.largest_deviation = 0.0;
  for (std::size_t i = 0; i < fit.points; ++i)
    fit.largest_deviation = std::max(fit.largest_deviation,
                                     std::abs(time_s[i] / (fit.per_token_s * n_tokens[i]) - 1.0));
  return fit;
}

std::vector<LineFit> fits(const SparseCases& cases) {
  std::vector<LineFit> out;
  for (const Group& line : cases.lines())
    if (line.rows.size() >= kLeastLengths) out.push_back(fit_of(cases, line));
  return out;
}

}  // namespace

Table case_study_2_table(const CsvTable& cases, const CsvTable& published) {
  Table table{.name = "case_study_2",
              .title = "Case study 2: published and ours",
              .header = {"W", "N", "published (ms)", "ours (ms)", "interval", "repeats (coverage)",
                         "ours/published", "published S", "our S", "our S/published", "status"}};
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
  if (std::string slow = slow_base_note(standing_rows(cases)); !slow.empty())
    table.notes.push_back(std::move(slow));
  table.notes = joined_notes({table.notes, {case_study_2_note(*scale)}});
  return table;
}

// One row per worker count, ascending, all at the greatest n_tokens that all worker counts have.
Rows summary_rows(const CsvTable& cases) {
  std::map<double, std::map<std::int64_t, Row>> by_length;
  std::set<std::int64_t> workers;
  for (const Group& line : case_lines(cases))
    for (const Row& row : line.rows) {
      if (std::isnan(row.number("longest_subsequence_tokens"))) continue;
      workers.insert(workers_of(line));
      by_length[row.number("n_tokens")].emplace(workers_of(line), row);
    }
  for (auto found = by_length.rbegin(); found != by_length.rend(); ++found) {
    if (found->second.size() != workers.size()) continue;
    Rows rows;
    for (const auto& [count, row] : found->second) rows.push_back(row);
    return rows;
  }
  return {};
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
                          number_text(row.number("mean_subsequence_tokens"), "{:.1f}"),
                          number_text(row.number("stddev_subsequence_tokens"), "{:.2f}"),
                          number_text(100.0 * longest / row.number("n_tokens"), "{:.2f}"),
                          number_text(row.number("responsibility_ratio"), "{:.4f}")});
  }
  return table;
}

Table cases_table(const CsvTable& cases) {
  Table table{.name = "cases",
              .title = "Cases",
              .header = {"case", "N", "status", "longest subsequence (ms)", "critical path (ms)",
                         "interval", "worker sum (ms)", "wall clock (ms)", "repeats (coverage)",
                         "peak of a device", "largest error/tolerance"}};
  for (const Group& line : case_lines(cases))
    for (const Row& row : line.rows) {
      const auto median = [&](IntervalColumns columns) {
        return milliseconds(row.number(columns.median()));
      };
      table.rows.push_back({line.name, tokens(row, "n_tokens"), row.text("status"),
                            median("longest_subsequence"), median("critical_path"),
                            interval(row, "critical_path"), median("worker_sum"),
                            median("wall_time"), repeats_of(row), bytes(fullest_device_bytes(row)),
                            significant(error_over_tolerance(row))});
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
    const double ours = row.number_at("asymptotic_responsibility_ratio");
    const double published = row.number_at("published_asymptotic_responsibility_ratio");
    table.rows.push_back({row.text("workers"), row.at("quorum_size"), row.text("interest_set"),
                          row.at("published_asymptotic_responsibility_ratio"),
                          number_text(ours, "{:.4f}"), number_text(ours / published, "{:.6f}"),
                          row.at("verdict")});
  }
  return table;
}

Table sparse_attention_table(const SparseCases& cases) {
  Table table{.name = "sparse_attention",
              .title = "Sparse attention against dense",
              .header = {"pattern", "N", "pairs kept (%)", "time (ms)", "speed-up", "time/ideal",
                         "executed/useful", "peak of a device"}};
  if (!cases.has_patterns()) return table;
  for (const Group& line : cases.lines())
    for (const Row& row : line.rows) {
      const double time_s = row.number("wall_time_median_s");
      table.rows.push_back({cases.full_name(line), grouped(row.number("n_tokens")),
                            number_text(kPercent * kept_share(row), "{:.3g}"),
                            number_text(kMilli * time_s, "{:.4g}"),
                            number_text(cases.dense_time_s(row) / time_s, "{:.3g}"),
                            number_text(time_s / cases.ideal_time_s(row), "{:.2f}"),
                            number_text(executed_ratio(row), "{:.2f}"),
                            bytes(fullest_device_bytes(row))});
    }
  table.notes = {
      "Speed-up: time of the full mask with flash at the same N over this time. Ideal: that time "
      "times the share of pairs kept."};
  return table;
}

Table sparse_growth_table(const SparseCases& cases) {
  Table table{.name = "sparse_growth",
              .title = "How the time grows with N",
              .header = {"pattern", "N from", "to", "lengths", "exponent b", "R² of a N^b",
                         "line: µs a token", "line: offset (ms)", "R² of the line", "time/N (µs)",
                         "largest deviation (%)"}};
  if (!cases.has_patterns()) return table;
  for (const LineFit& fit : fits(cases)) {
    table.rows.push_back(
        {fit.name, grouped(fit.first), grouped(fit.last), fmt::format("{}", fit.points),
         number_text(fit.power.slope, "{:.3f}"), number_text(fit.power.r_squared, "{:.5f}"),
         number_text(kMicro * fit.line.slope, "{:.4g}"),
         number_text(kMilli * fit.line.intercept, "{:.3g}"),
         number_text(fit.line.r_squared, "{:.5f}"), number_text(kMicro * fit.per_token_s, "{:.4g}"),
         number_text(kPercent * fit.largest_deviation, "{:.1f}")});
  }
  table.notes = {
      "Medians of the wall clock. a N^b by least squares on logarithms; the line by least squares; "
      "time/N is the geometric mean, and the deviation the largest of a length from it."};
  return table;
}

}  // namespace qb
