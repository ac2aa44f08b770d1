// SPDX-License-Identifier: Apache-2.0
// The table of cases of a page: what differs between the cases first, and below each case its
// repeats, the command that shows its plan, its log, and the cases that differ from it in one
// parameter. The script of the page sorts and filters it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plots/frame/frame.h"

namespace qb {

// What a run has of single cases besides cases.csv.
struct CaseFiles {
  CsvTable samples{};            // no columns: the run has none
  std::string folder{};          // the run folder as the page links to it; empty: no links
  std::set<std::string> logs{};  // ids of the cases with a file logs/ID.log
};

[[nodiscard]] std::string case_list_html(const CsvTable& cases, const CaseFiles& files);

// ---- pieces ------------------------------------------------------------------------------------

// The repeats of one case as a small picture: in the order in which they were taken, disturbed ones
// hollow, over the interval of the median.
struct Repeat {
  double time_s = 0.0;
  std::string disturbed_by{};  // empty: nothing
};

// `median` holds the median and its interval in s; what is NaN is left out. The label says whose
// repeats these are. Without a finite repeat it is empty.
[[nodiscard]] std::string samples_strip(const std::vector<Repeat>& repeats, const Point& median,
                                        std::string_view label);

// Finds the parameters that tell the cases apart, each of which is needed for it: an algorithm that
// goes with its worker count is not.
[[nodiscard]] Columns telling_columns(const Rows& rows);

// Writes the command that shows the plan of a case; empty if it is not attention, or computed by
// another program.
[[nodiscard]] std::string plan_command(const Row& row);

}  // namespace qb
