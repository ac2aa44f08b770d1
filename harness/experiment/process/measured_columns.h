// What every measured case has, whatever it computes: a ledger, and columns.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/verify/verify.h"
#include "harness/experiment/process/result.h"

namespace qb {

using Columns = std::map<std::string, std::string>;

// A ledger with the case's budget.
[[nodiscard]] LedgerOptions ledger_options(const Case& c, bool record_events);

// Peaks of the ledger, and of this program as the system counts it.
void add_memory_peaks(const MemoryLedger& ledger, Columns& values);

// Rows and errors of the output; not of the log-sum-exp.
void add_verification(const Verification& verification, Columns& values);

// The timeline where the case asks for one, and traces under `trace_stem` where that is not empty.
void keep_events(const Case& c, const std::string& trace_stem, const MemoryLedger& ledger,
                 CaseResult& result);

// Times of the repeats, without warm-ups.
[[nodiscard]] std::vector<double> repeats(const std::vector<Sample>& samples, double Sample::*time);

// Medians and intervals of every clock; of times that are not known, none.
void add_medians(const std::vector<Sample>& samples, Columns& values);

// The GPU's own time, its clock, and in how many repeats it was throttled.
void add_gpu_medians(const std::vector<Sample>& samples, Columns& values);

// FLOP/s by the wall clock, and its share of what the processor can do.
void add_rates(const Case& c, double flop, int threads, const std::vector<Sample>& samples,
               Columns& values);
// That share on a GPU, after add_rates(): of the fastest cuBLAS product of the type, which is
// measured here unless the case was told. Nothing where that is not known.
void add_gpu_peak(const Case& c, ComputeDevice& gpu, Columns& values);

}  // namespace qb
