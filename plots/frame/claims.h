// SPDX-License-Identifier: Apache-2.0
// What a figure may claim of the rows of cases. Each rule stands here once, for every scheme, mask,
// pass and executor: which rows count, how many times faster than one worker a row can be, which
// cases are one computation, which times are told apart, and which is the shortest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plots/frame/lines.h"

namespace qb {

// Whether titles may speak of a row: it ran, nothing disturbed it, and each thread had a core. A
// figure draws other rows hollow. cores: those of the machine; 0: not known.
[[nodiscard]] bool counts(const Row& row);

// How many times faster than one worker a row can be: all pairs over those of its critical path;
// NaN where the case has no plan.
[[nodiscard]] double pairs_allow(const Row& row);

// Whether two cases compute one problem by the same means, so that a ratio of theirs is of how they
// split it: one has one worker, or they have as many, or one algorithm.
[[nodiscard]] bool comparable(const Row& a, const Row& b);

// The algorithm of a case, or of a stack the layout of its layers.
[[nodiscard]] const std::string& scheme_of(const Row& row);

// Whether two cases of one problem are one computation: all that is predicted of them is equal.
[[nodiscard]] bool same_plan(const Row& a, const Row& b);

// Whether the times of two cases (clock_of()) are told apart: measured ones by their intervals,
// modelled ones by the p90 of the model's error for either scheme. Nothing tells single repeats
// apart, nor a measured time from a modelled one.
[[nodiscard]] bool told_apart(const Row& a, const Row& b, const ModelGrade& grade);

// Which of two cases is the faster: -1 the first, 1 the second, 0 where they are not told apart;
// nothing where one of them does not count.
[[nodiscard]] std::optional<int> side_of(const Row& a, const Row& b, const ModelGrade& grade = {});

// Cases of one problem: a row for each plan, of the scheme that is named first. The shortest time
// is first, then those that are not told apart from it (`level` with itself), then the others.
struct Ranking {
  Rows rows{};
  std::vector<std::string> names{};  // of each row: `grid = ulysses` where their plans are one
  std::size_t level = 0;
  // Whether one plan is faster than others.
  [[nodiscard]] bool has_winner() const { return level == 1 && rows.size() > 1; }
  [[nodiscard]] double lead() const;  // the second's time over the first's
};
// Leaves out rows that do not count, and those of one worker, whose schemes are all dense
// attention.
[[nodiscard]] Ranking ranking_of(const Rows& rows, const ModelGrade& grade);

// `15.3 to 27.4`, or one number where both are written alike; to three digits.
[[nodiscard]] std::string range_text(const std::vector<double>& values);

// Puts `Modelled: ` before a title of modelled rows alone.
[[nodiscard]] std::string modelled_first(const Rows& rows, const std::string& title);

// Says on which side of `of` all values are: `all above 1, the median at 1.15`; empty where they
// are on both.
[[nodiscard]] std::string bias_text(const std::vector<double>& values, double of);

}  // namespace qb
