// SPDX-License-Identifier: Apache-2.0
// Turns a finished run folder into its figures and its page; `qb run` and `qb report` share it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "plots/figures/figures.h"
#include "plots/report/report.h"

namespace qb {

// A run to draw, older ones completed from their plans. Throws as read_plotted_run() does.
[[nodiscard]] PlottedRun run_to_plot(const std::string& folder);

// Compares a run with the newest finished one before it, of the same spec and machine, in the
// folder that holds both (RESULTS/EXPERIMENT). Nothing if there is none.
[[nodiscard]] std::optional<Report::Section> change_section(const std::string& folder);

// Draws the figures of a run into `directory` or, if that is empty, for the page alone, writes the
// page and prints its path. Returns environment, and says so on stderr and on the page, where
// matplotlib is missing. Throws UsageError if the folder has no cases.csv to report.
ExitCode publish_run(const std::string& folder, const std::string& directory,
                     const std::string& page);

}  // namespace qb
