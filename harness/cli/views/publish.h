// From a finished run folder to its figures and its page: what `qb run`, `qb report` and
// `qb reproduce` share.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "harness/experiment/spec/spec.h"
#include "plots/report/report.h"
#include "plots/report/run_figures.h"

namespace qb {

// Writes beside the measured CSVs what the figures of the spec read of its plans alone:
// subsequences.csv (memory_summary), responsibility_ratio.csv and partition.csv. Nothing for
// figures that the spec does not name.
void write_plan_tables(const Spec& spec, const std::string& folder);

struct DrawnRun {
  PlottedRun run;
  std::vector<ReportFigure> figures;
  std::vector<std::string> missing;  // a sentence for each figure that could not be drawn
  ExitCode code = ExitCode::ok;      // environment where gnuplot is missing
};
// Draws the figures of a run into `directory`. A missing gnuplot is told on stderr and in
// `missing`. Throws UsageError where the folder has no cases.csv to report.
[[nodiscard]] DrawnRun draw_run(const std::string& folder, const std::string& directory);

// Draws RUN/figures, writes the page and prints its path.
ExitCode publish_run(const std::string& folder, const std::string& page);

}  // namespace qb
