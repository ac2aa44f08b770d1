// SPDX-License-Identifier: Apache-2.0
// What `qb reproduce` ends with: what this machine measured, what the committed runs show, what is
// disputed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/papers/coverage.h"
#include "plots/report/report.h"

namespace qb {

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

}  // namespace qb
