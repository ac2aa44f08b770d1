// `qb report RUN`: one HTML page with a run's figures, tables and failures.

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

struct ReportWords {
  std::string run;
  std::string page;
};

}  // namespace

void add_report(Verb app) {
  Verb verb = app.add_verb("report", "Write a run's report, one HTML page", kFooter);
  auto& words = verb.runs<ReportWords>([](const ReportWords& said) {
    return publish_run(said.run, said.page.empty() ? said.run + "/report.html" : said.page);
  });
  verb.option("RUN", words.run, "The run folder").required();
  verb.option("--out", words.page, "The path of the page (default: RUN/report.html)");
}

}  // namespace qb
