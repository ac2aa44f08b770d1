// SPDX-License-Identifier: Apache-2.0
// The rows of a table as every figure sees them: chosen (where), put in order (order), gathered by
// what they share (group), looked up in another case or table (join), and named by what tells them
// apart (label).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/schema/row.h"
#include "plots/frame/figure.h"

namespace qb {

inline constexpr double kMilli = 1e3;  // ms per second
inline constexpr double kGiga = 1e9;   // FLOP per GFLOP
inline constexpr double kPercent = 100.0;

using Columns = std::vector<std::string>;

// ---- where -------------------------------------------------------------------------------------

// Keeps the last row of each case_id, in the order of the file.
[[nodiscard]] Rows standing_rows(const CsvTable& cases);

template <class Holds>
[[nodiscard]] Rows where(Rows rows, Holds holds) {
  std::erase_if(rows, [&](const Row& row) { return !holds(row); });
  return rows;
}
// Keeps the rows whose field is one of `values`.
[[nodiscard]] Rows where(Rows rows, Column column, std::initializer_list<std::string_view> values);

[[nodiscard]] bool ran(const Row& row);            // status ok
[[nodiscard]] bool out_of_memory(const Row& row);  // oom, oom_skipped
[[nodiscard]] bool not_tried(const Row& row);      // oom_skipped
[[nodiscard]] bool modelled(const Row& row);       // its times come from the cost model
[[nodiscard]] bool is_forward(const Row& row);     // it times a forward pass alone
[[nodiscard]] bool has_root(const Row& row);       // a root scattered the shards
[[nodiscard]] bool disturbed(const Row& row);      // too few of its repeats were undisturbed
template <class Holds>
[[nodiscard]] std::size_t count(const Rows& rows, Holds holds) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), holds));
}

// Reads a column as a number: the `number` of what follows.
[[nodiscard]] std::function<double(const Row&)> number_in(NumberColumn column);

// Finds the largest number of some rows; 0 if none has a positive one.
template <class Number>
[[nodiscard]] double largest(const Rows& rows, Number number) {
  double most = 0.0;
  for (const Row& row : rows) most = std::fmax(most, number(row));
  return most;
}

// Keeps the rows that have it.
template <class Number>
[[nodiscard]] Rows of_largest(const Rows& rows, Number number) {
  return where(rows,
               [&, most = largest(rows, number)](const Row& row) { return number(row) == most; });
}

// Collects a number of each row, in their order.
template <class Number>
[[nodiscard]] std::vector<double> numbers_of(const Rows& rows, Number number) {
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(number(row));
  return values;
}

// ---- order -------------------------------------------------------------------------------------

// Puts rows in ascending order; rows of one value keep theirs.
template <std::invocable<const Row&> Value>
[[nodiscard]] Rows order(Rows rows, Value value) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Row& a, const Row& b) { return value(a) < value(b); });
  return rows;
}

// Gives rows by a number, ascending; of several with the same one it keeps the last.
[[nodiscard]] std::map<double, Row> by_number(const Rows& rows,
                                              const std::function<double(const Row&)>& number);

// ---- group -------------------------------------------------------------------------------------

// What a row shows: y and its interval; also x, if the figure does not say what is on x.
using PointOf = std::function<Point(const Row&)>;

// Rows that share the values of some columns. Figures give it a name and a look.
struct Group : Series {
  std::vector<std::string> key{};  // those values
  Rows rows{};                     // in the order in which they came
};
using Groups = std::vector<Group>;

// Gathers the rows that share their values of `columns`; the groups ascend field by field: numbers
// by value, texts by their letters, and an empty field last (no limit is the fastest link).
[[nodiscard]] Groups group(const Rows& rows, const Columns& columns);
// Does the same by a key that is made from each row.
[[nodiscard]] Groups group(const Rows& rows,
                           const std::function<std::vector<std::string>(const Row&)>& key);

// Does the same for panels, which are named by the values that their rows share: `d = 64, causal
// mask`; by those of `named`, if it is given.
[[nodiscard]] Groups panels_by(const Rows& rows, const Columns& columns,
                               const std::optional<Columns>& named = {});

[[nodiscard]] Columns joined(Columns first, const Columns& second);
[[nodiscard]] Columns without(Columns columns, std::string_view column);

