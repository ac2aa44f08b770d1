// SPDX-License-Identifier: Apache-2.0
// Checks whether a published run is real: it recomputes everything in its folder that it can.
//
// Files      those that its program writes exist, have this schema and its columns, no torn line
//            and no row twice
// Rows       a row with times is ok and was verified within its tolerance; no other row has times
// Samples    samples.csv gives the same medians, intervals and counts, digit for digit
// Plans      the case follows from the resolved spec, and its predicted columns from its plan
// Parts      each repeat of a layer has all of them, and they take from half to all of its time
// Passes     gradients are within their tolerances, and the times of two passes add up
// Bounds     no repeat claims more FLOP/s than the processor could do
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace qb {

struct Audit {
  std::size_t rows = 0;
  std::size_t timed_rows = 0;
  std::vector<std::string> findings;  // what is wrong, one sentence each
  std::vector<std::string> notes;     // what could not be checked, and why
};

// Throws UsageError where `path` is not a run folder.
[[nodiscard]] Audit audit_run(const std::string& path);

// FLOP/s that no CPU with this number of cores reaches: 5 GHz x 64 float32 FLOP a cycle (two
// 512-bit fused multiply-adds), twice that for 16-bit types. It is generous on purpose: it rejects
// impossible results (an unsynchronised clock, work that was not done), not doubtful ones.
[[nodiscard]] double flop_per_s_bound(int cores, const std::string& dtype);

}  // namespace qb
