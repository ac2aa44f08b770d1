// SPDX-License-Identifier: Apache-2.0
// Words: one table maps each enum to its own, which YAML, CSV, command line and plots share.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qb {

template <class E, std::size_t n>
struct WordTable {
  std::string_view what;  // what the enum is called in messages
  std::array<std::pair<E, std::string_view>, n> rows;
};

template <class E, std::size_t n>
[[nodiscard]] constexpr WordTable<E, n> word_table(
    std::string_view what, const std::pair<E, std::string_view> (&rows)[n]) {
  return {what, std::to_array(rows)};
}

// Specialise as
//   template <>
//   inline constexpr auto kWords<Colour> =
//       word_table<Colour>("colour", {{Colour::automatic, "auto"}, …});
// or, where each word is the name of its enumerator, write QB_WORDS(Colour, "colour", red, …).
template <class E>
inline constexpr bool kWords = false;

#define QB_WORDS(E, what, ...)                              \
  template <>                                               \
  inline constexpr auto kWords<E> = [] {                    \
    using enum E;                                           \
    return own_words<E>(what, {__VA_ARGS__}, #__VA_ARGS__); \
  }()

template <class E, std::size_t n>
[[nodiscard]] constexpr WordTable<E, n> own_words(std::string_view what, const E (&values)[n],
                                                  std::string_view names) {
  WordTable<E, n> table{what, {}};
  for (std::size_t i = 0; i < n; ++i) {
    table.rows[i] = {values[i], names.substr(0, names.find(','))};
    if (i + 1 < n) names.remove_prefix(names.find(", ") + 2);
  }
  return table;
}

template <class E>
[[nodiscard]] constexpr std::string_view word(E value) {
  for (const auto& [candidate, text] : kWords<E>.rows)
    if (candidate == value) return text;
  return "?";
}

template <class E>
[[nodiscard]] constexpr std::optional<E> parse_word(std::string_view text) {
  for (const auto& [candidate, name] : kWords<E>.rows)
    if (name == text) return candidate;
  return std::nullopt;
}

template <class E>
[[nodiscard]] std::vector<std::string_view> all_words() {
  std::vector<std::string_view> words;
  for (const auto& entry : kWords<E>.rows) words.push_back(entry.second);
  return words;
}

// The candidate with the least edit distance to `text`; empty where there is none, or where more
// than half of the letters differ, so that `text` is not a plausible misspelling.
[[nodiscard]] std::string_view nearest_word(std::string_view text,
                                            std::span<const std::string_view> candidates);

// `unknown kernel 'flahs'; did you mean 'flash'?`, or the whole list where nothing is near, or for
// a name of kGoneNames what to use instead.
[[nodiscard]] std::string unknown_word(std::string_view what, std::string_view text,
                                       std::span<const std::string_view> candidates);

[[nodiscard]] std::string join(std::span<const std::string_view> words, std::string_view separator);

// Returns the words between any of the separators, none of which is empty. They point into `text`.
[[nodiscard]] inline std::vector<std::string_view> split_words(std::string_view text,
                                                               std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace qb
