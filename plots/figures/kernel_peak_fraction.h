// How much of the machine's measured ceiling a kernel reaches, against sequence length.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `microbench` has the columns of microbench.csv: its rows of flash, a line per element type and
// thread count, and those of materialized, thin.
[[nodiscard]] Figure kernel_peak_fraction_figure(const CsvTable& microbench,
                                                 const FigureContext& context);

}  // namespace qb
