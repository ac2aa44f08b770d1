// Lists as users write them.
#pragma once

#include <string_view>
#include <vector>

namespace qb {

// The items between spaces or commas, empty ones left out; views into `text`.
[[nodiscard]] std::vector<std::string_view> list_items(std::string_view text);

}  // namespace qb
