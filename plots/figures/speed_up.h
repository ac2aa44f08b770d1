// Speed-up against sequence length, a line per worker count: the paper's own S beside the one that
// counts gather and merge. Raw data hold no speed-up; it is made here and its base case named.
#pragma once

#include <cstddef>
#include <optional>

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// The base of a case is the case of one worker with the same n_tokens, kernel, device, ranks,
// threads, dtype, mask and shape; without one it has no speed-up. `cases` has the columns of
// cases.csv.
[[nodiscard]] Figure speed_up_figure(const CsvTable& cases, const FigureContext& context);

// Row of the base case, or nothing.
[[nodiscard]] std::optional<std::size_t> base_case(const CsvTable& cases, std::size_t row);

}  // namespace qb
