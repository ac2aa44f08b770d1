// Query-key pairs of the busiest worker in each round: what a ring's critical path is made of.
// Counts of the plans alone, no times.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `steps` has the columns of steps.csv. A line per algorithm and a thin one for the least busy
// worker, a panel per N, W and mask of two workers and rounds or more. Cases whose counts are the
// same (other kernels, element types, ranks) are one line.
[[nodiscard]] Figure work_per_round_figure(const CsvTable& cases, const CsvTable& steps,
                                           const FigureContext& context);

}  // namespace qb
