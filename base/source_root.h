// SPDX-License-Identifier: Apache-2.0
// The folder of the specs, published data and peers' scripts: the checkout that a program was built
// from, or the kit that it was unpacked with. No path is compiled in, so either may be moved.
#pragma once

#include <filesystem>
#include <string>

namespace qb {

// The folder of this program, as search_source_root() finds it.
[[nodiscard]] const std::filesystem::path& source_root();

// The nearest folder above `executable` with experiments/smoke.yaml, or the checkout that one of
// these is a build of, as its CMakeCache.txt says. Throws EnvironmentError where there is neither.
[[nodiscard]] std::filesystem::path search_source_root(const std::filesystem::path& executable);

[[nodiscard]] std::string source_path(const std::string& relative);

}  // namespace qb
