// What communication computing does not hide, against the bandwidth of the link: where a scheme
// begins to pay for what it sends.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// As a share of the wall clock. A line per algorithm, a panel per N, W and ranks; what the cost
// model says of the same N and W is thin and dashed. Cases over a link without a limit stand at the
// right, apart. Serial cases have no clock that communication could be a share of.
[[nodiscard]] Figure exposed_communication_figure(const CsvTable& cases,
                                                  const FigureContext& context);

// In seconds, beside what each scheme's bytes alone take on the link; of cases that name a
// bandwidth.
[[nodiscard]] Figure exposed_time_figure(const CsvTable& cases, const FigureContext& context);

}  // namespace qb
