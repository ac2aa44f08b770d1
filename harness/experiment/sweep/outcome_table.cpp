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

std::map<std::string, std::size_t> rows_by_id(const CsvTable& cases) {
  std::map<std::string, std::size_t> rows;
  for (std::size_t row = 0; row < cases.size(); ++row) rows[Row{&cases, row}.text("case_id")] = row;
  return rows;
}

std::string bytes_cell(const CsvTable& cases, std::size_t row, std::string_view column) {
  const double bytes = cases.number(row, column);
  return bytes >= 0.0 ? format_bytes(bytes) : "-";
}

std::string time_cell(const CsvTable& cases, std::size_t row, const std::string& quantity) {
  return format_interval(cases.number(row, quantity + "_median_s"),
                         cases.number(row, quantity + "_low95_s"),
                         cases.number(row, quantity + "_high95_s"));
}

std::string error_cell(const CsvTable& cases, std::size_t row) {
  const double error = Row{&cases, row}.number("max_error");
  return error >= 0.0 ? fmt::format("{:.1e}", error) : "-";
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
        "longest subsequence [interval]", "repeats (coverage)", "active peak", "max error"})
    header.emplace_back(name);
  TextTable table(header);
  const auto rows = rows_by_id(outcome.cases);
  for (const Case& c : outcome.cases_in_order) {
    const auto found = rows.find(case_id(c));
    if (found == rows.end()) continue;
    const std::size_t row = found->second;
    if (Row{&outcome.cases, row}.text("status") == word(Status::unsupported)) continue;
    std::vector<std::string> cells;
    for (const std::string& name : parameters) cells.push_back(outcome.cases.text(row, name));
    const bool modelled = Row{&outcome.cases, row}.text("provenance") == "model";
    cells.push_back(modelled ? "modelled" : Row{&outcome.cases, row}.text("status"));
    for (const char* quantity : {"wall_time", "critical_path", "longest_subsequence"})
      cells.push_back(time_cell(outcome.cases, row, quantity));
    cells.push_back(repeats_text(Row{&outcome.cases, row}.number("n_samples"),
                                 Row{&outcome.cases, row}.number("interval_coverage"),
                                 Row{&outcome.cases, row}.number("disturbed_samples"),
                                 Row{&outcome.cases, row}.text("disturbed_by")));
    cells.push_back(bytes_cell(outcome.cases, row, "device_peak_bytes"));
    cells.push_back(error_cell(outcome.cases, row));
    table.add(cells);
  }
  return table.terminal();
}

std::string failure_list(const RunOutcome& outcome) {
  Reasons reasons;
  const auto rows = rows_by_id(outcome.cases);
  const auto varying = varying_parameters(outcome.cases_in_order);
  for (const Case& c : outcome.cases_in_order) {
    const auto found = rows.find(case_id(c));
    if (found == rows.end()) continue;
    const std::string& status = outcome.cases.text(found->second, "status");
    if (status != word(Status::ok))
      reasons.add(strategy_name(c.algorithm, std::to_string(c.workers)), case_label(c, varying),
                  status, outcome.cases.text(found->second, "message"));
  }
  std::string text;
  for (const std::string& line : reasons.lines()) text += line + '\n';
  return text;
}

}  // namespace qb
