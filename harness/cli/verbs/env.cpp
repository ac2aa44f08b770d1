// `qb env`: the machine, build and libraries that a run's manifest records.
#include <fmt/format.h>

#include <memory>

#include "harness/cli/verb.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/store/environment.h"

namespace qb {

void add_env(Verb app) {
  Verb verb =
      app.add_verb("env", "Show machine, build and libraries, as a run's manifest records them");
  verb.footer(
      "The host name, the user and network addresses are not recorded, so a run folder can be\n"
      "published as it is.\n\nExamples:\n  qb env\n  qb env --json > machine.json\n\n"
      "cuda.libraries names the file that each of NVIDIA's libraries is loaded from, or why it is\n"
      "missing; a manifest does not have them. qb looks for them where the loader does "
      "(LD_LIBRARY_PATH,\n"
      "ldconfig), in $CUDA_HOME, $CUDA_PATH, the toolkit of nvcc in PATH and /usr/local/cuda, and\n"
      "in site-packages/nvidia/*/lib of the python3 in PATH, where PyTorch's wheels have them.");
  const auto json = std::make_shared<bool>(false);
  verb.flag("--json", *json, "Print JSON instead of a table");
  const auto schema = std::make_shared<bool>(false);
  verb.flag("--schema", *schema,
            "Print the columns of run folders as JSON, for programs that read or write them");
  verb.runs([json, schema] {
    constexpr auto kLibraries = NvidiaLibraries::looked_for;
    if (*schema)
      fmt::print("{}\n", schema_json());
    else
      fmt::print("{}", *json ? environment_json(kLibraries) + "\n" : environment_table(kLibraries));
    return ExitCode::ok;
  });
}

}  // namespace qb
