// SPDX-License-Identifier: Apache-2.0
#include "plots/report/pivot.h"

#include <cctype>

#include "base/numbers.h"
#include "base/schema/column.h"
#include "base/schema/column_fields.h"
#include "base/status.h"
#include "base/words.h"
#include "plots/frame/lines.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

constexpr std::string_view kMedian = "_median_s";

// Finds the case that a speed-up of this row divides.
using BaseOf = std::function<std::optional<Row>(const Row&)>;

BaseOf base_of(const CaseWords& base, const CsvTable& cases) {
  if (base.empty()) return base_case;
  CaseWords wanted;
  for (const auto& [name, value] : base) wanted.emplace_back(parameter_named(name, cases), value);
  // A base with another algorithm or number of workers may be split in its own way.
  const bool other_split = std::ranges::any_of(wanted, [](const auto& one) {
    return find_parameter_field(one.first)->group == FieldGroup::split;
  });
  return [wanted, other_split](const Row& row) {
    const auto is_wanted = [&](const Field& field) {
      return std::ranges::any_of(wanted,
                                 [&](const auto& one) { return one.first == field.column; });
    };
    const auto is_base = [&](const Row& other) {
      return std::ranges::all_of(
          wanted, [&](const auto& one) { return other.at(one.first) == one.second; });
    };
    std::optional<Row> found = case_like(row, is_wanted, is_base);
    if (!found && other_split)
      found = case_like(
          row,
          [&](const Field& field) {
            return is_wanted(field) || field.group == FieldGroup::split ||
                   field.group == FieldGroup::link;
          },
          is_base);
    return found;
  };
}

Unit unit_of(const Field& field, double largest) {
  if (field.unit == "s") return time_unit(largest);
  if (field.unit == "bytes") return byte_unit(largest);
  if (field.unit == "FLOP/s") return {.name = "GFLOP/s", .suffix = "", .factor = 1e-9};
  return {.name = std::string(field.unit), .suffix = "", .factor = 1.0};
}

// Makes `critical_path` of `Critical path`.
std::string typed_name(std::string typed) {
  for (char& letter : typed)
    letter = letter == ' ' || letter == '-'
                 ? '_'
                 : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return typed;
}

// Makes `device_sent` of device_sent_bytes.
std::string_view without_unit(std::string_view column) {
  for (const std::string_view end :
       {kMedian, std::string_view("_flop_per_s"), std::string_view("_s"),
        std::string_view("_bytes"), std::string_view("_hz")})
    if (column.ends_with(end)) return column.substr(0, column.size() - end.size());
  return column;
}

// The column that a name means; its own name comes first.
const Field* result_field(std::string_view name) {
  for (const bool whole : {true, false})
    for (const Field& field : fields::kResultFields)
      if (is_number_kind(field.kind) && name == (whole ? field.column : without_unit(field.column)))
        return &field;
  return nullptr;
}

UsageError unknown_value(const std::string& name) {
  std::vector<std::string_view> known;
  for (const auto& [derived, meaning] : kDerivedValues) known.push_back(derived);
  const std::vector<std::string_view> shown = known;
  for (const Field& field : fields::kResultFields)
    if (is_number_kind(field.kind)) {
      known.push_back(field.column);
      known.push_back(without_unit(field.column));
    }
  if (!nearest_word(name, known).empty()) return UsageError(unknown_word("value", name, known));
  const std::string message = unknown_word("value", name, shown);
  return UsageError(message.find("known:") == std::string::npos
                        ? message
                        : message + ", and the numbers that `qb columns` lists");
}

std::function<Point(const Row&)> value_of_column(const std::string& column) {
  if (!column.ends_with(kMedian))
    return [column](const Row& row) { return Point{.y = row.number_at(column)}; };
  return [prefix = column.substr(0, column.size() - kMedian.size())](const Row& row) {
    Point point{.y = row.number_at(prefix + std::string(kMedian))};
    if (!row.table->has(prefix + "_low95_s")) return point;
    point.low = row.number_at(prefix + "_low95_s");
    point.high = row.number_at(prefix + "_high95_s");
    return point;
  };
}

