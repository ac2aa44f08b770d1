// Gantt chart of cases: what each worker does when, a panel a case, all over one range of time.
#pragma once

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// `steps` has the columns of steps.csv. A step that has no start_s (the serial executor plays the
// workers one after another) starts when the slowest worker of the step before ended; the others'
// wait is drawn as idle time. Of the
// cases that ran with two workers or more six are drawn, the longest sequences first.
[[nodiscard]] Figure gantt_figure(const CsvTable& cases, const CsvTable& steps,
                                  const FigureContext& context);

}  // namespace qb
