// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/recipe_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace qb {

Recipe read_recipe(const std::string& path, int workers) try {
  const nlohmann::ordered_json json = parse_json(read_text(path), path);
  std::vector<int> known;
  for (const auto& plan : json.at("plans")) {
    known.push_back(plan.at("workers"));
    if (known.back() == workers)
      return {json.at("name"), plan.at("deal"), plan.at("forward"), plan.at("backward")};
  }
  throw UsageError(fmt::format("{} has no plan for {} worker{}, but for {}", path, workers,
                               workers == 1 ? "" : "s", fmt::join(known, ", ")));
} catch (const nlohmann::ordered_json::exception& problem) {
  const std::string_view what = problem.what();  // [json.exception.out_of_range.403] key …
  throw UsageError(fmt::format("{} is not an algorithm as qb.sweep() of Python writes it: {}", path,
                               what.substr(what.find("] ") + 2)));
}

}  // namespace qb
