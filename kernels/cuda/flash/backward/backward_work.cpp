// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/flash/backward/backward_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/integers.h"
#include "base/status.h"
#include "kernels/cpu/call_checks.h"
#include "kernels/cuda/flash/flash_groups.h"
#include "kernels/cuda/flash/flash_maps.h"

namespace qb::cuda {
namespace {

std::int64_t chunks_of(std::int64_t length) {
  return round_up(length, kBackwardPadding) / kFlagRows;
}

// The copy engine reads boxes only. At d = 256 the sums of a warpgroup do not fit into registers.
FlashVariant variant_of(const BackwardArguments& a, FlashPath path, std::int64_t dim) {
  const bool boxes = box_readable(a.q, 1) && box_readable(a.k, 1) && box_readable(a.v, 1) &&
                     box_readable(a.d_out, 1);
  return path == FlashPath::sm90 && dim <= 128 && boxes ? FlashVariant::hopper : FlashVariant::wide;
}

// Lists the blocks for each of their heads: those whose other side shares the cache at once.
std::vector<WorkItem> items_of(const BackwardWork& lists, const BackwardArguments& a) {
  const Extent& q = a.q.extent;
  const Extent& k = a.k.extent;
  if (q.batch * q.heads == 0) return {};
  const std::int64_t group = q.heads / k.heads;
  const std::int64_t row_bytes = (q.head_dim + a.v.extent.head_dim) * size_of(a.q.dtype);
  const HeadSlots slots{q.batch, k.heads, 1,
                        heads_at_once(q.batch * k.heads, 1, group * q.length * row_bytes), 1};
  std::vector<TileWork> tiles(lists.blocks.size());
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    tiles[i].n_masked = lists.blocks[i].n_masked;
    tiles[i].n_full = lists.blocks[i].n_full;
    tiles[i].head_end = narrow(k.heads);
  }
  return order_items(tiles, slots);
}

}  // namespace

BackwardShape backward_shape(FlashVariant variant, std::int64_t head_dim) {
  const int padded = head_dim <= 64 ? 64 : head_dim <= 128 ? 128 : 256;
  if (variant == FlashVariant::wide) return {variant, padded, 64, 64};
  return {variant, padded, 128, padded == 64 ? 128 : 64};
}

AlignedInputs align_inputs(const BackwardArguments& a) {
  return {align_input(a.q), align_input(a.k), align_input(a.v), align_input(a.d_out)};
}

void require_gpu_backward(Kernel kernel, DType dtype) {
  if (kernel != Kernel::flash)
    throw Unsupported(fmt::format(
        "kernel {} has no backward pass on a GPU; these kernels have: flash", word(kernel)));
  require_gpu_kernel(kernel, dtype);
}

void check_backward_call(const BackwardArguments& a) {
  check_backward_tensors("flash_backward", a);
  require_gpu_backward(Kernel::flash, a.q.dtype);
  check_lengths(a.q.extent, a.k.extent);
  cpu::check_schedule("flash_backward", Kernel::flash, a.schedule, a.q.extent, a.k.extent);
  if (!a.schedule->classes.empty())
    throw std::invalid_argument("flash_backward: the kernels take no schedule of residue classes");
}

BackwardWork lower_backward(const BackwardArguments& a, FlashPath path) {
  const std::int64_t dim = std::max(a.q.extent.head_dim, a.v.extent.head_dim);
  BackwardWork work = list_cells(*a.schedule, backward_shape(variant_of(a, path, dim), dim));
  work.items = items_of(work, a);
  return work;
}

std::int64_t executed_pairs(const BackwardWork& work, std::int64_t q_heads) {
  std::int64_t cells = 0;
  for (const BackwardBlock& block : work.blocks) cells += block.n_masked + block.n_full;
  return q_heads * cells * work.shape.own_block * work.shape.other_block;
}

