// SPDX-License-Identifier: Apache-2.0
// Prints a comparison.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/numbers.h"
#include "base/text_table.h"
#include "harness/experiment/audit/compare.h"

namespace qb {
namespace {

using Verdict = RunComparison::Verdict;

std::string median_cell(double median, const CompareOptions& options) {
  if (std::isnan(median)) return "-";
  return options.metric == kInstructions ? fmt::format("{:.4g}", median) : format_seconds(median);
}

// Names the disturbance that leaves a verdict open.
std::string verdict_cell(const RunComparison::Row& c) {
  std::string text(word(c.verdict));
  for (const auto& [run, side] : {std::pair{'A', &c.a}, {'B', &c.b}})
    if (!side->time.disturbed_by.empty())
      text += fmt::format(", {} disturbed by {}", run, side->time.disturbed_by);
  return text;
}

std::string ratio_cell(const RunComparison::Row& c) {
  if (std::isnan(c.ratio)) return "-";
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", c.ratio, c.b.time.low95_s / c.a.time.high95_s,
                     c.b.time.high95_s / c.a.time.low95_s);
}

std::string memory_cell(const RunComparison::Row& c) {
  if (c.memory == RunComparison::Change::same) return std::isnan(c.b.memory_bytes) ? "-" : "same";
  return fmt::format("{:+.1f} %", 100.0 * (c.b.memory_bytes / c.a.memory_bytes - 1.0));
}

std::string status_cell(const RunComparison::Row& c) {
  if (c.a.status == c.b.status) return std::string(word(c.a.status));
  return fmt::format("{} -> {}", word(c.a.status), word(c.b.status));
}

std::string value_cell(const std::string& value) { return value.empty() ? "none" : value; }

// Returns whether each run has one value of the ignored key at `index`.
bool uniform(const RunComparison& comparison, std::size_t index) {
  const RunComparison::Row& first = comparison.cases.front();
  return std::ranges::all_of(comparison.cases, [&](const RunComparison::Row& c) {
    return c.a.ignored[index] == first.a.ignored[index] &&
           c.b.ignored[index] == first.b.ignored[index];
  });
}

// Names the values of the ignored keys that have one value in each run.
std::string ignored_text(const RunComparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < comparison.ignored.size(); ++i)
    if (uniform(comparison, i))
      text += fmt::format("ignored {}: A {}, B {}\n", comparison.ignored[i],
                          value_cell(comparison.cases.front().a.ignored[i]),
                          value_cell(comparison.cases.front().b.ignored[i]));
  return text.empty() ? text : text + '\n';
}

constexpr std::size_t kListedCases = 5;

std::string listed(std::string_view what, const std::vector<std::string>& labels) {
  std::string text;
  for (std::size_t i = 0; i < std::min(labels.size(), kListedCases); ++i)
    text += fmt::format("{}: {}\n", what, labels[i]);
  if (labels.size() > kListedCases)
    text += fmt::format("{}: {} more, which --csv lists\n", what, labels.size() - kListedCases);
  return text;
}

// How sure the intervals are; empty where no row says it.
std::string coverage_text(const RunComparison& comparison) {
  double least = 1.0;
  bool known = false;
  for (const RunComparison::Row& c : comparison.cases)
    for (const double coverage : {c.a.time.coverage, c.b.time.coverage})
      if (!std::isnan(coverage)) {
        known = true;
        least = std::min(least, coverage);
      }
  if (!known) return {};
  return fmt::format(
      "Each interval of a median covers it with a probability of {:.1f} % or more.\n",
      100.0 * least);
}

// What two machines can agree on to the last digit.
std::string exact_text(const RunComparison& comparison) {
  std::vector<std::string> unequal;
  for (const RunComparison::Row& c : comparison.cases)
    if (!c.unequal.empty()) unequal.push_back(fmt::format("{}: {}", c.label, c.unequal));
  if (!unequal.empty() || comparison.exact_values == 0) return listed("not identical", unequal);
  return fmt::format("Pairs, bytes and errors are identical ({} values of {} cases).\n",
                     comparison.exact_values, comparison.cases.size());
}

