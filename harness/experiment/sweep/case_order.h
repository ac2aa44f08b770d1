// SPDX-License-Identifier: Apache-2.0
// The order in which the cases of a sweep run, and what a sweep learns from a case for later ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "harness/workload/case.h"

namespace qb {

// A permutation of 0 … n-1 (Fisher-Yates over SplitMix64). It is random, so that slow drift of a
// machine does not look like an effect of the swept parameter, and its seed makes it repeatable.
[[nodiscard]] std::vector<std::size_t> seeded_order(std::size_t n, std::uint64_t seed);

// Remembers the smallest n_tokens of each series that ran out of memory.
class OutOfMemoryRecord {
 public:
  void note(const Case& c);
  // The n_tokens of this series that already ran out, where it is smaller than the case's own.
  [[nodiscard]] std::optional<std::int64_t> smaller_that_ran_out(const Case& c) const;

 private:
  std::map<std::string, std::int64_t> smallest_;
};

// The speed of the GPU's fastest products in a run: the first case of an element type measures it
// in some tenths of a second, and later cases reuse it.
class GpuPeaks {
 public:
  // Reads the rows of cases.csv that were added since the last call.
  void read(const CsvTable& cases);
  // FLOP/s of one GPU in the case's type; nullopt on the CPU, or where no row has it.
  [[nodiscard]] std::optional<double> of(const Case& c) const;

 private:
  std::map<std::string, double, std::less<>> of_dtype_;
  std::size_t rows_read_ = 0;
};

}  // namespace qb
