// SPDX-License-Identifier: Apache-2.0
// Numbers as people write them and as files hold them, without the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qb {

// Parses a count: `12`, `1_024`, `1e6`, `2.5e3`, `32Ki`, `64K` (1000), `1Mi`. Returns nullopt for
// anything else, a fraction that is not an integer, or a value outside int64.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
// A number of bytes: also `80GiB`, `80GB`, `512B`.
[[nodiscard]] std::optional<std::int64_t> parse_bytes(std::string_view text);
// The same for a seed, which is a uint64.
[[nodiscard]] std::optional<std::uint64_t> parse_seed(std::string_view text);

// Parses bytes a second: `50e9`, `50GB/s`, `12.5GiB/s`, and in bits `400Gb/s`, `400Gbps`.
[[nodiscard]] std::optional<double> parse_byte_rate(std::string_view text);

// Parses a decimal with optional exponent and underscores; also every form of parse_bytes, and a
// time suffix (`90s`, `15min`, `2h`, `20ms`), which gives seconds. It takes no nan and no inf.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

// The shortest digits that are the same double, with a point, so that every reader of CSV or
// YAML 1.1 takes the text for a real: `12.0`, `2.0e-06`. Empty for NaN ("not available").
[[nodiscard]] std::string to_text(double value);
[[nodiscard]] std::string to_text(std::int64_t value);
// The same digits without a point that is not needed (`12`, `2e-06`), inside of other texts.
[[nodiscard]] std::string shortest_text(double value);

// These write numbers for people: `1.50 GiB`, `3.42 ms`, and `10.5 G` instead of `1.05e+10`.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
// `14.80 MiB, root 47.00 MiB`; `-` for NaN, and no root for one of NaN.
[[nodiscard]] std::string format_bytes_and_root(double bytes, double root_bytes);
[[nodiscard]] std::string format_bytes(auto bytes) {
  return format_bytes(static_cast<std::uint64_t>(bytes));
}
[[nodiscard]] std::string format_seconds(double seconds);
[[nodiscard]] std::string format_si(double value);             // 1234567 -> "1.23 M"
[[nodiscard]] std::string format_grouped(std::int64_t value);  // 1234567 -> "1,234,567"

}  // namespace qb
