// Rows of microbench.csv, one a repeat, as the curves of a figure.
//
// Columns: case_id, benchmark, dtype, mask, isa, threads, workers, n_tokens, head_dim, repeat,
// warmup, wall_time_s, flop, bytes, peak_per_s, peak_fraction, overhead. `peak_fraction` is the
// rate over the ceiling that the same process measured beside the repeat; `overhead`, of cqs only,
// the sum of the workers' times with gather and merge over the time of dense, measured interleaved.
// Further columns are ignored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// Measurements that differ in n_tokens alone.
struct BenchmarkCurve {
  std::int64_t head_dim = 0;
  std::string mask{};
  std::string dtype{};
  std::int64_t threads = 0;
  std::int64_t workers = 0;
  std::string isa{};
  std::vector<Point> points{};  // medians with their intervals over the repeats, ascending n_tokens
  double coverage = 1.0;        // of the least of the intervals
  double samples = kNaN;        // and how many repeats that one has
};

// Of the rows of `benchmark` that are no warm-ups and have a value in `column`; by head_dim, mask,
// workers, dtype, threads and isa. Where a length was measured with several head counts, which are
// no column, the repeats of the largest problem stand.
[[nodiscard]] std::vector<BenchmarkCurve> benchmark_curves(const CsvTable& microbench,
                                                           std::string_view benchmark,
                                                           std::string_view column);

// Which parts a curve is named by, besides its instruction set.
struct NamedParts {
  bool dtype = false;
  bool threads = false;
  bool workers = false;
};
// Those that differ among the curves.
[[nodiscard]] NamedParts differing_parts(const std::vector<BenchmarkCurve>& curves);

// `W = 7, bf16, 2 threads`
[[nodiscard]] std::string curve_name(const BenchmarkCurve& curve, const NamedParts& parts);

// A curve with the name and look of its series.
struct DrawnCurve {
  BenchmarkCurve curve{};
  Series series{};  // without points
};

// A panel per head dimension and mask, without axes. Where curves of one name differ in their
// instruction sets, the set is added to the name, and all but the one with most points are lighter.
[[nodiscard]] std::vector<Panel> curve_panels(const std::vector<DrawnCurve>& curves);

// What marks and bars are.
[[nodiscard]] std::string curves_note(const std::vector<DrawnCurve>& curves);

}  // namespace qb
