// How a comparison is printed.
#include <fmt/format.h>

#include <cmath>

#include "harness/base/csv.h"
#include "harness/base/numbers.h"
#include "harness/base/text_table.h"
#include "harness/experiment/compare.h"

namespace qb {
namespace {

std::string seconds_cell(double seconds) {
  return std::isnan(seconds) ? "-" : format_seconds(seconds);
}

std::string ratio_cell(const CaseComparison& c) {
  if (std::isnan(c.ratio)) return "-";
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", c.ratio, c.b.low95_s / c.a.high95_s,
                     c.b.high95_s / c.a.low95_s);
}

std::string memory_cell(const CaseComparison& c) {
  if (c.memory == Change::same) return std::isnan(c.memory_b_bytes) ? "-" : "same";
  return fmt::format("{:+.1f} %", 100.0 * (c.memory_b_bytes / c.memory_a_bytes - 1.0));
}

std::string status_cell(const CaseComparison& c) {
  if (c.status_a == c.status_b) return std::string(word(c.status_a));
  return fmt::format("{} -> {}", word(c.status_a), word(c.status_b));
}

std::string listed(std::string_view what, const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += fmt::format("{}: {}\n", what, label);
  return text;
}

std::string summary(const RunComparison& comparison, const CompareOptions& options) {
  std::string text = fmt::format("{} in both:", comparison.cases.size());
  for (const Verdict verdict : {Verdict::fast, Verdict::slow, Verdict::same, Verdict::ambiguous})
    text += fmt::format(" {} {},", comparison.count(verdict), word(verdict));
  text += fmt::format(" {} without times; {} missing, {} new; threshold {:g} %; ",
                      comparison.count(Verdict::untimed), comparison.missing.size(),
                      comparison.added.size(), 100.0 * options.threshold);
  const std::size_t regressions = comparison.regressions();
  return text + (regressions == 0
                     ? "no regression\n"
                     : fmt::format("{} regressed (time, memory or status)\n", regressions));
}

}  // namespace

std::string comparison_text(const RunComparison& comparison, const CompareOptions& options) {
  std::string text;
  if (comparison.device_a != comparison.device_b)
    text += fmt::format(
        "ACROSS DEVICES: times tell devices apart as much as code.\n  A: {}\n  B: {}\n\n",
        comparison.device_a, comparison.device_b);
  TextTable table({"case", "A", "B", "B/A [95 %]", "time", "memory", "status", ""});
  for (const CaseComparison& c : comparison.cases)
    table.add({c.label, seconds_cell(c.a.median_s), seconds_cell(c.b.median_s), ratio_cell(c),
               std::string(word(c.verdict)), memory_cell(c), status_cell(c),
               c.regression() ? "REGRESSION" : ""});
  text += table.terminal() + '\n';
  text += listed("missing in B", comparison.missing) + listed("new in B", comparison.added);
  return text + summary(comparison, options);
}

std::string comparison_csv(const RunComparison& comparison) {
  CsvTable table({"case", "presence", "median_a_s", "median_b_s", "ratio", "verdict",
                  "memory_a_bytes", "memory_b_bytes", "status_a", "status_b", "regression"});
  for (const CaseComparison& c : comparison.cases)
    table.append({c.label, "both", to_text(c.a.median_s), to_text(c.b.median_s), to_text(c.ratio),
                  c.verdict == Verdict::untimed ? "" : std::string(word(c.verdict)),
                  to_text(c.memory_a_bytes), to_text(c.memory_b_bytes),
                  std::string(word(c.status_a)), std::string(word(c.status_b)),
                  c.regression() ? "yes" : "no"});
  const auto add_lonely = [&](const std::vector<std::string>& labels, const char* presence) {
    for (const std::string& label : labels)
      table.append({label, presence, "", "", "", "", "", "", "", "", "no"});
  };
  add_lonely(comparison.missing, "only_a");
  add_lonely(comparison.added, "only_b");
  return table.to_string();
}

}  // namespace qb
