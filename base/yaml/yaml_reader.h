// SPDX-License-Identifier: Apache-2.0
// Reads YAML into a plain tree. Keys and values have places, so that errors can name them. It is
// stricter than YAML where YAML invites mistakes: duplicate keys, merge keys (`<<`), tags, keys
// that are not words, several documents and tabs in the indentation are errors. Anchors and aliases
// work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace qb {

// line and column count from 1; line 0 marks a source that is not a file (`--set`), shown alone.
struct Place {
  std::string_view source;  // the caller of read_yaml keeps the text it points to
  int line = 0;
  int column = 0;
};

[[nodiscard]] std::string to_string(const Place& place);  // `source:line:column`

// Throws UsageError `source:line:column: message`.
[[noreturn]] void fail_at(const Place& place, const std::string& message);

// Returns what make() returns, and gives a UsageError of it the place.
auto at_place(const Place& place, const auto& make) {
  try {
    return make();
  } catch (const UsageError& problem) {
    fail_at(place, problem.what());
  }
}

struct YamlNode {
  enum Kind { null, scalar, list, map };
  Kind kind = null;
  Place place{};
  std::string text{};             // the text of a scalar
  bool quoted = false;            // a scalar in quotes or a block: text, never a number
  std::vector<YamlNode> items{};  // of a list, or of a map in the order of the text
  std::string key{};              // of an item of a map
  Place key_place{};

  // Returns nullptr unless this is a map that has the key.
  [[nodiscard]] const YamlNode* find(std::string_view wanted) const;
  [[nodiscard]] YamlNode* find(std::string_view wanted);
};

// Reads the one document of `text`, a null node where it is empty. If line_numbers is false the
// text is not a file, and places name the source alone. Throws UsageError.
[[nodiscard]] YamlNode read_yaml(std::string_view text, std::string_view source,
                                 bool line_numbers = true);

}  // namespace qb
