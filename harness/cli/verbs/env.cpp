// SPDX-License-Identifier: Apache-2.0
// `qb env`: the machine, build and libraries that a run's manifest records.
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/store/environment.h"

namespace qb {
namespace {

constexpr const char* kEnvFooter =
    R"(The host name, the user and network addresses are not recorded, so that a run folder can be
published as it is.

A last line says so where sources changed since ./qb was last tried on a fresh system.

Examples:
  qb env
  qb env --all
  qb env --json > machine.json

Under --all and in JSON, cuda.libraries names the file that each of NVIDIA's libraries is loaded from, or says why it is
missing; a manifest does not have this list. qb looks for them where the loader does (LD_LIBRARY_PATH,
ldconfig), in $CUDA_HOME, $CUDA_PATH, the toolkit of nvcc in PATH and /usr/local/cuda, and
in site-packages/nvidia/*/lib of the python3 in PATH, where PyTorch's wheels have them.)";

struct EnvWords {
  bool all = false;
  bool json = false;
  bool schema = false;
};

ExitCode print_environment(const EnvWords& words) {
  print_answer(words.schema ? schema_json() + "\n"
               : words.json ? environment_json(true) + "\n"
               : words.all  ? environment_table(true)
                            : environment_summary());
  const std::string_view tried = build_info().tried;
  if (!words.schema && !words.json && !tried.empty())
    print_answer("sources changed since ./qb was tried on fresh systems ({})\n", tried);
  return ExitCode::ok;
}

}  // namespace

void add_env(Verb app) {
  auto [verb, words] = add_verb<EnvWords>(
      app, "env", "Shows machine, build and libraries, as a run's manifest records them.",
      print_environment, kEnvFooter);
  verb.add_flag("--all", words.all, "Shows every fact that a manifest records.");
  verb.add_flag("--json", words.json, "Prints JSON instead of a table.");
  verb.add_flag("--schema", words.schema,
                "Prints the columns of run folders as JSON, for programs that read or write them.");
}

}  // namespace qb
