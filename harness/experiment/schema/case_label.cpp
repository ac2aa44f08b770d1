#include "harness/experiment/schema/case_label.h"
#include "harness/experiment/schema/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace qb {
namespace {

constexpr std::string_view kInEveryLabel[] = {"algorithm", "workers", "n_tokens", "kernel",
                                              "dtype"};

}  // namespace

std::vector<std::string> varying_parameters(std::span<const Case> cases) {
  std::map<std::string, std::set<std::string>> values;
  bool cached = false;
  for (const Case& c : cases) {
    cached = cached || c.shape.kv_len != c.shape.q_len;
    for (const auto& [name, value] : case_parameters(c)) values[name].insert(value);
  }
  std::vector<std::string> varying;
  for (const auto& [name, value] : case_parameters(Case{})) {
    const bool labelled = std::ranges::find(kInEveryLabel, name) != std::end(kInEveryLabel);
    const bool follows_n = name == "kv_len" && !cached;
    const bool follows_w = name == "interest_set" && values["workers"].size() > 1;
    if (!labelled && !follows_n && !follows_w && values[name].size() > 1) varying.push_back(name);
  }
  return varying;
}

std::string case_label(const Case& c, std::span<const std::string> varying) {
  std::string label = fmt::format("{} W={} N={} {} {}", c.algorithm, c.workers, c.shape.q_len,
                                  word(c.kernel), word(c.dtype));
  for (const auto& [name, value] : case_parameters(c))
    if (!value.empty() && std::ranges::find(varying, name) != varying.end())
      label += fmt::format(" {}={}", name, value);
  return label;
}

}  // namespace qb
