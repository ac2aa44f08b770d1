// SPDX-License-Identifier: Apache-2.0
// Rows of a run folder's tables: read from a file by columns that the compiler checks (Row), or
// made of typed values (RowValues).
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/schema/column.h"

namespace qb {

// A row of a table, which must outlive it.
struct Row {
  const CsvTable* table = nullptr;
  std::size_t index = 0;

  [[nodiscard]] const std::string& text(Column column) const { return at(column.name()); }
  // It is NaN if the field is empty.
  [[nodiscard]] double number(NumberColumn column) const { return number_at(column.name()); }
  // It is 0 if the field is empty.
  [[nodiscard]] std::int64_t integer(IntegerColumn column) const {
    const double value = number_at(column.name());
    return std::isnan(value) ? 0 : static_cast<std::int64_t>(value);
  }
  [[nodiscard]] bool is(Column column, std::string_view value) const {
    return text(column) == value;
  }

  // By a name that the program learns when it runs, or of another table, such as a published one.
  // Throws UsageError where the table has no such column.
  [[nodiscard]] const std::string& at(std::string_view column) const {
    return table->text(index, column);
  }
  [[nodiscard]] double number_at(std::string_view column) const {
    return table->number(index, column);
  }

  friend bool operator==(const Row&, const Row&) = default;
};
using Rows = std::vector<Row>;

[[nodiscard]] Rows all_rows(const CsvTable& table);

// The values of a row to write. A column without a value is empty in the file.
class RowValues {
 public:
  RowValues() = default;
  // As set_text() does.
  RowValues(std::initializer_list<std::pair<std::string_view, std::string>> values) {
    for (const auto& [column, text] : values) set_text(column, text);
  }

  // A value has the kind of its column. One that is not there, or is NaN, leaves no value.
  void set(RealColumn column, double value);
  void set(TextColumn column, std::string_view value);
  void set(FlagColumn column, std::same_as<bool> auto value) {
    set_text(column.name(), value ? "1" : "0");
  }
  template <std::integral T>
  requires(!std::same_as<T, bool>) void set(IntegerColumn column, T value) {
    set_text(column.name(), std::to_string(value));
  }
  template <std::integral T>
  void set(IntegerColumn column, const std::optional<T>& value) {
    set_text(column.name(), value ? std::to_string(*value) : std::string());
  }
  // By a name that the program learns when it runs, as its kind of column has a number.
  void set_number(std::string_view column, double value);
  // As a file has it, by a name that the program learns when it runs; empty: no value. Throws
  // std::logic_error where no table has that column.
  void set_text(std::string_view column, std::string value);

  [[nodiscard]] bool has(Column column) const { return find(column.name()) != nullptr; }
  // Empty, or NaN, where the row has no value.
  [[nodiscard]] const std::string& text(Column column) const { return at(column.name()); }
  [[nodiscard]] double number(NumberColumn column) const;
  [[nodiscard]] const std::string& at(std::string_view column) const;

  void erase(Column column) { set_text(column.name(), {}); }
  void erase(FieldGroup group);
  // Takes the other values where it has none itself.
  void merge(const RowValues& other);

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  // By name of their columns.
  using Value = std::pair<const Field*, std::string>;
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }
  friend bool operator==(const RowValues&, const RowValues&) = default;

 private:
  [[nodiscard]] const std::string* find(std::string_view column) const;

  std::vector<Value> values_;
};

}  // namespace qb
