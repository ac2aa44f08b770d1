// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/patterns.h"

namespace qb {
namespace {

// Names the kinds that a union or an intersection lists: causal longformer, global + random.
std::string kind_name(std::string_view mask) {
  std::string kind = pattern_kind(mask);
  if (kind != "all_of" && kind != "any_of") return kind;
  const std::size_t list = mask.find('[');
  if (list == std::string_view::npos) return kind;
  std::string name;
  int depth = 0;
  bool at_item = true;
  for (std::size_t i = list + 1; i < mask.size() && depth >= 0; ++i) {
    if (at_item && mask[i] != ' ') {
      const std::string_view item = mask.substr(i);
      const std::string own = item.front() == '{'
                                  ? kind_name(item)
                                  : std::string(item.substr(0, item.find_first_of(",]")));
      name += (name.empty() ? "" : kind == "all_of" ? " " : " + ") + own;
      at_item = false;
    }
    if (mask[i] == '{' || mask[i] == '[') ++depth;
    if (mask[i] == '}' || mask[i] == ']') --depth;
    if (mask[i] == ',' && depth == 0) at_item = true;
  }
  return name.empty() ? kind : name;
}

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
