// SPDX-License-Identifier: Apache-2.0
// What is known of published rows, each counted once, and the contradictions among them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/verdict.h"
#include "harness/papers/answer.h"

namespace qb {

[[nodiscard]] RowStanding standing_of(const PublishedAnswer& answer);
// Whether it says that a published number is wrong, or that ours is another.
[[nodiscard]] bool is_against(const PublishedAnswer& answer);

struct AnsweredTable {
  const PublishedTable* table = nullptr;
  std::vector<PublishedAnswer> answers;  // by row

  // One for each row of the table.
  [[nodiscard]] std::vector<RowStanding> standings() const;
  // How many rows have a claim that needs this.
  [[nodiscard]] std::map<Need, std::size_t> needs() const;
};

struct AnsweredPaper {
  const Paper* paper = nullptr;
  std::vector<AnsweredTable> tables;

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::map<RowStanding, std::size_t> count() const;
  [[nodiscard]] std::size_t answers() const;
};

// The answers to one table; those that remarks of the index are about are marked.
[[nodiscard]] AnsweredTable answer_table(const Library& library, const Paper& paper,
                                         const PublishedTable& table,
                                         const Measurements& measurements);
[[nodiscard]] AnsweredPaper answer_paper(const Library& library, const Paper& paper,
                                         const Measurements& measurements);
[[nodiscard]] std::vector<AnsweredPaper> answer_all(const Library& library,
                                                    const Measurements& measurements);

// Whether a claim contradicts that is exact here: then either the paper's own parameters or this
// program are wrong.
[[nodiscard]] bool is_wrong_here(const PublishedAnswer& answer);

struct FoundContradiction {
  const Paper* paper = nullptr;
  const Contradiction* entry = nullptr;          // nullptr: no entry of the index explains it
  std::vector<const PublishedAnswer*> evidence;  // empty where the entry is `known`
};
// Each entry of a paper with its evidence, then what no entry explains, by table and claim.
// Throws UsageError for an entry whose evidence no answer gives: then the index is out of date.
[[nodiscard]] std::vector<FoundContradiction> contradictions_of(const AnsweredPaper& answered,
                                                                const Library& library,
                                                                const Measurements& measurements);

// How far the cost model is from published measurements that it was not made from.
struct GradedRow {
  const PublishedAnswer* answer = nullptr;
  double slowness = 1.0;  // published over predicted time: above 1 the model is too fast
};

// Every published measurement that a device's model answers: those that were printed, or those that
// were read off pictures, which are never mixed with them.
[[nodiscard]] std::vector<GradedRow> graded_rows(std::span<const AnsweredPaper> papers,
                                                 bool digitised = false);

// The factor between published and predicted times, whichever is larger, that nine of ten rows do
// not exceed; nullopt without rows.
[[nodiscard]] std::optional<double> grade_of(std::span<const GradedRow> rows);

}  // namespace qb
