// FNV-1a, 64 bits: the same on every machine and compiler, which std::hash is not.
#pragma once

#include <cstdint>
#include <string_view>

namespace qb {

[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

}  // namespace qb
