// Sparse attention against dense: time, time a token, speed-up, time over the ideal, executed over
// useful pairs and peak memory against sequence length, a line per mask and kernel.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// Dense is the full mask with the flash kernel at the same N; the ideal is its time times the share
// of pairs kept. `cases` has the columns of cases.csv, or is what join_runs makes of several. Where
// CPU and GPU both ran, their panels stand side by side. The numbers of the 15-618 report are
// beside a run of its shape.
[[nodiscard]] Figure sparse_attention_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
