// What kernel staged gives a GPU to do: batches of products of one shape, and the memory between
// them. Host code that needs no CUDA.
//
// Scores are block-compressed: a block is the keys of spans without a gap between them for the rows
// of one tile. A tile's blocks stand side by side, so that a row of its scores is contiguous but
// for the padding that lets every block begin at 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/attention.h"
#include "kernels/cuda/blas/staged_tile.h"

namespace qb::cuda {

// Rows of a tile against keys k_begin, k_begin + 1, …
struct StagedBlock {
  std::int64_t q_begin = 0;
  std::int64_t k_begin = 0;
  std::int64_t first_score = 0;  // of the tile's first row in a head's scores
  std::int64_t column = 0;       // of the block in the tile's rows
};

// Blocks that one batched product makes.
struct StagedBatch {
  std::int64_t rows = 0;
  std::int64_t keys = 0;
  std::int64_t stride = 0;  // of their tiles
  bool adds = false;        // O = P V adds to what earlier batches have left there
  std::size_t first_block = 0;
  std::size_t n_blocks = 0;
};

// In device memory, of a batch: n_blocks x batch x heads addresses each, heads first.
struct StagedAddresses {
  const void* const* q = nullptr;
  const void* const* k = nullptr;
  void* const* scores = nullptr;         // f32
  const void* const* weights = nullptr;  // of the inputs' type, where the scores were
  const void* const* v = nullptr;
  void* const* out = nullptr;
};

class StagedWork {
 public:
  StagedWork(const Extent& q, const TileSchedule& schedule);

  // Those whose rows are short first; n_short of them.
  [[nodiscard]] const std::vector<StagedTile>& tiles() const { return tiles_; }
  [[nodiscard]] std::size_t n_short() const { return n_short_; }
  // The products S = Q K^T in any order, O = P V in this one.
  [[nodiscard]] const std::vector<StagedBatch>& batches() const { return batches_; }
  [[nodiscard]] std::int64_t scores_of_a_head() const { return scores_; }
  [[nodiscard]] std::int64_t most_rows() const { return most_rows_; }  // of a tile
  // Products of a block: one for each head of each sequence.
  [[nodiscard]] std::int64_t slices() const { return slices_; }

  // What is in memory from the first stage to the last, beside what cuBLAS is given; 0 where the
  // schedule keeps no pair.
  [[nodiscard]] std::size_t scores_bytes() const;
  [[nodiscard]] std::size_t schedule_bytes() const;
  [[nodiscard]] std::size_t addresses_bytes() const;
  [[nodiscard]] std::int64_t workspace_bytes() const;

  // All of them, in the order of the batches; scores: where they will lie.
  [[nodiscard]] std::vector<std::uintptr_t> addresses(const AttentionArguments& arguments,
                                                      const void* scores) const;
  // Of one batch, where they were copied to.
  [[nodiscard]] StagedAddresses addresses_of(const StagedBatch& batch, const void* copied) const;

 private:
  std::int64_t slices_;
  std::vector<StagedTile> tiles_;
  std::size_t n_short_ = 0;
  std::vector<StagedBlock> blocks_;
  std::vector<StagedBatch> batches_;
  std::int64_t scores_ = 0;
  std::int64_t most_rows_ = 0;
  std::size_t schedule_bytes_ = 0;
};

// Of schedules for the kernel.
[[nodiscard]] KernelTiles staged_tiles();

}  // namespace qb::cuda
