// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "base/numbers.h"
#include "base/status.h"

namespace qb {
namespace {

void append_field(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\n\r") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

// Reads the record at the beginning of `text`, removes it and counts its lines. Returns false at
// the end of the text or before a torn record.
bool next_record(std::string_view& text, int& line, std::vector<std::string>& fields) {
  fields.assign(1, {});
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    std::string& field = fields.back();
    if (c == '\n') ++line;
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
      field += text[++at];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted || (c != ',' && c != '\n')) {
      field += c;
    } else if (c == ',') {
      fields.emplace_back();
    } else {
      if (!field.empty() && field.back() == '\r') field.pop_back();
      text.remove_prefix(at + 1);
      return true;
    }
  }
  return false;
}

}  // namespace

std::string csv_record(std::span<const std::string> fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    append_field(out, fields[i]);
  }
  out += '\n';
  return out;
}

CsvTable::CsvTable(std::vector<std::string> header) : header_(std::move(header)) {
  index_columns();
}

void CsvTable::index_columns() {
  columns_.clear();
  for (std::size_t i = 0; i < header_.size(); ++i) columns_.emplace(header_[i], i);
}

CsvTable CsvTable::parse(std::string_view text, std::string_view name) {
  std::string_view rest = text;
  int line = 1;
  std::vector<std::string> fields;
  if (!next_record(rest, line, fields))
    throw UsageError(fmt::format("{} has no header line", name));
  CsvTable table(fields);
  table.name_ = name;
  for (int first_line = line; next_record(rest, line, fields); first_line = line) {
    if (fields.size() != table.header_.size())
      throw UsageError(fmt::format("{}:{}: {} fields where the header has {}", name, first_line,
                                   fields.size(), table.header_.size()));
    table.rows_.push_back(fields);
  }
  table.torn_ = !rest.empty();
  return table;
}

bool CsvTable::has(std::string_view column) const { return columns_.contains(std::string(column)); }

std::size_t CsvTable::column_index(std::string_view column) const {
  const auto found = columns_.find(std::string(column));
  if (found != columns_.end()) return found->second;
  const std::vector<std::string_view> known(header_.begin(), header_.end());
  throw UsageError(fmt::format("{}: {}", name_, unknown_word("column", column, known)));
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const {
  return rows_.at(row)[column_index(column)];
}

double CsvTable::number(std::size_t row, std::string_view column) const {
  const std::string& field = text(row, column);
  if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto value = parse_real(field);
  if (!value)
    throw UsageError(fmt::format("{}: record {}, column {}: '{}' is not a number", name_, row + 1,
                                 column, field));
  return *value;
}

void CsvTable::append(std::vector<std::string> fields) {
  if (fields.size() != header_.size())
    throw std::logic_error(
        fmt::format("{}: a row of {} fields for {} columns", name_, fields.size(), header_.size()));
  rows_.push_back(std::move(fields));
}

void CsvTable::insert_column(std::size_t at, const std::string& name, const std::string& value) {
  const auto offset = static_cast<std::ptrdiff_t>(at);
  header_.insert(header_.begin() + offset, name);
  for (std::vector<std::string>& fields : rows_) fields.insert(fields.begin() + offset, value);
  index_columns();
}

void CsvTable::remove_column(std::string_view name) {
  if (!has(name)) return;
  const auto offset = static_cast<std::ptrdiff_t>(column_index(name));
  header_.erase(header_.begin() + offset);
  for (std::vector<std::string>& fields : rows_) fields.erase(fields.begin() + offset);
  index_columns();
}

void CsvTable::set(std::size_t row, std::string_view column, const std::string& value) {
  rows_[row][column_index(column)] = value;
}

std::string CsvTable::to_string() const {
  std::string out = csv_record(header_);
  for (const auto& fields : rows_) out += csv_record(fields);
  return out;
}

}  // namespace qb