// The base case's time over the row's.
ShownValue quotient_named(const std::string& name, const BaseOf& base) {
  const bool of_paper = name == "paper_speed_up";
  const bool by_worker = name == "efficiency";
  const auto value = [=](const Row& row) {
    const std::optional<Row> over = base(row);
    if (!over || !ran(*over)) return Point{};
    if (*over == row) return Point{.y = 1.0};
    const Point ratio =
        time_ratio(*over, row, of_paper ? IntervalColumns("longest_subsequence") : clock_of(row));
    return by_worker ? scaled(ratio, 1.0 / row.number("workers")) : ratio;
  };
  return {.value = value,
          .word = name,
          .name = of_paper    ? "speed-up S of the longest subsequence"
                  : by_worker ? "speed-up over W"
                              : "speed-up",
          .timed = true,
          .quotient = true};
}

}  // namespace

ShownValue value_named(const std::string& typed, const CaseWords& base, const Rows& cases) {
  const std::string name = typed_name(typed);
  const bool time = name == "time";
  const bool sent = name == "device_sent";
  const bool counts_root = sent || name == "device_peak";
  const bool derived =
      std::ranges::any_of(kDerivedValues, [&](const auto& one) { return one.first == name; });
  if (derived && !time && !counts_root)
    return quotient_named(name, base_of(base, *cases.at(0).table));
  const Field* const field = result_field(time ? "wall_time_median_s" : name);
  if (field == nullptr) throw unknown_value(name);
  const std::string column(field->column);
  ShownValue shown{.value = value_of_column(column),
                   .word = derived ? name : column,
                   .name = replaced(without_unit(column), {{"_", " "}}),
                   .timed = column.ends_with(kMedian),
                   .all_modelled = count(cases, modelled) == count(cases, ran)};
  const std::string of_root = replaced(column, {{"device_", "root_"}});
  if (counts_root)
    shown.root_note = "A root that scatters the shards counts as a device.";
  else if (of_root != column && result_field(of_root) != nullptr)
    shown.root_note = fmt::format("{} is without a root that scatters: see {}.", column, of_root);
  if (time) {
    shown.value = [](const Row& row) { return timed(row, clock_of(row), 1.0); };
    shown.name = name;
  }
  if (counts_root)
    shown.value = [=](const Row& row) {
      return Point{.y = sent ? busiest_sent_bytes(row) : fullest_device_bytes(row)};
    };
  shown.unit = unit_of(*field, largest(cases, [&](const Row& row) { return shown.value(row).y; }));
  shown.whole = field->kind == FieldKind::integer && shown.unit.factor == 1.0;
  return shown;
}

std::string parameter_named(const std::string& typed, const CsvTable& cases) {
  const std::string name = typed_name(typed);
  std::vector<std::string_view> known;
  for (const Field& field : kParameterFields) {
    const std::string column(field.column);
    if (name == column || typed == parameter_heading(column) ||
        (!field.key.empty() && typed == field.key))
      if (cases.has(column)) return column;
    known.push_back(field.column);
  }
  throw UsageError(unknown_word("parameter", typed, known));
}

std::string parameter_text(const Row& row, const std::string& column) {
  const std::string& text = row.at(column);
  const std::optional<std::int64_t> number = parse_integer(text);
  return number ? format_grouped(*number) : text;
}

std::string parameter_heading(const std::string& column) {
  constexpr std::string_view kEnd = " = {}";
  const std::string_view label = find_parameter_field(column)->label;
  return label.ends_with(kEnd) ? std::string(label.substr(0, label.size() - kEnd.size()))
                               : replaced(column, {{"_", " "}});
}

}  // namespace qb
