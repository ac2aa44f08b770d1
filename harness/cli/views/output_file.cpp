#include "harness/cli/views/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/status.h"

namespace qb {

void require_writable(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw EnvironmentError(
        fmt::format("cannot write {}: {}: {}", path, folder, std::strerror(errno)));
}

}  // namespace qb
