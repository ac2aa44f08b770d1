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

// Reads records one by one and remembers where the last whole one ended.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // Returns false at the end of the text or before a torn record.
  bool next(std::vector<std::string>& fields) {
    fields.clear();
    first_line_ = line_;
    std::string field;
    bool quoted = false;
    for (std::size_t at = whole_; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c != '"') {
          field += c;
        } else if (at + 1 < text_.size() && text_[at + 1] == '"') {
          field += text_[++at];
        } else {
          quoted = false;
        }
      } else if (c == '"') {
        quoted = true;
      } else if (c == ',') {
        fields.push_back(std::move(field));
        field.clear();
      } else if (c == '\n') {
        if (!field.empty() && field.back() == '\r') field.pop_back();
        fields.push_back(std::move(field));
        whole_ = at + 1;
        return true;
      } else {
        field += c;
      }
    }
    return false;
  }
  [[nodiscard]] bool torn() const { return whole_ < text_.size(); }
  [[nodiscard]] std::size_t whole_bytes() const { return whole_; }
  [[nodiscard]] int line() const { return first_line_; }

 private:
  std::string_view text_;
  std::size_t whole_ = 0;
  int line_ = 1;
  int first_line_ = 1;
};

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
  for (std::size_t i = 0; i < header_.size(); ++i) columns_.emplace(header_[i], i);
}

CsvTable CsvTable::parse(std::string_view text, std::string_view name) {
  Reader reader(text);
  std::vector<std::string> fields;
  if (!reader.next(fields)) throw UsageError(fmt::format("{}: no header line", name));
  CsvTable table(fields);
  table.name_ = name;
  while (reader.next(fields)) {
    if (fields.size() != table.header_.size())
      throw UsageError(fmt::format("{}:{}: {} fields where the header has {}", name, reader.line(),
                                   fields.size(), table.header_.size()));
    table.rows_.push_back(fields);
  }
  table.torn_ = reader.torn();
  table.whole_bytes_ = reader.whole_bytes();
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
    throw UsageError(
        fmt::format("{}: record {}, column {}: '{}' is no number", name_, row + 1, column, field));
  return *value;
}

void CsvTable::append(std::vector<std::string> fields) {
  if (fields.size() != header_.size())
    throw std::logic_error(
        fmt::format("{}: a row of {} fields for {} columns", name_, fields.size(), header_.size()));
  rows_.push_back(std::move(fields));
}

std::string CsvTable::to_string() const {
  std::string out = csv_record(header_);
  for (const auto& fields : rows_) out += csv_record(fields);
  return out;
}

}  // namespace qb
