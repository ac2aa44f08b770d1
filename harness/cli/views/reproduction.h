// The verdict table of `qb reproduce`: published | ours | ratio | verdict.
//
// Counts and ratios of integers must agree. Measured times come from other hardware: of them only
// the shape is judged.
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"
#include "base/verdict.h"

namespace qb {

struct Reproduced {
  std::string what;
  std::string published;
  std::string ours;
  double ratio = 0.0;  // ours / published; NaN if one is missing
  Verdict verdict;
  bool exact = true;  // the quantity does not depend on the machine
};

// Case study 1 (N = 10, W = 7, I = {0, 1, 3}): local tokens of each worker.
[[nodiscard]] Reproduced compare_case_study_1();

// The 109 interest sets: covers, and asymptotic responsibility ratios to the printed digit.
[[nodiscard]] std::vector<Reproduced> compare_interest_sets();

// Compares the longest subsequence of the published cells of one W, planned at the paper's N.
// `published` is data/published/cqs_case_study_2.csv.
[[nodiscard]] std::vector<Reproduced> compare_subsequences(const CsvTable& published);

// Judges the shape of the published speed-up S = t(whole sequence) / t(longest subsequence): of
// each W over N, and of all W at the largest N that both have. Only N below the paper's allocator
// cliff (N < 45000) count; `scale` is paper N / our N.
[[nodiscard]] std::vector<Reproduced> compare_speed_ups(const CsvTable& published,
                                                        const CsvTable& cases, int scale);

// Lists the published speed-ups from the cliff on, the paper's largest, beside ours at their N /
// scale: a row for each W, the most workers first. They contradict where the published time of the
// whole sequence, which all of them divide, leaps at the cliff by more than its scores explain;
// otherwise there are none.
[[nodiscard]] std::vector<Reproduced> compare_disputed(const CsvTable& published,
                                                       const CsvTable& cases, int scale);

// Checks the paper's claim on memory: the whole sequence does not fit where the longest subsequence
// does. One row covers the largest N of the run; it needs the statuses of W = 1 and of the largest
// W.
[[nodiscard]] std::vector<Reproduced> compare_memory(const CsvTable& cases);

}  // namespace qb
