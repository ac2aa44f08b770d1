// How far the cost model is off: measured over modelled wall clock, less one, a mark a case.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `cases` has model_residual_ratio and modelled_wall_time_s; rows without them have no mark. The
// colour tells the algorithm, the mark who played the workers.
[[nodiscard]] Figure model_residual_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
