// What a figure shows, computed from its points and said in sentences: the largest ratio of two
// lines, where lines cross, and how the longest lines grow.
//
// No sentence says more than the intervals do. A ratio of points whose intervals overlap is said to
// be uncertain. Two lines cross only if their intervals are apart before and behind; where their
// medians alone change order, the sentence says that it is undecided.
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"
#include "plots/frame/figure.h"

namespace qb {

// Reads lines and marks only, without published ones; other figures give no sentence.
[[nodiscard]] std::vector<std::string> findings(const Figure& figure);

// Makes a figure of the same points from what figure_csv() wrote. Its axes are named by the
// columns.
[[nodiscard]] Figure figure_of_csv(const CsvTable& csv);

// The 97.5 % quantile of Student's t distribution, by which a 95 % interval of a slope is wide.
[[nodiscard]] double student_t(std::size_t degrees_of_freedom);

}  // namespace qb
