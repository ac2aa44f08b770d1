#include "plots/published/striped_bound.h"

#include <algorithm>

#include "plots/frame/figure.h"

namespace qb {

double speed_up_bound(double n, std::int64_t workers) {
  const double side = std::max(n, 1.0);
  const auto w = static_cast<double>(workers);
  return (side + 1.0 + 2.0 * (w - 1.0) * side) / (w * (side + 1.0));
}

double executed_tile(const CsvTable& cases, std::size_t row) {
  const double workers = cases.number(row, "workers");
  const double block = cases.number(row, "n_tokens") / workers;
  const double whole = workers * (workers - 1.0) / 2.0 * block * block;
  // (n + 1) / 2n of a block on the diagonal.
  const double share = (cases.number(row, "executed_pairs") - whole) / (workers * block * block);
  if (!(share > 0.5) || share > 1.0) return kNaN;
  return block * (2.0 * share - 1.0);
}

}  // namespace qb
