// SPDX-License-Identifier: Apache-2.0
// The index of a folder of drawn figures and tables, such as paper_figures: all of them on one
// page, with what they show, and links to the files that they were made of. The figures come in the
// order of FOLDER/order.txt, a line FOLDER/NAME for each, and those that it does not name after
// them.
#pragma once

#include <string>

namespace qb {

// Makes the page of FOLDER/index.html. Each folder in FOLDER, or its folders `figures` and
// `tables`, holds figures (NAME.csv, NAME.json, NAME.svg; their titles and what they show are in
// findings.csv) and tables (NAME.md, NAME.csv). Throws UsageError if there is no such folder, or no
// figure and no table in it.
[[nodiscard]] std::string index_html(const std::string& folder);

}  // namespace qb
