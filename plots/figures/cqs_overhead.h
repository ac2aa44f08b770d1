// What splitting attention over the workers of CQS costs in all, against dense attention on the
// same problem and device.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// More than this is what the project calls too much.
inline constexpr double kOverheadLimit = 1.08;

// `microbench` has the columns of microbench.csv; its rows of cqs are drawn, a line a worker count.
[[nodiscard]] Figure cqs_overhead_figure(const CsvTable& microbench, const FigureContext& context);

}  // namespace qb
