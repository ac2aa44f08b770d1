// SPDX-License-Identifier: Apache-2.0
// Prints the end of a sweep.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/numbers.h"
#include "base/statistics.h"
#include "base/text_table.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/sweep/reasons.h"
#include "harness/experiment/sweep/sweep_runner.h"

namespace qb {
namespace {

constexpr IntervalColumns kClocks[] = {"wall_time", "critical_path", "longest_subsequence"};

constexpr const char* kInTurn =
    "Ranks are serial: one device computes the workers in turn, and messages cost nothing. Compare "
    "critical\npaths; the wall clock is that of all workers, and does not fall when W grows.\n";

// Calls visit(case, row) for each case that has a row, in spec order.
void for_each_row(const RunOutcome& outcome, const auto& visit) {
  std::map<std::string, Row> rows;
  for (const Row& row : all_rows(outcome.cases)) rows[row.text("case_id")] = row;
  for (const Case& c : outcome.cases_in_order)
    if (const auto found = rows.find(case_id(c)); found != rows.end()) visit(c, found->second);
}

}  // namespace

std::string outcome_table(const RunOutcome& outcome) {
  std::vector<std::string> parameters = {"algorithm", "workers", "n_tokens", "kernel", "dtype"};
  for (std::string& name : varying_parameters(outcome.cases_in_order))
    parameters.push_back(std::move(name));
  std::vector<std::string> header = parameters;
  const bool of_cpu = std::ranges::all_of(outcome.cases_in_order,
                                          [](const Case& c) { return c.clock == ClockKind::cpu; });
  for (const char* name :
       {"status", of_cpu ? "CPU time [interval]" : "wall [interval]", "critical path [interval]",
        "longest subsequence [interval]", "repeats (coverage)", "peak of a device", "max error"})
    header.emplace_back(name);
  TextTable table(header);
  for_each_row(outcome, [&](const Case&, const Row& row) {
    if (row.is("status", word(Status::unsupported))) return;
    std::vector<std::string> cells;
    for (const std::string& name : parameters) cells.push_back(row.at(name));
    cells.push_back(row.is("provenance", "model") ? "modelled" : row.text("status"));
    for (const IntervalColumns& clock : kClocks)
      cells.push_back(format_interval(row.number(clock.median()), row.number(clock.low95()),
                                      row.number(clock.high95())));
    cells.push_back(repeats_text(row.number("n_samples"), row.number("interval_coverage"),
                                 row.number("disturbed_samples"), row.text("disturbed_by")));
    cells.push_back(
        format_bytes_and_root(row.number("device_peak_bytes"), row.number("root_peak_bytes")));
    const double error = row.number("max_error");
    cells.push_back(error >= 0.0 ? fmt::format("{:.1e}", error) : "-");
    table.add(cells);
  });
  const bool in_turn = std::ranges::any_of(outcome.cases_in_order, [](const Case& c) {
    return c.ranks == Ranks::serial && c.workers > 1;
  });
  return table.terminal() + (in_turn ? kInTurn : "");
}

std::string failure_list(const RunOutcome& outcome) {
  Reasons reasons;
  const auto varying = varying_parameters(outcome.cases_in_order);
  for_each_row(outcome, [&](const Case& c, const Row& row) {
    if (!row.is("status", word(Status::ok)))
      reasons.add(strategy_name(c.algorithm, std::to_string(c.workers)), case_label(c, varying),
                  row.text("status"), row.text("message"));
  });
  std::string text;
  for (const std::string& line : reasons.lines()) text += line + '\n';
  return text;
}

}  // namespace qb
