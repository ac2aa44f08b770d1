// SPDX-License-Identifier: Apache-2.0
// The one spelling of a parameter's value, which rows, filters, messages and the child process
// share. Empty means that it has none.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "base/numbers.h"
#include "base/schema/field.h"
#include "harness/workload/case.h"

namespace qb {

// The word for no value of a parameter whose values are words.
template <class T>
inline constexpr std::string_view kNoneOf{};
template <>
inline constexpr std::string_view kNoneOf<InstructionSet> = "auto";  // the best of this CPU
template <>
inline constexpr std::string_view kNoneOf<Mixer> = "softmax";  // attention

template <class T>
requires std::is_enum_v<T>
[[nodiscard]] std::string text_of(T member, const Field&) { return std::string(word(member)); }
template <class T>
requires std::is_integral_v<T>
[[nodiscard]] std::string text_of(T member, const Field& field) {
  if (field.nullable && member == 0) return {};
  return fmt::to_string(member);
}
[[nodiscard]] inline std::string text_of(double member, const Field&) { return to_text(member); }
[[nodiscard]] inline std::string text_of(const std::string& member, const Field&) { return member; }
[[nodiscard]] inline std::string text_of(const MaskSpec& member, const Field&) {
  return member.text();
}
[[nodiscard]] inline std::string text_of(const std::vector<int>& residues, const Field&) {
  return to_string(InterestSet{.residues = residues});
}
[[nodiscard]] inline std::string text_of(const std::vector<Sequence>& sequences, const Field&) {
  return to_string(sequences);
}
template <class T>
[[nodiscard]] std::string text_of(const std::optional<T>& member, const Field& field) {
  return member ? text_of(*member, field) : std::string(kNoneOf<T>);
}

// The member that such a path leads to: Held in case.h.
template <auto First, auto... Rest>
[[nodiscard]] auto& member_of(auto& holder) {
  if constexpr (std::is_integral_v<decltype(First)>)
    return holder[First];
  else if constexpr (sizeof...(Rest) == 0)
    return holder.*First;
  else
    return member_of<Rest...>(holder.*First);
}

}  // namespace qb
