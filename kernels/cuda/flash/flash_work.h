// SPDX-License-Identifier: Apache-2.0
// Lowers a GroupedCall to the lists that are uploaded. It is pure host code, tested on the CPU.
//
// Local rows and keys turn into tokens of the original tensors, so tiles and key blocks are cut
// where a group ends. Of each schedule span only live blocks are listed, full or masked. Tiles with
// the most blocks come first, because blocks of a grid take items in order and the last ones decide
// when the launch ends. Where too few tiles fill the device, they are split by keys and merged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/flash/flash_parameters.h"

namespace qb::cuda {

// These variants are compiled: wide and thin are flash_sm80.cuh, hopper is flash_sm90.cuh.
enum class FlashVariant { wide, thin, hopper };

struct FlashShape {
  FlashVariant variant = FlashVariant::wide;
  int padded_dim = 64;    // 64, 128 or 256
  int tile_rows = 128;    // packed rows
  int key_block = 64;     // keys in each step
  int blocks_per_sm = 1;  // blocks that run at the same time
  // Products take this many rows and keys at a time, and skip those of which none is live.
  int row_step = 32;
  int key_step = 16;
};

// Returns the compiled shape for a head dimension (the larger one of keys and values). A stretch is
// what a tile sees without a gap, in keys.
[[nodiscard]] FlashShape flash_shape(FlashVariant variant, std::int64_t head_dim,
                                     std::int64_t mean_stretch = 0);
// Returns the mean over all tiles and the stretches of each; 0 without any.
[[nodiscard]] std::int64_t mean_stretch(const GroupedCall& call);

// The call must be checked and its inputs aligned. The smallest tile that holds all heads of a
// group is preferred, because it reads the keys once for all of them.
[[nodiscard]] FlashVariant choose_variant(const GroupedCall& call, FlashPath path,
                                          std::int64_t dim);

struct WorkLists {
  FlashShape shape;
  std::int32_t pack = 1;
  std::int32_t q_map_stride = 1;
  std::int32_t k_map_stride = 1;
  std::vector<WorkItem> items;
  std::vector<TileWork> tiles;
  std::vector<MaskedStep> masked;
  std::vector<FullRun> runs;
  std::vector<std::uint64_t> bits;
  std::int32_t n_partial_rows = 0;
  std::vector<MergeParameters::Tile> merge_tiles;
  std::vector<MergeParameters::Source> merge_sources;
};

// The call must be checked and its inputs aligned. Throws std::invalid_argument on query groups
// that overlap.
[[nodiscard]] WorkLists lower(const GroupedCall& call, FlashPath path, int n_sms);

// Returns the pairs that the kernel multiplies, over the heads of one sequence, with those that
// rounding to row_step and key_step adds: 264 x 264 become 288 x 272 in the wide kernel.
[[nodiscard]] std::int64_t executed_pairs(const WorkLists& lists);

// Says how the kernels read the inputs. Rows that do not begin at multiples of 16 bytes, and
// queries whose scale is not positive, are copied first: the kernels take the maximum of raw
// scores, so a negative scale flips the signs of Q, and a scale of 0 makes Q zero.
struct AlignedInputs {
  struct Input {
    bool copied = false;
    Extent extent;  // extent of the copy
    float factor = 1.0F;
    friend bool operator==(const Input&, const Input&) = default;
  };
  Input q;
  Input k;
  Input v;
  Input d_out;  // of a backward pass
  double scale = 1.0;
  friend bool operator==(const AlignedInputs&, const AlignedInputs&) = default;
};

// Says how one input is read. A copy is multiplied by the factor: 1, -1 or 0.
[[nodiscard]] AlignedInputs::Input align_input(const TensorView& view, float factor = 1.0F);
// Returns the view as the kernels see it; a copy has no memory yet.
[[nodiscard]] TensorView aligned_view(const TensorView& view, const AlignedInputs::Input& input);
[[nodiscard]] AlignedInputs align_inputs(const GroupedCall& call);
// Returns the call of either pass as the kernels see it; copies have no memory yet.
template <class Call>
[[nodiscard]] Call aligned_call(const Call& call, const AlignedInputs& inputs) {
  Call aligned = call;
  aligned.q = aligned_view(call.q, inputs.q);
  aligned.k = aligned_view(call.k, inputs.k);
  aligned.v = aligned_view(call.v, inputs.v);
  if constexpr (requires { call.d_out; }) aligned.d_out = aligned_view(call.d_out, inputs.d_out);
  return aligned;
}

// Checks shapes and types as attention() does.
void check_call(const GroupedCall& call);

// Calls visit(list, pointer to it in the parameters) for each list, in the order of their one
// allocation, each at a multiple of 256 bytes. items_asked_for is a list of one number.
template <class Visit>
void for_each_list(const WorkLists& lists, FlashParameters& p, MergeParameters& merging,
                   Visit visit) {
  visit(lists.items, p.items);
  visit(std::array<std::uint32_t, 1>{}, p.items_asked_for);
  visit(lists.tiles, p.tiles);
  visit(lists.masked, p.masked);
  visit(lists.runs, p.runs);
  visit(lists.bits, p.bits);
  visit(lists.merge_tiles, merging.tiles);
  visit(lists.merge_sources, merging.sources);
}
// Returns the bytes from the place of one list to that of the next.
template <class List>
[[nodiscard]] std::size_t place_bytes(const List& list) {
  return (list.size() * sizeof(list[0]) + 255) / 256 * 256;
}
[[nodiscard]] std::size_t list_bytes(const WorkLists& lists);

// Returns the extent of the partials of all heads: rows of value_dim, rounded up to 16 bytes.
[[nodiscard]] Extent partial_extent(const GroupedCall& call, const WorkLists& lists);

// Returns the parameters of a call and its lists for the kernels, without the lists' addresses.
[[nodiscard]] FlashParameters flash_parameters(const GroupedCall& call, const WorkLists& lists,
                                               double scale);

// Returns how many query heads of a key-value head share a tile, so that one read of the keys
// serves them: all of them where the tile has room for all query rows of a worker, else 1.
[[nodiscard]] std::int32_t heads_to_pack(const GroupedCall& call, int tile_rows);

// Returns how many key blocks a block of the grid gets at most. Example: one token of 8 heads over
// 64Ki keys is 8 tiles of 1024 steps; 132 multiprocessors that run 2 blocks each have 264 places,
// and each gets 8 * 1024 / 264 = 32 steps.
[[nodiscard]] std::int64_t steps_per_split(std::int64_t n_tiles, std::int64_t total_steps,
                                           std::int64_t longest_tile, std::int64_t places);

// Returns how many query heads are in use at once, so that their keys and values stay in the
// second-level cache: 8192 tokens, d = 128, 16 bit are 4 MiB; that gives 6 key-value heads.
[[nodiscard]] std::int32_t heads_at_once(std::int64_t n_heads, std::int64_t heads_per_kv,
                                         std::int64_t bytes_per_kv_head);

// Lists every tile for each of its heads, in the order in which blocks take them. Heads come in
// sections of at most `at_once` head slots, whose keys and values share the cache; within a section
// heavy tiles come first. Sections are as equal as possible: a short last one would leave some
// blocks without work (causal, N = 8192, d = 128, 8 heads, 132 blocks: the busiest block has 1.17
// times the mean with 6 + 2 heads, and 1.00 with 4 + 4).
struct HeadSlots {
  std::int64_t batch = 1;
  std::int64_t per_batch = 1;  // heads, or packs of them
  std::int64_t per_kv = 1;     // heads that share a key-value head
  std::int64_t at_once = 1;
  std::int64_t pack = 1;
};
[[nodiscard]] std::vector<WorkItem> order_items(const std::vector<TileWork>& tiles,
                                                const HeadSlots& slots);

}  // namespace qb::cuda
