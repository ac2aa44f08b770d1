// Rows of cases.csv for the figures that compare schemes: grouped by what they share, and named by
// it.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// Values of a row in the columns that its group is named after.
using CaseKey = std::vector<std::string>;

// Field by field, numbers by value; empty comes last: no limit is the fastest link.
struct CaseKeyLess {
  bool operator()(const CaseKey& a, const CaseKey& b) const;
};
using CaseGroups = std::map<CaseKey, std::vector<std::size_t>, CaseKeyLess>;

using Columns = std::vector<std::string>;

// What cases have besides algorithm, interest set, workers, lengths and the place where they ran.
[[nodiscard]] const Columns& shape_columns();
// ranks, model_device, link_bandwidth_byte_per_s, link_latency_s.
[[nodiscard]] const Columns& place_columns();
[[nodiscard]] Columns joined(const Columns& first, const Columns& second);

[[nodiscard]] CaseKey case_key(const CsvTable& cases, std::size_t row, const Columns& columns);
[[nodiscard]] CaseGroups group_cases(const CsvTable& cases, const std::vector<std::size_t>& rows,
                                     const Columns& columns);

// Those of `columns` in which the rows differ.
[[nodiscard]] Columns differing_columns(const CsvTable& cases, const std::vector<std::size_t>& rows,
                                        const Columns& columns);

// `W = 4, threads, 10 GB/s, 5 µs`; an empty bandwidth is `no link limit`.
[[nodiscard]] std::string named_values(const CsvTable& cases, std::size_t row,
                                       const Columns& columns);

// The rows whose algorithm is one of `algorithms`, of standing_rows.
[[nodiscard]] std::vector<std::size_t> rows_of_algorithms(
    const CsvTable& cases, std::span<const std::string_view> algorithms);

// Seconds of a case: its wall clock, and under `serial`, where one device plays all workers, the
// critical path composed from them. `what` is median, low95 or high95.
[[nodiscard]] double case_seconds(const CsvTable& cases, std::size_t row, std::string_view what);

// (x, median, low, high) of case_seconds times `unit`.
[[nodiscard]] Point time_point(const CsvTable& cases, std::size_t row, double x, double unit);

// Of two rows: median over median; the bar is the widest that the two intervals allow.
[[nodiscard]] Point time_ratio(const CsvTable& cases, std::size_t over, std::size_t under,
                               double x);

inline constexpr const char* kModelNote =
    "model: predicted by the calibrated cost model; nothing was timed.";

// How the times of `rows` came about: what their bars are, which cases have no point and why, and
// whether some are a model's.
[[nodiscard]] std::vector<std::string> timing_notes(const CsvTable& cases,
                                                    const std::vector<std::size_t>& rows);

// `workers W`, log, tics at powers of two.
[[nodiscard]] Axis workers_axis(std::vector<double> workers);

// An entry of the legend that no data stand behind.
[[nodiscard]] Series legend_key(std::string name, const Style& style,
                                Draw draw = Draw::line_points);

}  // namespace qb
