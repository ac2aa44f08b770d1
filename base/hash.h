// SPDX-License-Identifier: Apache-2.0
// Hashes and random numbers that are the same on every machine and compiler, which those of std are
// not. The random numbers are those of SplitMix64 (Steele, Lea and Flood, 2014).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
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

// The 48 low bits as an id of 12 characters: a letter from g to v and 11 hex digits, which no
// reader takes for a number.
[[nodiscard]] inline std::string id_of(std::uint64_t hash) {
  return fmt::format("{:c}{:011x}", static_cast<char>('g' + ((hash >> 44) & 0xfu)),
                     hash & 0xfffffffffffu);
}

// The golden ratio in 64 bits, odd.
inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15u;

// Adds a word to `hash`. It is fast, and good enough where equal hashes are compared in full.
[[nodiscard]] constexpr std::uint64_t hash_with(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kGoldenGamma;
  return hash ^ (hash >> 29);
}

// The finalizer of SplitMix64: a bijection after which every bit depends on every other.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The state is a counter, so that number i of a seed is mixed(seed + (i + 1) * kGoldenGamma).
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() { return mixed(state_ += kGoldenGamma); }

 private:
  std::uint64_t state_;
};

}  // namespace qb
