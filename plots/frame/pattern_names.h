// Masks of cases.csv as figures name them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace qb {

// `{sliding_window: {left: 8, right: 7}}` is of kind `sliding_window`; a word is its own kind.
[[nodiscard]] std::string pattern_kind(std::string_view mask);

// The arguments of a pattern that is neither a union nor an intersection: left: 8, right: 7. Empty
// for words and for those.
[[nodiscard]] std::map<std::string, std::string> pattern_arguments(std::string_view mask);

// Names for the masks of a figure: `bigbird`, `causal longformer` of an intersection, `global +
// random` of a union, or where several have one name with what they are made of: `sliding_window,
// left: 8, right: 7`.
[[nodiscard]] std::map<std::string, std::string> mask_names(const std::set<std::string>& masks);

}  // namespace qb
