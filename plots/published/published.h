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

// ---- CQS-Attention -----------------------------------------------------------------------------

// Adds a panel of the published points of each line's worker count: speed-ups over W = 1 of the
// same N, or mean times (ms). It has axes of its own, since another machine took them. Nothing if
// nobody asked for published numbers, if the run has another shape (B = 1, H = 8, d = 64, no mask),
// or if fewer than half of its lengths, times 1, 10 or 100, are published.
void add_case_study_2(LineFigure& declared, const PlottedRun& run, bool speed_ups);

// ---- Striped Attention -------------------------------------------------------------------------

// Gives its speed-ups of a training step over a ring, on `workers` sequence-parallel devices,
// against tokens per worker (tables 3 to 5); one line per model, hardware and mesh, its key,
// without an entry in the legend.
[[nodiscard]] Groups published_striped_speed_ups(std::int64_t workers);

// ---- FlashAttention ----------------------------------------------------------------------------

// Reads a length as its figures label it: `512`, `16k`.
[[nodiscard]] double labelled_length(const std::string& label);

}  // namespace qb
