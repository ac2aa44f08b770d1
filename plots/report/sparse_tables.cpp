#include "plots/report/sparse_tables.h"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers.h"
#include "plots/frame/scaling_fit.h"

namespace qb {
namespace {

constexpr std::size_t kLeastLengths = 4;
// Exponents so near 1 are called linear, and their deviation from it is said.
constexpr double kNearlyLinear = 0.15;
constexpr double kPercent = 100.0;
constexpr double kMilli = 1e3;
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
  for (const SparseLine& line : cases.lines()) {
    std::vector<double> n_tokens;
    std::vector<double> time_s;
    for (const std::size_t row : line.rows) {
      n_tokens.push_back(cases.number(row, "n_tokens"));
      time_s.push_back(cases.number(row, "wall_time_median_s"));
    }
    if (n_tokens.size() < kLeastLengths) continue;
    const std::string device =
        cases.devices().size() > 1 ? ", " + cases.device_name(line.device) : std::string();
    out.push_back(
        {line.name + device, n_tokens.front(), n_tokens.back(), fit_scaling(n_tokens, time_s)});
  }
  return out;
}

std::string tokens_text(double n) { return format_grouped(static_cast<std::int64_t>(n)); }

}  // namespace

Table sparse_attention_table(const SparseCases& cases) {
  Table table{.name = "sparse_attention",
              .title = "Sparse attention against dense",
              .header = {"pattern", "N", "pairs kept (%)", "time (ms)", "speed-up", "time/ideal",
                         "executed/useful", "peak memory"}};
  if (!cases.has_patterns()) return table;
  const bool several = cases.devices().size() > 1;
  for (const SparseLine& line : cases.lines())
    for (const std::size_t row : line.rows) {
      const double time_s = cases.number(row, "wall_time_median_s");
      const double memory = cases.number(row, "active_memory_peak_bytes");
      table.rows.push_back(
          {several ? line.name + ", " + cases.device_name(line.device) : line.name,
           tokens_text(cases.number(row, "n_tokens")),
           number_text(kPercent * cases.kept_share(row), "{:.3g}"),
           number_text(kMilli * time_s, "{:.4g}"),
           number_text(cases.dense_time_s(row) / time_s, "{:.3g}"),
           number_text(time_s / cases.ideal_time_s(row), "{:.2f}"),
           number_text(cases.number(row, "executed_pairs") / cases.number(row, "unmasked_pairs"),
                       "{:.2f}"),
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
    table.rows.push_back({line.name, tokens_text(line.first), tokens_text(line.last),
                          fmt::format("{}", fit.points), number_text(fit.exponent, "{:.3f}"),
                          number_text(fit.power_r_squared, "{:.5f}"),
                          number_text(kMicro * fit.slope_s, "{:.4g}"),
                          number_text(kMilli * fit.intercept_s, "{:.3g}"),
                          number_text(fit.linear_r_squared, "{:.5f}"),
                          number_text(kMicro * fit.per_token_s, "{:.4g}"),
                          number_text(kPercent * fit.largest_deviation, "{:.1f}")});
  }
  table.notes = {
      "Medians of the wall clock. a N^b by least squares on logarithms; the line by least squares; "
      "time/N is the geometric mean, and the deviation the largest of a length from it."};
  return table;
}

std::vector<std::string> growth_notes(const SparseCases& cases) {
  std::string exponents;
  std::string linear;
  for (const LineFit& line : fits(cases)) {
    const ScalingFit& fit = line.fit;
    if (!std::isfinite(fit.exponent)) continue;
    exponents += fmt::format("{}{} {:.2f} ({:.4f})", exponents.empty() ? "" : ", ", line.name,
                             fit.exponent, fit.power_r_squared);
    if (std::abs(fit.exponent - 1.0) <= kNearlyLinear)
      linear += fmt::format("{}{} {:.3g} µs ± {:.0f} % (R² of a line {:.4f})",
                            linear.empty() ? "" : ", ", line.name, kMicro * fit.per_token_s,
                            kPercent * fit.largest_deviation, fit.linear_r_squared);
  }
  std::vector<std::string> notes;
  if (!exponents.empty())
    notes.push_back("Fitted growth a N^b over all lengths, b and its R²: " + exponents + ".");
  if (!linear.empty())
    notes.push_back("Nearly linear, time a token and largest deviation from it: " + linear + ".");
  return notes;
}

}  // namespace qb