// Keeps those of `columns` in which the rows differ.
[[nodiscard]] Columns differing_columns(const Rows& rows, Columns columns);
// Finds the parameters besides `given` that tell the rows apart, each only if it splits them
// further: an algorithm that goes with its worker count (dense with 1, cqs with the others) does
// not. It never returns n_tokens.
[[nodiscard]] Columns splitting_columns(const Rows& rows, const Columns& given);

// What cases have besides algorithm, interest set, workers, lengths and the place where they ran.
inline const Columns kShapeColumns = {"mask",     "batch",   "q_heads", "kv_heads",
                                      "head_dim", "dtype",   "kernel",  "device",
                                      "threads",  "cpu_isa", "pass"};
// What says how fast a message travels.
inline const Columns kLinkColumns = {"link_bandwidth_byte_per_s", "link_latency_s"};

[[nodiscard]] std::vector<std::string> values_of(const Row& row, const Columns& columns);
// Gives a field, or `=` if the parameter has the value of the one that it follows, since it then
// adds nothing.
[[nodiscard]] std::string own_value(const Row& row, const std::string& column);

// Keeps at most `most` of several, evenly from the first to the last.
template <class One>
[[nodiscard]] std::vector<One> spread(std::vector<One> all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<One> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return kept;
}

// ---- join --------------------------------------------------------------------------------------

// Gives the rows of each case in a table that has several per case: steps.csv, memory_timeline.csv,
// parts.csv.
[[nodiscard]] std::map<std::string, Rows> rows_by_case(const CsvTable& table);

// Whether a parameter says how a case is split, or over which links, not what it computes by which
// means.
[[nodiscard]] bool says_how_split(const Field& field);

// Divides the largest error of a row by its tolerance: that of the output or of a gradient,
// whichever comes nearer to its own. It is NaN if nothing was verified.
[[nodiscard]] double error_over_tolerance(const Row& row);

// What the fullest device held at its peak: a worker's, or that of a root, which has the whole
// tensors besides. NaN where it was not measured.
[[nodiscard]] double fullest_device_bytes(const Row& row);
// What the busiest device sent: a worker, or a root, which scatters to the others.
[[nodiscard]] double busiest_sent_bytes(const Row& row);
// What the fullest device holds by the plan.
[[nodiscard]] double predicted_fullest_bytes(const Row& row);

// ---- label -------------------------------------------------------------------------------------

// Names a value of a parameter: `W = 7`, `flash`, `causal mask`. The name of an empty value is
// empty.
[[nodiscard]] std::string named_value(std::string_view column, const std::string& value);

// Adds the row's values of `columns` to a name, as they are named: `ring, threads, 1 GB/s`.
[[nodiscard]] std::string name_with(std::string name, const Row& row, const Columns& columns);

// Names several values: `W = 4, N = 1,024, threads, 10 GB/s, 5 µs`. An empty bandwidth is called
// `no link limit`.
[[nodiscard]] std::string named_values(const Row& row, const Columns& columns);

// Names a value, one that is only worth saying where it differs too.
[[nodiscard]] std::string full_value(const Row& row, const std::string& column);

// Writes 1024 as `1,024`.
[[nodiscard]] std::string grouped(double whole);

// Writes `1 case`, `2 cases`.
[[nodiscard]] std::string counted(std::size_t n, std::string_view noun);

// Puts something between each two texts; empty ones are left out.
[[nodiscard]] std::string listed(const std::vector<std::string>& texts,
                                 std::string_view between = ", ");

// Names the parameters that all cases share: `B = 1, H = 8, G = 2, d = 64, f16, full mask,
// materialized kernel, serial ranks`. Of a name that is only worth saying where it differs, G is
// there if it is not H, and W if it is not 1.
[[nodiscard]] std::string shared_parameters(const Rows& rows);

// Says which measured cases had more workers than the machine has cores: `W = 4, 8 on 2 cores`. It
// is empty if none had, or if the number of cores is not known (0).
[[nodiscard]] std::string oversubscription(const CsvTable& cases, int cores);

// `threads on 2 cores` where rows had more workers than cores, so that none is ranked.
[[nodiscard]] std::string crowded_name(const Rows& rows, int cores);

// Says how often the measured cases were repeated: `5 repeats`, `1 to 5 repeats`.
[[nodiscard]] std::string repeats(const CsvTable& cases);

// Says whether nothing of the run was timed: every case has `ranks: model`.
[[nodiscard]] bool all_modelled(const CsvTable& cases);

}  // namespace qb
