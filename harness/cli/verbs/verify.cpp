// SPDX-License-Identifier: Apache-2.0
// `qb verify RUN`: is a published run real?
#include <fmt/format.h>

#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/experiment/audit/audit.h"

namespace qb {
namespace {

constexpr const char* kVerifyFooter =
    R"(It recomputes what can be recomputed. It checks the files and the schema; that each timed row was
verified within its tolerance and no other row has times; the medians and intervals from the samples,
digit for digit; the parameters from the resolved spec and the predictions from the plan; and that no
repeat claims more FLOP/s than cores x 5 GHz x 64 (float32; twice that for 16-bit types), which is a
generous bound.

The exit code is 0 if everything agrees, and 4 if something does not; it lists what does not.

Example:
  qb verify results/smoke/RUN_ID)";

ExitCode verify_run(const std::string& path) {
  const Audit audit = audit_run(path);
  for (const std::string& finding : audit.findings) print_answer("MISMATCH  {}\n", finding);
  for (const std::string& note : audit.notes) print_answer("note      {}\n", note);
  print_answer("{}: {} rows, {} of them timed; {}\n", path, audit.rows, audit.timed_rows,
               audit.findings.empty()
                   ? "everything that was checked agrees"
                   : fmt::format("{} things do not agree", audit.findings.size()));
  return audit.findings.empty() ? ExitCode::ok : ExitCode::regression;
}

}  // namespace

void add_verify(Verb app) {
  auto [verb, path] = add_verb<std::string>(
      app, "verify", "Checks that a run folder's numbers follow from its data.", verify_run,
      kVerifyFooter);
  verb.add_option("RUN", path, "Names the run folder, results/NAME/RUN_ID.").required();
}

}  // namespace qb
