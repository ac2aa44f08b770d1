// SPDX-License-Identifier: Apache-2.0
// Hashes that are the same on every machine and compiler, which std::hash is not.
#pragma once

#include <cstdint>
#include <string_view>

namespace qb {

// The 64-bit FNV-1a hash of `text`; `hash` is that of the text before it.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text,
                                            std::uint64_t hash = 0xcbf29ce484222325u) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

// The golden ratio in 64 bits, odd.
inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15u;

// Adds a word to `hash`. It is fast, and good enough where equal hashes are compared in full.
[[nodiscard]] constexpr std::uint64_t hash_with(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kGoldenGamma;
  return hash ^ (hash >> 29);
}

}  // namespace qb
