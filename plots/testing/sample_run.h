// SPDX-License-Identifier: Apache-2.0
// For tests only: tables as a run folder holds them, with the numbers of a small case study 2.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/numbers.h"
#include "base/schema/column.h"
#include "base/schema/run_tables.h"
#include "base/testing/scratch_folder.h"
#include "plots/frame/run.h"

namespace qb::testing_support {

// The columns of cases.csv.
inline CsvTable no_cases() {
  std::vector<std::string> columns;
  const auto add = [&](const auto& fields) {
    for (const Field& field : fields) columns.emplace_back(field.column);
  };
  add(kIdentityFields);
  add(kParameterFields);
  add(kResultFields);
  return CsvTable(columns);
}

using Values = std::map<std::string, std::string>;

inline void add_case(CsvTable& cases, const Values& values) {
  std::vector<std::string> row;
  for (const std::string& column : cases.header()) {
    const auto found = values.find(column);
    row.push_back(found == values.end() ? std::string() : found->second);
  }
  cases.append(std::move(row));
}

inline CsvTable cases_of(const std::vector<Values>& rows) {
  CsvTable cases = no_cases();
  for (const Values& values : rows) add_case(cases, values);
  return cases;
}

// Finds the series of that name in a panel; throws std::out_of_range if there is none.
inline const Series& series_named(const Panel& panel, std::string_view name) {
  for (const Series& series : panel.series)
    if (series.name == name && !series.points.empty()) return series;
  throw std::out_of_range("no series " + std::string(name));
}

inline std::vector<std::string> titles(const Figure& figure) {
  std::vector<std::string> out;
  for (const Panel& panel : figure.panels) out.push_back(panel.title);
  return out;
}

// A case that ran, with times and memory as if they grew with the square of the longest
// subsequence.
inline Values ok_case(int workers, std::int64_t n, double share_of_n) {
  const double longest = std::round(static_cast<double>(n) * share_of_n);
  const double seconds = 2e-8 * longest * longest;
  Values values = {{"schema_version", "3"},
                   {"case_id", fmt::format("{:04d}{:08d}", workers, n)},
                   {"experiment", "case_study_2"},
                   {"algorithm", workers == 1 ? "dense" : "cqs"},
                   {"kernel", "materialized"},
                   {"device", "cpu"},
                   {"ranks", "serial"},
                   {"workers", fmt::format("{}", workers)},
                   {"threads", "2"},
                   {"n_tokens", fmt::format("{}", n)},
                   {"kv_len", fmt::format("{}", n)},
                   {"batch", "1"},
                   {"q_heads", "8"},
                   {"kv_heads", "8"},
                   {"head_dim", "64"},
                   {"dtype", "f16"},
                   {"mask", "full"},
                   {"seed", "1"},
                   {"memory_budget_bytes", "0"},
                   {"cpu_isa", "auto"},
                   {"status", "ok"},
                   {"n_samples", "5"},
                   {"interval_coverage", "0.9375"},
                   {"max_error", "0.0002"},
                   {"tolerance", "0.001"}};
  values["longest_subsequence_tokens"] = to_text(longest);
  values["shortest_subsequence_tokens"] = to_text(workers == 1 ? longest : longest * 0.8);
  values["mean_subsequence_tokens"] = to_text(workers == 1 ? longest : longest * 0.93);
  values["stddev_subsequence_tokens"] = to_text(workers == 1 ? 0.0 : longest * 0.06);
  values["responsibility_ratio"] = to_text(1.0 / (share_of_n * share_of_n) * 1.4);
  values["device_peak_bytes"] = values["active_memory_peak_bytes"] =
      to_text(8.0 * longest * longest * 4.0 + 8.0 * 64.0 * 16.0 * static_cast<double>(n));
  const auto times = [&](const std::string& prefix, double median) {
    values[prefix + "_median_s"] = to_text(median);
    values[prefix + "_low95_s"] = to_text(median * 0.93);
    values[prefix + "_high95_s"] = to_text(median * 1.12);
  };
  times("longest_subsequence", seconds);
  times("critical_path", seconds * 1.08 + 1e-3);
  times("worker_sum", seconds * 0.9 * workers);
  times("wall_time", seconds * 1.08 * workers + 1e-3);
  const double flop = 4.0 * 8.0 * 64.0 * static_cast<double>(n) * static_cast<double>(n);
  values["unmasked_flop"] = to_text(flop);
  values["achieved_flop_per_s"] = to_text(flop / (seconds * 1.08 * workers + 1e-3));
  return values;
}

inline Values failed_case(int workers, std::int64_t n, const std::string& status,
                          const std::string& message) {
  Values values = ok_case(workers, n, 1.0);
  for (auto& [column, value] : values)
    if (column.ends_with("_s") || column == "n_samples" || column == "interval_coverage" ||
        column == "active_memory_peak_bytes" || column == "device_peak_bytes")
      value.clear();
  values["status"] = status;
  values["message"] = message;
  return values;
}

inline const std::map<int, double>& shares_of_n() {
  static const std::map<int, double> shares = {
      {1, 1.0}, {4, 0.75}, {7, 3.0 / 7.0}, {8, 0.5}, {31, 6.0 / 31.0}};
  return shares;
}

// Makes every worker count and length of case study 2 at `1/scale` of its N; one worker runs out of
// memory from 45000/scale tokens on.
inline CsvTable case_study_2(std::int64_t scale) {
  CsvTable cases = no_cases();
  for (const auto& [workers, share] : shares_of_n())
    for (const std::int64_t n : {10000, 20000, 30000, 40000, 45000, 46000, 47000, 48000, 49000}) {
      if (workers == 1 && n > 45000)
        add_case(cases, failed_case(1, n / scale, "oom_skipped", "N = 45000 already ran out"));
      else if (workers == 1 && n == 45000)
        add_case(cases, failed_case(1, n / scale, "oom", "scores: 64.80 GB over the budget"));
      else
        add_case(cases, ok_case(workers, n / scale, share));
    }
  return cases;
}

inline CsvTable no_steps() {
  std::vector<std::string> header;
  for (const Field& field : kStepFields) header.emplace_back(field.column);
  return CsvTable(header);
}

// Adds one worker's step of a case.
inline void add_step(CsvTable& steps, const std::string& case_id, int worker, int step,
                     const Values& values) {
  Values all = {{"case_id", case_id},
                {"worker", fmt::format("{}", worker)},
                {"step", fmt::format("{}", step)}};
  for (const auto& [column, value] : values) all[column] = value;
  add_case(steps, all);
}

inline CsvTable no_microbench() {
  return CsvTable({"case_id", "benchmark", "dtype", "mask", "isa", "threads", "workers", "n_tokens",
                   "head_dim", "repeat", "warmup", "wall_time_s", "flop", "bytes", "peak_per_s",
                   "peak_fraction", "overhead"});
}

// Adds one repeat; `values` replace those of flash in bf16 on one thread at N = 1024 and d = 64.
inline void add_repeat(CsvTable& microbench, const Values& values) {
  Values all = {{"case_id", "m"}, {"benchmark", "flash"}, {"dtype", "bf16"},
                {"mask", "full"}, {"isa", "avx512"},      {"threads", "1"},
                {"workers", "1"}, {"n_tokens", "1024"},   {"head_dim", "64"},
                {"repeat", "0"},  {"warmup", "0"},        {"wall_time_s", "0.001"}};
  for (const auto& [column, value] : values) all[column] = value;
  add_case(microbench, all);
}

// Makes runs of single tables.
inline PlottedRun with_steps(const CsvTable& cases, const CsvTable& steps) {
  PlottedRun run(cases);
  run.steps = steps;
  return run;
}

inline PlottedRun with_parts(const CsvTable& cases, const CsvTable& parts) {
  PlottedRun run(cases);
  run.parts = parts;
  return run;
}

// Makes a run that is drawn beside what is published.
inline PlottedRun with_published(PlottedRun run) {
  run.published = true;
  return run;
}

inline PlottedRun with_microbench(const CsvTable& microbench) {
  PlottedRun run;
  run.microbench = microbench;
  return run;
}

// Puts the first two runs side by side, under their names.
inline PlottedRun side_by_side(const CsvTable& own, const std::string& name, const CsvTable& other,
                               const std::string& other_name) {
  PlottedRun run(own);
  run.provenance.run_id = name;
  run.beside.emplace_back(other);
  run.beside[0].provenance.run_id = other_name;
  return run;
}

// Makes an empty folder for this test, which is removed when the test program ends.
inline std::string fresh_folder(const std::string& name) {
  static std::list<ScratchFolder> folders;
  const std::string path = folders.emplace_back() / name;
  ensure_directory(path);
  return path;
}

inline std::string sample_manifest() {
  return R"({"schema_version": 1, "experiment": "case_study_2", "description": "A <small> study.",
"figures": ["wall_clock", "peak_memory"], "run_id": "r1", "spec_hash": "deadbeef",
"argv": ["/opt/x/qb", "run", "case study.yaml"], "started_at": "2026-01-02T03:04:05Z",
"environment": {"device_fingerprint": "Some CPU, 2 processors", "cpu": {"model": null},
"memory": {"total_bytes": 25769803776, "container_limit_bytes": 8589934592},
"build": {"version": "0.1.0", "commit": "0123456789abcdef", "sources_modified": true}}})";
}

// As a machine with two cores would have marked the run.
inline void on_two_cores(PlottedRun& run) {
  run.provenance.cores = 2;
  mark_oversubscribed(run.cases, run.provenance.cores);
}

}  // namespace qb::testing_support
