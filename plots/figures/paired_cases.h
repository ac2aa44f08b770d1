// Cases that differ in one choice: what choosing the second value gains, by worker count.
//
// The left panels show the times of both, a panel for each mask; the last one the time of the
// second over that of the first, a mark for each other parameter in which the cases differ.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// Groups of equal size against groups by speed, of cases with slower workers.
[[nodiscard]] Figure worker_skew_figure(const CsvTable& cases, const FigureContext& context);

// Published against balanced self-distillation, with what the pairs of the slowest worker promise.
[[nodiscard]] Figure distillation_gain_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
