// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/report/pivot.h"

namespace qb {
namespace {

std::string milliseconds(double seconds) { return significant(seconds * 1e3); }

std::string interval(const Row& row) {
  const Point time = timed(row, clock_of(row), 1.0);
  if (std::isnan(time.low) || std::isnan(time.high)) return "-";
  return fmt::format("{} to {}", milliseconds(time.low), milliseconds(time.high));
}

std::string repeats_of(const Row& row) {
  return repeats_text(row.number("n_samples"), row.number("interval_coverage"),
                      row.number("disturbed_samples"), row.text("disturbed_by"));
}

// Gives the parameters in which the cases differ and that do not just follow another.
Columns differing_parameters(const Rows& rows) {
  Columns columns;
  for (const Field& field : kParameterFields) {
    std::set<std::string> values;
    for (const Row& row : rows) values.insert(own_value(row, std::string(field.column)));
    if (values.size() > 1) columns.emplace_back(field.column);
  }
  return columns;
}

// A column of the table of cases: its title and its cell.
using CaseColumn = std::pair<std::string, std::function<std::string(const Row&)>>;

CaseColumn time_column(const std::string& name, IntervalColumns columns) {
  return {name + " (ms)",
          [columns](const Row& row) { return milliseconds(row.number(columns.median())); }};
}

std::vector<CaseColumn> result_columns() {
  return {
      {"time (ms)", [](const Row& row) { return significant(time_ms(row).y); }},
      {"interval", interval},
      {"repeats (coverage)", repeats_of},
      time_column("longest subsequence", "longest_subsequence"),
      time_column("worker sum", "worker_sum"),
      time_column("wall clock", "wall_time"),
      {"peak of a device (MiB)",
       [](const Row& row) { return significant(fullest_device_bytes(row) / kMiB); }},
      {"error/tolerance", [](const Row& row) { return significant(error_over_tolerance(row)); }},
      {"status", [](const Row& row) { return row.text("status"); }}};
}

}  // namespace

Table cases_table(const CsvTable& cases) {
  Table table{.name = "cases", .title = "Cases", .notes = {shared_parameters(all_rows(cases))}};
  const Rows standing = standing_rows(cases);
  if (standing.empty()) return table;
  const Columns differing = differing_parameters(standing);
  Rows rows;
  for (const Group& alike : group(standing, differing))
    std::ranges::copy(alike.rows, std::back_inserter(rows));
  std::vector<CaseColumn> columns;
  for (const std::string& column : differing)
    columns.push_back({parameter_heading(column), [column](const Row& row) {
                         return row.at(column).empty() ? "-" : parameter_text(row, column);
                       }});
  std::set<std::vector<std::string>> seen;  // no column repeats another: a clock may be the time
  for (CaseColumn& column : result_columns()) {
    std::vector<std::string> texts;
    for (const Row& row : rows) texts.push_back(column.second(row));
    const bool empty = std::ranges::all_of(texts, [](const auto& text) { return text == "-"; });
    if (!empty && seen.insert(std::move(texts)).second) columns.push_back(std::move(column));
  }
  for (const CaseColumn& column : columns) table.header.push_back(column.first);
  for (const Row& row : rows) {
    table.rows.emplace_back();
    for (const CaseColumn& column : columns) table.rows.back().push_back(column.second(row));
  }
  return table;
}

Table failed_cases_table(const CsvTable& cases) {
  constexpr std::size_t kMostNames = 4;
  Table table{.name = "failed_cases",
              .title = "Cases without a result",
              .header = {"cases", "which", "message", "status"}};
  std::map<std::vector<std::string>, std::vector<std::string>> names;  // by status and message
  const Rows rows = standing_rows(cases);
  const Columns told_by = joined({"workers"}, splitting_columns(rows, {"workers", "n_tokens"}));
  for (const Row& row : rows)
    if (!ran(row))
      names[{row.text("status"), row.text("message")}].push_back(
          listed({name_with("", row, told_by), named_values(row, {"n_tokens"})}));
  for (auto& [reason, all] : names) {
    const std::size_t number = all.size();
    if (number > kMostNames) {
      all.resize(kMostNames);
      all.push_back(fmt::format("{} more", number - kMostNames));
    }
    table.rows.push_back(
        {grouped(static_cast<double>(number)), listed(all, "; "), reason[1], reason[0]});
  }
  return table;
}

}  // namespace qb
