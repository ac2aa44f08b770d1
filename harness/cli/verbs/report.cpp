// SPDX-License-Identifier: Apache-2.0
// `qb report RUN`: one HTML page with a run's figures, tables and failures.
#include "base/files.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/publish.h"

namespace qb {
namespace {

constexpr const char* kReportFooter =
    R"(The page needs no network and no other file, since the figures are inside it as SVG; `qb plot` writes
them as files. Without matplotlib it still writes the page, which then says so, and the exit code is 3.

--index writes FOLDER/index.html, one page of all figures, pages and tables in the folders of FOLDER:
the figures themselves, what each shows, its machine, whether its numbers are measured, modelled or
derived, and links to its files. They come in the order of FOLDER/order.txt, if there is one: a line
FOLDER/NAME for each figure, after a line `# TOPIC`.

Examples:
  qb report results/smoke/latest
  qb report results/case_study_2/latest --out case_study_2.html
  qb report --index paper_figures)";

struct ReportWords {
  std::string run;
  std::string page;
  std::string index;
};

ExitCode report(const ReportWords& said) {
  if (said.run.empty() == said.index.empty())
    throw UsageError("name a run folder, or a folder of figures by --index");
  if (!said.run.empty())
    return publish_run(said.run, "", said.page.empty() ? said.run + "/report.html" : said.page);
  const std::string page = said.page.empty() ? said.index + "/index.html" : said.page;
  write_file_atomically(page, index_html(said.index));
  print_answer("{}\n", page);
  return ExitCode::ok;
}

}  // namespace

void add_report(Verb app) {
  auto [verb, words] = add_verb<ReportWords>(
      app, "report", "Writes a run's report, one HTML page, or an index of figures.", report,
      kReportFooter);
  verb.add_option("RUN", words.run, "Names the run folder.");
  verb.add_option("-o,--out", words.page,
                  "Writes the page to this path (default: RUN/report.html).");
  verb.add_option("--index", words.index,
                  "Writes one page that lists the figures and tables of all subfolders.");
}

}  // namespace qb
