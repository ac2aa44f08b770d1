// Peak memory of a transformer layer against N, plain and in blocks.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// A line per kind of layer (mask, blocks).
[[nodiscard]] Figure layer_memory_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
