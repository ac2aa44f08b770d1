// One column of a run folder's tables, or one parameter of a case, said once.
//
// What specs accept, what the CSV files hold, what figures write beside a line, what older runs are
// completed with and what the documentation says is made from these descriptions. They are plain
// constants at the bottom of the house, so that rooms which never meet (the runner and the plots)
// read the same ones. How a parameter is read from and stored into a case stands beside `Case`.
#pragma once

#include <cstdint>
#include <string_view>

namespace qb {

// How the text of a value is to be read.
enum class FieldKind {
  word,       // one of a list
  integer,    // a whole number
  real,       // a number
  flag,       // 1 or 0
  text,       // a sentence or a name
  residues,   // `0,1,3`
  sequences,  // `100+8 64+1`
  speeds,     // `0.5 1`
  file,       // a path
  mask,       // `causal`, or a pattern
};

enum class FieldGroup {
  // These columns say which row it is.
  identity,
  // These are parameters: they say what is computed, how it is split over workers, over which
  // links, and by what.
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

// Parameters make a case the same case.
[[nodiscard]] constexpr bool is_parameter(FieldGroup group) {
  return group == FieldGroup::problem || group == FieldGroup::split || group == FieldGroup::link ||
         group == FieldGroup::means;
}

struct Field {
  std::string_view column;  // the name in a table
  std::string_view key{};   // the name in a spec; empty: specs do not set it
  FieldKind kind = FieldKind::real;
  std::string_view unit{};  // SI, or what is counted; empty for pure numbers and texts
  FieldGroup group = FieldGroup::time;
  int since = 1;  // the schema version that brought it
  // The value that a parameter has where a spec leaves it out; empty stands for no value.
  std::string_view standard{};
  // The column whose value it takes in that case.
  std::string_view follows{};
  // An integer lies within these bounds.
  std::int64_t min = 0;
  std::int64_t max = INT64_MAX;
  bool nullable = false;  // a spec may say `~`: nothing
  // How figures name a value, with {} in its place; the standard value is not named where
  // `quiet_standard` is set.
  std::string_view label = "{}";
  bool quiet_standard = false;
  // For people, in Markdown. {range} stands for the bounds.
  std::string_view meaning{};
  std::string_view standard_meaning{};  // in place of `standard`
};

}  // namespace qb
