#include "plots/frame/case_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/numbers.h"
#include "base/schema/parameter_fields.h"
#include "plots/frame/scale.h"

namespace qb {
namespace {

using Key = std::vector<std::string>;

// Whether a parameter has the value of the one that it follows: it then says nothing of its own.
bool follows(const CsvTable& cases, std::size_t row, const std::string& column) {
  const Field* const field = find_parameter_field(column);
  return field != nullptr && !field->follows.empty() && cases.has(field->follows) &&
         cases.text(row, field->follows) == cases.text(row, column);
}

Key key_of(const CsvTable& cases, std::size_t row, const std::vector<std::string>& columns) {
  Key key;
  for (const std::string& column : columns)
    key.push_back(follows(cases, row, column) ? "=" : cases.text(row, column));
  return key;
}

std::size_t distinct_keys(const CsvTable& cases, const std::vector<std::size_t>& rows,
                          const std::vector<std::string>& columns) {
  std::set<Key> keys;
  for (const std::size_t row : rows) keys.insert(key_of(cases, row, columns));
  return keys.size();
}

std::vector<double> all(const std::vector<Panel>& panels, double Point::*member) {
  std::vector<double> values;
  for (const Panel& panel : panels)
    for (const Series& series : panel.series)
      for (const Point& point : series.points) values.push_back(point.*member);
  return values;
}

}  // namespace

std::vector<std::size_t> standing_rows(const CsvTable& cases) {
  std::map<std::string, std::size_t> last;
  for (std::size_t row = 0; row < cases.size(); ++row) last[cases.text(row, "case_id")] = row;
  std::vector<std::size_t> rows;
  for (const auto& [id, row] : last) rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::map<std::string, std::vector<std::size_t>> rows_of_cases(const CsvTable& table) {
  std::map<std::string, std::vector<std::size_t>> rows;
  for (std::size_t row = 0; row < table.size(); ++row)
    rows[table.text(row, "case_id")].push_back(row);
  return rows;
}

bool same_parameters(const CsvTable& cases, std::size_t a, std::size_t b,
                     std::initializer_list<FieldGroup> groups) {
  return std::ranges::all_of(kParameterFields, [&](const Field& field) {
    const bool counts = std::ranges::find(groups, field.group) != groups.end();
    return !counts || cases.text(a, field.column) == cases.text(b, field.column);
  });
}

std::vector<std::string> splitting_columns(const CsvTable& cases,
                                           const std::vector<std::size_t>& rows,
                                           const std::vector<std::string>& given) {
  std::vector<std::string> known = given;
  for (const Field& field : kParameterFields) {
    if (field.column == "n_tokens") continue;
    std::vector<std::string> more = known;
    more.emplace_back(field.column);
    if (distinct_keys(cases, rows, more) > distinct_keys(cases, rows, known))
      known = std::move(more);
  }
  known.erase(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(given.size()));
  return known;
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

std::string name_with(std::string name, const CsvTable& cases, std::size_t row,
                      const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    if (follows(cases, row, column)) continue;
    if (const std::string part = named_value(column, cases.text(row, column)); !part.empty())
      name += ", " + part;
  }
  return name;
}

std::vector<CaseSeries> case_series(const CsvTable& cases) {
  const std::vector<std::size_t> rows = standing_rows(cases);
  const std::vector<std::string> columns = splitting_columns(cases, rows, {"workers"});
  std::map<std::pair<std::int64_t, Key>, std::vector<std::size_t>> groups;
  for (const std::size_t row : rows) {
    const auto workers = static_cast<std::int64_t>(cases.number(row, "workers"));
    groups[{workers, key_of(cases, row, columns)}].push_back(row);
  }
  std::map<std::int64_t, int> variants;
  std::vector<CaseSeries> series;
  for (auto& [key, members] : groups) {
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return cases.number(a, "n_tokens") < cases.number(b, "n_tokens");
    });
    CaseSeries one{
        .name = name_with(fmt::format("W = {}", key.first), cases, members.front(), columns),
        .workers = key.first};
    one.style = worker_style(key.first, variants[key.first]++);
    one.rows = std::move(members);
    series.push_back(std::move(one));
  }
  // One worker count and several algorithms: the colour tells the algorithm.
  if (variants.size() == 1 && groups.size() > 1) {
    std::map<std::string, int> seen;
    for (CaseSeries& one : series) {
      const std::string& algorithm = cases.text(one.rows.front(), "algorithm");
      one.style = algorithm_style(algorithm, seen[algorithm]++);
    }
  }
  return series;
}

bool all_modelled(const CsvTable& cases) {
  for (std::size_t row = 0; row < cases.size(); ++row)
    if (cases.text(row, "ranks") != "model") return false;
  return cases.size() > 0;
}

