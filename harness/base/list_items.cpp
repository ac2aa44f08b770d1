#include "harness/base/list_items.h"

#include <algorithm>

namespace qb {

std::vector<std::string_view> list_items(std::string_view text) {
  std::vector<std::string_view> items;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" ,", at), text.size());
    if (end > at) items.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

}  // namespace qb
