// Tables of a run, from its cases.csv.
#pragma once

#include "base/csv.h"
#include "plots/frame/table.h"

namespace qb {

// Case study 2 of CQS-Attention: times and speed-ups, published, ours and ours / published, for
// every case whose worker count and N (at the run's scale) are published. `published` has the
// columns of cqs_case_study_2.csv. No rows where nothing matches.
[[nodiscard]] Table case_study_2_table(const CsvTable& cases, const CsvTable& published);

// Longest, shortest, mean and deviation of the subsequence lengths per worker count.
[[nodiscard]] Table memory_summary_table(const CsvTable& cases);

// Every case: parameters that differ, status, times, memory, error.
[[nodiscard]] Table cases_table(const CsvTable& cases);

// Cases that are not ok: which, status, message.
[[nodiscard]] Table failed_cases_table(const CsvTable& cases);

// W, m, I, asym-RR ours and published, verdict, from the columns workers, quorum_size,
// interest_set, asymptotic_responsibility_ratio, published_asymptotic_responsibility_ratio,
// verdict.
[[nodiscard]] Table interest_set_table(const CsvTable& sets);

}  // namespace qb
