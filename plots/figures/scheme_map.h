// Which scheme is the fastest where: a cell for each link and length (or worker count), in the
// colour of the winner, with its name and how many times faster it is than the next best.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// The times compared are those of cases that are equal but for their algorithm. Dense attention,
// which splits nothing, is no candidate, nor are cases under `serial`, which have no wall clock of
// their workers. `cases` has the columns of cases.csv.
[[nodiscard]] Figure scheme_map_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
