// SPDX-License-Identifier: Apache-2.0
// A folder for as long as a function runs.
#pragma once

#include <functional>
#include <string>

namespace qb {

// Gives `use` the path of an empty folder and removes it, with all in it, afterwards. Throws
// EnvironmentError if none can be made.
void in_temporary_folder(const std::function<void(const std::string&)>& use);

}  // namespace qb
