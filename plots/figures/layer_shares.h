// Where the time of a transformer layer goes: the share of each part against N.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `parts` has the columns of parts.csv. A stacked bar per N, a panel per kind of layer (mask,
// blocks); beside them the published split of the 15-618 project.
[[nodiscard]] Figure layer_shares_figure(const CsvTable& cases, const CsvTable& parts,
                                         const FigureContext& context);

}  // namespace qb
