// Where the time of attention in three stages goes: dense x dense -> sparse, softmax, sparse x
// dense, and what the fused kernel takes beside them, for each mask and N.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// From the columns stage_*_median_s of cases.csv; a panel a mask. All bars are shares of the staged
// kernel's time. The stages of the 15-618 report stand beside a run of its shape.
[[nodiscard]] Figure sparse_stages_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
