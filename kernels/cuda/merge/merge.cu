// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/merge/merge.cuh"

#include "kernels/cuda/flash/flash_kernels.h"
#include "kernels/cuda/runtime/check.cuh"

namespace qb::cuda {
namespace {

constexpr int kRowsOfATile = 32;
constexpr unsigned kMostGridY = 65535;

// Heads beyond the grid's second extent are taken in turn.
__global__ void __launch_bounds__(kMergeThreads)
    merge_tiles_kernel(const __grid_constant__ MergeParameters p, int n_head_slots) {
  const MergeParameters::Tile tile = p.tiles[blockIdx.x];
  for (int slot = static_cast<int>(blockIdx.y); slot < n_head_slots;
       slot += static_cast<int>(gridDim.y))
    merge_block(p, tile, slot);
}

__global__ void __launch_bounds__(kMergeThreads)
    merge_rows_kernel(const __grid_constant__ MergeParameters p, int n_rows, int n_head_slots) {
  MergeParameters::Tile tile;
  tile.token = static_cast<int>(blockIdx.x) * kRowsOfATile;
  tile.source_row = tile.token;
  tile.n_rows = smaller(kRowsOfATile, n_rows - tile.token);
  tile.n_sources = p.part_out.data == nullptr ? 0 : 1;
  for (int slot = static_cast<int>(blockIdx.y); slot < n_head_slots;
       slot += static_cast<int>(gridDim.y))
    merge_block(p, tile, slot);
}

dim3 tile_grid(int n_tiles, int n_head_slots) {
  const auto slots = static_cast<unsigned>(n_head_slots);
  return {static_cast<unsigned>(n_tiles), slots < kMostGridY ? slots : kMostGridY};
}

// Each thread handles one element of the padded tensor; only unaligned inputs need this copy.
__global__ void __launch_bounds__(256) pad_kernel(const __grid_constant__ PadParameters p) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  const std::int64_t token = i / p.padded_columns;
  const std::int64_t column = i % p.padded_columns;
  if (token >= p.n_tokens) return;
  const std::int64_t batch = blockIdx.y / static_cast<unsigned>(p.heads);
  const std::int64_t head = blockIdx.y % static_cast<unsigned>(p.heads);
  std::uint16_t bits = 0;
  if (column < p.columns && p.factor != 0.0F)
    bits = p.from.row<const std::uint16_t>(batch, head, token)[column];
  if (p.factor < 0.0F) bits ^= 0x8000;  // the sign bit of f16 and bf16
  p.to.row<std::uint16_t>(batch, head, token)[column] = bits;
}

}  // namespace

void launch_merge(const MergeParameters& parameters, int n_head_slots, void* stream) {
  if (parameters.n_tiles == 0 || n_head_slots == 0) return;
  merge_tiles_kernel<<<tile_grid(parameters.n_tiles, n_head_slots), kMergeThreads, 0,
                       static_cast<cudaStream_t>(stream)>>>(parameters, n_head_slots);
  QB_CUDA_CHECK(cudaGetLastError());
}

void launch_merge_rows(const MergeParameters& parameters, std::int64_t n_rows, int n_head_slots,
                       void* stream) {
  if (n_rows == 0 || n_head_slots == 0) return;
  const auto n_tiles = static_cast<int>((n_rows + kRowsOfATile - 1) / kRowsOfATile);
  merge_rows_kernel<<<tile_grid(n_tiles, n_head_slots), kMergeThreads, 0,
                      static_cast<cudaStream_t>(stream)>>>(parameters, static_cast<int>(n_rows),
                                                           n_head_slots);
  QB_CUDA_CHECK(cudaGetLastError());
}

void launch_pad(const PadParameters& p, int n_head_slots, void* stream) {
  const std::int64_t elements = static_cast<std::int64_t>(p.n_tokens) * p.padded_columns;
  if (elements == 0 || n_head_slots == 0) return;
  const dim3 blocks(static_cast<unsigned>((elements + 255) / 256),
                    static_cast<unsigned>(n_head_slots));
  pad_kernel<<<blocks, 256, 0, static_cast<cudaStream_t>(stream)>>>(p);
  QB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace qb::cuda
