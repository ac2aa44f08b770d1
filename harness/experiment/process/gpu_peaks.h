// The speed of the GPU's fastest products in a run: the first case of an element type measures it
// in some tenths of a second, and later cases reuse it.
#pragma once

#include <cstddef>
#include <map>

#include "base/csv.h"
#include "harness/workload/case.h"

namespace qb {

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
