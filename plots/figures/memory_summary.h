// The memory summary of the CQS-Attention demo: how long the workers' subsequences are, since peak
// memory grows with the longest of them.
#pragma once

#include <cstddef>
#include <vector>

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// First panel: shortest to longest, mean and standard deviation per worker count at the greatest N
// that all of them have, in percent of N. With `subsequences` (columns workers, worker, tokens), a
// panel a worker count with the histogram of its subsequence lengths; `subsequences` may be null.
[[nodiscard]] Figure memory_summary_figure(const CsvTable& cases, const CsvTable* subsequences,
                                           const FigureContext& context);

// Rows of `cases` for the first panel: one a worker count, ascending, all of the same n_tokens.
[[nodiscard]] std::vector<std::size_t> summary_rows(const CsvTable& cases);

}  // namespace qb
