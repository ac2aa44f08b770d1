// What a run knows of its GPU's fastest products: the first case of an element type measures them,
// some tenths of a second, and those after it are told.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "base/csv.h"
#include "harness/experiment/schema/case.h"

namespace qb {

class GpuPeaks {
 public:
  // Takes in the rows of cases.csv that have come since it was called last.
  void read(const CsvTable& cases);
  // FLOP/s of one GPU in the case's type; nothing on the CPU, or where no row tells.
  [[nodiscard]] std::optional<double> of(const Case& c) const;

 private:
  std::map<std::string, double, std::less<>> of_dtype_;
  std::size_t rows_read_ = 0;
};

}  // namespace qb
