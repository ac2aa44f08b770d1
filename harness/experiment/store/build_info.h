// How this binary came to be. The definition is written at build time by cmake/BuildInfo.cmake.
#pragma once

#include <string_view>

namespace qb {

struct BuildInfo {
  std::string_view version;
  std::string_view commit;  // of the sources; empty where they are no git checkout
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
