// Active memory over time, one worker against many, as in supplement D of CQS-Attention.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// A panel for each of up to four lengths, and in it the fewest and the most workers that have a
// timeline. `cases` and `timeline` have the columns of cases.csv and memory_timeline.csv.
[[nodiscard]] Figure memory_timeline_figure(const CsvTable& cases, const CsvTable& timeline,
                                            const FigureContext& context);

}  // namespace qb
