// SPDX-License-Identifier: Apache-2.0
// Describes a column of a run folder's tables, or a parameter of a case, in one place.
//
// These descriptions decide what specs accept, what the CSV files hold, what figures write beside a
// line, how older runs are completed and what the documentation says. They are plain constants in
// the lowest room, so that rooms which never meet (the runner and the plots) read the same ones.
// QB_CASE_PARAMETERS in harness/workload/case.h joins a parameter to the member of a `Case`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace qb {

// How the text of a value is read.
enum class FieldKind {
  word,        // a word of a list
  integer,     // a whole number
  seed,        // a whole number up to 2^64 - 1
  real,        // a number
  flag,        // 1 or 0
  text,        // a sentence or a name
  residues,    // `0,1,3`
  sequences,   // `100+8 64+1`
  file,        // a path
  mask,        // `causal`, or a pattern
  link_limit,  // `ndr`, or `50e9,5e-06`: byte/s and seconds
};

[[nodiscard]] constexpr bool is_number_kind(FieldKind kind) {
  return kind == FieldKind::integer || kind == FieldKind::seed || kind == FieldKind::real;
}

enum class FieldGroup {
  identity,  // says which row it is
  // These parameters say what is computed, how it is split, over which links, and by what.
  problem,
  split,
  link,
  means,
  // These columns say how the case ended and what was found.
  outcome,
  prediction,
  memory,
  time,
  verification,
  bookkeeping,
};

// Cases with the same parameters are the same case.
[[nodiscard]] constexpr bool is_parameter(FieldGroup group) {
  return group == FieldGroup::problem || group == FieldGroup::split || group == FieldGroup::link ||
         group == FieldGroup::means;
}

// What plans of some algorithms do, in the passes of a case: needs.cpp asks them, no list does.
enum class PlanFact {
  any,
  sends_lse,              // to other workers or to the root
  sends_partials,         // from worker to worker
  takes_resident_tokens,  // it has a plan whose workers hold the first keys from the beginning
};

// What a value of a parameter needs of another parameter of the case; without it the value would
// have no effect, or could not run. harness/workload/needs.h reads it for every command.
struct ParameterNeed {
  std::string_view column{};
  std::string_view words{};  // one of these, separated by spaces; empty: any but its standard value
  // The need also holds where this one, or one of several separated by spaces, is one of or_words.
  std::string_view or_column{};
  std::string_view or_words{};
  std::string_view values{};  // the values that need it, separated by spaces; empty: any but the
                              // standard one
  std::string_view hint{};    // ends the refusal: why, or the nearest that works
  PlanFact fact = PlanFact::any;  // in place of words: it must hold of the algorithm

  [[nodiscard]] constexpr ParameterNeed or_if(std::string_view other,
                                              std::string_view its_words) const {
    return {column, words, other, its_words, values, hint, fact};
  }
  [[nodiscard]] constexpr ParameterNeed of(std::string_view some) const {
    return {column, words, or_column, or_words, some, hint, fact};
  }
  [[nodiscard]] constexpr ParameterNeed because(std::string_view why) const {
    return {column, words, or_column, or_words, values, why, fact};
  }
};

struct Field {
  // Whether every run of a case on like machines has the same value.
  [[nodiscard]] constexpr bool is_exact() const {
    return counted || group == FieldGroup::prediction || group == FieldGroup::verification;
  }

  std::string_view column{};  // the name in a table
  std::string_view key{};     // the name in a spec; empty: specs do not set it
  FieldKind kind = FieldKind::real;
  std::string_view unit{};  // SI, or what it counts; empty for pure numbers and texts
  FieldGroup group = FieldGroup::time;
  int since = 1;                // the first schema version that has it
  std::string_view standard{};  // the value where a spec leaves it out; empty: none
  std::string_view follows{};   // the column whose value it takes where a spec leaves it out
  std::int64_t min = 0;         // the bounds of an integer
  std::int64_t max = INT64_MAX;
  bool nullable = false;  // a spec may say `~` for no value
  // How figures name a value, which replaces {}. Figures leave the standard value out where
  // `quiet_standard` is set.
  std::string_view label = "{}";
  bool quiet_standard = false;
  // The description in the documentation, in Markdown; the bounds of an integer replace {range},
  // the words that a parameter can be replace {words}.
  std::string_view meaning{};
  std::string_view standard_meaning{};  // the documentation shows it instead of `standard`
  // When a row has no value; empty: what the documentation says of its table and group.
  std::string_view empty_when{};
  bool counted = false;  // a count of what the case did, and not a measurement
  bool tiled = false;    // follows from tiles and threads too, which kernel and machine choose
  std::array<ParameterNeed, 10> needs{};  // of a parameter: all must hold
  std::string_view words{};  // of a strategy's key: the words that it can be, between spaces
};

