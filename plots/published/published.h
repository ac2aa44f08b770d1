// SPDX-License-Identifier: Apache-2.0
// Published numbers, compiled in, and how a run's figures show them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plots/frame/figure.h"
#include "plots/frame/lines.h"

namespace qb {

// Gives a table of data/published/ by its file name without `.csv`. Throws std::out_of_range for a
// table that is not compiled in.
[[nodiscard]] const CsvTable& published_table(std::string_view name);

// ---- CQS-Attention -----------------------------------------------------------------------------

[[nodiscard]] const CsvTable& published_case_study_2();

// Finds the factor s in 1, 10, 100 for which the published lengths are s times the run's own: a
// sweep at a tenth of the paper's N has s = 10. Returns nullopt if fewer than half of the run's
// lengths match.
[[nodiscard]] std::optional<int> published_scale(const CsvTable& cases, const CsvTable& published);

// Gives published_mean_ms of a worker count and the paper's own N; NaN if there is none.
[[nodiscard]] double published_mean_ms(const CsvTable& published, std::int64_t workers,
                                       std::int64_t n_tokens);

// Adds the published points of each line's worker count: speed-ups over W = 1 of the same N to the
// first panel, at N over the scale; mean times (ms), which another machine took, to a panel with
// axes of its own. They are the user's own numbers or, if the shape of the run is that of case
// study 2 (B = 1, H = 8, d = 64, no mask), the compiled-in ones.
void add_case_study_2(LineFigure& declared, const PlottedRun& run, bool speed_ups);

// Says why its numbers and ours, at 1/scale of its N, are not comparable.
[[nodiscard]] std::string case_study_2_note(int scale);

// ---- Striped Attention -------------------------------------------------------------------------

// Gives its speed-ups of a training step over a ring, on `workers` sequence-parallel devices,
// against tokens per worker (tables 3 to 5); one series per model, hardware and mesh.
[[nodiscard]] std::vector<Series> published_striped_speed_ups(std::int64_t workers);

// ---- FlashAttention ----------------------------------------------------------------------------

// The peak of dense f16 products that the data sheet of H100 SXM5 names, in TFLOP/s.
inline constexpr double kH100PeakTflopPerS = 989.4;

// Reads a length as its figures label it: `512`, `16k`.
[[nodiscard]] double labelled_length(const std::string& label);

}  // namespace qb
