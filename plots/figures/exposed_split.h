// Where the time of pass_kv and pass_q goes by miss rate: a stacked bar a case, of computing,
// exposed communication and waiting; the published breakdown under it.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `cases` has the columns of cases.csv; without those of the parts (schema 3) the figure is empty.
[[nodiscard]] Figure exposed_split_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
