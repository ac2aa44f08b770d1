// SPDX-License-Identifier: Apache-2.0
#include "plots/report/pivot.h"

#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "base/status.h"
#include "base/words.h"
#include "plots/frame/lines.h"

namespace qb {
namespace {

using Value = std::function<Point(const Row&)>;

// What a pivot shows of each case, in which unit.
struct Shown {
  Value value;
  std::string name{};  // as the title says it
  Unit unit{.name = "", .suffix = "", .factor = 1.0};
  bool whole = false;  // counts: written out with all their digits
  bool timed = false;  // it comes from repeats
  bool all_modelled = false;
};

std::string parameter_named(const std::string& name, const CsvTable& cases) {
  std::vector<std::string_view> known;
  for (const Field& field : kParameterFields) {
    if (name == field.column || (!field.key.empty() && name == field.key))
      if (cases.has(std::string(field.column))) return std::string(field.column);
    known.push_back(field.column);
  }
  throw UsageError(unknown_word("parameter", name, known));
}

Columns parameters_named(const Columns& names, const CsvTable& cases) {
  Columns columns;
  for (const std::string& name : names) columns.push_back(parameter_named(name, cases));
  return columns;
}

// Finds the case that a speed-up of this row divides.
using BaseOf = std::function<std::optional<Row>(const Row&)>;

BaseOf base_of(const Pivot& pivot, const CsvTable& cases) {
  if (pivot.base.empty()) return base_case;
  std::vector<std::pair<std::string, std::string>> wanted;
  for (const auto& [name, value] : pivot.base)
    wanted.emplace_back(parameter_named(name, cases), value);
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
    std::optional<Row> base = case_like(row, is_wanted, is_base);
    if (!base && other_split)
      base = case_like(
          row,
          [&](const Field& field) {
            return is_wanted(field) || field.group == FieldGroup::split ||
                   field.group == FieldGroup::link;
          },
          is_base);
    return base;
  };
}

// The base case's time over the row's.
Value quotient(const BaseOf& base, bool of_longest_subsequence, bool by_worker) {
  return [=](const Row& row) {
    const std::optional<Row> over = base(row);
    if (!over || !ran(*over)) return Point{};
    if (*over == row) return Point{.y = 1.0};
    const Point ratio =
        time_ratio(*over, row,
                   of_longest_subsequence ? IntervalColumns("longest_subsequence") : clock_of(row));
    return by_worker ? scaled(ratio, 1.0 / row.number("workers")) : ratio;
  };
}

const Field* result_field(std::string_view name) {
  const auto found = std::ranges::find(fields::kResultFields, name, &Field::column);
  return found == std::end(fields::kResultFields) ? nullptr : found;
}

Unit unit_of(const Field& field, double largest) {
  if (field.unit == "s") return time_unit(largest);
  if (field.unit == "bytes") return byte_unit(largest);
  if (field.unit == "FLOP/s") return {.name = "GFLOP/s", .suffix = "", .factor = 1e-9};
  return {.name = std::string(field.unit), .suffix = "", .factor = 1.0};
}

// Makes `device sent` of device_sent_bytes: the unit stands behind it.
std::string name_without_unit(std::string column) {
  for (const std::string_view end : {"_median_s", "_flop_per_s", "_s", "_bytes", "_hz"})
    if (column.ends_with(end)) {
      column.erase(column.size() - end.size());
      break;
    }
  return replaced(column, {{"_", " "}});
}

Shown shown_by(const Pivot& pivot, const Rows& cases) {
  const BaseOf base = base_of(pivot, *cases.at(0).table);
  if (pivot.value == "speed_up")
    return {.value = quotient(base, false, false), .name = "speed-up", .timed = true};
  if (pivot.value == "paper_speed_up")
    return {.value = quotient(base, true, false),
            .name = "speed-up S of the longest subsequence",
            .timed = true};
  if (pivot.value == "efficiency")
    return {.value = quotient(base, false, true), .name = "speed-up over W", .timed = true};
  Shown shown;
  std::string column = pivot.value;
  if (pivot.value == "time") {
    shown.value = [](const Row& row) { return timed(row, clock_of(row), 1.0); };
    shown.name = "time";
    column = "wall_time_median_s";
  }
  constexpr std::string_view kMedian = "_median_s";
  const Field* const field = result_field(column);
  if (field == nullptr || (field->kind != FieldKind::real && field->kind != FieldKind::integer)) {
    std::vector<std::string_view> known;
    for (const auto& [name, meaning] : derived_values()) known.push_back(name);
    for (const Field& one : fields::kResultFields)
      if (one.kind == FieldKind::real || one.kind == FieldKind::integer)
        known.push_back(one.column);
    const std::string median = pivot.value + std::string(kMedian);
    if (std::ranges::count(known, median) > 0)
      throw UsageError(fmt::format("unknown value '{}'; did you mean '{}'?", pivot.value, median));
    throw UsageError(unknown_word("value", pivot.value, known));
  }
  shown.timed = column.ends_with(kMedian);
  if (!shown.value && shown.timed)
    shown.value = [prefix = column.substr(0, column.size() - kMedian.size())](const Row& row) {
      Point point{.y = row.number_at(prefix + "_median_s")};
      if (!row.table->has(prefix + "_low95_s")) return point;
      point.low = row.number_at(prefix + "_low95_s");
      point.high = row.number_at(prefix + "_high95_s");
      return point;
    };
  if (!shown.value)
    shown.value = [column](const Row& row) { return Point{.y = row.number_at(column)}; };
  if (shown.name.empty()) shown.name = name_without_unit(column);
  shown.unit = unit_of(*field, largest(cases, [&](const Row& row) { return shown.value(row).y; }));
  shown.whole = field->kind == FieldKind::integer && shown.unit.factor == 1.0;
  shown.all_modelled = count(cases, modelled) == count(cases, ran);
  return shown;
}

std::string shown_text(double value, const Shown& shown) {
  if (shown.whole) return format_grouped(static_cast<std::int64_t>(std::llround(value)));
  return significant(value * shown.unit.factor);
}

std::vector<std::string> plain_cells(const Row* row, const Shown& shown, bool interval) {
  const Point point = row != nullptr && ran(*row) ? shown.value(*row) : Point{};
  std::vector<std::string> cells = {to_text(point.y)};
  if (interval) cells.insert(cells.end(), {to_text(point.low), to_text(point.high)});
  return cells;
}

std::string cell(const Row& row, const Shown& shown, bool interval) {
  if (!ran(row)) return row.text("status");
  const Point point = shown.value(row);
  if (std::isnan(point.y)) return "-";
  std::string text = shown_text(point.y, shown);
  if (interval && std::isfinite(point.low) && std::isfinite(point.high))
    text += fmt::format(" [{}, {}]", shown_text(point.low, shown), shown_text(point.high, shown));
  if (shown.timed && modelled(row)) text += shown.all_modelled ? "" : " (model)";
  return text + (shown.timed && (disturbed(row) || point.disturbed) ? "*" : "");
}

std::string side_cell(const Row& row, const std::string& column, bool plain) {
  const std::string& text = row.at(column);
  if (plain) return text;
  const std::optional<std::int64_t> number = parse_integer(text);
  return number ? format_grouped(*number) : text;
}

// Says what the repeats of the cells cover.
std::vector<std::string> repeat_notes(const Rows& rows, bool interval) {
  double least_n = kNaN;
  double most_n = kNaN;
  double least_coverage = kNaN;
  for (const Row& row : where(rows, std::not_fn(modelled))) {
    least_n = std::fmin(least_n, row.number("n_samples"));
    most_n = std::fmax(most_n, row.number("n_samples"));
    least_coverage = std::fmin(least_coverage, row.number("interval_coverage"));
  }
  std::vector<std::string> notes;
  if (count(rows, modelled) > 0) notes.emplace_back(kModelNote);
  if (!std::isnan(most_n))
    notes.push_back(fmt::format(
        "Medians of {} repeats{}.",
        least_n == most_n ? fmt::format("{}", most_n) : fmt::format("{} to {}", least_n, most_n),
        interval && std::isfinite(least_coverage)
            ? fmt::format("; the intervals contain them with a probability of {:.3g} % "
                          "or more",
                          std::floor(1e3 * least_coverage) / 10.0)
            : ""));
  if (count(rows, disturbed) > 0)
    notes.emplace_back(
        "* Too few of its repeats were undisturbed, or it had more threads than cores.");
  return notes;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& derived_values() {
  static const std::vector<std::pair<std::string, std::string>> values = {
      {"time", "the wall clock, and under `ranks: serial` the critical path"},
      {"speed_up", "that time of the base case over that of the case"},
      {"efficiency", "the speed-up over the number of workers"},
      {"paper_speed_up",
       "the time of the base case over that of the longest subsequence, CQS-Attention's S"}};
  return values;
}

std::string parameter_heading(const std::string& column) {
  constexpr std::string_view kEnd = " = {}";
  const std::string_view label = find_parameter_field(column)->label;
  return label.ends_with(kEnd) ? std::string(label.substr(0, label.size() - kEnd.size()))
                               : replaced(column, {{"_", " "}});
}

namespace {

std::vector<std::string> pivot_header(const Pivot& pivot, const Shown& shown, const Columns& down,
                                      const Columns& across, const Groups& tops) {
  std::vector<std::string> header;
  for (const std::string& column : down)
    header.push_back(pivot.plain ? column : parameter_heading(column));
  for (const Group& top : tops) {
    const std::string name =
        across.empty()
            ? (pivot.plain ? pivot.value : shown.name)
            : (pivot.plain ? listed(top.key, " ") : named_values(top.rows.front(), across));
    header.push_back(name);
    if (pivot.plain && pivot.interval) header.insert(header.end(), {name + "_low", name + "_high"});
  }
  return header;
}

std::string pivot_title(const Pivot& pivot, const Shown& shown, bool quotients) {
  std::string over;
  for (const auto& [name, value] : pivot.base) over += fmt::format(", {} = {}", name, value);
  std::string title =
      fmt::format("{}{}{}", shown.name,
                  quotients ? " over " + (over.empty() ? "one worker" : over.substr(2)) : "",
                  shown.unit.name.empty() ? "" : " (" + shown.unit.name + ")");
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

}  // namespace

Table pivot_table(const Rows& cases, const Pivot& pivot) {
  if (cases.empty()) throw UsageError("no case of the run is left to tabulate");
  const CsvTable& table_of_cases = *cases.front().table;
  const Columns down = parameters_named(pivot.rows, table_of_cases);
  const Columns across = parameters_named(pivot.columns, table_of_cases);
  const Shown shown = shown_by(pivot, cases);

  const auto sorted = [&](const Columns& columns) {
    Groups groups = group(cases, columns);
    std::ranges::stable_sort(groups,
                             [](const Group& a, const Group& b) { return key_less(a.key, b.key); });
    return groups;
  };
  const Groups lines = sorted(down);
  const Groups tops = sorted(across);
  Table table{.name = pivot.value};
  table.header = pivot_header(pivot, shown, down, across, tops);
  for (const Group& line : lines) {
    std::vector<std::string> texts;
    for (const std::string& column : down)
      texts.push_back(side_cell(line.rows.front(), column, pivot.plain));
    for (const Group& top : tops) {
      const Rows both =
          where(line.rows, [&](const Row& row) { return values_of(row, across) == top.key; });
      if (both.size() > 1)
        throw UsageError(fmt::format(
            "several cases share a cell; add to --rows or --cols, or choose by --filter: {}",
            listed(splitting_columns(both, joined(down, across)))));
      const Row* const row = both.empty() ? nullptr : &both.front();
      if (pivot.plain)
        for (std::string& text : plain_cells(row, shown, pivot.interval))
          texts.push_back(std::move(text));
      else
        texts.push_back(row == nullptr ? "-" : cell(*row, shown, pivot.interval));
    }
    table.rows.push_back(std::move(texts));
  }
  const bool quotients = shown.unit.name.empty() && shown.timed;
  table.title = pivot_title(pivot, shown, quotients);
  if (shown.timed) table.notes = repeat_notes(cases, pivot.interval);
  if (quotients && !pivot.noise_floor.empty()) table.notes.push_back(pivot.noise_floor + '.');
  if (quotients)
    if (std::string slow = slow_base_note(cases); !slow.empty())
      table.notes.push_back(std::move(slow));
  table.notes.push_back(shared_parameters(table_of_cases));
  return table;
}

}  // namespace qb
