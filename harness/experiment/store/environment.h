// SPDX-License-Identifier: Apache-2.0
// What produced a number: machine, build, libraries, state of the sources. Every run folder has
// this in its manifest, and `qb env` prints it. The host name, the user and network addresses are
// left out on purpose, so that a run folder can be published as it is.
#pragma once

#include <string>
#include <string_view>

namespace qb {

// `with_libraries` adds which file each of NVIDIA's libraries is loaded from, or why it is missing.
// Looking for them loads them, which takes half a second, so a run's manifest leaves them out.

// One JSON object, indented by two spaces: time_utc, device_fingerprint, cpu, memory, system,
// build, libraries, cuda. An unknown fact is null, never 0.
[[nodiscard]] std::string environment_json(bool with_libraries = false);

// `compare` takes runs with the same text to be from comparable machines.
[[nodiscard]] std::string device_fingerprint();

// The same facts as a table for people, one `name  value` a line.
[[nodiscard]] std::string environment_table(bool with_libraries = false);

// The facts that most readers look for, in at most 20 lines.
[[nodiscard]] std::string environment_summary();

// How this binary was built. cmake/BuildInfo.cmake writes the definition at build time.
struct BuildInfo {
  std::string_view version;
  std::string_view commit;  // the sources' commit; empty where they are not a git checkout
  bool modified = false;    // a source file differed from that commit
  std::string_view tried;   // when ./qb was last tried on a fresh system; empty: on these sources
  std::string_view build_type;
  std::string_view compiler;  // `GNU 12.2.0`
  std::string_view flags;
  std::string_view sanitizers;  // empty: none
  bool cuda = false;
  std::string_view libraries;  // `fmt 9.1.0, yaml-cpp 0.7.0, …`
};

[[nodiscard]] const BuildInfo& build_info();

}  // namespace qb
