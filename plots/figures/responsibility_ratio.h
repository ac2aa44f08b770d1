// Responsibility ratio against sequence length for every smallest interest set of some worker
// counts, and its means over whole intervals of W (supplement E of CQS-Attention).
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `ratios` has the columns workers, interest_set, n_tokens, responsibility_ratio; a panel for each
// worker count. `published`, when not null, has those of cqs_interest_set_table.csv.
[[nodiscard]] Figure responsibility_ratio_figure(const CsvTable& ratios, const CsvTable* published,
                                                 const FigureContext& context);

}  // namespace qb
