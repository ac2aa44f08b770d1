// Lists as rows and specs write them in one field: items apart by spaces or commas.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace qb {

[[nodiscard]] inline std::vector<std::string_view> listed(std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" ,", at), text.size());
    if (end > at) items.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

}  // namespace qb
