// SPDX-License-Identifier: Apache-2.0
// Reads a finished run folder, and turns it into its figures and its page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "plots/figures/figures.h"
#include "plots/report/report.h"

namespace qb {

// A run to draw, older ones completed from their plans. Throws as read_plotted_run() does.
[[nodiscard]] PlottedRun run_to_plot(const std::string& folder);

// Says of each row of a cases.csv whether every `--filter KEY=VALUE` holds, as those of a spec do.
// Throws UsageError for a filter that `qb run` would refuse, or if one leaves no row.
[[nodiscard]] std::vector<bool> rows_kept(const CsvTable& cases,
                                          const std::vector<std::string>& filters);

// Takes a --base KEY=VALUE apart. Throws UsageError for a text that is none.
[[nodiscard]] std::pair<std::string, std::string> base_parameter(const std::string& text);

// Lists for a help text what --value and --y take, and, `with_x`, what --x takes besides.
[[nodiscard]] std::string value_list(bool with_x);

// Draws the figures of a run into `directory` or, if that is empty, for the page alone, writes the
// page and prints its path. Returns environment, and says so on stderr and on the page, where
// matplotlib is missing. Throws UsageError if the folder has no cases.csv to report.
ExitCode publish_run(const std::string& folder, const std::string& directory,
                     const std::string& page);

}  // namespace qb
