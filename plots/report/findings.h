// SPDX-License-Identifier: Apache-2.0
// findings.csv beside a folder's figures: what each of them shows, in the sentence that the figure
// has for it.
#pragma once

#include <string>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

// The columns of findings.csv.
inline constexpr const char* kFindingColumns[] = {"figure", "title", "finding"};

// Writes a row for each figure into DIRECTORY/findings.csv, where the rows of other figures stay,
// and returns its path. Throws EnvironmentError as write_file_atomically does.
std::string write_findings(const std::vector<Figure>& figures, const std::string& directory);

}  // namespace qb
