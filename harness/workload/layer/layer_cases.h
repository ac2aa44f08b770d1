// Which cases of workload transformer_layer there are, and what the attention in them is by itself.
#pragma once

#include "harness/workload/case.h"

namespace qb {

// Tells whether several workers share the layer (tensor_parallel.h).
[[nodiscard]] bool is_split_layer(const Case& c);

// Throws Unsupported where nothing computes such a layer, and names the nearest that there is.
void require_layer(const Case& c);

// The attention of the whole layer as one worker computes it; no plan splits its heads.
[[nodiscard]] Case attention_of_layer(Case c);

}  // namespace qb
