// Dilated windows and strides by residue classes: among every stride-th token they are plain
// windows and blocks, which tiles compute without waste. So a schedule may hold, beside the tiles
// of what is near in the order of tokens, one schedule a class (TileSchedule::classes).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/mask/mask.h"
#include "kernels/mask/mask_tiles.h"

namespace qb {

// The shapes of a pattern in two parts, over a group of queries against one of keys.
struct ResidueSplit {
  Mask near;                // every other shape; perhaps none
  Mask far;                 // bands of one dilation: row i sees only keys j = i + phase mod stride
  std::int64_t stride = 1;  // in indices of the groups
  std::int64_t phase = 0;   // in [0, stride)

  // The groups of the class that begins with row `first`; its keys begin with row
  // (first + phase) mod stride, and there may be none.
  [[nodiscard]] MaskBlock class_block(const MaskBlock& whole, std::int64_t first) const;
};

// Nothing where the pattern has no such band, or classes too short to fill a vector.
[[nodiscard]] std::optional<ResidueSplit> split_by_residue(const Mask& mask,
                                                           const MaskBlock& block);

}  // namespace qb
