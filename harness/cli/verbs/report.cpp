// `qb report RUN`: one HTML page with a run's figures, tables and failures.

#include "harness/cli/options.h"
#include "harness/cli/views/publish.h"

namespace qb {
namespace {

constexpr const char* kFooter =
    R"(The page needs no network and no other file, since the figures are inside it as SVG; `qb plot` writes
them as files. Without gnuplot it still writes the page, which then says so, and the exit code is 3.

Examples:
  qb report results/smoke/latest
  qb report results/case_study_2/latest --out case_study_2.html)";

struct ReportWords {
  std::string run;
  std::string page;
};

}  // namespace

void add_report(CLI::App* app) {
  auto [verb, words] = add_verb<ReportWords>(
      app, "report", "Writes a run's report, one HTML page.",
      [](const ReportWords& said) {
        return publish_run(said.run, "", said.page.empty() ? said.run + "/report.html" : said.page);
      },
      kFooter);
  verb->add_option("RUN", words.run, "Names the run folder.")->required();
  verb->add_option("-o,--out", words.page,
                   "Writes the page to this path (default: RUN/report.html).");
}

}  // namespace qb
