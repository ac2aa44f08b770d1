// SPDX-License-Identifier: Apache-2.0
#include "base/source_root.h"

#include <fstream>
#include <string_view>

#include "base/files.h"
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

std::string find_data_file(const std::string& folder, const std::string& name) {
  if (std::filesystem::is_regular_file(name)) return name;
  try {
    for (const std::string& path : {folder + name + ".csv", name})
      if (const std::string found = source_path(path); std::filesystem::is_regular_file(found))
        return found;
  } catch (const EnvironmentError&) {
    // An installed program may have no checkout beside it.
  }
  return {};
}

std::set<std::string> names_in_data(const std::string& folder) {
  std::set<std::string> names;
  try {
    for (const std::filesystem::path& file : paths_in(source_path(folder)))
      if (file.extension() == ".csv") names.insert(file.stem().string());
  } catch (const EnvironmentError&) {
    // As above.
  }
  return names;
}

}  // namespace qb
