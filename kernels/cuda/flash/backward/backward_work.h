// SPDX-License-Identifier: Apache-2.0
// Lowers a backward pass to the lists that are uploaded. It is pure host code, tested on the CPU.
//
// The score matrix is cut into cells by a fixed grid of blocks of rows and keys. A schedule is by
// query tiles, whatever their sizes; a cell gets the pairs of all spans that meet it. A cell of
// which every pair is allowed is part of a run, one without a pair is absent, and every other one
// is a masked step: by its bounds where these are the bounds of one span, else by bits. Listed by
// blocks of keys, this is the transpose of the schedule.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/attention_backward.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/flash/backward/backward_parameters.h"
#include "kernels/cuda/flash/flash_work.h"

namespace qb::cuda {

// Two variants are compiled: wide is backward_sm80.cuh, hopper is backward_sm90.cuh.
struct BackwardShape {
  FlashVariant variant = FlashVariant::wide;
  int padded_dim = 64;
  int own_block = 64;    // rows that a grid block owns
  int other_block = 64;  // rows of the other side in each step
};

// Returns the compiled shape for a head dimension (the larger one of keys and values).
[[nodiscard]] BackwardShape backward_shape(FlashVariant variant, std::int64_t head_dim);

// These are the lists of one kernel. Blocks without a step are left out.
struct BackwardWork {
  BackwardShape shape;
  std::vector<WorkItem> items;  // in the order in which the grid's blocks start, heavy ones first
  std::vector<BackwardBlock> blocks;
  std::vector<BackwardStep> masked;
  std::vector<BackwardRun> runs;
  std::vector<std::uint64_t> bits;

  [[nodiscard]] bool empty() const { return items.empty(); }
};

// Lists the cells of a valid schedule by blocks of keys; there are no items yet. Throws Unsupported
// where the bits of the cells are too many.
[[nodiscard]] BackwardWork list_cells(const TileSchedule& schedule, const BackwardShape& shape);

// Says how the kernels read the inputs: rows that do not begin at multiples of 16 bytes are copied.
[[nodiscard]] AlignedInputs align_inputs(const BackwardArguments& arguments);

// Checks a call as attention_backward() does, and that the GPU has a kernel for it. Throws
// std::invalid_argument or Unsupported.
void check_backward_call(const BackwardArguments& arguments);

// The call must be checked and its inputs aligned.
[[nodiscard]] BackwardWork lower_backward(const BackwardArguments& aligned, FlashPath path);

// Returns the pairs of the cells, over the query heads of one sequence.
[[nodiscard]] std::int64_t executed_pairs(const BackwardWork& work, std::int64_t q_heads);

// The device memory of a call that has work; all of it is held until the call is done.
struct BackwardMemory {
  std::int64_t list_bytes = 0;
  std::int64_t numbers_bytes = 0;
  std::int64_t query_flag_bytes = 0;
  std::int64_t key_flag_bytes = 0;
  std::int64_t copy_bytes = 0;  // of inputs that are not aligned
  [[nodiscard]] std::int64_t total() const {
    return list_bytes + numbers_bytes + query_flag_bytes + key_flag_bytes + copy_bytes;
  }
};
[[nodiscard]] BackwardMemory backward_memory(const BackwardArguments& aligned,
                                             const AlignedInputs& inputs, const BackwardWork& work);

// Points to the numbers and flags of rows.
struct BackwardPlaces {
  RowNumbers* numbers = nullptr;
  std::int32_t* query_flags = nullptr;
  std::int32_t* key_flags = nullptr;
  std::int32_t* nonfinite = nullptr;  // 0 when it is uploaded
};

// Returns the parameters without the lists' addresses, which for_each_list() visits.
[[nodiscard]] BackwardParameters backward_parameters(const BackwardArguments& aligned,
                                                     const BackwardWork& work,
                                                     const BackwardPlaces& places);
// Returns the parameters of the kernel that prepares the rows of keys or of queries.
[[nodiscard]] RowsParameters rows_parameters(const BackwardArguments& aligned, bool of_keys,
                                             const BackwardPlaces& places);

// Describes the inputs to the copy engine. Throws EnvironmentError where the driver
// refuses a tensor. The maps are written into their final place, as flash_maps.h says.
void encode(const BackwardArguments& aligned, const BackwardShape& shape, EncodeTiled encode_tiled,
            BackwardMaps& maps);

// Calls visit(list, pointer to it in the parameters) for each list, in the order of their places;
// the first one is of one number, BackwardPlaces::nonfinite.
template <class Visit>
void for_each_list(const BackwardWork& lists, BackwardParameters& p, Visit visit) {
  visit(std::array<std::int32_t, 1>{}, p.nonfinite);
  visit(lists.items, p.items);
  visit(lists.blocks, p.blocks);
  visit(lists.masked, p.masked);
  visit(lists.runs, p.runs);
  visit(lists.bits, p.bits);
}

}  // namespace qb::cuda
