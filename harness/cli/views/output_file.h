// Where a verb writes what it has computed.
#pragma once

#include <string>

namespace qb {

// Throws EnvironmentError where the folder of `path` takes no file: better now than after an hour
// of computing.
void require_writable(const std::string& path);

}  // namespace qb
