// Sparse attention against dense: time, speed-up, time over the ideal, executed over useful pairs
// and peak memory against sequence length, a line per mask and kernel.
#pragma once

#include <map>
#include <set>
#include <string>

#include "harness/base/csv.h"
#include "plots/case_series.h"
#include "plots/figure.h"

namespace qb {

// Dense is the full mask with the flash kernel at the same N; the ideal is its time times the share
// of pairs kept. `cases` has the columns of cases.csv.
[[nodiscard]] Figure sparse_attention_figure(const CsvTable& cases, const FigureContext& context);

// Names for the masks of a figure: `bigbird`, or where several are of one kind with what they are
// made of: `sliding_window, left: 8, right: 7`.
[[nodiscard]] std::map<std::string, std::string> mask_names(const std::set<std::string>& masks);

}  // namespace qb
