// SPDX-License-Identifier: Apache-2.0
#include "base/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace qb {
namespace {

struct Suffix {
  std::string_view text;
  double factor;
};

constexpr Suffix kTimeSuffixes[] = {{"ns", 1e-9},  {"us", 1e-6},  {"ms", 1e-3},
                                    {"min", 60.0}, {"h", 3600.0}, {"s", 1.0}};

// Reads plain digits; those of a whole number with all their bits, which a double would not keep.
template <class T>
std::optional<T> parse_plain(std::string_view text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// Splits at the first letter that is not an exponent: "1e6" whole, "32Ki" -> 32, Ki.
std::optional<std::pair<double, std::string_view>> split(std::string_view text) {
  std::string digits;
  std::size_t at = 0;
  bool last_was_digit = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool digit = c >= '0' && c <= '9';
    if (c == '_') {
      const bool next_is_digit = at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9';
      if (!last_was_digit || !next_is_digit) return std::nullopt;
      continue;
    }
    const bool sign =
        (c == '-' || c == '+') && (at == 0 || digits.back() == 'e' || digits.back() == 'E');
    const bool exponent = (c == 'e' || c == 'E') && last_was_digit && at + 1 < text.size() &&
                          (text[at + 1] == '+' || text[at + 1] == '-' ||
                           (text[at + 1] >= '0' && text[at + 1] <= '9'));
    if (!(digit || c == '.' || sign || exponent)) break;
    last_was_digit = digit || c == '.';
    digits += c;
  }
  if (!digits.empty() && digits.front() == '+') digits.erase(0, 1);
  const auto value = parse_plain<double>(digits);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return std::pair{*value, text.substr(at)};
}

// `KiB` and `Ki` are 1024; `kB`, `KB`, `k` and `K` are 1000; `B` and no suffix are 1.
std::optional<double> size_factor(std::string_view suffix) {
  if (suffix.ends_with('B')) suffix.remove_suffix(1);
  if (suffix.empty()) return 1.0;
  const bool binary = suffix.size() == 2 && suffix[1] == 'i';
  const std::size_t power = std::string_view("KMGT").find(suffix == "k" ? 'K' : suffix[0]);
  if (power == std::string_view::npos || (!binary && suffix.size() > 1)) return std::nullopt;
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

// Divides by `step` until the value is below it or the units end; also gives the unit's index.
std::pair<double, std::size_t> scaled(double value, double step, std::size_t units) {
  std::size_t unit = 0;
  for (; std::abs(value) >= step && unit + 1 < units; ++unit) value /= step;
  return {value, unit};
}

template <class T>
std::optional<T> parse_whole(std::string_view text, bool bytes = false) {
  if (auto plain = parse_plain<T>(text)) return plain;
  const auto parts = split(text);
  if (!parts || (!bytes && parts->second.ends_with('B'))) return std::nullopt;
  const auto factor = size_factor(parts->second);
  if (!factor) return std::nullopt;
  const double value = parts->first * *factor;
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value != std::floor(value) || !(value < end && value > (std::is_signed_v<T> ? -end : -1.0)))
    return std::nullopt;
  return static_cast<T>(value);
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  return parse_whole<std::int64_t>(text, true);
}

std::optional<double> parse_byte_rate(std::string_view text) {
  const bool has_time = text.ends_with("/s") || text.ends_with("ps");
  auto parts = split(has_time ? text.substr(0, text.size() - 2) : text);
  if (!parts) return std::nullopt;
  std::string_view& unit = parts->second;
  if (unit.ends_with("bit")) unit.remove_suffix(2);
  const bool bits = unit.ends_with('b');
  if (bits) unit.remove_suffix(1);
  const auto factor = size_factor(unit);
  if (!factor) return std::nullopt;
  return parts->first * *factor / (bits ? 8.0 : 1.0);
}

std::optional<std::uint64_t> parse_seed(std::string_view text) {
  return parse_whole<std::uint64_t>(text);
}

std::optional<double> parse_real(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  auto factor = size_factor(parts->second);
  for (const Suffix& suffix : kTimeSuffixes)
    if (suffix.text == parts->second) factor = suffix.factor;
  if (!factor) return std::nullopt;
  // 1e-6 cannot be held exactly, and 1e6 can: 5us are 5e-06.
  return *factor < 1.0 ? parts->first / std::round(1.0 / *factor) : parts->first * *factor;
}

std::string to_text(double value) {
  std::string text = shortest_text(value);
  if (std::isfinite(value) && text.find('.') == std::string::npos)
    text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

std::string shortest_text(double value) {
  if (std::isnan(value)) return {};
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string to_text(std::int64_t value) { return fmt::format("{}", value); }

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  const auto [value, unit] = scaled(static_cast<double>(bytes), 1024.0, units.size());
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.2f} {}", value, units[unit]);
}

std::string format_bytes_and_root(double bytes, double root_bytes) {
  return (std::isnan(bytes) ? "-" : format_bytes(bytes)) +
         (std::isnan(root_bytes) ? "" : ", root " + format_bytes(root_bytes));
}

std::string format_seconds(double seconds) {
  if (std::isnan(seconds)) return "-";
  const double size = std::abs(seconds);
  if (size >= 3600.0) return fmt::format("{:.2f} h", seconds / 3600.0);
  if (size >= 120.0) return fmt::format("{:.1f} min", seconds / 60.0);
  if (size >= 1.0) return fmt::format("{:.2f} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (size >= 1e-6) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.0f} ns", seconds * 1e9);
}

std::string format_si(double number) {
  constexpr std::array<std::string_view, 7> prefixes = {"", "k", "M", "G", "T", "P", "E"};
  const auto [value, prefix] = scaled(number, 1000.0, prefixes.size());
  if (prefix == 0 && value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g} {}", value, prefixes[prefix]);
}

std::string format_grouped(std::int64_t value) {
  const std::string digits = fmt::format("{}", value);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  std::string out;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > first && (digits.size() - at) % 3 == 0) out += ',';
    out += digits[at];
  }
  return out;
}

}  // namespace qb
