// Tables of a run, from its cases.csv.
#pragma once

#include "plots/frame/sparse_cases.h"
#include "plots/frame/table.h"

namespace qb {

// Case study 2 of CQS-Attention: times and speed-ups, published, ours and ours / published, for
// every case whose worker count and N (at the run's scale) are published. `published` has the
// columns of cqs_case_study_2.csv. The table has no rows if nothing matches.
[[nodiscard]] Table case_study_2_table(const CsvTable& cases, const CsvTable& published);

// Longest, shortest, mean and deviation of the subsequence lengths per worker count.
[[nodiscard]] Table memory_summary_table(const CsvTable& cases);

// Lists every case: parameters that differ, status, times, memory, error.
[[nodiscard]] Table cases_table(const CsvTable& cases);

// Lists cases that are not ok: which, status, message.
[[nodiscard]] Table failed_cases_table(const CsvTable& cases);

// Lists W, m, I, asym-RR ours and published, verdict, from the columns workers, quorum_size,
// interest_set, asymptotic_responsibility_ratio, published_asymptotic_responsibility_ratio,
// verdict.
[[nodiscard]] Table interest_set_table(const CsvTable& sets);

// Lists pattern, N, share of pairs kept, time, speed-up over dense, time over the ideal, executed
// over useful pairs, peak memory. The table has no rows if the run has no pattern.
[[nodiscard]] Table sparse_attention_table(const SparseCases& cases);

// Has one row per line of four lengths or more: time = a N^b with its R^2, the least-squares line
// with its R^2, and the time per token with the largest deviation from it. The table has no rows if
// the run has no pattern.
[[nodiscard]] Table sparse_growth_table(const SparseCases& cases);

// States the exponents of the same fits, and for those near 1 the time per token with its largest
// deviation.
[[nodiscard]] std::vector<std::string> growth_notes(const SparseCases& cases);

}  // namespace qb
