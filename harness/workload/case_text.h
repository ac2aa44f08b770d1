// SPDX-License-Identifier: Apache-2.0
// The one spelling of a parameter's value, which rows, filters, messages and the child process
// share. Empty means that it has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "base/numbers.h"
#include "base/schema/field.h"
#include "harness/workload/case.h"

namespace qb {

inline constexpr std::string_view kBestInstructionSet = "auto";  // the best of this CPU

template <class T>
requires std::is_enum_v<T>
[[nodiscard]] std::string text_of(T member, const Field&) { return std::string(word(member)); }
template <class T>
requires std::is_integral_v<T>
[[nodiscard]] std::string text_of(T member, const Field& field) {
  if (field.nullable && member == 0) return {};
  return to_text(static_cast<std::int64_t>(member));
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
[[nodiscard]] inline std::string text_of(const std::vector<double>& speeds, const Field&) {
  return to_string(std::span(speeds));
}
template <class T>
[[nodiscard]] std::string text_of(const std::optional<T>& member, const Field& field) {
  if (member) return text_of(*member, field);
  return std::string(std::is_same_v<T, InstructionSet> ? kBestInstructionSet : "");
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
