// SPDX-License-Identifier: Apache-2.0
// What rows and their parameters are called in legends, titles and subtitles.
#include "base/numbers.h"
#include "base/schema/column.h"
#include "base/schema/run_tables.h"
#include "plots/frame/frame.h"

namespace qb {
namespace {

// Writes 1e10 as `10 GB/s`, with enough digits that two links have two names.
std::string bandwidth_name(double byte_per_s) {
  constexpr std::pair<double, const char*> kUnits[] = {
      {1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}};
  for (const auto& [size, name] : kUnits)
    if (byte_per_s >= size) return fmt::format("{:.6g} {}", byte_per_s / size, name);
  return fmt::format("{:.6g} B/s", byte_per_s);
}

std::string latency_name(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.6g} µs", seconds * 1e6);
  return fmt::format("{:.6g} ms", seconds * 1e3);
}

// A device that a file describes is named by the file, a product by its capitals: `A100` for
// `data/devices/a100.csv`.
std::string model_device_name(const std::string& device) {
  std::string name = device.substr(device.find_last_of('/') + 1);
  if (name.ends_with(".csv")) name.resize(name.size() - 4);
  const bool product =
      name.find('-') == std::string::npos && name.find_first_of("0123456789") != std::string::npos;
  if (product)
    for (char& letter : name)
      if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return name;
}

bool names_device(const Row& row, const Columns& columns) {
  return modelled(row) && std::ranges::count(columns, "model_device") > 0 &&
         !row.text("model_device").empty();
}

std::string field_name(const Row& row, const std::string& column) {
  const std::string& value = row.at(column);
  if (column == "link_bandwidth_byte_per_s" && value.empty()) return "no link limit";
  // For measured ranks the device only says what they are compared with.
  if (value.empty() || (column == "model_device" && !modelled(row))) return {};
  if (column == "link_latency_s") return latency_name(row.number_at(column));
  if (column == "n_tokens") return "N = " + grouped(row.number_at(column));
  if (column == "kv_len") return grouped(row.number_at(column)) + " keys";
  if (column == "workers") return "W = " + grouped(row.number_at(column));
  return named_value(column, value);
}

}  // namespace

std::string named_value(std::string_view column, const std::string& value) {
  if (column == "model_device") return model_device_name(value);
  if (column == "threads" && value == "0") return "all cores";
  if (column == "threads" && value == "1") return "1 thread";
  if (column == "pass" && value == "both") return "both passes";
  const Field* const field = find_parameter_field(column);
  if (value.empty() || field == nullptr) return value;
  if (field->quiet_standard && value == field->standard) return {};
  const std::optional<double> number = parse_real(value);
  if (column == "link_bandwidth_byte_per_s" && number) return bandwidth_name(*number);
  const bool seconds = column == "link_latency_s" && number;
  return fmt::format(fmt::runtime(field->label), seconds ? format_seconds(*number) : value);
}

std::string name_with(std::string name, const Row& row, const Columns& columns) {
  std::vector<std::string> parts = {std::move(name)};
  for (const std::string& column : columns)
    if (own_value(row, column) != "=") parts.push_back(named_value(column, row.at(column)));
  return listed(parts);
}

std::string named_values(const Row& row, const Columns& columns) {
  std::string out;
  for (const std::string& column : columns) {
    const std::string name =
        column == "ranks" && names_device(row, columns) ? "modelled" : field_name(row, column);
    if (name.empty()) continue;
    out += (out.empty() ? "" : column == "model_device" ? " " : ", ") + name;
  }
  return out;
}

std::string full_value(const Row& row, const std::string& column) {
  const std::string name = named_values(row, {column});
  if (!name.empty() || row.at(column).empty()) return name;
  return fmt::format(fmt::runtime(find_parameter_field(column)->label), row.at(column));
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

std::string oversubscription(const CsvTable& cases, int cores) {
  std::set<std::int64_t> counts;
  for (const Row& row : all_rows(cases))
    if (ran(row) && oversubscribed(row)) counts.insert(row.integer("workers"));
  if (counts.empty()) return {};
  return fmt::format("W = {} on {}", fmt::join(counts, ", "),
                     counted(static_cast<std::size_t>(cores), "core"));
}

std::string crowded_name(const Rows& rows, int cores) {
  const auto found =
      std::ranges::find_if(rows, [](const Row& row) { return ran(row) && oversubscribed(row); });
  return found == rows.end() ? ""
                             : fmt::format("{} on {}", found->text("ranks"),
                                           counted(static_cast<std::size_t>(cores), "core"));
}

std::string repeats(const CsvTable& cases) {
  std::set<std::int64_t> found;
  for (const Row& row : all_rows(cases))
    if (ran(row) && !modelled(row) && row.integer("n_samples") > 0)
      found.insert(row.integer("n_samples"));
  if (found.empty()) return {};
  const std::string most = counted(static_cast<std::size_t>(*found.rbegin()), "repeat");
  return found.size() == 1 ? most : fmt::format("{} to {}", *found.begin(), most);
}

bool all_modelled(const CsvTable& cases) {
  return cases.size() > 0 && count(all_rows(cases), modelled) == cases.size();
}

std::string shared_parameters(const Rows& rows) {
  const bool of_model = !rows.empty() && count(rows, modelled) == rows.size();
  const bool splits = count(rows, [](const Row& row) { return !row.is("workers", "1"); }) > 0;
  const auto shared = [&](const std::string& column) {
    const bool same = !rows.empty() && rows.front().table->has(column) &&
                      differing_columns(rows, {column}).empty();
    return same ? rows.front().at(column) : std::string();
  };
  std::vector<std::string> parts;
  for (const std::string column :
       {"n_tokens", "workers", "batch", "q_heads", "kv_heads", "head_dim", "dtype", "mask", "pass",
        "kernel", "link_bandwidth_byte_per_s", "link_latency_s", "cluster", "device", "ranks",
        "threads"}) {
    const std::string value = shared(column);
    // The layers of a stack have heads of their own.
    if (value.empty() || (column == "workers" && value == "1") ||
        (shared("workload") == "stack" && column.find("head") != std::string::npos) ||
        (column == "kv_heads" && value == shared("q_heads")))
      continue;
    // If all rows are modelled, the ranks name the device, and the machine does not matter.
    if (of_model && (column == "device" || column == "threads")) continue;
    if (of_model && column == "ranks") {
      const std::string device = shared("model_device");
      parts.push_back(listed({"modelled", model_device_name(device)}, " "));
    } else {
      parts.push_back(
          (column == "n_tokens" ? field_name(rows.front(), column) : named_value(column, value)) +
          (column == "kernel" || column == "ranks" ? " " + column : "") +
          (column == "ranks" && value == "serial" && splits ? " (messages cost nothing)" : ""));
    }
  }
  return listed(parts);
}

}  // namespace qb
