// Masks of cases.csv as figures name them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace qb {

// `{sliding_window: {left: 8, right: 7}}` is of kind `sliding_window`; a word is its own kind.
[[nodiscard]] std::string pattern_kind(std::string_view mask);

// Gives the arguments of a pattern that is neither a union nor an intersection: left: 8, right: 7.
// The result is empty for words and for those two.
[[nodiscard]] std::map<std::string, std::string> pattern_arguments(std::string_view mask);

// Names the masks of a figure: `bigbird`, `causal longformer` for an intersection, `global +
// random` for a union. If several would have one name, it adds their arguments: `sliding_window,
// left: 8, right: 7`.
[[nodiscard]] std::map<std::string, std::string> mask_names(const std::set<std::string>& masks);

}  // namespace qb
