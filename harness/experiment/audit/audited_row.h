// SPDX-License-Identifier: Apache-2.0
// A row of a published run as the audit reads it, with its repeats and what is wrong with it; and
// the checks of its times: those of an ok row against its repeats, the repeats against each other,
// and what the row says of a backward pass.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/numbers.h"
#include "base/schema/row.h"
#include "base/statistics.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/workload/case.h"

namespace qb {

struct AuditedRow : Row {  // of cases.csv
  const RunFolder& run;
  const Rows& samples;                  // the case's rows of samples.csv
  std::vector<std::string> findings{};  // what is wrong, one sentence each
  std::vector<std::string> notes{};     // what is odd

  [[nodiscard]] bool is_modelled() const { return is("ranks", word(Ranks::model)); }
  // The repeats that count: all of a row that stayed disturbed, else the undisturbed ones.
  [[nodiscard]] std::vector<double> repeats(std::string_view column) const {
    const bool all = !text("disturbed_by").empty();
    std::vector<double> values;
    for (const Row& sample : samples)
      if (sample.is("warmup", "0") && (all || sample.text("disturbed_by").empty()))
        values.push_back(sample.number_at(column));
    return values;
  }

  template <class... Args>
  void find(fmt::format_string<Args...> format, Args&&... args) {
    findings.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  void expect(std::string_view column, std::string_view recomputed, std::string_view source) {
    if (const std::string& written = at(column); written != recomputed)
      find("{} is '{}', but {} gives '{}'", column, written, source, recomputed);
  }
  // Expects the median of a time and the ends of its interval; all are empty without values.
  void expect_interval(const std::string& time, const std::vector<double>& values,
                       std::string_view source) {
    const Summary summary = summarise(values);
    const auto expect_end = [&](const char* end, double value) {
      expect(time + end, values.empty() ? "" : to_text(value), source);
    };
    expect_end("_median_s", summary.median);
    expect_end("_low95_s", summary.low95);
    expect_end("_high95_s", summary.high95);
  }
};

// Clocks by their names: samples.csv has NAME_s, cases.csv has NAME_median_s.
inline constexpr const char* kCheckedClocks[] = {"wall_time", "critical_path", "worker_sum",
                                                 "longest_subsequence"};

// Identifies a repeat in samples.csv and parts.csv.
[[nodiscard]] inline std::string repeat_of(const Row& row) {
  return row.text("warmup") + ' ' + row.text("repeat");
}

// samples.csv must give the row's medians, intervals and counts, digit for digit.
void check_medians(AuditedRow& row);
// Each clock of a measured repeat must contain what it says that it contains, and fit n_cores (0:
// not known).
void check_clocks(AuditedRow& row, std::size_t n_cores);
// The row's times of workers must be those of its repeats, interval included.
void check_worker_parts(AuditedRow& row);
// The stages of a repeat must have the row's medians and end within the repeat.
void check_stages(AuditedRow& row);
// Each repeat of a layer must have all of its parts, which take no longer than it does, and in one
// repeat at least half of its time.
void check_parts(AuditedRow& row, const CsvTable& parts);
// The gradients of an ok row's backward pass must be there and within their tolerances. The times
// of two passes must be those that the samples give, and must add up to the wall clock of each
// repeat. Rows of other passes have none of these.
void check_passes(AuditedRow& row);

}  // namespace qb
