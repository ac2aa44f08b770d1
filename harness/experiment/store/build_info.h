// How this binary was built. cmake/BuildInfo.cmake writes the definition at build time.
#pragma once

#include <string_view>

namespace qb {

struct BuildInfo {
  std::string_view version;
  std::string_view commit;  // the sources' commit; empty where they are no git checkout
  bool modified = false;    // a source file differed from that commit
  std::string_view build_type;
  std::string_view compiler;  // `GNU 12.2.0`
  std::string_view flags;
  std::string_view sanitizers;  // empty: none
  bool cuda = false;
  std::string_view libraries;  // `fmt 9.1.0, yaml-cpp 0.7.0, …`
};

[[nodiscard]] const BuildInfo& build_info();

}  // namespace qb
