// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/blas/blas.h"

#include <algorithm>

namespace qb::cuda {
namespace {

bool is_full(const TileSchedule& schedule) {
  std::int64_t rows = 0;
  for (const QueryTile& tile : schedule.tiles) {
    if (tile.n_spans != 1) return false;
    const KeySpan& span = schedule.spans[static_cast<std::size_t>(tile.first_span)];
    if (span.kind != SpanKind::full || span.begin != 0 || span.end != schedule.n_keys) return false;
    rows += tile.end - tile.begin;
  }
  return rows == schedule.n_queries;
}

}  // namespace

std::int64_t MaterializedMemory::peak_bytes() const {
  return static_cast<std::int64_t>(blas_workspace_bytes + bias_bytes + scores_bytes +
                                   std::max(scores_bytes, schedule_bytes));
}

MaterializedMemory materialized_memory(const Extent& q, const Extent& k, DType dtype,
                                       const TileSchedule& schedule) {
  if (q.length == 0 || k.length == 0 || schedule.tiles.empty()) return {};
  const auto matrix_bytes = static_cast<std::size_t>(q.length * k.length * size_of(dtype));
  return {.blas_workspace_bytes = kBlasWorkspaceBytes,
          .bias_bytes = matrix_bytes,
          .scores_bytes = matrix_bytes * static_cast<std::size_t>(q.batch * q.heads),
          .schedule_bytes = is_full(schedule) ? 0 : static_cast<std::size_t>(schedule.bytes())};
}

}  // namespace qb::cuda
