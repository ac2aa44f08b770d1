// SPDX-License-Identifier: Apache-2.0
// What `qb run --dry-run` shows: the cases with their predicted cost, why some cannot run, and what
// all of them take.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/sweep/earlier_times.h"
#include "harness/workload/case.h"

namespace qb {

struct PredictedTime {
  double seconds = 0.0;     // of the cases whose time is known
  std::size_t cases = 0;    // that can run here
  std::size_t by_peak = 0;  // known by the speed of the cores alone
  std::size_t unknown = 0;
  PredictedTime& operator+=(const PredictedTime& other);
  // `about 2 min` with how that is known; `out` has the earlier runs.
  [[nodiscard]] std::string text(const std::string& out) const;
};
[[nodiscard]] PredictedTime predicted_time(const std::vector<Case>& cases,
                                           const EarlierTimes& earlier);

// By case; those of which nothing is known take the mean of the others, and those that cannot run
// no time.
[[nodiscard]] std::vector<double> predicted_seconds(const std::vector<Case>& cases,
                                                    const EarlierTimes& earlier);

// `cases` are as they run on this machine; `out` is the folder that `earlier` was read from.
[[nodiscard]] std::string dry_run_text(const std::string& name, const std::vector<Case>& cases,
                                       const EarlierTimes& earlier, const std::string& out);

}  // namespace qb
