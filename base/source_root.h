// SPDX-License-Identifier: Apache-2.0
// The folder of the specs, published data and peers' scripts: the checkout that a program was built
// from, or the kit that it was unpacked with. No path is compiled in, so either may be moved.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace qb {

// The folder of this program, as search_source_root() finds it.
[[nodiscard]] const std::filesystem::path& source_root();

// The nearest folder above `executable` with experiments/smoke.yaml, or the checkout that one of
// these is a build of, as its CMakeCache.txt says. Throws EnvironmentError where there is neither.
[[nodiscard]] std::filesystem::path search_source_root(const std::filesystem::path& executable);

[[nodiscard]] std::string source_path(const std::string& relative);

// The file that a spec or an option names: a path, one below source_root(), or NAME.csv in a folder
// of that, such as data/devices/. Empty where there is none.
[[nodiscard]] std::string find_data_file(const std::string& folder, const std::string& name);
// The names of such a folder; none where an installed program has no checkout beside it.
[[nodiscard]] std::set<std::string> names_in_data(const std::string& folder);

}  // namespace qb
