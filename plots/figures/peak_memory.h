// Peak active memory against sequence length, a line per worker count, with the device's limit and
// a cross on it where a case ran out of memory.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// The limit is the cases' memory_budget_bytes where they share one, else the machine's memory.
// `cases` has the columns of cases.csv.
[[nodiscard]] Figure peak_memory_figure(const CsvTable& cases, const FigureContext& context);

// `GiB` or `MiB`, whichever shows `largest` bytes with few digits.
struct ByteUnit {
  std::string name;
  std::string suffix;  // of a column
  double bytes = 1.0;
};
[[nodiscard]] ByteUnit byte_unit(double largest);

}  // namespace qb
