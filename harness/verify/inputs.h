// SPDX-License-Identifier: Apache-2.0
// Random inputs; a seed gives the same ones on every machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/plan/plan.h"
#include "kernels/allocator.h"

namespace qb {

// Makes Q, K or V, or the dO of a backward pass, of standard normal values from a counter-based
// generator: element i of a tensor depends only on the seed, the tensor and i, so any thread count
// gives the same bits. Tied and peaked ones (InputKind) are rows of such tensors.
[[nodiscard]] Tensor make_input(const Problem& problem, TensorRole what, Allocator& allocator,
                                int threads, std::string_view label, int worker = 0);

// Writes a worker's shard of Q, K, V or dO by so many threads: `heads` are the tensor's. Allocates
// nothing.
void make_shard(const Problem& problem, TensorRole what, const TokenGroup& tokens,
                const Range& heads, const TensorView& view, int threads);

// Writes the shard of all heads that holds these tokens, by so many threads.
void fill_input(const Problem& problem, TensorRole what, const Range& tokens,
                const TensorView& view, int threads);

// Returns a source of such shards for ranks. `problem` must outlive it.
[[nodiscard]] inline auto shard_source(const Problem& problem, int threads = 1) {
  return [&problem, threads](TensorRole what, const TokenGroup& tokens, const Range& heads,
                             const TensorView& view) {
    make_shard(problem, what, tokens, heads, view, threads);
  };
}

// Returns such values for the sinks of a problem, one for each query head.
[[nodiscard]] std::vector<float> make_sinks(const Problem& problem);

// Fills one contiguous tensor with such values; the same key gives the same values.
void fill_normal(const TensorView& view, std::uint64_t key, int threads);

}  // namespace qb
