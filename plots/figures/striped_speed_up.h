// Time of a ring over contiguous blocks / time of a striped (or zigzag) one of the same causal
// case, against tokens a worker: what balancing the rounds gains, beside what it can
// gain (striped_bound.h).
#pragma once

#include <cstddef>
#include <optional>

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// The ring case with the parameters of this one, algorithm aside; of several the last.
[[nodiscard]] std::optional<std::size_t> ring_case(const CsvTable& cases, std::size_t row);

// Serial cases by their critical path, others by the wall clock. A panel a worker count.
[[nodiscard]] Figure striped_speed_up_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
