// SPDX-License-Identifier: Apache-2.0
// The ledger, the samples and the columns of every measured case, whatever it computes.
#pragma once

#include <functional>

#include "harness/run/device/compute_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/verify/verify.h"
#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

// A ledger with the case's budget, over the memory of the device.
[[nodiscard]] MemoryLedger::Options ledger_options(const Case& c, bool record_events,
                                                   ComputeDevice& device);

// Adds the peaks of the ledger, and that of this program as the system counts it.
void add_memory_peaks(const MemoryLedger& ledger, RowValues& values);

void add_verification(const Verification& verification, RowValues& values);

// Keeps the timeline where the case wants it; writes traces to `trace_stem` unless it is empty.
void keep_events(const Case& c, const std::string& trace_stem, const MemoryLedger& ledger,
                 CaseResult& result);

// The timed repeats of a case, without warm-ups.
struct Repeats {
  std::vector<Sample> counted;  // those that medians are made of
  std::size_t disturbed = 0;
  // Fewer than min_repeats were undisturbed, so that all are counted: what disturbed most of them.
  std::optional<Disturbance> disturbed_by{};
};
[[nodiscard]] Repeats repeats_of(const std::vector<Sample>& samples, const Measure& measure);

// Adds medians and intervals of every clock.
void add_medians(const Repeats& repeats, RowValues& values);

// Adds how many repeats were disturbed, and how many throttled, where known.
void add_disturbances(const std::vector<Sample>& samples, const Repeats& repeats,
                      RowValues& values);

// Adds what the device reports of its clock after a repeat; a CPU reports nothing. A GPU that was
// throttled disturbed the repeat.
void add_clock(ComputeDevice& device, Sample& sample);

// Adds FLOP/s by the wall clock.
void add_rate(double flop, const Repeats& repeats, RowValues& values);
// Adds the processors' peak and the share of it that add_rate() found.
void add_peak(double peak_flop_per_s, RowValues& values);
// Does the same for a GPU. The peak is the fastest cuBLAS product of the type,
// which this measures unless the case has it. Adds nothing where it is not known.
void add_gpu_peak(const Case& c, ComputeDevice& gpu, RowValues& values);

// The rule that stops timing; it knows no clock and no kernel. True when no further sample is
// needed: at max_repeats, or from min_repeats on when the 95 % interval of the median is narrower
// than relative_interval of it, or max_time_s is used up. An interval that does not cover 95 % yet
// (fewer than six samples) does not stop it.
[[nodiscard]] bool enough_samples(const Measure& measure, std::span<const double> wall_s,
                                  double elapsed_s);

// Takes warm-ups, which it keeps and marks, then samples until the rule stops it. `clock` returns
// seconds; time counts from its first call after the warm-ups. The rule looks at undisturbed
// samples; at most `retakes` disturbed ones are taken again. Exceptions of `once` pass through.
[[nodiscard]] std::vector<Sample> take_samples(const Measure& measure,
                                               const std::function<double()>& clock,
                                               const std::function<Sample()>& once);

}  // namespace qb
