// Is a published run real? Everything in a run folder that can be recomputed is recomputed.
//
// Files      all there, of this schema, with the fixed columns, no torn line, no row twice
// Rows       a row with times is ok and was verified within its tolerance; no other row has times
// Samples    medians, intervals and counts come out of samples.csv again, digit for digit
// Plans      the case follows from the resolved spec, and its predicted columns from its plan
// Parts      those of a repeat of a layer are all there and fill its time, no less and no more
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

// Throws UsageError where `path` is no run folder at all.
[[nodiscard]] Audit audit_run(const std::string& path);

// FLOP/s that no CPU with so many cores reaches: 5 GHz x 64 float32 FLOP a cycle (two 512-bit fused
// multiply-adds), twice that for 16-bit types. Generous on purpose: it rejects the impossible (a
// clock that was not synchronised, work that was not done), not the doubtful.
[[nodiscard]] double flop_per_s_bound(int cores, const std::string& dtype);

}  // namespace qb
