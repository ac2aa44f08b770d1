// Time of a transformer layer against N, and of the attention in it.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `parts` has the columns of parts.csv. A line per kind of layer (mask, blocks), and dashed the
// attention of the plain ones.
[[nodiscard]] Figure layer_time_figure(const CsvTable& cases, const CsvTable& parts,
                                       const FigureContext& context);

}  // namespace qb
