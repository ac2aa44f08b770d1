// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/status.h"

namespace qb {

void in_temporary_folder(const std::function<void(const std::string&)>& use) {
  std::string folder = (std::filesystem::temp_directory_path() / "qb_XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    throw EnvironmentError(
        fmt::format("cannot make a temporary folder {}: {}", folder, std::strerror(errno)));
  const std::shared_ptr<void> removed_at_the_end(nullptr, [&](void*) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  });
  use(folder);
}

}  // namespace qb
