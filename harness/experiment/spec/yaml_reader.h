// A strict reading of YAML into a plain tree: every key and value knows its place, so that an error
// can name it.
//
// Stricter than YAML where YAML invites mistakes: duplicate keys, merge keys (`<<`), tags, keys
// that are no words, several documents and tabs in the indentation are errors. Anchors and aliases
// work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qb {

// line and column count from 1; line 0: the source is no file (`--set workers=4`) and stands alone.
struct Place {
  std::string_view source;  // outlived by the text it points to: the caller of read_yaml keeps it
  int line = 0;
  int column = 0;
};

// `source:line:column`
[[nodiscard]] std::string to_string(const Place& place);

// Throws UsageError `source:line:column: message`.
[[noreturn]] void fail_at(const Place& place, const std::string& message);

enum class YamlKind { null, scalar, list, map };

struct YamlEntry;

struct YamlNode {
  YamlKind kind = YamlKind::null;
  Place place;
  std::string text;                // of a scalar
  bool quoted = false;             // a scalar in quotes or a block: text, never a number
  std::vector<YamlNode> items;     // of a list
  std::vector<YamlEntry> entries;  // of a map, in the order written

  [[nodiscard]] const YamlEntry* find(std::string_view key) const;
  // nullptr unless this is a map that has the key.
  [[nodiscard]] YamlEntry* find(std::string_view key);
};

struct YamlEntry {
  std::string key;
  Place place;  // of the key
  YamlNode value;
};

[[nodiscard]] YamlNode plain_scalar(std::string text, const Place& place);

// The one document of `text`; a null node where it is empty. line_numbers false: the text is no
// file, and places name the source alone. Throws UsageError.
[[nodiscard]] YamlNode read_yaml(std::string_view text, std::string_view source,
                                 bool line_numbers = true);

}  // namespace qb
