// SPDX-License-Identifier: Apache-2.0
// Reproduces published tables: runs the experiments that claims of data/papers name, answers every
// row with them, and writes a page for each paper.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/papers/coverage.h"
#include "plots/report/report.h"

namespace qb {

// The experiments that claims of these papers read, each once, in their order.
[[nodiscard]] std::vector<std::string> experiments_of(const std::vector<const Paper*>& papers);

// Makes the page of a paper: its rows by what answers them and what figures show of them, its
// contradictions, the runs behind the answers, and every row of its tables. Links lead from the
// folder of `page`.
[[nodiscard]] std::string paper_page(const AnsweredPaper& answered,
                                     const std::vector<FoundContradiction>& contradictions,
                                     const RunsAndModel& measurements, const std::string& page,
                                     std::vector<Report::Picture> figures = {});

struct PapersToReproduce {
  std::string paper = "cqs_attention";  // its name, or `all`
  std::string runs{};  // a folder of run folders; empty: the experiments are run now, into results
  std::string out = "results/papers";  // its pages and tables
  bool quiet = false;
  bool full = false;  // the paper's size where there is also a spec of a tenth
};

// Prints what is reproduced of one paper, or the coverage of all, and writes OUT/PAPER.html for
// each and OUT/tables. Returns regression where a value that is exact here contradicts, case_failed
// where a case of a run failed, interrupted where one was. Throws UsageError where there is no such
// paper.
[[nodiscard]] ExitCode reproduce_papers(const PapersToReproduce& asked);

}  // namespace qb
