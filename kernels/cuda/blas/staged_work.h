// SPDX-License-Identifier: Apache-2.0
// Prepares the work of kernel staged on a GPU: batches of products of one shape, the memory between
// them, and the softmax, the middle stage. It needs no CUDA.
//
// Scores are block-compressed: a block is the keys of spans without a gap between them for the rows
// of one tile. A tile's blocks stand side by side, so that a row of its scores is contiguous except
// for the padding that aligns every block to 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/attention.h"
#include "kernels/cuda/runtime/host_device.h"

namespace qb::cuda {

// A tile of the schedule and its scores.
struct StagedTile : QueryTile {
  std::int64_t first_score = 0;  // position in a head's scores
  std::int64_t stride = 0;       // scores from one row to the next
};

// Returns a block's columns with padding, so that 16-bit weights fill multiples of 16 bytes.
QB_HOST_DEVICE std::int64_t padded_keys(std::int64_t keys) { return (keys + 7) / 8 * 8; }

// Holds, in device memory, the tiles, those of short rows first, and the scores of each head of
// each sequence, which become weights of type `dtype` in place.
struct StagedSoftmax {
  const StagedTile* tiles = nullptr;
  std::int64_t n_tiles = 0;
  std::int64_t n_short = 0;
  std::int64_t rows_of_a_tile = 0;  // at most this many
  const KeySpan* spans = nullptr;
  const std::uint64_t* words = nullptr;
  float* scores = nullptr;
  std::int64_t scores_of_a_head = 0;
  float scale = 1.0F;
  DType dtype = DType::f32;
  TensorView lse;  // f32
};

// A row of a block that sees no key becomes 0 and -inf.
void staged_softmax(const StagedSoftmax& call, void* stream);

class StagedWork {
 public:
  struct Batch {  // blocks that one batched product makes
    std::int64_t rows = 0;
    std::int64_t keys = 0;
    std::int64_t stride = 0;  // stride of their tiles
    bool adds = false;        // O = P V adds to what earlier batches have left there
    std::size_t first_block = 0;
    std::size_t n_blocks = 0;
  };

  // Holds the addresses of a batch in device memory: n_blocks x batch x heads each, heads first.
  struct Addresses {
    const void* const* q = nullptr;
    const void* const* k = nullptr;
    void* const* scores = nullptr;         // f32
    const void* const* weights = nullptr;  // has the inputs' type and lies where the scores were
    const void* const* v = nullptr;
    void* const* out = nullptr;
  };

  StagedWork(const Extent& q, const TileSchedule& schedule);

  // Returns the tiles, those whose rows are short first; there are n_short of them.
  [[nodiscard]] const std::vector<StagedTile>& tiles() const { return tiles_; }
  [[nodiscard]] std::size_t n_short() const { return n_short_; }
  // The products S = Q K^T may run in any order, O = P V must run in this one.
  [[nodiscard]] const std::vector<Batch>& batches() const { return batches_; }
  [[nodiscard]] std::int64_t scores_of_a_head() const { return scores_; }
  [[nodiscard]] std::int64_t most_rows() const { return most_rows_; }  // most rows of a tile
  [[nodiscard]] std::int64_t slices() const { return slices_; }        // batch x heads

  // Returns the bytes that are held from the first stage to the last, besides cuBLAS's workspace; 0
  // where the schedule keeps no pair.
  [[nodiscard]] std::size_t scores_bytes() const;
  [[nodiscard]] std::size_t schedule_bytes() const;
  [[nodiscard]] std::size_t addresses_bytes() const;
  [[nodiscard]] std::int64_t workspace_bytes() const;

  // Returns all addresses, in the order of the batches; `scores` is where the scores will lie.
  [[nodiscard]] std::vector<std::uintptr_t> addresses(const AttentionArguments& arguments,
                                                      const void* scores) const;
  // Returns the addresses of one batch in the memory that they were copied to.
  [[nodiscard]] Addresses addresses_of(const Batch& batch, const void* copied) const;

 private:
  // Multiplies rows of a tile with keys k_begin, k_begin + 1, …
  struct Block {
    std::int64_t q_begin = 0;
    std::int64_t k_begin = 0;
    std::int64_t first_score = 0;  // position of the tile's first row in a head's scores
    std::int64_t column = 0;       // column of the block in the tile's rows
  };

  std::int64_t slices_;
  std::vector<StagedTile> tiles_;
  std::size_t n_short_ = 0;
  std::vector<Block> blocks_;
  std::vector<Batch> batches_;
  std::int64_t scores_ = 0;
  std::int64_t most_rows_ = 0;
  std::size_t schedule_bytes_ = 0;
};

// Returns the tiles that schedules for this kernel are cut to.
[[nodiscard]] KernelTiles staged_tiles();

}  // namespace qb::cuda
