// Holds the output of a transformer layer against float64, by the rule of
// harness/execute/verify/verify.h: the tolerance is 4 x the error of a naive layer of the same
// type, plus a floor of a few roundoffs.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/execute/verify/verify.h"
#include "harness/workload/layer/layer_reference.h"

namespace qb {

// The rows to hold against float64: all where there are no more than max_rows, else the edges of
// the blocks and seeded random rows.
[[nodiscard]] std::vector<std::int64_t> layer_rows_to_verify(std::int64_t n_tokens,
                                                             std::int64_t block_tokens,
                                                             std::int64_t max_rows,
                                                             std::uint64_t seed);

// Every element of y [batch, N, H] must be finite; then the given rows are compared. The fields of
// the log-sum-exp stay 0.
[[nodiscard]] Verification verify_layer(const LayerQuestion& question, const float* y,
                                        const std::vector<std::int64_t>& rows, int threads);

}  // namespace qb
