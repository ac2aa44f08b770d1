// Text as it is read: counted in code points and broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qb {

// UTF-8 code points.
[[nodiscard]] std::size_t characters(std::string_view text);

// Lines of at most `columns` code points, broken at spaces; a longer word stands alone.
[[nodiscard]] std::vector<std::string> wrap_text(std::string_view text, std::size_t columns);

}  // namespace qb
