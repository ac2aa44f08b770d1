#include "harness/experiment/schema/mask_reader.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/status.h"

namespace qb {
namespace {

void read_number(const YamlNode& node, PatternNode::Argument& argument) {
  const bool plain = node.kind == YamlNode::scalar && !node.quoted;
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
  if (map.items.size() != 1) fail_at({source, 0, 0}, "expected one mask");
  return read_mask(map.items.front());
}

}  // namespace qb
