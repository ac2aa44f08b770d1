// CQS for a matrix product: speed-up over the whole product, and idle workers, by worker count.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// Of workload matrix_product: a panel for each size with the time of the whole product (algorithm
// dense) over that of the slowest worker beside the greatest that the split allows; a last panel
// with the share of workers without a block. A mark for each way to part W into W1 + W2.
[[nodiscard]] Figure product_speed_up_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
