// What a figure shows, computed from its points and said in sentences: the largest ratio of two
// lines, where lines cross, how the longest lines grow, and of what bars are made.
//
// No sentence says more than the intervals do. A ratio of points whose intervals overlap is said to
// be uncertain. Two lines cross only if their intervals are apart before and behind; where their
// medians alone change order, the sentence says that their intervals overlap.
#pragma once

#include <string>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

// Begins with the figure's own sentences, and reads lines, marks and stacked bars, neither
// published nor background ones. Marks without a line neither cross nor grow.
[[nodiscard]] std::vector<std::string> findings(const Figure& figure);

// The columns of findings.csv: a row for each sentence, and one without for a figure that has none.
inline constexpr const char* kFindingColumns[] = {"figure", "title", "finding"};

// Writes what the figures show into DIRECTORY/findings.csv, where the rows of other figures stay,
// and returns its path. Throws EnvironmentError as write_file_atomically does.
std::string write_findings(const std::vector<Figure>& figures, const std::string& directory);

}  // namespace qb
