// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/schema/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/numbers.h"
#include "base/print.h"
#include "base/schema/other_names.h"
#include "base/schema/strategies.h"
#include "harness/workload/case.h"

namespace qb {
namespace {

constexpr std::int64_t kMaxResidue = 999'999;  // for the largest number of workers

// Describes the node, for "must be …, got …".
std::string describe(const YamlNode& node) {
  if (node.kind == YamlNode::null) return "nothing";
  if (node.kind != YamlNode::scalar) return node.kind == YamlNode::list ? "a list" : "a map";
  if (node.quoted) return fmt::format("the text \"{}\"", node.text);
  return fmt::format("'{}'", node.text);
}

[[noreturn]] void fail_type(std::string_view name, std::string_view wanted, const YamlNode& node) {
  fail_at(node.place, fmt::format("{} must be {}, got {}", name, wanted, describe(node)));
}

bool is_plain(const YamlNode& node) { return node.kind == YamlNode::scalar && !node.quoted; }

// `2K` and `2Ki` are taken for each other. Says once which is which.
void note_thousands(std::string_view name, const YamlNode& node, std::int64_t value) {
  static std::set<std::string> noted;
  if (std::string_view("kKMGT").find(node.text.back()) == std::string_view::npos ||
      !noted.insert(node.text).second)
    return;
  print_note("qb: note: {} {} is {}; {}i is {}\n", name, node.text, format_grouped(value),
             node.text, format_grouped(parse_integer(node.text + "i").value_or(0)));
}

std::int64_t read_any_integer(std::string_view name, const YamlNode& node,
                              std::string_view unit = "") {
  const bool bytes = unit == "bytes";
  if (!is_plain(node)) fail_type(name, "a whole number", node);
  if (const auto value = bytes ? parse_bytes(node.text) : parse_integer(node.text)) {
    if (!bytes) note_thousands(name, node, *value);
    return *value;
  }
  std::string_view count = node.text;
  if (parse_bytes(count)) {
    count.remove_suffix(1);
    const bool plain = std::string_view("0123456789i").find(count.back()) != std::string_view::npos;
    fail_at(node.place,
            fmt::format("{} is not in bytes, got '{}'; write {}{}", name, node.text, count,
                        plain ? "" : fmt::format(" (1000 each) or {}i (1024 each)", count)));
  }
  count = count.substr(0, count.find_first_not_of("0123456789"));
  fail_type(name,
            fmt::format("a whole number such as {0}, {0}e3 or {0}{1}", count.empty() ? "4" : count,
                        bytes ? "GiB" : "Ki (1024 each)"),
            node);
}

// Reads a number in the unit of its parameter: bytes a second, seconds, or none.
double read_in_unit(const Parameter& parameter, const YamlNode& node) {
  if (parameter.unit == "s") return read_seconds(parameter.key, node);
  if (parameter.unit != "byte/s") return read_real(parameter.key, node);
  if (const auto rate = is_plain(node) ? parse_byte_rate(node.text) : std::nullopt) return *rate;
  fail_type(parameter.key, "a number of bytes a second such as 50e9, 50GB/s or 400Gb/s", node);
}

// Returns the one spelling of the text. `parse` reads it and throws UsageError on a bad one.
std::string canonical(const YamlNode& node, std::string_view text, auto parse) {
  return at_place(node.place, [&] { return to_string(parse(text)); });
}

std::string scalar_of(const Parameter& parameter, const YamlNode& node, std::string_view wanted) {
  if (node.kind != YamlNode::scalar) fail_type(parameter.key, wanted, node);
  return node.text;
}

std::string read_word(const Parameter& parameter, const YamlNode& node) {
  const auto words = parameter.words();
  const std::string text = scalar_of(parameter, node, fmt::format("one of {}", join(words, ", ")));
  const bool is_file = parameter.key == "algorithm" && is_recipe_file(text);
  if (std::ranges::find(words, text) == words.end() && !is_file)
    fail_at(node.place, unknown_word(parameter.key, text, words));
  return text;
}

// Reads `0,1,3` or a list of numbers. The modulus of the residues is W, which is known later.
std::string read_interest_set(const Parameter& parameter, const YamlNode& node) {
  std::string text;
  if (node.kind == YamlNode::list)
    for (const YamlNode& item : node.items)
      text += fmt::format("{}{}", text.empty() ? "" : ",",
                          read_integer("a residue of interest_set", item, 0, kMaxResidue));
  else
    text = scalar_of(parameter, node, "a list such as [0, 1, 3] or \"0,1,3\"");
  return canonical(node, text, [](std::string_view set) { return parse_interest_set(set, 0); });
}

std::string read_file_name(const Parameter& parameter, const YamlNode& node) {
  if (node.kind != YamlNode::scalar || node.text.empty())
    fail_type(
        parameter.key,
        parameter.key == "cluster" ? "hosts x workers such as 2x8, or a file" : "a file, or here",
        node);
  return node.text;
}

// Reads a name, or a bandwidth and a latency.
std::string read_link(const Parameter& parameter, const YamlNode& node) {
  const std::string text = scalar_of(parameter, node, "a link such as ndr or \"50e9,5us\"");
  return at_place(node.place, [&] {
    const auto [limit, source] = parse_link(parameter.key, text);
    return source.empty() ? link_text(limit) : text;
  });
}

void read_number(const YamlNode& node, PatternNode::Argument& argument) {
  const bool plain = is_plain(node);
  std::optional<std::int64_t> whole;
  if (plain && argument.name == "seed")
    whole = parse_seed(node.text);  // its bits
  else if (plain)
    whole = parse_integer(node.text);
  if (whole) return argument.integers.push_back(*whole);
  const auto value = plain ? parse_real(node.text) : std::nullopt;
  if (!value || argument.list)
    fail_at(node.place, fmt::format("{} of a mask must be {}", argument.name,
                                    argument.list ? "a list of whole numbers" : "a number"));
  argument.real = *value;
}

PatternNode read_pattern(const YamlNode& node) {
  if (node.kind == YamlNode::scalar) return {node.text};
  if (node.kind != YamlNode::map || node.items.size() != 1)
    fail_at(node.place,
            "mask must be a word such as causal, or one pattern such as "
            "{sliding_window: {left: 128, right: 128}}");
  const YamlNode& entry = node.items.front();
  PatternNode pattern{entry.key};
  if (entry.key == "any_of" || entry.key == "all_of") {
    if (entry.kind != YamlNode::list)
      fail_at(entry.place, fmt::format("{} takes a list of masks", entry.key));
    for (const YamlNode& item : entry.items) pattern.parts.push_back(read_pattern(item));
    return pattern;
  }
  if (entry.kind == YamlNode::null) return pattern;
  if (entry.kind != YamlNode::map)
    fail_at(entry.place,
            fmt::format("{} takes its parameters as a map, such as {{block: 16}}", entry.key));
  for (const YamlNode& parameter : entry.items) {
    PatternNode::Argument argument{parameter.key, {}, {}, parameter.kind == YamlNode::list};
    if (argument.list)
      for (const YamlNode& item : parameter.items) read_number(item, argument);
    else
      read_number(parameter, argument);
    pattern.arguments.push_back(std::move(argument));
  }
  return pattern;
}

MaskSpec read_mask(const YamlNode& node) {
  const PatternNode pattern = read_pattern(node);
  return at_place(node.place, [&] { return MaskSpec(pattern); });
}

std::string read_spelling(const Parameter& parameter, const YamlNode& node) {
  switch (parameter.kind) {
    case FieldKind::word:
      return read_word(parameter, node);
    case FieldKind::integer:
      return to_text(read_any_integer(parameter.key, node, parameter.unit));
    case FieldKind::seed:
      if (const auto seed = is_plain(node) ? parse_seed(node.text) : std::nullopt)
        return fmt::to_string(*seed);
      fail_type(parameter.key, "a whole number from 0 to 2^64 - 1", node);
    case FieldKind::real:
      return to_text(read_in_unit(parameter, node));
    case FieldKind::sequences:
      return canonical(
          node,
          scalar_of(parameter, node, "cached+new tokens of each sequence such as \"100+8 64+1\""),
          parse_sequences);
    case FieldKind::mask:
      return read_mask(node).text();
    case FieldKind::file:
      return read_file_name(parameter, node);
    case FieldKind::link_limit:
      return read_link(parameter, node);
    case FieldKind::residues:
      return read_interest_set(parameter, node);
    case FieldKind::flag:
    case FieldKind::text:
      break;  // kinds of columns only
  }
  throw std::logic_error("no parameter is of this kind");
}

}  // namespace

Value read_operand(const Parameter& parameter, const YamlNode& node) {
  if (node.kind == YamlNode::null && parameter.nullable) return {{}, node.place};
  return {read_spelling(parameter, node), node.place};
}

Value read_value(const Parameter& parameter, const YamlNode& node) {
  if (parameter.kind == FieldKind::integer && is_plain(node))
    return {
        to_text(read_integer(parameter.key, node, parameter.min, parameter.max, parameter.unit)),
        node.place};
  if (parameter.kind == FieldKind::real && is_plain(node) && !(read_in_unit(parameter, node) > 0.0))
    fail_at(node.place, fmt::format("{} must be above 0, got {}", parameter.key, node.text));
  return read_operand(parameter, node);
}

std::int64_t read_integer(std::string_view name, const YamlNode& node, std::int64_t min,
                          std::int64_t max, std::string_view unit) {
  const std::int64_t value = read_any_integer(name, node, unit);
  if (value >= min && value <= max) return value;
  const std::string range = max == INT64_MAX
                                ? fmt::format("at least {}", min)
                                : fmt::format("from {} to {}", min, format_grouped(max));
  fail_at(node.place, fmt::format("{} must be {}, got {}", name, range, node.text));
}

double read_real(std::string_view name, const YamlNode& node) {
  // parse_real also accepts sizes and times, which are not plain numbers.
  if (is_plain(node) && !node.text.empty() &&
      std::string_view("0123456789.").find(node.text.back()) != std::string_view::npos)
    if (const auto value = parse_real(node.text)) return *value;
  fail_type(name, "a number", node);
}

double read_seconds(std::string_view name, const YamlNode& node) {
  // Accepts numbers, `s`, `min` and `h`, by the last letter: `2M` would be two million seconds.
  if (is_plain(node) && !node.text.empty() &&
      std::string_view("0123456789.snh").find(node.text.back()) != std::string_view::npos)
    if (const auto value = parse_real(node.text)) {
      if (*value > 0.0) return *value;
      fail_at(node.place, fmt::format("{} must be above 0, got {}", name, node.text));
    }
  fail_type(name, "a time such as 90s, 15min or 2h", node);
}

bool read_bool(std::string_view name, const YamlNode& node) {
  if (is_plain(node) && node.text == "true") return true;
  if (is_plain(node) && node.text == "false") return false;
  fail_type(name, "true or false", node);
}

void fail_unknown_key(const Place& place, std::string_view key,
                      std::span<const std::string_view> known) {
  std::string message = unknown_word("key", key, known);
  if (const std::string_view ours = our_name(key);
      std::ranges::find(known, key_of(ours)) != known.end())
    message = fmt::format("unknown key '{}'; qb calls this {}", key, ours);
  std::vector<std::string_view> parts;  // the keys of a group written as a map
  const std::string group = std::string(key) + ".";
  for (const std::string_view name : known)
    if (name.starts_with(group)) parts.push_back(name);
  if (!parts.empty())
    message =
        fmt::format("unknown key '{}'; write its keys with a dot: {}", key, join(parts, ", "));
  if (place.line == 0) {
    const std::string quoted = fmt::format(" '{}'", key);
    message.erase(message.find(quoted), quoted.size());
  }
  fail_at(place, message);
}

void check_keys(const YamlNode& map, std::span<const std::string_view> known) {
  for (const YamlNode& entry : map.items) {
    if (std::ranges::find(known, entry.key) != known.end()) continue;
    // The resolved specs of older runs have every key of their schema.
    const GoneName* const gone = find_gone("key", entry.key);
    const std::string text = entry.kind == YamlNode::null ? "~" : entry.text;
    if (gone == nullptr || gone->neutral.empty() || text != gone->neutral)
      fail_unknown_key(entry.key_place, entry.key, known);
  }
}

MaskSpec parse_mask(std::string_view text, std::string_view source) {
  if (parse_word<MaskKind>(text)) return *parse_word<MaskKind>(text);  // no pattern, so no YAML
  const YamlNode map = read_yaml(fmt::format("value: {}", text), source, false);
  if (map.items.size() != 1) fail_at({source, 0, 0}, "expected one mask");
  return read_mask(map.items.front());
}

}  // namespace qb
