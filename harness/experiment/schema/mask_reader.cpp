#include "harness/experiment/schema/mask_reader.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/status.h"

namespace qb {
namespace {

void read_number(const YamlNode& node, PatternNode::Argument& argument) {
  const bool plain = node.kind == YamlKind::scalar && !node.quoted;
  if (plain)
    if (const auto value = parse_integer(node.text)) {
      argument.integers.push_back(*value);
      return;
    }
  const auto value = plain ? parse_real(node.text) : std::nullopt;
  if (!value || argument.list)
    fail_at(node.place, fmt::format("{} of a mask must be {}", argument.name,
                                    argument.list ? "a list of whole numbers" : "a number"));
  argument.real = *value;
}

PatternNode read_pattern(const YamlNode& node) {
  if (node.kind == YamlKind::scalar) return {node.text};
  if (node.kind != YamlKind::map || node.entries.size() != 1)
    fail_at(node.place,
            "mask must be a word such as causal, or one pattern such as "
            "{sliding_window: {left: 128, right: 128}}");
  const YamlEntry& entry = node.entries.front();
  PatternNode pattern{entry.key};
  if (entry.key == "any_of" || entry.key == "all_of") {
    if (entry.value.kind != YamlKind::list)
      fail_at(entry.value.place, fmt::format("{} takes a list of masks", entry.key));
    for (const YamlNode& item : entry.value.items) pattern.parts.push_back(read_pattern(item));
    return pattern;
  }
  if (entry.value.kind == YamlKind::null) return pattern;
  if (entry.value.kind != YamlKind::map)
    fail_at(entry.value.place,
            fmt::format("{} takes its parameters as a map, such as {{block: 16}}", entry.key));
  for (const YamlEntry& parameter : entry.value.entries) {
    PatternNode::Argument argument{parameter.key, {}, {}, parameter.value.kind == YamlKind::list};
    if (argument.list)
      for (const YamlNode& item : parameter.value.items) read_number(item, argument);
    else
      read_number(parameter.value, argument);
    pattern.arguments.push_back(std::move(argument));
  }
  return pattern;
}

}  // namespace

MaskSpec read_mask(const YamlNode& node) {
  const PatternNode pattern = read_pattern(node);
  try {
    return MaskSpec(pattern);
  } catch (const UsageError& problem) {
    fail_at(node.place, problem.what());
  }
}

MaskSpec parse_mask(std::string_view text, std::string_view source) {
  if (parse_word<MaskKind>(text)) return *parse_word<MaskKind>(text);  // no pattern, so no YAML
  const YamlNode map = read_yaml(fmt::format("value: {}", text), source, false);
  if (map.entries.size() != 1) fail_at({source, 0, 0}, "expected one mask");
  return read_mask(map.entries.front().value);
}

}  // namespace qb
