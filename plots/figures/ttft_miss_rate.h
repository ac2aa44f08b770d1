// pass_kv against pass_q by the share of tokens that are new: wall clock, and their ratio beside
// the published one. Where the ratio crosses 1 is what a selector between the two must hit.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `cases` has the columns of cases.csv.
[[nodiscard]] Figure ttft_miss_rate_figure(const CsvTable& cases, const FigureContext& context);

// The x at which a curve of positive y, ascending in x, passes through 1, between points on log
// axes; empty where it does not.
[[nodiscard]] std::vector<double> crossings_of_one(const std::vector<Point>& curve);

}  // namespace qb
