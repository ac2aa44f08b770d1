// Random inputs, the same for a seed on every machine.
#pragma once

#include <cstdint>

#include "harness/plan/plan.h"
#include "kernels/allocator.h"

namespace qb {

struct Inputs {
  Tensor q;
  Tensor k;
  Tensor v;
};

// Standard normal values from a counter-based generator: element i of a tensor depends on the seed,
// the tensor and i alone, so any thread count gives the same bits.
[[nodiscard]] Inputs make_inputs(const Problem& problem, Allocator& allocator, int threads);

// Tokens of Q, K or V of the same inputs, heads [begin, end) of the tensor: what a worker needs
// that holds a shard only. Allocates nothing.
void make_shard(const Problem& problem, TensorRole what, const TokenGroup& tokens,
                const HeadRange& heads, const TensorView& view);

// The same as what a rank's shards come from. `problem` must outlive it.
[[nodiscard]] inline auto shard_source(const Problem& problem) {
  return [&problem](TensorRole what, const TokenGroup& tokens, const HeadRange& heads,
                    const TensorView& view) { make_shard(problem, what, tokens, heads, view); };
}

// One contiguous tensor of such values; key: any number, the same gives the same.
void fill_normal(const TensorView& view, std::uint64_t key, int threads);

}  // namespace qb
