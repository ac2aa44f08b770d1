// Wall clock against sequence length, a line per worker count, as in case study 2 of
// CQS-Attention; the paper's own quantity (kernel time of the worker with the longest subsequence)
// beside the critical path, which counts gather and merge.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `cases` has the columns of cases.csv.
[[nodiscard]] Figure wall_clock_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
