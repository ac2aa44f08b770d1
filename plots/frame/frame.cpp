#include "plots/frame/frame.h"

#include <array>
#include <tuple>

#include "base/numbers.h"

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

int compare_fields(const std::string& a, const std::string& b) {
  if (a.empty() != b.empty()) return a.empty() ? 1 : -1;
  const auto x = parse_real(a);
  const auto y = parse_real(b);
  if (x && y) return *x < *y ? -1 : *x > *y ? 1 : 0;
  return a.compare(b);
}

// Writes 1e10 as `10 GB/s`, with enough digits that two links have two names.
std::string bandwidth_name(double byte_per_s) {
  constexpr std::array<std::pair<double, const char*>, 4> units = {
      {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}}};
  for (const auto& [size, name] : units)
    if (byte_per_s >= size) return fmt::format("{:.6g} {}", byte_per_s / size, name);
  return fmt::format("{:.6g} B/s", byte_per_s);
}

std::string latency_name(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.6g} µs", seconds * 1e6);
  return fmt::format("{:.6g} ms", seconds * 1e3);
}

std::string field_name(const Row& row, const std::string& column) {
  const std::string& value = row.text(column);
  if (column == "link_bandwidth_byte_per_s" && value.empty()) return "no link limit";
  // For measured ranks the device only says what they are compared with.
  if (value.empty() || (column == "model_device" && !modelled(row))) return {};
  if (column == "link_bandwidth_byte_per_s") return bandwidth_name(row.number(column));
  if (column == "link_latency_s") return latency_name(row.number(column));
  if (column == "n_tokens") return "N = " + grouped(row.number(column));
  if (column == "kv_len") return grouped(row.number(column)) + " keys";
  return column == "model_device" ? "of " + value : named_value(column, value);
}

}  // namespace

Rows all_rows(const CsvTable& table) {
  Rows rows;
  for (std::size_t row = 0; row < table.size(); ++row) rows.push_back({&table, row});
  return rows;
}

Rows standing_rows(const CsvTable& cases) {
  std::map<std::string, Row> last;
  for (const Row& row : all_rows(cases)) last[row.text("case_id")] = row;
  return where(all_rows(cases), [&](const Row& row) { return last[row.text("case_id")] == row; });
}

Rows where(Rows rows, std::string_view column, std::initializer_list<std::string_view> values) {
  return where(std::move(rows), [&](const Row& row) {
    return std::find(values.begin(), values.end(), row.text(column)) != values.end();
  });
}

bool ran(const Row& row) { return row.is("status", "ok"); }
bool out_of_memory(const Row& row) {
  return row.is("status", "oom") || row.is("status", "oom_skipped");
}
bool modelled(const Row& row) { return row.is("ranks", "model"); }

bool disturbed(const Row& row) {
  return row.table->has("disturbed_by") && !row.text("disturbed_by").empty();
}

Rows order(Rows rows, const char* column) {
  return order(std::move(rows), [&](const Row& row) { return row.number(column); });
}

std::map<double, Row> by_number(const Rows& rows, const std::function<double(const Row&)>& number) {
  std::map<double, Row> found;
  for (const Row& row : rows) found[number(row)] = row;
  return found;
}

std::map<double, Row> by_number(const Rows& rows, const char* column) {
  return by_number(rows, [&](const Row& row) { return row.number(column); });
}

bool key_less(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const int order = compare_fields(a[i], b[i]); order != 0) return order < 0;
  return a.size() < b.size();
}

Groups group(const Rows& rows, const std::function<std::vector<std::string>(const Row&)>& key) {
  std::map<std::vector<std::string>, Rows, decltype(&key_less)> found(&key_less);
  for (const Row& row : rows) found[key(row)].push_back(row);
  Groups groups;
  for (auto& [values, members] : found) groups.push_back({.key = values, .rows = members});
  return groups;
}

Groups group(const Rows& rows, const Columns& columns) {
  return group(rows, [&](const Row& row) { return values_of(row, columns); });
}

Groups panels_by(const Rows& rows, const Columns& columns) {
  return panels_by(rows, columns, columns);
}

