// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/patterns.h"

#include "base/yaml/yaml_reader.h"

namespace qb {
namespace {

// Names the kinds that a union or an intersection lists: causal longformer, global + random.
std::string kind_name(const YamlNode& mask) {
  if (mask.items.empty()) return mask.text;
  const YamlNode& kind = mask.items.front();
  if (kind.key != "all_of" && kind.key != "any_of") return kind.key;
  std::vector<std::string> names;
  for (const YamlNode& member : kind.items) names.push_back(kind_name(member));
  return listed(names, kind.key == "all_of" ? " " : " + ");
}

std::string kind_name(const std::string& mask) { return kind_name(read_yaml(mask, mask, false)); }

}  // namespace

std::string pattern_kind(std::string_view mask) {
  if (mask.empty() || mask.front() != '{') return std::string(mask);
  return std::string(mask.substr(1, mask.find(':') - 1));
}

std::string mask_name(const std::string& mask, const std::set<std::string>& masks) {
  const std::string kind = kind_name(mask);
  const auto alike = [&](const std::string& other) { return kind_name(other) == kind; };
  if (!mask.starts_with('{') || std::ranges::count_if(masks, alike) < 2) return kind;
  std::string inside = mask.substr(mask.find(':') + 1);
  std::erase_if(inside, [](char c) { return c == '{' || c == '}'; });
  return kind + ',' + inside;
}

std::string pattern_name(const Row& row) {
  std::set<std::string> masks;
  for (const Row& other : all_rows(*row.table)) masks.insert(other.text("mask"));
  return mask_name(row.text("mask"), masks);
}

}  // namespace qb
