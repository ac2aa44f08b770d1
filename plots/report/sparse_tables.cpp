// Tables of sparse attention: every pattern and N against dense, and how the times grow with N.
#include <fmt/format.h>

#include "base/numbers.h"
#include "plots/report/run_tables.h"

namespace qb {
namespace {

constexpr std::size_t kLeastLengths = 4;
// Exponents this near 1 are called linear, and their deviation is printed.
constexpr double kNearlyLinear = 0.15;
constexpr double kMicro = 1e6;

std::string number_text(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : std::string("-");
}

struct LineFit {
  std::string name;
  double first = 0.0;
  double last = 0.0;
  ScalingFit fit;
};

std::vector<LineFit> fits(const SparseCases& cases) {
  std::vector<LineFit> out;
  for (const Group& line : cases.lines()) {
    std::vector<double> n_tokens;
    std::vector<double> time_s;
    for (const Row& row : line.rows) {
      n_tokens.push_back(row.number("n_tokens"));
      time_s.push_back(row.number("wall_time_median_s"));
    }
    if (n_tokens.size() >= kLeastLengths)
      out.push_back({cases.full_name(line), n_tokens.front(), n_tokens.back(),
                     fit_scaling(n_tokens, time_s)});
  }
  return out;
}

}  // namespace

ScalingFit fit_scaling(const std::vector<double>& n_tokens, const std::vector<double>& time_s) {
  ScalingFit fit{.points = n_tokens.size()};
  std::vector<double> log_n;
  std::vector<double> log_time;
  double sum = 0.0;
  for (std::size_t i = 0; i < fit.points; ++i) {
    if (!(n_tokens[i] > 0.0 && time_s[i] > 0.0)) return fit;
    log_n.push_back(std::log(n_tokens[i]));
    log_time.push_back(std::log(time_s[i]));
    sum += log_time[i] - log_n[i];
  }
  if (fit.points < 2) return fit;
  fit.power = fit_line(log_n, log_time);
  fit.line = fit_line(n_tokens, time_s);
  fit.per_token_s = std::exp(sum / static_cast<double>(fit.points));
  fit.largest_deviation = 0.0;
  for (std::size_t i = 0; i < fit.points; ++i)
    fit.largest_deviation = std::max(fit.largest_deviation,
                                     std::abs(time_s[i] / (fit.per_token_s * n_tokens[i]) - 1.0));
  return fit;
}

Table sparse_attention_table(const SparseCases& cases) {
  Table table{.name = "sparse_attention",
              .title = "Sparse attention against dense",
              .header = {"pattern", "N", "pairs kept (%)", "time (ms)", "speed-up", "time/ideal",
                         "executed/useful", "peak memory"}};
  if (!cases.has_patterns()) return table;
  for (const Group& line : cases.lines())
    for (const Row& row : line.rows) {
      const double time_s = row.number("wall_time_median_s");
      const double memory = row.number("active_memory_peak_bytes");
      table.rows.push_back({cases.full_name(line), grouped(row.number("n_tokens")),
                            number_text(kPercent * kept_share(row), "{:.3g}"),
                            number_text(kMilli * time_s, "{:.4g}"),
                            number_text(cases.dense_time_s(row) / time_s, "{:.3g}"),
                            number_text(time_s / cases.ideal_time_s(row), "{:.2f}"),
                            number_text(executed_ratio(row), "{:.2f}"),
                            std::isfinite(memory) ? format_bytes(static_cast<std::uint64_t>(memory))
                                                  : std::string("-")});
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
  for (const LineFit& line : fits(cases)) {
    const ScalingFit& fit = line.fit;
    table.rows.push_back(
        {line.name, grouped(line.first), grouped(line.last), fmt::format("{}", fit.points),
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

std::vector<std::string> growth_notes(const SparseCases& cases) {
  std::vector<std::string> exponents;
  std::vector<std::string> linear;
  for (const LineFit& line : fits(cases)) {
    const ScalingFit& fit = line.fit;
    if (!std::isfinite(fit.power.slope)) continue;
    exponents.push_back(
        fmt::format("{} {:.2f} ({:.4f})", line.name, fit.power.slope, fit.power.r_squared));
    if (std::abs(fit.power.slope - 1.0) <= kNearlyLinear)
      linear.push_back(fmt::format("{} {:.3g} µs ± {:.0f} % (R² of a line {:.4f})", line.name,
                                   kMicro * fit.per_token_s, kPercent * fit.largest_deviation,
                                   fit.line.r_squared));
  }
  std::vector<std::string> notes;
  if (!exponents.empty())
    notes.push_back("Fitted growth a N^b over all lengths, b and its R²: " + listed(exponents) +
                    ".");
  if (!linear.empty())
    notes.push_back("Nearly linear, time a token and largest deviation from it: " + listed(linear) +
                    ".");
  return notes;
}

}  // namespace qb
