// SPDX-License-Identifier: Apache-2.0
// Divides the scratch memory of a thread into buffers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>

namespace qb::cpu {

// Sets the pointers to buffers of so many floats one after the other from `memory` on, unless that
// is nullptr, and returns the floats of all.
inline std::int64_t carve_floats(float* memory,
                                 std::initializer_list<std::pair<float**, std::int64_t>> buffers) {
  std::int64_t floats = 0;
  for (const auto& [buffer, count] : buffers) {
    *buffer = memory == nullptr ? nullptr : memory + floats;
    floats += count;
  }
  return floats;
}

}  // namespace qb::cpu
