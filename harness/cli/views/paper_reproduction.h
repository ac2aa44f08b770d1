// SPDX-License-Identifier: Apache-2.0
// Reproduces published tables: runs the experiments that claims of data/papers name, answers every
// row with them, and writes a page for each paper.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "harness/cli/views/dry_run.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/experiment/spec/spec.h"
#include "harness/papers/coverage.h"
#include "plots/report/report.h"

namespace qb {

// What `qb reproduce` ends with: what this machine measured, what the committed runs show, what is
// disputed.

struct OwnRun {
  std::string experiment{};
  std::vector<std::string> measured{};      // what ran, what was verified, what was found
  std::vector<Report::Picture> pictures{};  // one, also in FOLDER/figures, or none
};

// Reads the run in a folder, and draws the first of its figures that has data.
[[nodiscard]] OwnRun read_own_run(const std::string& experiment, const std::string& folder);

// How a run compares with what is published: for each claim that reads it the ranges of both, and
// how many rows agree.
[[nodiscard]] std::vector<std::string> comparisons(std::span<const AnsweredPaper> papers,
                                                   const std::string& experiment);

struct Reproduction {
  std::vector<AnsweredPaper> here{};       // by this machine's runs first, or those of `from`
  std::vector<AnsweredPaper> committed{};  // the same papers by the committed runs alone
  std::vector<FoundContradiction> disputed{};
  std::vector<OwnRun> own{};
  std::string from{};  // the folder that was named for its runs; empty: none
  std::string page{};
};

// For a terminal of 80 columns. The numbers of the committed evidence are those of `qb papers`.
[[nodiscard]] std::string summary_text(const Reproduction& all);

struct PlannedRun {
  std::string experiment{};
  std::optional<Spec> spec{};  // nullopt: experiments/ has none, and a committed run answers
  std::size_t left = 0;        // cases that this build has not run on this machine
  PredictedTime time{};        // of those
};
// The runs of these experiments into `out`, the shortest first.
[[nodiscard]] std::vector<PlannedRun> planned_runs(const std::vector<std::string>& experiments,
                                                   const std::string& out);
// Says for a terminal of 80 columns what runs and for how long, or why nothing needs to.
[[nodiscard]] std::string planned_text(const std::vector<PlannedRun>& runs, const std::string& out);

// Makes the page of a paper: what the machine's own runs show of it, its rows by what answers them
// and what figures show of them, its contradictions, the runs behind the answers, and every row of
// its tables. Links lead from the folder of `page`.
[[nodiscard]] std::string paper_page(const AnsweredPaper& answered,
                                     const std::vector<FoundContradiction>& contradictions,
                                     const RunsAndModel& measurements, const std::string& page,
                                     std::vector<Report::Picture> figures,
                                     std::span<const OwnRun> own);

struct PapersToReproduce {
  std::string paper = "cqs_attention";  // its name, or `all`
  std::string runs{};  // a folder of run folders; empty: the experiments are run now, into results
  std::string out = "results/papers";  // its pages and tables
  bool quiet = false;
  bool full = false;  // the paper's size where there is also a spec of a tenth
};

// Says what will run and for how long, runs it, prints what is reproduced, and writes
// OUT/PAPER.html of each paper and OUT/tables. Returns regression where answers_as_recorded() is
// false, case_failed where a case of a run failed, interrupted where one was. Throws UsageError
// where there is no such paper.
[[nodiscard]] ExitCode reproduce_papers(const PapersToReproduce& asked);

}  // namespace qb
