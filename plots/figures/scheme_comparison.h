// The schemes side by side at one length, mask and link: balance, work, bytes sent, peak memory,
// exposed communication and wall clock against the worker count.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// Draws the cases of one setting: that with the most schemes, of several the one of most tokens, of
// those the one with most measured cases; the notes name the others. `cases` has the columns of
// cases.csv.
[[nodiscard]] Figure scheme_comparison_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
