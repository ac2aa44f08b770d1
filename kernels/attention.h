// One entry point for every attention kernel: (Q, K, V, tile schedule) -> (O, LSE).
//
// Notation: b batch, h query heads, g key-value heads (h a multiple of g: grouped-query attention,
// query head i reads key-value head i / (h / g)), n queries, m keys, d head_dim, e value head_dim.
//   O[i]   = sum_j exp(s_ij - LSE_i) V[j],  s_ij = scale * Q[i].K[j],  LSE_i = log sum_j exp(s_ij)
// over the keys j that the schedule allows for query i, and over no others: what stands in K and V
// of a key that a query does not see, NaN and infinities too, leaves its row as it is (on the CPU;
// the GPU kernels promise it of K). A row without keys yields O = 0 and LSE = -inf, as does one all
// of whose scores are -inf; one with a score of NaN or +inf yields NaN for both. Statistics and
// accumulators are float32 (reference: float64) whatever the inputs are.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/words.h"
#include "kernels/allocator.h"
#include "kernels/tensor.h"
#include "kernels/tile_schedule.h"

namespace qb {

enum class Kernel { reference, materialized, flash, staged, cudnn };

template <>
struct Words<Kernel> {
  static constexpr std::string_view what = "kernel";
  static constexpr std::pair<Kernel, std::string_view> table[] = {
      {Kernel::reference, "reference"}, {Kernel::materialized, "materialized"},
      {Kernel::flash, "flash"},         {Kernel::staged, "staged"},
      {Kernel::cudnn, "cudnn"},
  };
};

// Shapes: q [b,h,n,d], k [b,g,m,d], v [b,g,m,e] of one dtype (f16, bf16, f32; reference also f64);
// out [b,h,n,e] f32, lse [b,h,n,1] f32 (natural logarithm). schedule.n_queries == n, n_keys == m.
// out and lse are written whole, also for rows without keys.
struct AttentionArguments {
  TensorView q;
  TensorView k;
  TensorView v;
  const TileSchedule* schedule = nullptr;
  double scale = 1.0;
  TensorView out;
  TensorView lse;
};

// Seconds of the stages of `staged`, added up over calls.
struct StageTimes {
  double scores_s = 0.0;
  double softmax_s = 0.0;
  double values_s = 0.0;
};

struct KernelContext {
  Allocator& workspace;  // every temporary of the kernel comes from here, labelled
  int threads = 1;
  int worker = 0;  // for the labels of the ledger
  StageTimes* stages = nullptr;
};

// Block sizes that callers need for schedules and for the work model.
struct KernelTiles {
  std::int64_t query_tile = 0;  // rows of a query tile
  std::int64_t key_block = 0;   // keys masked together
  // Of bands and bits: blocks of so many keys and rows without a pair are skipped.
  std::int64_t key_step = 1;
  std::int64_t row_group = 1;
  bool residue_classes = false;  // takes schedules with those
  std::int64_t row_cost = 0;     // see TileSchedule::rows_alone
};
// A key_step that skips nothing within a span.
inline constexpr std::int64_t kWholeSpan = std::int64_t{1} << 40;

[[nodiscard]] KernelTiles kernel_tiles(Kernel kernel, std::int64_t head_dim);

// Bytes of temporaries that the kernel takes at its peak, exactly as the ledger will count them.
// value_dim 0: as head_dim. stored_pairs, of a head: what the schedule makes `staged` store (< 0:
// every pair).
[[nodiscard]] std::int64_t kernel_workspace_bytes(Kernel kernel, const Extent& q, const Extent& k,
                                                  DType dtype, int threads,
                                                  std::int64_t value_dim = 0,
                                                  std::int64_t stored_pairs = -1);

// Throws std::invalid_argument on shapes that do not fit together, Unsupported for a head_dim above
// 256 or a dtype without a kernel, OutOfMemory from the workspace.
void attention(Kernel kernel, const AttentionArguments& arguments, const KernelContext& context);

// Instruction set that `flash` runs with on this machine, for the isa column: see
// cpu/instruction_set.h.
[[nodiscard]] std::string_view kernel_isa(Kernel kernel);

}  // namespace qb
