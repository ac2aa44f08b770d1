#include "plots/frame/pattern_names.h"

#include <algorithm>

namespace qb {
namespace {

// Names the kinds that a union or an intersection lists: causal longformer, global + random. Others
// have the name of their kind.
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

std::map<std::string, std::string> pattern_arguments(std::string_view mask) {
  std::map<std::string, std::string> arguments;
  const std::size_t open = mask.find('{', 1);
  if (open == std::string_view::npos || std::count(mask.begin(), mask.end(), '{') != 2)
    return arguments;
  std::string_view rest = mask.substr(open + 1, mask.find('}') - open - 1);
  while (!rest.empty()) {
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) break;
    // Commas can be inside lists too.
    const std::size_t from = rest.find('[') == colon + 2 ? rest.find(']') : colon;
    const std::size_t end = std::min(rest.find(", ", from), rest.size());
    arguments.emplace(rest.substr(0, colon), rest.substr(colon + 2, end - colon - 2));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return arguments;
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

}  // namespace qb
