// What produced a number: machine, build, libraries, state of the sources. Every run folder has
// this in its manifest, and `qb env` prints it. The host name, the user and network addresses are
// left out on purpose, so that a run folder can be published as it is.
#pragma once

#include <string>

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

}  // namespace qb
