// `qb env`: the machine, build and libraries that a run's manifest records.
#include <fmt/format.h>

#include <memory>

#include "harness/cli/verb.h"
#include "harness/experiment/environment.h"
#include "harness/experiment/schema/description.h"

namespace qb {

void add_env(Verb app) {
  Verb verb =
      app.add_verb("env", "Show machine, build and libraries, as a run's manifest records them");
  verb.footer(
      "The host name, the user and network addresses are not recorded, so a run folder can be\n"
      "published as it is.\n\nExamples:\n  qb env\n  qb env --json > machine.json");
  const auto json = std::make_shared<bool>(false);
  verb.flag("--json", *json, "JSON instead of a table");
  const auto schema = std::make_shared<bool>(false);
  verb.flag("--schema", *schema,
            "The columns of run folders as JSON, for programs that read or write them");
  verb.runs([json, schema] {
    if (*schema)
      fmt::print("{}\n", schema_json());
    else
      fmt::print("{}", *json ? environment_json() + "\n" : environment_table());
    return ExitCode::ok;
  });
}

}  // namespace qb
