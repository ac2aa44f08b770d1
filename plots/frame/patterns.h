// SPDX-License-Identifier: Apache-2.0
// What masks that are patterns are called.
#pragma once

#include "plots/frame/lines.h"

namespace qb {

// `{sliding_window: {left: 8, right: 7}}` is of kind `sliding_window`; a word is its own kind.
[[nodiscard]] std::string pattern_kind(std::string_view mask);

// Names one of the masks of a figure: `bigbird`, `causal longformer` for an intersection, `global +
// random` for a union. If several would have one name, it adds its arguments: `sliding_window,
// left: 8, right: 7`.
[[nodiscard]] std::string mask_name(const std::string& mask, const std::set<std::string>& masks);

// Names the mask of a row among those of its table.
[[nodiscard]] std::string pattern_name(const Row& row);

}  // namespace qb
