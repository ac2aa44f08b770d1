// SPDX-License-Identifier: Apache-2.0
// Cuts a text into its words.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace qb {

// Returns the words between any of the separators, none of which is empty. They point into `text`.
[[nodiscard]] inline std::vector<std::string_view> split_words(std::string_view text,
                                                               std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace qb