BackwardMemory backward_memory(const BackwardArguments& aligned, const AlignedInputs& inputs,
                               const BackwardWork& work) {
  const Extent& q = aligned.q.extent;
  const Extent& k = aligned.k.extent;
  std::size_t list_bytes = 0;
  BackwardParameters p;
  for_each_list(work, p, [&](const auto& list, auto&) { list_bytes += place_bytes(list); });
  BackwardMemory memory;
  memory.list_bytes = static_cast<std::int64_t>(list_bytes);
  memory.numbers_bytes = q.batch * q.heads * round_up(q.length, kBackwardPadding) *
                         static_cast<std::int64_t>(sizeof(RowNumbers));
  memory.query_flag_bytes = q.batch * q.heads * chunks_of(q.length) * 4;
  memory.key_flag_bytes = k.batch * k.heads * chunks_of(k.length) * 4;
  if (inputs.q.copied) memory.copy_bytes += aligned.q.bytes();
  if (inputs.k.copied) memory.copy_bytes += aligned.k.bytes();
  if (inputs.v.copied) memory.copy_bytes += aligned.v.bytes();
  if (inputs.d_out.copied) memory.copy_bytes += aligned.d_out.bytes();
  return memory;
}

BackwardParameters backward_parameters(const BackwardArguments& a, const BackwardWork& work,
                                       const BackwardPlaces& places) {
  const Extent& own = a.k.extent;
  const Extent& other = a.q.extent;
  BackwardParameters p;
  p.own_score = address(a.k);
  p.own_value = address(a.v);
  p.other_score = address(a.q);
  p.other_value = address(a.d_out);
  p.sum_score = address(a.d_k);
  p.sum_value = address(a.d_v);
  p.sum_other = address(a.d_q);
  p.adds_boxes = box_readable(a.d_q, 1) ? 1 : 0;
  p.numbers = places.numbers;
  p.own_flags = places.key_flags;
  p.other_flags = places.query_flags;
  p.nonfinite = places.nonfinite;
  p.n_items = narrow(std::ssize(work.items));
  p.own_block = work.shape.own_block;
  p.other_block = work.shape.other_block;
  p.own_length = narrow(own.length);
  p.other_length = narrow(other.length);
  p.own_chunks = narrow(chunks_of(own.length));
  p.other_chunks = narrow(chunks_of(other.length));
  p.own_heads = narrow(own.heads);
  p.other_heads = narrow(other.heads);
  p.group = narrow(other.heads / own.heads);
  p.padded_queries = narrow(round_up(other.length, kBackwardPadding));
  p.score_columns = narrow(a.q.extent.head_dim);
  p.value_columns = narrow(a.v.extent.head_dim);
  p.head_dim = narrow(a.d_q.extent.head_dim);
  p.value_dim = narrow(a.d_v.extent.head_dim);
  p.scale = static_cast<float>(a.scale);
  p.scale_log2 = static_cast<float>(a.scale * 1.4426950408889634);
  return p;
}

RowsParameters rows_parameters(const BackwardArguments& a, bool of_keys,
                               const BackwardPlaces& places) {
  const Extent& rows = of_keys ? a.k.extent : a.q.extent;
  RowsParameters p;
  p.score = address(of_keys ? a.k : a.q);
  p.value = address(of_keys ? a.v : a.d_out);
  if (!of_keys) {
    p.lse = address(a.lse);
    p.delta = address(a.delta);
    p.numbers = places.numbers;
  }
  p.flags = of_keys ? places.key_flags : places.query_flags;
  p.nonfinite = places.nonfinite;
  p.length = narrow(rows.length);
  p.chunks = narrow(chunks_of(rows.length));
  p.heads = narrow(rows.heads);
  p.score_columns = narrow(a.q.extent.head_dim);
  p.value_columns = narrow(a.v.extent.head_dim);
  p.exponent = a.q.dtype == DType::bf16 ? 0x7F80U : 0x7C00U;
  p.n_blocks = narrow(rows.batch * rows.heads * p.chunks);
  return p;
}

void encode(const BackwardArguments& a, const BackwardShape& shape, EncodeTiled encode_tiled,
            BackwardMaps& maps) {
  const auto encode_rows = [&](const TensorView& view, int rows, TensorMap& map) {
    encode(boxed_tensor(view, 1, rows), view.dtype, encode_tiled, map);
  };
  encode_rows(a.k, shape.own_block, maps.own_score);
  encode_rows(a.v, shape.own_block, maps.own_value);
  encode_rows(a.q, shape.other_block, maps.other_score);
  encode_rows(a.d_out, shape.other_block, maps.other_value);
  if (box_readable(a.d_q, 1)) encode_rows(a.d_q, kSumRows, maps.sum_other);
}

}  // namespace qb::cuda
