// SPDX-License-Identifier: Apache-2.0
// Published tables and what answers them, as tables for people and programs.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "harness/papers/coverage.h"
#include "plots/frame/table.h"

namespace qb {

// A row for each paper and, of several, one for all: how many rows each answer has.
[[nodiscard]] Table coverage_table(std::span<const AnsweredPaper> papers);

// A line for each claim or rule of the paper's tables: how its rows are answered, and why the first
// that does not agree is. Rules that rows merely obey are left out.
[[nodiscard]] Table claims_table(const AnsweredPaper& paper);

// published | ours | ratio | verdict | why, a line for each claim or rule of each row; without
// `obeyed` a note counts the rules that rows merely obey.
[[nodiscard]] Table answers_table(const AnsweredTable& answered, bool obeyed = true);

// The answers that are numbers beside published ones, in the columns of published_parity_figure():
// calculated from the row's own parameters or other cells, or by the cost model. Measured shapes,
// what is not comparable and rules are left out.
[[nodiscard]] CsvTable parity_csv(std::span<const AnsweredPaper> papers);

// The tables with rows that need something, and how many; of one need, or of all.
[[nodiscard]] Table needs_table(std::span<const AnsweredPaper> papers, std::optional<Need> need);

[[nodiscard]] Table contradictions_table(std::span<const FoundContradiction> found);

// The same for a terminal: by paper, a numbered sentence each.
[[nodiscard]] std::string contradictions_text(std::span<const FoundContradiction> found);

// The claims and rules whose answers are the evidence; `known` where there is none.
[[nodiscard]] std::string found_by(const FoundContradiction& found);

// One sentence: that of the index, or what the answers say where no entry explains them.
[[nodiscard]] std::string sentence(const FoundContradiction& found);

}  // namespace qb
