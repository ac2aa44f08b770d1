// `qb report RUN`: one HTML page with a run's figures, tables and failures.
#include <memory>
#include <string>

#include "harness/cli/verb.h"
#include "harness/cli/views/publish.h"

namespace qb {
namespace {

constexpr const char* kFooter =
    R"(The page needs no network and no other file, since the figures are inside it as SVG. The verb also
draws RUN/figures. Without gnuplot it still writes the page, which then says so, and the exit code is 3.

Examples:
  qb report results/smoke/latest
  qb report results/case_study_2/latest --out case_study_2.html)";

}  // namespace

void add_report(Verb app) {
  Verb verb = app.add_verb("report", "Write a run's report, one HTML page");
  verb.footer(kFooter);
  const auto run = std::make_shared<std::string>();
  const auto out = std::make_shared<std::string>();
  verb.option("RUN", *run, "The run folder").required();
  verb.option("--out", *out, "The path of the page (default: RUN/report.html)");
  verb.runs([run, out] { return publish_run(*run, out->empty() ? *run + "/report.html" : *out); });
}

}  // namespace qb
