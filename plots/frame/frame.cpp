// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/frame.h"

#include "base/numbers.h"
#include "base/schema/column.h"
#include "base/schema/column_fields.h"

namespace qb {
namespace {

std::size_t distinct_keys(const Rows& rows, const Columns& columns) {
  std::set<std::vector<std::string>> keys;
  for (const Row& row : rows) {
    std::vector<std::string> key;
    for (const std::string& column : columns) key.push_back(own_value(row, column));
    keys.insert(std::move(key));
  }
  return keys.size();
}

bool field_less(const std::string& a, const std::string& b) {
  if (a.empty() != b.empty()) return b.empty();
  const auto x = parse_real(a);
  const auto y = parse_real(b);
  return x && y ? *x < *y : a < b;
}

bool key_less(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::lexicographical_compare(a, b, field_less);
}

}  // namespace

Rows standing_rows(const CsvTable& cases) {
  std::map<std::string, Row> last;
  for (const Row& row : all_rows(cases)) last[row.text("case_id")] = row;
  return where(all_rows(cases), [&](const Row& row) { return last[row.text("case_id")] == row; });
}

Rows where(Rows rows, Column column, std::initializer_list<std::string_view> values) {
  return where(std::move(rows), [&](const Row& row) {
    return std::find(values.begin(), values.end(), row.text(column)) != values.end();
  });
}

bool ran(const Row& row) { return row.is("status", "ok"); }
bool out_of_memory(const Row& row) {
  return row.is("status", "oom") || row.is("status", "oom_skipped");
}
bool not_tried(const Row& row) { return row.is("status", "oom_skipped"); }
bool modelled(const Row& row) { return row.is("ranks", "model"); }
bool is_forward(const Row& row) {
  return !row.table->has("pass") || !(row.is("pass", "backward") || row.is("pass", "both"));
}

std::function<double(const Row&)> number_in(NumberColumn column) {
  return [=](const Row& row) { return row.number(column); };
}

bool has_root(const Row& row) { return row.number("root_sent_bytes") > 0.0; }

bool disturbed(const Row& row) {
  return row.table->has("disturbed_by") && !row.text("disturbed_by").empty();
}

std::map<double, Row> by_number(const Rows& rows, const std::function<double(const Row&)>& number) {
  std::map<double, Row> found;
  for (const Row& row : rows) found[number(row)] = row;
  return found;
}

Groups group(const Rows& rows, const std::function<std::vector<std::string>(const Row&)>& key) {
  std::map<std::vector<std::string>, Rows, decltype(&key_less)> found(&key_less);
  for (const Row& row : rows) found[key(row)].push_back(row);
  Groups groups;
  for (auto& [values, members] : found) groups.push_back({{}, values, members});
  return groups;
}

Groups group(const Rows& rows, const Columns& columns) {
  return group(rows, [&](const Row& row) { return values_of(row, columns); });
}

Groups panels_by(const Rows& rows, const Columns& columns, const std::optional<Columns>& named) {
  Groups panels = group(rows, columns);
  for (Group& panel : panels)
    panel.name = named_values(panel.rows.front(), named.value_or(columns));
  return panels;
}

Columns joined(Columns first, const Columns& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Columns without(Columns columns, std::string_view column) {
  std::erase(columns, column);
  return columns;
}

Columns differing_columns(const Rows& rows, Columns columns) {
  std::erase_if(columns,
                [&](const std::string& column) { return group(rows, Columns{column}).size() < 2; });
  return columns;
}

Columns splitting_columns(const Rows& rows, const Columns& given) {
  Columns known = given;
  std::size_t parts = distinct_keys(rows, known);
  for (const Field& field : kParameterFields) {
    if (field.column == "n_tokens") continue;
    Columns more = joined(known, {std::string(field.column)});
    const std::size_t split = distinct_keys(rows, more);
    if (split > parts) std::tie(known, parts) = std::pair(std::move(more), split);
  }
  return {known.begin() + static_cast<std::ptrdiff_t>(given.size()), known.end()};
}

std::vector<std::string> values_of(const Row& row, const Columns& columns) {
  std::vector<std::string> key;
  for (const std::string& column : columns) key.push_back(row.at(column));
  return key;
}

std::string own_value(const Row& row, const std::string& column) {
  const Field* const field = find_parameter_field(column);
  const bool follows = field != nullptr && !field->follows.empty() &&
                       row.table->has(field->follows) && row.at(field->follows) == row.at(column);
  return follows ? "=" : row.at(column);
}

std::map<std::string, Rows> rows_by_case(const CsvTable& table) {
  std::map<std::string, Rows> rows;
  for (const Row& row : all_rows(table)) rows[row.text("case_id")].push_back(row);
  return rows;
}

bool says_how_split(const Field& field) {
  return field.group == FieldGroup::split || field.group == FieldGroup::link;
}

double error_over_tolerance(const Row& row) {
  double most = row.number("max_error") / row.number("tolerance");
  const auto compare = [&](const auto& gradients) {
    for (const std::string_view one : gradients)
      if (const std::string name(one); row.table->has(name + "_max_error"))
        most = std::fmax(most,
                         row.number_at(name + "_max_error") / row.number_at(name + "_tolerance"));
  };
  compare(kGradientColumns);
  compare(kLayerGradientColumns);
  return most;
}

double fullest_device_bytes(const Row& row) {
  const double device = row.number("device_peak_bytes");
  const double root = row.number("root_peak_bytes");
  return std::isnan(device)
             ? device
             : std::fmax(device,
                         std::isfinite(root) ? root : row.number("predicted_root_peak_bytes"));
}

double busiest_sent_bytes(const Row& row) {
  return std::fmax(row.number("device_sent_bytes"), row.number("root_sent_bytes"));
}

double predicted_fullest_bytes(const Row& row) {
  return std::fmax(row.number("predicted_device_peak_bytes"),
                   row.number("predicted_root_peak_bytes"));
}

}  // namespace qb
