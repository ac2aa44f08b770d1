// SPDX-License-Identifier: Apache-2.0
// Columns of run folders by names that the compiler checks: one that no table has, or that has
// another kind of values, does not compile.
#pragma once

#include "base/schema/column_fields.h"
#include "base/schema/parameter_fields.h"
#include "base/schema/side_fields.h"

namespace qb {

// Calls visit(field) for each field of a run folder's tables.
constexpr void for_each_field(const auto& visit) {
  const auto in = [&](const auto&... tables) {
    const auto each = [&](const auto& fields) {
      for (const Field& field : fields) visit(field);
    };
    (each(tables), ...);
  };
  in(kIdentityFields, kParameterFields, kResultFields, kSampleKeys, kSampleFields, kStepFields,
     kPartFields, kTimelineFields);
}

// Says whether a table has a column of that name. The sanitizers' builds of gcc 12 cannot compare
// the address of a field with null while they compile.
[[nodiscard]] constexpr bool is_column(std::string_view name) {
  bool is_there = false;
  for_each_field([&](const Field& field) { is_there = is_there || field.column == name; });
  return is_there;
}

// The first field of that name, null where there is none: that of cases.csv before those of the
// other tables. Fields of one name have one kind and one unit.
[[nodiscard]] constexpr const Field* find_field(std::string_view column) {
  const Field* found = nullptr;
  bool is_found = false;
  for_each_field([&](const Field& field) {
    if (is_found || field.column != column) return;
    found = &field;
    is_found = true;
  });
  return found;
}

// Returns null where no parameter has that column.
[[nodiscard]] constexpr const Field* find_parameter_field(std::string_view column) {
  for (const Field& field : kParameterFields)
    if (field.column == column) return &field;
  return nullptr;
}

// A column whose values are of one of these kinds; of any without them.
template <FieldKind... kinds>
class ColumnOf {
 public:
  [[nodiscard]] static constexpr bool holds(FieldKind kind) {
    return sizeof...(kinds) == 0 || ((kind == kinds) || ...);
  }
  consteval ColumnOf(const char* name)  // NOLINT: a name is its column
      : field_(find_field(name)) {
    if (!is_column(name)) throw "no table of a run folder has this column";
    if (!holds(field_->kind)) throw "the values of this column are of another kind";
  }
  template <FieldKind... others>
  requires(sizeof...(others) > 0 && (holds(others) && ...)) constexpr ColumnOf(
      ColumnOf<others...> other)  // NOLINT: its kinds are among these
      : field_(&other.field()) {}
  [[nodiscard]] constexpr const Field& field() const { return *field_; }
  [[nodiscard]] constexpr std::string_view name() const { return field_->column; }

 private:
  const Field* field_;
};

using Column = ColumnOf<>;
using IntegerColumn = ColumnOf<FieldKind::integer>;
using RealColumn = ColumnOf<FieldKind::real>;
using NumberColumn = ColumnOf<FieldKind::integer, FieldKind::real>;
using FlagColumn = ColumnOf<FieldKind::flag>;
using TextColumn =
    ColumnOf<FieldKind::word, FieldKind::text, FieldKind::residues, FieldKind::sequences,
             FieldKind::file, FieldKind::mask, FieldKind::link_limit>;

// The columns of a median and its interval, by what their names begin with: `wall_time`.
class IntervalColumns {
 public:
  consteval IntervalColumns(const char* begin)  // NOLINT: likewise
      : name_(begin),
        median_(with_end(begin, "_median")),
        low95_(with_end(begin, "_low95")),
        high95_(with_end(begin, "_high95")) {}
  [[nodiscard]] constexpr std::string_view name() const { return name_; }
  [[nodiscard]] constexpr RealColumn median() const { return median_; }
  [[nodiscard]] constexpr RealColumn low95() const { return low95_; }
  [[nodiscard]] constexpr RealColumn high95() const { return high95_; }

 private:
  static consteval RealColumn with_end(std::string_view begin, std::string_view end) {
    for (const Field& field : kResultFields) {
      std::string_view name = field.column;
      if (!name.starts_with(begin)) continue;
      name.remove_prefix(begin.size());
      if (name == end || (name.starts_with(end) && name.substr(end.size()) == "_s"))
        return field.column.data();
    }
    throw "no median and interval have names that begin so";
  }

  std::string_view name_;
  RealColumn median_;
  RealColumn low95_;
  RealColumn high95_;
};

}  // namespace qb
