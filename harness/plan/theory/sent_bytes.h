// Closed forms for the bytes that a worker sends in a forward pass under each way of splitting
// attention, and for the smallest block that hides its transfers. Tests compare them with plans.
//
// T new and P cached tokens, W workers, NH and NKV query and key-value heads, d head dim, e bytes
// an element, p bytes an element of a partial (O, LSE). A shard of T tokens counts as ceil(T / W),
// the largest; the others are padded to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qb {

struct SplitProblem {
  std::int64_t new_tokens = 0;     // T, for the whole sequence
  std::int64_t cached_tokens = 0;  // P, sharded evenly
  std::int64_t workers = 1;        // W
  std::int64_t q_heads = 1;        // NH
  std::int64_t kv_heads = 1;       // NKV
  std::int64_t head_dim = 64;      // d
  std::int64_t element_bytes = 2;  // e
  std::int64_t partial_bytes = 4;  // p, float32 as kernels write them
};
// Throws UsageError that names the size out of range, if q_heads is not a multiple of kv_heads, or
// if the problem's bytes exceed 63 bits.
void validate(const SplitProblem& problem);

struct SentBytes {
  std::string scheme;
  std::string transfer;       // `ring hop`, `all-to-all`, …
  bool received = false;      // received from the root, not sent
  std::int64_t messages = 0;  // messages of this kind by one worker: W - 1 hops, or one collective
  std::int64_t bytes = 0;     // bytes of each message
  std::string formula;
  std::string unsupported;  // why there is no such transfer; then the numbers are 0
  [[nodiscard]] std::int64_t total() const { return messages * bytes; }
};
// Returns a row for each kind of transfer of every scheme.
[[nodiscard]] std::vector<SentBytes> sent_bytes(const SplitProblem& problem);

// Returns the fewest tokens per worker for which a hop of K and V hides behind the block's compute:
// (C/B)(e/2)(NKV/NH) where rounds compute whole blocks (no mask, or the contiguous layout's worst
// worker), twice that for half blocks (causal striped, zigzag). Full multi-head attention in 2-byte
// types gives C/B (Ring Attention, arXiv 2310.01889, section 3).
[[nodiscard]] double min_block_tokens(double compute_flop_per_s, double link_byte_per_s,
                                      std::int64_t element_bytes, std::int64_t q_heads,
                                      std::int64_t kv_heads, bool half_blocks);
// Each worker holds six blocks: Q, two buffers each of K and V, and the output (same section).
inline constexpr double kBlocksPerWorker = 6.0;

}  // namespace qb