Groups panels_by(const Rows& rows, const Columns& columns, const Columns& named) {
  Groups panels = group(rows, columns);
  for (Group& panel : panels) panel.name = named_values(panel.rows.front(), named);
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

Columns differing_columns(const Rows& rows, const Columns& columns) {
  Columns found = columns;
  std::erase_if(found,
                [&](const std::string& column) { return group(rows, Columns{column}).size() < 2; });
  return found;
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
  for (const std::string& column : columns) key.push_back(row.text(column));
  return key;
}

std::string own_value(const Row& row, const std::string& column) {
  const Field* const field = find_parameter_field(column);
  const bool follows = field != nullptr && !field->follows.empty() &&
                       row.table->has(field->follows) &&
                       row.text(field->follows) == row.text(column);
  return follows ? "=" : row.text(column);
}

std::map<std::string, Rows> rows_by_case(const CsvTable& table) {
  std::map<std::string, Rows> rows;
  for (const Row& row : all_rows(table)) rows[row.text("case_id")].push_back(row);
  return rows;
}

std::optional<Row> case_like(const Row& row, const std::function<bool(const Field&)>& excepted,
                             const std::function<bool(const Row&)>& holds) {
  std::optional<Row> found;
  for (const Row& other : all_rows(*row.table))
    if (holds(other) && std::ranges::all_of(kParameterFields, [&](const Field& field) {
          return excepted(field) || row.text(field.column) == other.text(field.column);
        }))
      found = other;
  return found;
}

std::optional<Row> base_case(const Row& row) {
  return case_like(
      row,
      [](const Field& field) {
        return field.group == FieldGroup::split || field.group == FieldGroup::link;
      },
      [](const Row& other) { return other.is("workers", "1"); });
}

bool is_slow_base(const Row& base) { return base.number("peak_fraction") < kSlowBase; }

std::string slow_base_note(const Rows& rows) {
  std::set<std::pair<double, std::size_t>> slow;  // by fraction; a base counts once
  for (const Row& row : rows)
    if (const auto base = base_case(row); base && is_slow_base(*base))
      slow.insert({base->number("peak_fraction"), base->index});
  if (slow.empty()) return {};
  return fmt::format(
      "A slow base: {} base case{} below {:.0f} % of the machine's measured peak ({:.0f} to {:.0f} "
      "%), so that speed-ups over {} look better than they are.",
      slow.size(), slow.size() == 1 ? " is" : "s are", kPercent * kSlowBase,
      kPercent * slow.begin()->first, kPercent * slow.rbegin()->first,
      slow.size() == 1 ? "it" : "them");
}

std::string named_value(std::string_view column, const std::string& value) {
  if (column == "threads" && value == "0") return "all cores";
  if (column == "threads" && value == "1") return "1 thread";
  const Field* const field = find_parameter_field(column);
  if (value.empty() || field == nullptr) return value;
  if (field->quiet_standard && value == field->standard) return {};
  std::string shown = value;
  const std::optional<double> number = parse_real(value);
  if (column == "link_bandwidth_byte_per_s" && number) shown = format_si(*number);
  if (column == "link_latency_s" && number) shown = format_seconds(*number);
  return fmt::format(fmt::runtime(field->label), shown);
}

std::string name_with(std::string name, const Row& row, const Columns& columns) {
  std::vector<std::string> parts = {std::move(name)};
  for (const std::string& column : columns)
    if (own_value(row, column) != "=") parts.push_back(named_value(column, row.text(column)));
  return listed(parts);
}

std::string named_values(const Row& row, const Columns& columns) {
  std::string out;
  for (const std::string& column : columns)
    if (const std::string name = field_name(row, column); !name.empty())
      out += (out.empty() ? "" : column == "model_device" ? " " : ", ") + name;
  return out;
}

std::string grouped(double whole) { return format_grouped(static_cast<std::int64_t>(whole)); }

std::string counted(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& texts, std::string_view between) {
  std::string out;
  for (const std::string& text : texts) {
    if (!out.empty() && !text.empty()) out += between;
    out += text;
  }
  return out;
}

bool all_modelled(const CsvTable& cases) {
  return cases.size() > 0 && count(all_rows(cases), modelled) == cases.size();
}

std::string shared_parameters(const CsvTable& cases) {
  const Rows rows = all_rows(cases);
  const auto shared = [&](std::string_view column) {
    const bool same = !rows.empty() && count(rows, [&](const Row& row) {
                                         return row.is(column, rows.front().text(column));
                                       }) == rows.size();
    return same ? rows.front().text(column) : std::string();
  };
  Columns shown = {"batch",  "q_heads", "head_dim", "dtype",  "mask",
                   "kernel", "device",  "ranks",    "threads"};
  // A matrix product has neither heads nor a mask.
  if (shared("workload") == "matrix_product")
    shown = {"dtype", "kernel", "device", "ranks", "threads"};
  std::vector<std::string> parts;
  for (const std::string& column : shown) {
    const std::string value = cases.has(column) ? shared(column) : std::string();
    if (value.empty()) continue;
    // If all rows are modelled, the ranks name the device; the machine that computed the model does
    // not matter.
    if (all_modelled(cases) && (column == "device" || column == "threads")) continue;
    if (all_modelled(cases) && column == "ranks") {
      const std::string device = shared("model_device");
      parts.push_back(device.empty() ? "modelled" : "model of " + device);
    } else {
      parts.push_back(named_value(column, value) +
                      (column == "kernel" || column == "ranks" ? " " + column : ""));
    }
  }
  return listed(parts);
}

}  // namespace qb
