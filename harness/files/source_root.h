// The folder that the specs, the published data and the peers' scripts lie in: the checkout that a
// program was built in, or the kit that it was unpacked with.
#pragma once

#include <filesystem>
#include <string>

namespace qb {

// The folder of this program, as search_source_root() finds it.
[[nodiscard]] const std::filesystem::path& source_root();

// The nearest folder above `executable` with experiments/smoke.yaml in it; `built_from` where none
// has one, as in a build folder outside the checkout. Throws EnvironmentError where that has none
// either.
[[nodiscard]] std::filesystem::path search_source_root(const std::filesystem::path& executable,
                                                       const std::filesystem::path& built_from);

// A file of it: source_path("experiments/smoke.yaml").
[[nodiscard]] std::string source_path(const std::string& relative);

}  // namespace qb
