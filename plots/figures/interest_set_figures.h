// Figures of interest sets: how small they are, how many there are, how even their work is.
#pragma once

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// m / sqrt(W) of the smallest known set against W, by its standing, over the proved lower bound.
// `sets`: workers, quorum_size, lower_bound, standing.
[[nodiscard]] Figure set_size_figure(const CsvTable& sets);

// Minimum sets with 0 and 1, and their orbits, against W; below, their size m. `counts`: workers,
// quorum_size, orbits, sets.
[[nodiscard]] Figure set_count_figure(const CsvTable& counts);

// asym-RR / W against W, published and balanced. `table`: that of `qb sets table --distillation
// balanced --csv`.
[[nodiscard]] Figure distillation_figure(const CsvTable& table);

// RR against N for both distillations, a panel for each W (supplement E of CQS-Attention).
// `ratios`: workers, distillation, n_tokens, responsibility_ratio.
[[nodiscard]] Figure distillation_ratio_figure(const CsvTable& ratios);

// 1 - RR / W against N, log-log: what is lost to uneven work as N grows. `ratios` as above.
[[nodiscard]] Figure balance_growth_figure(const CsvTable& ratios);

}  // namespace qb
