#include "plots/frame/scheme_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/numbers.h"
#include "plots/frame/case_series.h"

namespace qb {
namespace {

std::optional<double> as_number(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Negative, zero, positive: a before b, equal, a after b.
int compare_fields(const std::string& a, const std::string& b) {
  if (a.empty() != b.empty()) return a.empty() ? 1 : -1;
  const auto x = as_number(a);
  const auto y = as_number(b);
  if (x && y) return *x < *y ? -1 : *x > *y ? 1 : 0;
  return a.compare(b);
}

// `10 GB/s` from 1e10; so many digits that two links have two names.
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

std::string field_name(const std::string& column, const std::string& value) {
  if (column == "link_bandwidth_byte_per_s")
    return value.empty() ? "no link limit" : bandwidth_name(as_number(value).value_or(kNaN));
  if (value.empty()) return {};
  if (column == "link_latency_s") return latency_name(as_number(value).value_or(kNaN));
  if (column == "n_tokens" || column == "kv_len") {
    const auto tokens = static_cast<std::int64_t>(as_number(value).value_or(0.0));
    return fmt::format(fmt::runtime(column == "n_tokens" ? "N = {}" : "{} keys"),
                       format_grouped(tokens));
  }
  if (column == "model_device") return "of " + value;
  return named_value(column, value);
}

}  // namespace

bool CaseKeyLess::operator()(const CaseKey& a, const CaseKey& b) const {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const int order = compare_fields(a[i], b[i]); order != 0) return order < 0;
  return a.size() < b.size();
}

const Columns& shape_columns() {
  static const Columns columns = {"mask",  "batch",  "q_heads", "kv_heads", "head_dim",
                                  "dtype", "kernel", "device",  "threads",  "cpu_isa"};
  return columns;
}

const Columns& place_columns() {
  static const Columns columns = {"ranks", "model_device", "link_bandwidth_byte_per_s",
                                  "link_latency_s"};
  return columns;
}

Columns joined(const Columns& first, const Columns& second) {
  Columns all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

CaseKey case_key(const CsvTable& cases, std::size_t row, const Columns& columns) {
  CaseKey key;
  for (const std::string& column : columns) key.push_back(cases.text(row, column));
  return key;
}

CaseGroups group_cases(const CsvTable& cases, const std::vector<std::size_t>& rows,
                       const Columns& columns) {
  CaseGroups groups;
  for (const std::size_t row : rows) groups[case_key(cases, row, columns)].push_back(row);
  return groups;
}

Columns differing_columns(const CsvTable& cases, const std::vector<std::size_t>& rows,
                          const Columns& columns) {
  Columns found;
  for (const std::string& column : columns)
    if (group_cases(cases, rows, {column}).size() > 1) found.push_back(column);
  return found;
}

std::string named_values(const CsvTable& cases, std::size_t row, const Columns& columns) {
  std::string out;
  for (const std::string& column : columns) {
    const std::string name = field_name(column, cases.text(row, column));
    // Beside measured ranks a device is what they are held against.
    if (column == "model_device" && cases.text(row, "ranks") != "model") continue;
    if (!name.empty()) out += (out.empty() ? "" : column == "model_device" ? " " : ", ") + name;
  }
  return out;
}

std::vector<std::size_t> rows_of_algorithms(const CsvTable& cases,
                                            std::span<const std::string_view> algorithms) {
  std::vector<std::size_t> rows = standing_rows(cases);
  std::erase_if(rows, [&](std::size_t row) {
    return std::find(algorithms.begin(), algorithms.end(), cases.text(row, "algorithm")) ==
           algorithms.end();
  });
  return rows;
}

double case_seconds(const CsvTable& cases, std::size_t row, std::string_view what) {
  const char* prefix = cases.text(row, "ranks") == "serial" ? "critical_path" : "wall_time";
  return cases.number(row, fmt::format("{}_{}_s", prefix, what));
}

Point time_point(const CsvTable& cases, std::size_t row, double x, double unit) {
  return {.x = x,
          .y = case_seconds(cases, row, "median") * unit,
          .low = case_seconds(cases, row, "low95") * unit,
          .high = case_seconds(cases, row, "high95") * unit};
}

Point time_ratio(const CsvTable& cases, std::size_t over, std::size_t under, double x) {
  return {.x = x,
          .y = case_seconds(cases, over, "median") / case_seconds(cases, under, "median"),
          .low = case_seconds(cases, over, "low95") / case_seconds(cases, under, "high95"),
          .high = case_seconds(cases, over, "high95") / case_seconds(cases, under, "low95")};
}

std::vector<std::string> timing_notes(const CsvTable& cases, const std::vector<std::size_t>& rows) {
  const auto count = [&](auto holds) { return std::count_if(rows.begin(), rows.end(), holds); };
  const auto under = [&](const char* ranks) {
    return count([&](std::size_t row) { return cases.text(row, "ranks") == ranks; });
  };
  std::vector<std::string> notes = case_notes(cases);
  const auto modelled = under("model");
  if (modelled == std::ssize(rows)) notes.erase(notes.begin());  // no bars
  if (const auto lost = count([&](std::size_t row) { return out_of_memory(cases, row); }); lost > 0)
    notes.push_back(fmt::format("Out of memory: {} of {} cases.", lost, rows.size()));
  if (modelled > 0) notes.emplace_back(kModelNote);
  if (under("serial") > 0)
    notes.emplace_back(
        "serial: one device played the workers in turn; its wall clock is the critical path "
        "composed of them, without a network.");
  return notes;
}

Axis workers_axis(std::vector<double> workers) {
  Axis axis{.label = "workers W", .column = "workers", .log = true};
  std::erase_if(workers, [](double value) { return !std::isfinite(value); });  // legend keys
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  if (workers.empty()) return axis;
  constexpr std::size_t kMostTics = 6;  // of four digits in a panel of two columns
  for (double factor = 2.0; axis.tics.empty() || axis.tics.size() > kMostTics; factor *= 2.0) {
    axis.tics.clear();
    const double first = std::exp2(std::ceil(std::log2(workers.front())));
    for (double tic = first; tic <= workers.back(); tic *= factor)
      axis.tics.push_back({tic, fmt::format("{:.0f}", tic)});
    if (axis.tics.empty()) break;
  }
  if (axis.tics.size() >= 2) return axis;
  axis.tics.clear();
  for (const double value : workers) axis.tics.push_back({value, fmt::format("{:.0f}", value)});
  return axis;
}

Series legend_key(std::string name, const Style& style, Draw draw) {
  return {.name = std::move(name), .draw = draw, .style = style};
}

}  // namespace qb
