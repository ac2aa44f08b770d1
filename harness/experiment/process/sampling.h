// The rule that stops timing, separate from clocks and kernels so that a script can test it.
#pragma once

#include <functional>

#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

// True when no further sample is needed: at max_repeats, or from min_repeats on when the 95 %
// interval of the median is narrower than relative_interval of it, or max_time_s is used up. An
// interval that does not cover 95 % yet (fewer than six samples) does not stop it.
[[nodiscard]] bool enough_samples(const Measure& measure, std::span<const double> wall_s,
                                  double elapsed_s);

// Takes warm-ups, which it keeps and marks, then samples until the rule stops it. `clock` returns
// seconds; time counts from its first call after the warm-ups. Exceptions of `once` pass through.
[[nodiscard]] std::vector<Sample> take_samples(const Measure& measure,
                                               const std::function<double()>& clock,
                                               const std::function<Sample()>& once);

}  // namespace qb
