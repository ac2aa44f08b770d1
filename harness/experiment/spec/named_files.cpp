// SPDX-License-Identifier: Apache-2.0
// Looks at the files that the cases of a spec name.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/status.h"
#include "harness/experiment/spec/spec.h"
#include "harness/forecast/device_model.h"
#include "harness/workload/recipe_file.h"

namespace qb {
namespace {

// Gives a UsageError of `read` the key of the parameter that names the file.
void require(const char* key, const auto& read) try {
  (void)read();
} catch (const UsageError& problem) {
  throw UsageError(fmt::format("{}: {}", key, problem.what()));
}

}  // namespace

void require_named_files(std::span<const Case> cases) {
  std::set<std::pair<std::string, int>> recipes;
  for (const Case& c : cases)
    if (is_recipe_file(c.algorithm) && recipes.emplace(c.algorithm, c.workers).second)
      require("algorithm", [&] { return read_recipe(c.algorithm, c.workers); });
  std::set<std::string> models;
  for (const Case& c : cases)
    if (c.model_device && *c.model_device != "here" && models.insert(*c.model_device).second)
      require("model.device", [&] { return load_device_model(*c.model_device); });
}

}  // namespace qb
