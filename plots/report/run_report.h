// The report sections of a run folder.
#pragma once

#include <string>
#include <vector>

#include "plots/report/report.h"
#include "plots/report/run_figures.h"

namespace qb {

// Draws the figures into `directory` and reads them back for a page. Empty figures are left out and
// told of in `missing`, one sentence each. Throws as write_figure.
[[nodiscard]] std::vector<ReportFigure> draw_for_report(const std::vector<Figure>& figures,
                                                        const std::string& directory,
                                                        std::vector<std::string>& missing);

// How many cases ended how, then figures, tables (case study 2 where it applies, subsequence
// lengths, every case), and every failed case with its message.
[[nodiscard]] std::vector<ReportSection> run_sections(const PlottedRun& run,
                                                      std::vector<ReportFigure> figures,
                                                      const std::vector<std::string>& missing);

// What the columns of time mean.
[[nodiscard]] ReportSection times_section();
// Machine, build, libraries.
[[nodiscard]] ReportSection environment_section(const Provenance& provenance);
// The commands that make the run again.
[[nodiscard]] ReportSection again_section(const PlottedRun& run);

// The page of `qb report RUN`: all of the above.
[[nodiscard]] Report run_report(const PlottedRun& run, std::vector<ReportFigure> figures,
                                const std::vector<std::string>& missing);

}  // namespace qb
