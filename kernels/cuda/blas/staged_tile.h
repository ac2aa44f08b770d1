// What host and device both know of the tiles of kernel staged.
#pragma once

#include <cstdint>

#include "kernels/cuda/runtime/host_device.h"

namespace qb::cuda {

// Query rows [begin, end) against the spans [first_span, first_span + n_spans) of the schedule.
struct StagedTile {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_span = 0;
  std::int64_t n_spans = 0;
  std::int64_t first_score = 0;  // in a head's scores
  std::int64_t stride = 0;       // scores from a row to the next
};

// Columns of a block and of the padding behind it: 16 bytes of 16-bit weights.
QB_HOST_DEVICE std::int64_t padded_keys(std::int64_t keys) { return (keys + 7) / 8 * 8; }

}  // namespace qb::cuda
