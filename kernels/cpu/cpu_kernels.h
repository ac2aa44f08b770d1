// The CPU kernels behind attention(), which has checked their arguments.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/attention.h"

namespace qb::cpu {

// Sizes that a kernel's temporaries depend on, beside the schedule.
struct WorkspaceShape {
  Extent q;
  Extent k;
  std::int64_t value_dim = 0;
  DType dtype = DType::f32;
  int threads = 1;
  std::int64_t stored_pairs = -1;  // of a head, for staged
};

// Float64, one row at a time, key by key.
void reference_attention(const AttentionArguments& arguments, const KernelContext& context);
[[nodiscard]] std::int64_t reference_workspace_bytes(const WorkspaceShape& shape);

// The whole score matrix in memory, products by BLAS: materialized.cpp.
void materialized_attention(const AttentionArguments& arguments, const KernelContext& context);
[[nodiscard]] std::int64_t materialized_workspace_bytes(const WorkspaceShape& shape);
[[nodiscard]] KernelTiles materialized_tiles();
[[nodiscard]] std::string_view materialized_isa();

// A block-compressed score matrix in memory, three stages: staged.cpp.
void staged_attention(const AttentionArguments& arguments, const KernelContext& context);
[[nodiscard]] std::int64_t staged_workspace_bytes(const WorkspaceShape& shape);
[[nodiscard]] KernelTiles staged_tiles();

// Tiled online softmax: flash.cpp.
void flash_attention(const AttentionArguments& arguments, const KernelContext& context);
[[nodiscard]] std::int64_t flash_workspace_bytes(const WorkspaceShape& shape);
[[nodiscard]] KernelTiles flash_tiles(std::int64_t head_dim);

}  // namespace qb::cpu
