// Hashes that are the same on every machine and compiler, which std::hash is not.
#pragma once

#include <cstdint>
#include <string_view>

namespace qb {

// FNV-1a, 64 bits, of `text` behind what `hash` is of.
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

// `hash` with one word more: fast, and good enough where equal hashes are compared in full.
[[nodiscard]] constexpr std::uint64_t hash_with(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kGoldenGamma;
  return hash ^ (hash >> 29);
}

}  // namespace qb
