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

std::map<std::string, std::string> mask_names(const std::set<std::string>& masks) {
  std::map<std::string, int> kinds;
  for (const std::string& mask : masks) ++kinds[kind_name(mask)];
  std::map<std::string, std::string> names;
  for (const std::string& mask : masks) {
    std::string name = kind_name(mask);
    if (kinds[name] > 1 && mask.starts_with('{')) {
      std::string inside = mask.substr(mask.find(':') + 1);
      std::erase_if(inside, [](char c) { return c == '{' || c == '}'; });
      name += ',' + inside;
    }
    names.emplace(mask, std::move(name));
  }
  return names;
}

std::string pattern_name(const Row& row) {
  std::set<std::string> masks;
  for (const Row& other : all_rows(*row.table)) masks.insert(other.text("mask"));
  return mask_names(masks).at(row.text("mask"));
}

}  // namespace qb
