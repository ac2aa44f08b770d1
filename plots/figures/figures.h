// SPDX-License-Identifier: Apache-2.0
// Every figure of a run, and the few figures that need no run.
//
// A figure is a declaration (base/schema/declared_figure.h, drawn by plots/frame/declared.h), or a
// function from tables to a Figure (plots/frame/figure.h): C++ computes each plotted number,
// matplotlib only draws. All read their tables through plots/frame/frame.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/schema/figure_names.h"
#include "plots/frame/lines.h"

namespace qb {

// NAME_figure(run) draws each figure of base/schema/figure_names.h; figures_of_run() sets the
// figure's name and its line of provenance.
#define QB_FIGURE_FUNCTION(name, needs, says) \
  [[nodiscard]] Figure name##_figure(const PlottedRun& run);
#define QB_NO_FUNCTION(...)
QB_FIGURES(QB_FIGURE_FUNCTION, QB_NO_FUNCTION)
#undef QB_FIGURE_FUNCTION
#undef QB_NO_FUNCTION

// ---- the figures of a run ----------------------------------------------------------------------

// Says whether a figure, by its name or its declaration, shows the runs beside a run.
[[nodiscard]] bool shows_runs_beside(std::string_view figure);

// Says whether a figure of this name is a declaration.
[[nodiscard]] bool is_declared(std::string_view figure);

// Draws the figures of these names, or declarations as JSON, in their order; without names those of
// the manifest, or all if it names none. A figure without data is returned empty, with its reason,
// if it was named, and is left out otherwise. Throws UsageError for a name that is not a figure.
[[nodiscard]] std::vector<Figure> figures_of_run(const PlottedRun& run,
                                                 std::vector<std::string> names = {});

// ---- partition ---------------------------------------------------------------------------------

struct Partition {
  std::string title;
  // worker, q_begin, q_end, k_begin, k_end, allowed: the pairs of the first head, or of its first
  // tokens alone. `some` of a rectangle's pairs are allowed, or `all`.
  CsvTable rectangles;
  std::vector<double> pairs;  // of each worker, in the mean of the heads
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  bool masked = false;  // the mask hides some pairs
};

// Draws the matrix of query-key pairs, coloured by the worker that computes them, grey where the
// mask hides all and pale where it hides a part of a square, and beside it the pairs of each
// worker. Throws UsageError if there are more workers than can be told apart (128).
[[nodiscard]] Figure partition_of(const Partition& partition);

// ---- the model beside published measurements ----------------------------------------------------

// Draws how much slower published cases were than the cost model says: a row for each algorithm
// with a mark for each case, by device. `graded` has the columns algorithm, device,
// published_over_predicted_time, case, n_tokens, workers, published, predicted,
// time_or_rate, table, line.
[[nodiscard]] Figure model_grade_figure(const CsvTable& graded);

// Draws our numbers over published ones, by paper or by the tables of the only one, beside how many
// rows are disputed. `answers` has the columns paper, table, line, claim, kind (a word of
// ClaimKind), published, ours and verdict (a word of RowStanding); `coverage`, of all tables,
// paper, table, rows and how many of them have each standing.
[[nodiscard]] Figure published_parity_figure(const CsvTable& answers, const CsvTable& coverage);

// ---- interest sets -----------------------------------------------------------------------------

// Draws asym-RR / W against W, published and balanced. `table` is the output of `qb sets table
// --csv`.
[[nodiscard]] Figure distillation_figure(const CsvTable& table);

// The table has the columns workers, split, largest_speed_up and workers_without_block.
[[nodiscard]] Figure cqs_product_figure(const CsvTable& splits);

// ---- what figures, tests and tables share ------------------------------------------------------

// Most figures draw this many panels, and leave out the rest.
inline constexpr std::size_t kMostPanels = 4;

}  // namespace qb
