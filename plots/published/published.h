// SPDX-License-Identifier: Apache-2.0
// Published numbers, compiled in, and how a run's figures show them.
#pragma once

#include <string>
#include <string_view>

#include "plots/frame/declared.h"

namespace qb {

// Gives a table of data/published/ by its file name without `.csv`. Throws std::out_of_range for a
// table that is not compiled in.
[[nodiscard]] const CsvTable& published_table(std::string_view name);

// Adds to a declared figure of this name what its papers published, if somebody asked for it and
// the run has their shape: to `wall_clock` and `speed_up` a panel of CQS-Attention's case study 2
// with axes of its own, since another machine took its numbers; to `striped_speed_up` Striped
// Attention's training steps on as many devices; to `ttft_miss_rate` context parallelism's.
// `panels` are those of the figure, with its lines.
void add_published(Figure& figure, const std::vector<DeclaredPanel>& panels,
                   const std::string& name, const PlottedRun& run);

}  // namespace qb
