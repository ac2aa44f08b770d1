// SPDX-License-Identifier: Apache-2.0
// The one way to read JSON that may be damaged, and what two rooms read of a run's manifest.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "base/status.h"

namespace qb {

// The library writes and compares values by functions that call themselves.
inline constexpr int kMostJsonLevels = 100;

// Throws UsageError `name: …` for a text with more levels, or with a key twice in one object, of
// which the library would keep the last. Throws parse_error for one that is not
// JSON, or returns a discarded value if not `throws`.
[[nodiscard]] inline nlohmann::ordered_json parse_json(std::string_view text, std::string_view name,
                                                       bool throws = true) {
  using Json = nlohmann::ordered_json;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > kMostJsonLevels)
      throw UsageError(fmt::format("{}: its JSON has more than {} levels", name, kMostJsonLevels));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(value.get_ref<const std::string&>()).second)
      throw UsageError(
          fmt::format("{}: its JSON has the key {} twice in one object", name, value.dump()));
    return true;
  };
  return Json::parse(text, check, throws);
}

// Empty where the manifest has none. Throws a Json::exception for a damaged one.
[[nodiscard]] inline std::optional<NoiseFloor> read_noise_floor(
    const nlohmann::ordered_json& manifest) {
  if (!manifest.contains("noise_floor")) return std::nullopt;
  const nlohmann::ordered_json& noise = manifest.at("noise_floor");
  return NoiseFloor{noise.at("case"), noise.at("ratio"), noise.at("low"), noise.at("high")};
}

// Writes a fact of the environment in words: bytes with their unit where `name` says that they are
// bytes, and a list on one line.
[[nodiscard]] std::string fact_text(const nlohmann::ordered_json& value,
                                    std::string_view name = {});

// Every fact with its path: `cpu.model`, `cpu.caches.0.bytes`. Reasons (`why_`) that are null are
// left out.
using Facts = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Facts facts_of(const nlohmann::ordered_json& value, const std::string& path = {});

}  // namespace qb
