// The clock that every measured time is taken by.
#pragma once

#include <chrono>

namespace qb {

[[nodiscard]] inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace qb