namespace fields {  // shorthands for the tables

using enum FieldKind;
using enum FieldGroup;

// A column whose unit is not part of its name.
[[nodiscard]] constexpr Field column(FieldGroup group, std::string_view name, FieldKind kind,
                                     std::string_view meaning, std::string_view unit = {},
                                     int since = 1) {
  return {.column = name,
          .kind = kind,
          .unit = unit,
          .group = group,
          .since = since,
          .meaning = meaning};
}

// A column whose name ends with its unit. A name with another end does not compile.
[[nodiscard]] consteval Field quantity(FieldGroup group, std::string_view name,
                                       std::string_view meaning, int since = 1) {
  constexpr Field kEnds[] = {column(time, "_flop_per_s", real, {}, "FLOP/s"),
                             column(time, "_s", real, {}, "s"),
                             column(time, "_hz", real, {}, "Hz"),
                             column(memory, "_bytes", integer, {}, "bytes"),
                             column(prediction, "_tokens", integer, {}, "tokens"),
                             column(prediction, "_pairs", integer, {}, "pairs")};
  for (const Field& end : kEnds)
    if (name.ends_with(end.column)) return column(group, name, end.kind, meaning, end.unit, since);
  throw "the name of a quantity ends with its unit";
}

// The column, with words that say when it is empty.
[[nodiscard]] constexpr Field empty(std::string_view when, Field field) {
  field.empty_when = when;
  return field;
}

[[nodiscard]] constexpr Field counted(Field field) {
  field.counted = true;
  return field;
}

[[nodiscard]] constexpr Field tiled(Field field) {
  field.tiled = true;
  return field;
}

[[nodiscard]] constexpr ParameterNeed need(std::string_view column, std::string_view words = {}) {
  return {.column = column, .words = words};
}
[[nodiscard]] constexpr ParameterNeed need(PlanFact fact) {
  return {.column = "algorithm", .fact = fact};
}

// What parameter() sets of a field: `unit("tokens")`.
template <auto kMember>
struct Setting {
  [[nodiscard]] constexpr auto operator()(auto value) const {
    return [=](Field& field) { field.*kMember = value; };
  }
};
inline constexpr Setting<&Field::key> key{};
inline constexpr Setting<&Field::unit> unit{};
inline constexpr Setting<&Field::since> since{};
inline constexpr Setting<&Field::standard> standard{};
inline constexpr Setting<&Field::follows> follows{};
inline constexpr Setting<&Field::min> at_least{};
inline constexpr Setting<&Field::max> at_most{};
inline constexpr Setting<&Field::label> label{};
inline constexpr Setting<&Field::meaning> meaning{};
inline constexpr Setting<&Field::standard_meaning> standard_meaning{};
inline constexpr Setting<&Field::words> words{};
inline constexpr auto nullable = [](Field& field) { field.nullable = true; };
inline constexpr auto quiet_standard = [](Field& field) { field.quiet_standard = true; };
[[nodiscard]] constexpr auto range(std::int64_t min, std::int64_t max) {
  return [=](Field& field) { field.min = min, field.max = max; };
}
[[nodiscard]] constexpr auto needs(const auto&... all) {
  return [=](Field& field) { field.needs = {all...}; };
}

// A parameter of a case. Its key in a spec is the name of its column unless a setting says another.
[[nodiscard]] constexpr Field parameter(FieldKind kind, FieldGroup group, std::string_view column,
                                        const auto&... settings) {
  Field field{.column = column, .key = column, .kind = kind, .group = group};
  (settings(field), ...);
  return field;
}

}  // namespace fields

}  // namespace qb