std::string summary(const RunComparison& comparison, const CompareOptions& options) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(comparison.cases, verdict, &RunComparison::Row::verdict);
  };
  std::string text = fmt::format("{} in both:", comparison.cases.size());
  for (const Verdict verdict : {Verdict::fast, Verdict::slow, Verdict::same, Verdict::ambiguous})
    text += fmt::format(" {} {},", count(verdict), word(verdict));
  text += fmt::format(" {} without times; {} missing, {} new; threshold {:g} %; ",
                      count(Verdict::untimed), comparison.missing.size(), comparison.added.size(),
                      100.0 * options.threshold);
  const std::size_t regressions = comparison.regressions();
  return text + (regressions == 0
                     ? "no regression\n"
                     : fmt::format("{} regressed (time, memory or status)\n", regressions));
}

// Cases that one of the two runs has.
void add_lonely(CsvTable& table, const std::vector<std::string>& labels, const char* presence) {
  for (const std::string& label : labels) {
    std::vector<std::string> row(table.header().size());
    row[0] = label;
    row[1] = presence;
    row[10] = "no";
    table.append(std::move(row));
  }
}

}  // namespace

std::string comparison_text(const RunComparison& comparison, const CompareOptions& options) {
  std::string text;
  if (comparison.device_a != comparison.device_b)
    text += fmt::format(
        "ACROSS DEVICES: the times differ by the devices as much as by the code.\n  A: {}\n  B: "
        "{}\n\n",
        comparison.device_a, comparison.device_b);
  for (const std::string& caution : comparison.cautions) text += caution + '\n';
  if (!comparison.cautions.empty()) text += '\n';
  text += ignored_text(comparison);
  std::vector<std::string> header = {"case"};
  std::vector<std::size_t> mixed;  // ignored keys that need a column
  for (std::size_t i = 0; i < comparison.ignored.size(); ++i) {
    if (uniform(comparison, i)) continue;
    mixed.push_back(i);
    header.insert(header.end(), {comparison.ignored[i] + " A", comparison.ignored[i] + " B"});
  }
  header.insert(header.end(), {"A", "B", "B/A [interval]", "time", "memory", "status", ""});
  TextTable table(header);
  for (const RunComparison::Row& c : comparison.cases) {
    if (options.only_regressed && !c.regression()) continue;
    std::vector<std::string> cells = {c.label};
    for (const std::size_t i : mixed)
      cells.insert(cells.end(), {value_cell(c.a.ignored[i]), value_cell(c.b.ignored[i])});
    cells.insert(cells.end(),
                 {median_cell(c.a.time.median_s, options), median_cell(c.b.time.median_s, options),
                  ratio_cell(c), verdict_cell(c), memory_cell(c), status_cell(c),
                  c.regression() ? "REGRESSION" : ""});
    table.add(std::move(cells));
  }
  text += table.terminal() + coverage_text(comparison) + '\n' + exact_text(comparison);
  text += listed("missing in B", comparison.missing) + listed("new in B", comparison.added);
  return text + summary(comparison, options);
}

std::string comparison_csv(const RunComparison& comparison, const CompareOptions& options) {
  const std::string unit = options.metric == kInstructions ? kInstructions.data() : "s";
  std::vector<std::string> header = {
      "case",       "presence",       "median_a_" + unit, "median_b_" + unit, "ratio",
      "verdict",    "memory_a_bytes", "memory_b_bytes",   "status_a",         "status_b",
      "regression", "disturbed_a",    "disturbed_b",      "not_identical"};
  for (const std::string& key : comparison.ignored)
    header.insert(header.end(), {key + "_a", key + "_b"});
  const auto whole = [](double bytes) {
    return std::isnan(bytes) ? std::string() : to_text(std::int64_t{std::llround(bytes)});
  };
  CsvTable table(header);
  for (const RunComparison::Row& c : comparison.cases) {
    if (options.only_regressed && !c.regression()) continue;
    std::vector<std::string> row = {
        c.label,
        "both",
        to_text(c.a.time.median_s),
        to_text(c.b.time.median_s),
        to_text(c.ratio),
        c.verdict == Verdict::untimed ? "" : std::string(word(c.verdict)),
        whole(c.a.memory_bytes),
        whole(c.b.memory_bytes),
        std::string(word(c.a.status)),
        std::string(word(c.b.status)),
        c.regression() ? "yes" : "no",
        c.a.time.disturbed_by,
        c.b.time.disturbed_by,
        c.unequal};
    for (std::size_t i = 0; i < comparison.ignored.size(); ++i)
      row.insert(row.end(), {c.a.ignored[i], c.b.ignored[i]});
    table.append(std::move(row));
  }
  add_lonely(table, comparison.missing, "only_a");
  add_lonely(table, comparison.added, "only_b");
  return table.to_string();
}

}  // namespace qb
