// What one parameter of a pattern costs: time and pairs kept against window, random fraction and
// number of global tokens, beside the ideal.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// Two panels a parameter of which the run has two values or more, all else of the pattern equal; a
// line for each pattern, N, kernel and device. The ideal is the dense time at the same N times the
// share of pairs kept.
[[nodiscard]] Figure sparse_ablation_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
