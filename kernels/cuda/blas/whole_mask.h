// Some libraries know masks only by name. This host code finds the name of a schedule's mask.
#pragma once

#include "kernels/tile_schedule.h"

namespace qb::cuda {

enum class WholeMask {
  none,    // every query sees every key
  causal,  // as many queries as keys, and query i sees keys 0 to i
  other,
};

[[nodiscard]] WholeMask whole_mask(const TileSchedule& schedule);

}  // namespace qb::cuda
