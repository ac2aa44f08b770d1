// SPDX-License-Identifier: Apache-2.0
// Published tables and what answers them, as tables for people and programs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/papers/coverage.h"
#include "plots/frame/table.h"

namespace qb {

// A row for each paper and, of several, one for all: how many rows have each standing, and beside
// them how many answers there are.
[[nodiscard]] Table coverage_table(std::span<const AnsweredPaper> papers);

// Three sentences: how many rows are shown by other means than the paper's own cells, how many are
// disputed, and what the others are.
[[nodiscard]] std::string conclusion_of(const AnsweredPaper& paper);

// How many rows are shown by other means than the paper's own cells.
[[nodiscard]] std::size_t shown_rows(const AnsweredPaper& paper);

// Breaks words into lines of at most so many columns, which begin at the end of the margin.
[[nodiscard]] std::string wrapped_beside(std::string margin, std::string_view words,
                                         std::size_t columns);

// Which answers are shown.
struct AnswerChoice {
  std::string table{};                    // the stem of its file; empty: all
  std::optional<RowStanding> standing{};  // of rows with this verdict
  std::vector<std::string> claims{};      // answers to these alone; empty: all
  bool summary = false;                   // a line a table, and no rows
  bool obeyed = true;                     // also that a rule is merely obeyed
};

// line | row | standing | of | claim | published | ours | ratio | verdict | why | formula, a line
// for each claim or rule of each row, those of the headline first; a note counts what is left out.
[[nodiscard]] Table answers_table(const AnsweredTable& answered, const AnswerChoice& choice);
// The same of all tables of papers, as one, with the columns paper and table in front.
[[nodiscard]] Table all_answers_table(std::span<const AnsweredPaper> papers,
                                      const AnswerChoice& choice);
// The same of a paper for a terminal of 120 columns, under its conclusion and each table's count.
[[nodiscard]] std::string answers_text(const AnsweredPaper& paper, const AnswerChoice& choice);

// The answers to headlines that are numbers of ours, in the columns of published_parity_figure():
// calculated from the paper's parameters, or by the cost model. What follows from printed cells, or
// was fitted to them, is left out.
[[nodiscard]] CsvTable parity_csv(std::span<const AnsweredPaper> papers);

// The tables with rows that need something, and how many.
[[nodiscard]] Table needs_table(std::span<const AnsweredPaper> papers, Need need);

// Puts those first that change what a paper claims, and remarks last.
[[nodiscard]] std::vector<FoundContradiction> by_weight(std::vector<FoundContradiction> found);
[[nodiscard]] Table contradictions_table(std::span<const FoundContradiction> found);

// The same for a terminal: by weight, a numbered sentence each, and the remarks after them.
[[nodiscard]] std::string contradictions_text(std::span<const FoundContradiction> found);

// Whether it is said and not held against its rows.
[[nodiscard]] bool is_remark(const FoundContradiction& found);

// The claims and rules whose answers are the evidence; `known` where there is none.
[[nodiscard]] std::string found_by(const FoundContradiction& found);

// One sentence: that of the index, or what the answers say where no entry explains them.
[[nodiscard]] std::string sentence(const FoundContradiction& found);

// A build checks itself by the published tables: data/papers/coverage.csv records how many rows of
// each table have each standing, and of which data. A build that answers the same data otherwise is
// wrong, as one of a compiler with a fault may be.

// A row for each table: paper, table, rows, and how many of them have each standing.
[[nodiscard]] CsvTable coverage_csv(std::span<const AnsweredPaper> papers);
// The same with a fingerprint of the data that the answers follow from: data/papers,
// data/published, data/devices and the cases of data/measured. CSV.
[[nodiscard]] std::string coverage_record(std::span<const AnsweredPaper> papers);

// Compares these answers, which committed data gave, with the committed record, and says on stderr
// what differs. Returns false if this build answers unchanged data otherwise, or calculates another
// value exactly than is published in a table of which the record knows no contradiction. That alone
// makes a verb end with 4; a row that is disputed is an answer about its paper.
[[nodiscard]] bool answers_as_recorded(std::span<const AnsweredPaper> papers);

}  // namespace qb