std::string shared_parameters(const CsvTable& cases) {
  constexpr std::array<std::string_view, 9> shown = {
      "batch", "q_heads", "head_dim", "dtype", "mask", "kernel", "device", "ranks", "threads"};
  const auto values_of = [&](std::string_view column) {
    std::set<std::string> values;
    for (std::size_t row = 0; row < cases.size(); ++row) values.insert(cases.text(row, column));
    return values;
  };
  // A matrix product has neither heads nor a mask.
  const bool products = values_of("workload") == std::set<std::string>{"matrix_product"};
  const bool modelled = all_modelled(cases);
  std::string out;
  for (const std::string_view column : shown) {
    if (!cases.has(column) || cases.size() == 0) continue;
    // The device is the modelled one, which the ranks name, whatever machine computed the model.
    if (modelled && (column == "device" || column == "threads")) continue;
    if (products &&
        (column == "batch" || column == "q_heads" || column == "head_dim" || column == "mask"))
      continue;
    const std::set<std::string> values = values_of(column);
    if (values.size() != 1 || values.begin()->empty()) continue;
    if (modelled && column == "ranks") {
      const auto devices = values_of("model_device");
      out += (out.empty() ? "" : ", ") +
             (devices.size() == 1 ? "model of " + *devices.begin() : std::string("modelled"));
      continue;
    }
    out += (out.empty() ? "" : ", ") + named_value(column, *values.begin());
    if (column == "kernel" || column == "ranks") out += fmt::format(" {}", column);
  }
  return out;
}

bool ran(const CsvTable& cases, std::size_t row) { return cases.text(row, "status") == "ok"; }

bool out_of_memory(const CsvTable& cases, std::size_t row) {
  const std::string& status = cases.text(row, "status");
  return status == "oom" || status == "oom_skipped";
}

Series time_series(const CsvTable& cases, const CaseSeries& from, const std::string& prefix) {
  constexpr double kMilliseconds = 1e3;
  Series series{.name = from.name, .style = from.style};
  for (const std::size_t row : from.rows) {
    if (out_of_memory(cases, row)) continue;
    Point point{.x = cases.number(row, "n_tokens")};
    if (ran(cases, row)) {
      point.y = cases.number(row, prefix + "_median_s") * kMilliseconds;
      point.low = cases.number(row, prefix + "_low95_s") * kMilliseconds;
      point.high = cases.number(row, prefix + "_high95_s") * kMilliseconds;
    }
    series.points.push_back(point);
  }
  return series;
}

Series out_of_memory_series(const CsvTable& cases, const CaseSeries& from, double limit) {
  Series series{.name = from.name, .draw = Draw::out_of_memory, .style = from.style};
  for (const std::size_t row : from.rows)
    if (out_of_memory(cases, row))
      series.points.push_back({.x = cases.number(row, "n_tokens"), .y = limit});
  return series;
}

std::string interval_note(double coverage, double samples) {
  if (!(coverage < 0.95))
    return "Marks are medians; bars are 95 % order-statistic intervals of the median.";
  if (samples < 2.0)
    return "Marks are medians; bars span all repeats, where there are several: one says nothing of "
           "its spread.";
  return fmt::format(
      "Marks are medians; bars span all repeats, at least {:.0f}, which holds the median with "
      "{:.1f} % confidence.",
      samples, coverage * 100.0);
}

std::vector<std::string> case_notes(const CsvTable& cases) {
  std::map<std::string, int> missing;
  double coverage = 1.0;
  double samples = kNaN;
  const std::vector<std::size_t> rows = standing_rows(cases);
  const auto is_modelled = [&](std::size_t row) { return cases.text(row, "ranks") == "model"; };
  const bool all_modelled = std::all_of(rows.begin(), rows.end(), is_modelled);
  for (const std::size_t row : rows) {
    if (!ran(cases, row) && !out_of_memory(cases, row)) ++missing[cases.text(row, "status")];
    if (is_modelled(row) && !all_modelled) continue;  // it has no bars
    if (const double covered = cases.number(row, "interval_coverage"); covered < coverage) {
      coverage = covered;
      samples = cases.number(row, "n_samples");
    }
  }
  std::vector<std::string> notes = {interval_note(coverage, samples)};
  if (!missing.empty()) {
    int count = 0;
    std::string kinds;
    for (const auto& [status, times] : missing) {
      count += times;
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", times, status);
    }
    notes.push_back(
        fmt::format("Without a point: {} of {} cases ({}).", count, rows.size(), kinds));
  }
  return notes;
}

std::vector<double> all_x(const Panel& panel) { return all({panel}, &Point::x); }
std::vector<double> all_y(const Panel& panel) { return all({panel}, &Point::y); }
std::vector<double> all_x(const std::vector<Panel>& panels) { return all(panels, &Point::x); }
std::vector<double> all_y(const std::vector<Panel>& panels) { return all(panels, &Point::y); }

Axis tokens_axis(const Panel& panel) { return tokens_axis(all_x(panel)); }

Axis tokens_axis(const std::vector<double>& x) {
  return {.label = "sequence length N (tokens)", .column = "n_tokens", .log = spans_powers(x)};
}

std::string panel_title(std::int64_t head_dim, const std::string& mask) {
  return fmt::format("d = {}, {} mask", head_dim, mask);
}

}  // namespace qb
