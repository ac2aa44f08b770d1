// SPDX-License-Identifier: Apache-2.0
// Reads and writes the file of a device model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/source_root.h"
#include "base/status.h"
#include "harness/forecast/device_model.h"

namespace qb {

namespace embedded {
extern const std::string_view a100;
}  // namespace embedded

namespace {

const std::string kFolder = "data/devices/";
constexpr std::string_view kRate = "kernel_flop_per_s";

struct NamedNumber {
  std::string_view quantity;
  DeviceNumber DeviceModel::*number;
  bool whole = false;
};
constexpr NamedNumber kNumbers[] = {
    {"call_overhead_s", &DeviceModel::call_overhead_s},
    {"merge_byte_per_s", &DeviceModel::merge_byte_per_s},
    {"copy_byte_per_s", &DeviceModel::copy_byte_per_s},
    {"memory_byte_per_s", &DeviceModel::memory_byte_per_s},
    {"cores", &DeviceModel::cores, true},
    {"query_tile", &DeviceModel::query_tile, true},
    {"product_flop_per_s", &DeviceModel::product_flop_per_s},
    {"backward_share_of_forward", &DeviceModel::backward_share_of_forward},
};

const std::vector<std::string>& columns() {
  static const std::vector<std::string> names = {"device",     "quantity", "kernel", "dtype",
                                                 "head_dim",   "queries",  "keys",   "value",
                                                 "provenance", "source"};
  return names;
}

class ModelReader {
 public:
  ModelReader(const CsvTable& table, std::string_view name) : table_(table), name_(name) {}

  DeviceModel read() {
    if (table_.header() != columns())
      throw UsageError(
          fmt::format("{}:1: the header must be {}", name_, fmt::join(columns(), ",")));
    if (table_.size() == 0) throw UsageError(fmt::format("{}:1: no records", name_));
    device_.name = table_.text(0, "device");
    for (row_ = 0; row_ < table_.size(); ++row_) read_record();
    if (table_.torn()) fail("the last line has no line end: the file is not whole");
    if (device_.rates.empty()) {
      --row_;
      fail(fmt::format("the file ends without a record of {}", kRate));
    }
    return std::move(device_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(fmt::format("{}:{}: {}", name_, row_ + 2, what));
  }

  [[nodiscard]] const std::string& text(std::string_view column) const {
    return table_.text(row_, column);
  }

  template <class E>
  [[nodiscard]] E word_of(std::string_view column) const {
    if (const auto value = parse_word<E>(text(column))) return *value;
    fail(unknown_word(kWords<E>.what, text(column), all_words<E>()));
  }

  [[nodiscard]] std::int64_t count_of(std::string_view column) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;  // keeps a product of two in range
    const auto value = parse_integer(text(column));
    if (!value || *value < 1 || *value > kMost)
      fail(fmt::format("{} is '{}'; it must be a whole number from 1 to {}", column, text(column),
                       kMost));
    return *value;
  }

  [[nodiscard]] double value(bool positive) const {
    const auto value = parse_real(text("value"));
    if (!value || !std::isfinite(*value) || *value < 0.0 || (positive && *value == 0.0))
      fail(fmt::format("value is '{}'; it must be a number {} 0", text("value"),
                       positive ? "above" : "of at least"));
    return *value;
  }

  void read_record() {
    for (const std::string& field : table_.row(row_))
      if (field.find('\n') != std::string::npos) fail("a field holds a line break");
    if (text("device").empty() || text("device") != device_.name)
      fail(fmt::format("device is '{}', in the first record '{}'; one file is one device",
                       text("device"), device_.name));
    if (text("quantity") == kRate) return read_rate();
    for (const NamedNumber& named : kNumbers)
      if (named.quantity == text("quantity")) return read_number(named);
    std::vector<std::string_view> known = {kRate};
    for (const NamedNumber& named : kNumbers) known.push_back(named.quantity);
    fail(unknown_word("quantity", text("quantity"), known));
  }

  void read_rate() {
    RatePoint point{word_of<Kernel>("kernel"),
                    word_of<DType>("dtype"),
                    count_of("head_dim"),
                    count_of("queries"),
                    count_of("keys"),
                    value(true),
                    word_of<RateProvenance>("provenance"),
                    text("source")};
    for (const RatePoint& other : device_.rates)
      if (other.kernel == point.kernel && other.dtype == point.dtype &&
          other.head_dim == point.head_dim &&
          other.queries * other.keys == point.queries * point.keys)
        fail(fmt::format("a second rate of {} in {} at head_dim {} for calls of {} pairs",
                         word(point.kernel), word(point.dtype), point.head_dim,
                         point.queries * point.keys));
    device_.rates.push_back(std::move(point));
  }

  void read_number(const NamedNumber& named) {
    for (const std::string_view column : {"kernel", "dtype", "head_dim", "queries", "keys"})
      if (!text(column).empty())
        fail(fmt::format("{} is '{}'; it must be empty, {} is of the device", column, text(column),
                         named.quantity));
    const auto index = static_cast<std::size_t>(&named - kNumbers);
    if (seen_[index]) fail(fmt::format("a second record of {}", named.quantity));
    seen_[index] = true;
    const double number = value(false);
    if (named.whole && (number != std::floor(number) || number > 1e6))
      fail(fmt::format("{} is '{}'; it must be a whole number up to 1000000", named.quantity,
                       text("value")));
    device_.*named.number = {number, word_of<RateProvenance>("provenance"), text("source")};
  }

  const CsvTable& table_;
  std::string_view name_;
  std::size_t row_ = 0;
  DeviceModel device_;
  std::array<bool, std::size(kNumbers)> seen_{};
};

}  // namespace

DeviceModel parse_device_model(std::string_view text, std::string_view name) {
  return ModelReader(CsvTable::parse(text, name), name).read();
}

std::string device_model_csv(const DeviceModel& device) {
  CsvTable table(columns());
  for (const NamedNumber& named : kNumbers) {
    const DeviceNumber& number = device.*named.number;
    table.append({device.name, std::string(named.quantity), "", "", "", "", "",
                  to_text(number.value), std::string(word(number.provenance)), number.source});
  }
  for (const RatePoint& point : device.rates)
    table.append({device.name, std::string(kRate), std::string(word(point.kernel)),
                  std::string(word(point.dtype)), to_text(point.head_dim), to_text(point.queries),
                  to_text(point.keys), to_text(point.flop_per_s),
                  std::string(word(point.provenance)), point.source});
  return table.to_string();
}

std::string known_devices() {
  std::set<std::string> names = names_in_data(kFolder);
  names.insert("a100");  // compiled in
  return fmt::format("{}", fmt::join(names, ", "));
}

DeviceModel load_device_model(const std::string& name) {
  const std::string path = find_data_file(kFolder, name);
  if (name == "a100" && path != name) return a100_device();
  if (!path.empty()) return parse_device_model(read_text(path), path);
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower != name && !find_data_file(kFolder, lower).empty())
    throw UsageError(fmt::format("unknown device '{}'; did you mean '{}'?", name, lower));
  throw UsageError(fmt::format(
      "{}: no device and no file has this name; known: here (this machine), {}; `qb calibrate "
      "--out FILE` measures another machine",
      name, known_devices()));
}

DeviceModel a100_device() { return parse_device_model(embedded::a100, "data/devices/a100.csv"); }

}  // namespace qb
