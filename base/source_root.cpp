// SPDX-License-Identifier: Apache-2.0
#include "base/source_root.h"

#include <fstream>
#include <string_view>

#include "base/status.h"

namespace qb {
namespace {

bool holds_specs(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "experiments" / "smoke.yaml", ignored);
}

// Returns an empty path where `folder` is not a build folder of CMake.
std::filesystem::path checkout_of_build(const std::filesystem::path& folder) {
  constexpr std::string_view kWord = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::ifstream cache(folder / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);)
    if (line.starts_with(kWord)) return line.substr(kWord.size());
  return {};
}

}  // namespace

std::filesystem::path search_source_root(const std::filesystem::path& executable) {
  for (std::filesystem::path folder = executable.parent_path();; folder = folder.parent_path()) {
    if (holds_specs(folder)) return folder;
    const std::filesystem::path checkout = checkout_of_build(folder);
    if (!checkout.empty() && holds_specs(checkout)) return checkout;
    if (folder == folder.parent_path()) break;
  }
  throw EnvironmentError("no folder above " + executable.string() +
                         " has experiments/smoke.yaml; run qb from its checkout or its kit");
}

const std::filesystem::path& source_root() {
  static const std::filesystem::path root =
      search_source_root(std::filesystem::read_symlink("/proc/self/exe"));
  return root;
}

std::string source_path(const std::string& relative) { return source_root() / relative; }

}  // namespace qb
