// One timed repeat of a microbenchmark is a row of microbench.csv.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace qb {

inline constexpr double kNotAvailable = std::numeric_limits<double>::quiet_NaN();

struct MicrobenchRow {
  std::string case_id;    // the benchmark's full name
  std::string benchmark;  // flash, materialized, decode, cqs, merge, …
  std::string dtype;      // empty where it has none
  std::string mask;
  std::string isa;
  int threads = 1;
  int workers = 0;  // 0: no plan
  std::int64_t n_tokens = 0;
  std::int64_t head_dim = 0;
  int repeat = 0;
  bool warmup = false;
  double wall_time_s = kNotAvailable;
  double flop = kNotAvailable;           // unmasked pairs only
  double bytes = kNotAvailable;          // read and written
  double peak_per_s = kNotAvailable;     // ceiling measured beside it, FLOP/s or bytes/s
  double peak_fraction = kNotAvailable;  // rate of flop (or bytes) over peak
  // It is the sum of worker times over dense time for cqs; time over dense time times the share of
  // pairs kept for sparse; and time of building over time of the kernel for schedule.
  double overhead = kNotAvailable;
  double memory_ratio = kNotAvailable;  // peak of active bytes over inputs and outputs
  double error_ratio = kNotAvailable;   // error over that of a naive kernel in the same precision
};

[[nodiscard]] const std::vector<std::string>& microbench_columns();
// Returns one line of CSV; values that are not available are empty.
[[nodiscard]] std::string to_record(const MicrobenchRow& row);

}  // namespace qb
