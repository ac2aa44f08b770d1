// Rows of cases.csv as the series of a figure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/schema/field.h"
#include "plots/frame/figure.h"

namespace qb {

// What a figure is told besides its data.
struct FigureContext {
  std::string subtitle{};                // provenance line
  const CsvTable* published = nullptr;   // in the columns of cqs_case_study_2.csv; null: no overlay
  bool published_for_any_shape = false;  // the user named the file: draw it whatever the shape is
  double machine_memory_bytes = kNaN;    // the limit where no budget was set
};

// Cases that differ in n_tokens alone. Named by what tells them from the others in the run:
// `W = 7`, or `W = 7, flash` when there are several kernels.
struct CaseSeries {
  std::string name{};
  std::int64_t workers = 1;
  Style style{};
  std::vector<std::size_t> rows{};  // of the table, ascending n_tokens
};

// Of several rows with one case_id the last stands. Ascending worker count.
[[nodiscard]] std::vector<CaseSeries> case_series(const CsvTable& cases);

// The last row of each case_id, in the order of the file.
[[nodiscard]] std::vector<std::size_t> standing_rows(const CsvTable& cases);

// The rows of a table that has several a case: steps.csv, memory_timeline.csv.
[[nodiscard]] std::map<std::string, std::vector<std::size_t>> rows_of_cases(const CsvTable& table);

// Whether two rows have the same parameters of these groups; their other parameters may differ.
[[nodiscard]] bool same_parameters(const CsvTable& cases, std::size_t a, std::size_t b,
                                   std::initializer_list<FieldGroup> groups);

// The parameters that tell the rows apart when `given` already do, each only if it splits them
// further: an algorithm that goes with its worker count (dense with 1, cqs with the others) does
// not.
[[nodiscard]] std::vector<std::string> splitting_columns(const CsvTable& cases,
                                                         const std::vector<std::size_t>& rows,
                                                         const std::vector<std::string>& given);

// How a value of a parameter is named: `W = 7`, `flash`, `causal mask`. Empty for an empty value.
[[nodiscard]] std::string named_value(std::string_view column, const std::string& value);

// `name` and the row's values of `columns`, as they are named: `ring, threads, 1 GB/s`.
[[nodiscard]] std::string name_with(std::string name, const CsvTable& cases, std::size_t row,
                                    const std::vector<std::string>& columns);

// The parameters that all cases share: `B = 1, H = 8, d = 64, f16, full mask, materialized,
// serial`.
[[nodiscard]] std::string shared_parameters(const CsvTable& cases);

// Whether nothing of the run was timed: every case has `ranks: model`.
[[nodiscard]] bool all_modelled(const CsvTable& cases);

[[nodiscard]] bool ran(const CsvTable& cases, std::size_t row);            // status ok
[[nodiscard]] bool out_of_memory(const CsvTable& cases, std::size_t row);  // oom, oom_skipped

// Median and 95 % interval from PREFIX_median_s, PREFIX_low95_s, PREFIX_high95_s against n_tokens,
// in ms; only rows that ran.
[[nodiscard]] Series time_series(const CsvTable& cases, const CaseSeries& from,
                                 const std::string& prefix);

// Crosses at y = `limit` (NaN: at the upper edge) where the series ran out of memory; no points
// where it did not.
[[nodiscard]] Series out_of_memory_series(const CsvTable& cases, const CaseSeries& from,
                                          double limit);

// What the bars are, where the least interval of the figure covers `coverage` and comes from
// `samples` repeats.
[[nodiscard]] std::string interval_note(double coverage, double samples);

// Sentences for the notes: which cases have no point and why; what the bars are.
[[nodiscard]] std::vector<std::string> case_notes(const CsvTable& cases);

// All x (or y) of the points of a panel, or of several that share an axis, to choose between a
// linear and a log one.
[[nodiscard]] std::vector<double> all_x(const Panel& panel);
[[nodiscard]] std::vector<double> all_y(const Panel& panel);
[[nodiscard]] std::vector<double> all_x(const std::vector<Panel>& panels);
[[nodiscard]] std::vector<double> all_y(const std::vector<Panel>& panels);

// `sequence length N (tokens)`; log where the values span powers.
[[nodiscard]] Axis tokens_axis(const Panel& panel);
[[nodiscard]] Axis tokens_axis(const std::vector<double>& x);

// Of a panel of one shape: `d = 64, causal mask`.
[[nodiscard]] std::string panel_title(std::int64_t head_dim, const std::string& mask);

}  // namespace qb
