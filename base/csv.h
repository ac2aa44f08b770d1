// SPDX-License-Identifier: Apache-2.0
// RFC 4180 with LF: the only format that crosses from measuring to plotting.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace qb {

// One record with its line end; fields are quoted where they must be.
[[nodiscard]] std::string csv_record(std::span<const std::string> fields);

// A parsed table: a header line, then records of the same number of fields.
class CsvTable {
 public:
  CsvTable() = default;
  explicit CsvTable(std::vector<std::string> header);

  // Throws UsageError `name:line: …` on a ragged record or an open quote. A last line without its
  // line end is torn (the writer died there): it is left out and torn() says so.
  [[nodiscard]] static CsvTable parse(std::string_view text, std::string_view name);

  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] bool torn() const { return torn_; }

  [[nodiscard]] bool has(std::string_view column) const;
  // Throws UsageError, which names the nearest column, where no column has that name.
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
  // NaN where the field is empty; throws UsageError where it is not a number.
  [[nodiscard]] double number(std::size_t row, std::string_view column) const;

  // Throws std::logic_error unless fields.size() == header().size().
  void append(std::vector<std::string> fields);
  // Puts a column that has `value` in every row in front of the column `at`, or at the end.
  void insert_column(std::size_t at, const std::string& name, const std::string& value = {});
  // Does nothing where no column has that name.
  void remove_column(std::string_view name);
  // Throws as text() does.
  void set(std::size_t row, std::string_view column, const std::string& value);
  [[nodiscard]] const std::vector<std::string>& row(std::size_t index) const {
    return rows_[index];
  }
  [[nodiscard]] std::string to_string() const;

 private:
  [[nodiscard]] std::size_t column_index(std::string_view column) const;
  void index_columns();

  std::string name_ = "table";
  std::vector<std::string> header_;
  std::unordered_map<std::string, std::size_t> columns_;
  std::vector<std::vector<std::string>> rows_;
  bool torn_ = false;
};

}  // namespace qb
