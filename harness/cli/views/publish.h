// SPDX-License-Identifier: Apache-2.0
// Turns a finished run folder into its figures and its page; `qb run`, `qb report` and `qb
// reproduce` share it.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "harness/experiment/spec/spec.h"
#include "plots/figures/figures.h"
#include "plots/report/report.h"

namespace qb {

// A run to draw, older ones completed from their plans. Throws as read_plotted_run() does.
[[nodiscard]] PlottedRun run_to_plot(const std::string& folder);

// Writes beside the measured CSVs what figure partition needs of the plans, if the spec names it.
void write_plan_tables(const Spec& spec, const std::string& folder);

// Compares a run with the newest finished one before it, of the same spec and machine, in the
// folder that holds both (RESULTS/EXPERIMENT). Nothing if there is none.
[[nodiscard]] std::optional<Report::Section> change_section(const std::string& folder);

// Adds links from `page` to the files of the pictures in `directory`, of those formats that exist
// there and that the page does not hold itself.
void link_files(std::vector<Report::Picture>& pictures, const std::string& directory,
                const std::string& page, std::initializer_list<std::string> formats);

struct DrawnRun {
  PlottedRun run;
  std::vector<Report::Picture> figures;
  std::vector<std::string> missing;  // a sentence for each figure that could not be drawn
  ExitCode code = ExitCode::ok;      // environment if matplotlib is missing
};
// Draws figures of a run, those that it names if `names` is empty, into `directory`, or, if that is
// empty, for the page alone. Reports a missing matplotlib on stderr and in `missing`. Throws
// UsageError if the folder has no cases.csv to report.
[[nodiscard]] DrawnRun draw_run(const std::string& folder, const std::string& directory,
                                const std::vector<std::string>& names = {});

// Draws as draw_run does, writes the page and prints its path.
ExitCode publish_run(const std::string& folder, const std::string& directory,
                     const std::string& page);

}  // namespace qb
