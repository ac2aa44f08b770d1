// SPDX-License-Identifier: Apache-2.0
// What is known of published rows, each counted once, and the contradictions among them.
#pragma once

#include <map>
#include <vector>

#include "base/words.h"
#include "harness/papers/answer.h"

namespace qb {

// A row has the first of these that one of its answers gives it.
enum class RowStanding {
  contradicts,  // its own table, another one, or what follows from its parameters
  agrees,       // an exact quantity, to the printed digit
  within,       // or within a stated tolerance
  differs,      // a curve of ours has another shape, or the model is further off than it may be
  shape_agrees,
  modelled,
  obeys,      // nothing but the rules that every table is tried against
  unanswered  // disturbed, not comparable, or it needs what is not there
};

template <>
inline constexpr auto kWords<RowStanding> =
    word_table<RowStanding>("standing", {{RowStanding::contradicts, "contradicts"},
                                         {RowStanding::agrees, "agrees"},
                                         {RowStanding::within, "within"},
                                         {RowStanding::differs, "differs"},
                                         {RowStanding::shape_agrees, "shape agrees"},
                                         {RowStanding::modelled, "modelled"},
                                         {RowStanding::obeys, "obeys"},
                                         {RowStanding::unanswered, "unanswered"}});

[[nodiscard]] RowStanding standing_of(const PublishedAnswer& answer);

struct AnsweredTable {
  const PublishedTable* table = nullptr;
  std::vector<PublishedAnswer> answers;  // by row

  // One for each row of the table.
  [[nodiscard]] std::vector<RowStanding> standings() const;
};

struct AnsweredPaper {
  const Paper* paper = nullptr;
  std::vector<AnsweredTable> tables;

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::map<RowStanding, std::size_t> count() const;
  // How many rows have a claim that needs this.
  [[nodiscard]] std::map<Need, std::size_t> needs() const;
};

[[nodiscard]] AnsweredPaper answer_paper(const Library& library, const Paper& paper,
                                         const Measurements& measurements);
[[nodiscard]] std::vector<AnsweredPaper> answer_all(const Library& library,
                                                    const Measurements& measurements);

// Whether a value contradicts that is exact here: then either the paper's own parameters or this
// program are wrong.
[[nodiscard]] bool is_wrong_here(const AnsweredPaper& paper);

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

}  // namespace qb
