#include "harness/files/source_root.h"

#include "harness/base/status.h"

namespace qb {
namespace {

bool holds_specs(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "experiments" / "smoke.yaml", ignored);
}

}  // namespace

std::filesystem::path search_source_root(const std::filesystem::path& executable,
                                         const std::filesystem::path& built_from) {
  for (std::filesystem::path folder = executable.parent_path();; folder = folder.parent_path()) {
    if (holds_specs(folder)) return folder;
    if (folder == folder.parent_path()) break;
  }
  if (!built_from.empty() && holds_specs(built_from)) return built_from;
  throw EnvironmentError("no folder above " + executable.string() +
                         " has experiments/smoke.yaml; run qb from its checkout or its kit");
}

const std::filesystem::path& source_root() {
  static const std::filesystem::path root =
      search_source_root(std::filesystem::read_symlink("/proc/self/exe"), QB_SOURCE_ROOT);
  return root;
}

std::string source_path(const std::string& relative) { return source_root() / relative; }

}  // namespace qb
