// `qb env`: the machine, build and libraries that a run's manifest records.
#include <fmt/format.h>

#include <memory>

#include "harness/cli/verb.h"
#include "harness/experiment/environment.h"

namespace qb {

void add_env(Verb app) {
  Verb verb =
      app.add_verb("env", "Show machine, build and libraries, as a run's manifest records them");
  verb.footer(
      "The host name, the user and network addresses are not recorded, so a run folder can be\n"
      "published as it is.\n\nExamples:\n  qb env\n  qb env --json > machine.json");
  const auto json = std::make_shared<bool>(false);
  verb.flag("--json", *json, "JSON instead of a table");
  verb.runs([json] {
    fmt::print("{}", *json ? environment_json() + "\n" : environment_table());
    return ExitCode::ok;
  });
}

}  // namespace qb
