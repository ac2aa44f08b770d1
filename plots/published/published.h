// SPDX-License-Identifier: Apache-2.0
// Published numbers, compiled in, and how a run's figures show them.
#pragma once

#include <string>
#include <string_view>

#include "plots/frame/figure.h"
#include "plots/frame/lines.h"

namespace qb {

// Gives a table of data/published/ by its file name without `.csv`. Throws std::out_of_range for a
// table that is not compiled in.
[[nodiscard]] const CsvTable& published_table(std::string_view name);

// Adds to a declared figure of this name what its papers published, if somebody asked for it and
// the run has their shape: in `wall_clock` and `speed_up` a panel of CQS-Attention's case study 2
// with axes of its own, since another machine took its numbers; in `striped_speed_up` Striped
// Attention's training steps on as many devices; in `ttft_miss_rate` context parallelism's. `lines`
// are those of the figure's only panel, or none.
void add_published(LineFigure& declared, const Groups& lines, const std::string& name,
                   const PlottedRun& run);

// ---- FlashAttention ----------------------------------------------------------------------------

// Reads a length as its figures label it: `512`, `16k`.
[[nodiscard]] double labelled_length(const std::string& label);

}  // namespace qb
