// SPDX-License-Identifier: Apache-2.0
// The attention problem, before it is split over workers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/words.h"
#include "kernels/dtype.h"
#include "kernels/mask/mask_spec.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/tensor.h"

namespace qb {

// B = batch, H = q_heads, G = kv_heads, N = q_len (= kv_len unless there is a cache), d = head_dim.
struct Shape {
  std::int64_t batch = 1;
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t q_len = 0;
  std::int64_t kv_len = 0;
  std::int64_t head_dim = 1;
  std::int64_t value_dim = 1;

  [[nodiscard]] Extent q() const { return {batch, q_heads, q_len, head_dim}; }
  [[nodiscard]] Extent k() const { return {batch, kv_heads, kv_len, head_dim}; }
  [[nodiscard]] Extent v() const { return {batch, kv_heads, kv_len, value_dim}; }
  [[nodiscard]] Extent out() const { return {batch, q_heads, q_len, value_dim}; }
  [[nodiscard]] Extent lse() const { return {batch, q_heads, q_len, 1}; }
  [[nodiscard]] Extent d_sinks() const { return {batch, q_heads, 1, 1}; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

enum class InputKind {
  random,  // standard normal values
  tied,    // all keys of a head are its first one, so that their scores are equal
  peaked,  // each query is kPeakFactor times a key, drawn among those up to its own position
};

QB_WORDS(InputKind, "inputs", random, tied, peaked);
// The score of the key that a peaked query is made of is then about 4 sqrt(head_dim), while those
// of the others are normal with deviation 4: few keys have most of the weight of a row.
inline constexpr double kPeakFactor = 4.0;

struct Problem {
  Shape shape;
  Mask mask;
  DType dtype = DType::f32;
  double scale = 1.0;
  std::uint64_t seed = 0;
  InputKind inputs = InputKind::random;
  // How many numbers hold the LSE of a row (kernels/lse.h): where a device keeps it, and where it
  // travels between workers.
  int lse_kept = 1;
  int lse_sent = 1;
  // Whether a call adds to what the calls before it left, where its kernel can. Else each has a
  // result of its own, which is merged: so on a GPU, in a model of one, and before schema 3.
  bool adds_to_partials = false;
  DType partials = DType::f32;  // the type of O in a partial on its way between workers
  // The first keys, which every worker holds from the beginning: text tokens of a diffusion model,
  // or a prefix that many sequences share.
  std::int64_t resident_keys = 0;
  // A number of each query head that takes part in the softmax of each of its rows, as the score of
  // a key without a value; every worker has them. Empty: there are none.
  std::vector<float> sinks{};

  [[nodiscard]] Extent kept_lse() const {
    Extent extent = shape.lse();
    extent.head_dim = lse_kept;
    return extent;
  }
};

// Sets scale = 1/sqrt(head_dim) and aligns the mask to the last token. Throws UsageError if a size
// is out of range: every length >= 1, head_dim in [1, 256], q_heads a multiple of kv_heads, lengths
// at most kMaxTokens so that pair counts fit 63 bits.
inline constexpr std::int64_t kMaxTokens = 3'000'000'000;
[[nodiscard]] Problem make_problem(const Shape& shape, const MaskSpec& mask, DType dtype,
                                   std::uint64_t seed);

// A batch of unequal lengths is packed one sequence after another: sequence i has new_tokens
// queries that attend to its cached_tokens and to each other. shape.batch is 1, and q_len and
// kv_len are set to the sums. Throws UsageError as make_problem does, and for a sequence without
// new tokens, and Unsupported for a sparse pattern over several sequences.
struct Sequence {
  std::int64_t cached_tokens = 0;
  std::int64_t new_tokens = 0;
};
[[nodiscard]] Problem make_packed_problem(Shape shape, const MaskSpec& mask, DType dtype,
                                          std::uint64_t seed,
                                          const std::vector<Sequence>& sequences);

// Returns the sequences of a problem as segments: one if it is not packed.
[[nodiscard]] std::vector<Segment> segments_of(const Problem& problem);

[[nodiscard]] std::int64_t unmasked_pairs(const Problem& problem);  // per head
// Tiles for counting that suit no kernel in particular.
inline constexpr KernelTiles kCoarseTiles{1024, 1024, 1024, 1024, true};

// Queries that see no key: their output is 0 and their LSE -inf, or the sink.
[[nodiscard]] std::int64_t rows_without_keys(const Problem& problem);

}  // namespace qb
