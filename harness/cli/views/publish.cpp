// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/publish.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include "base/files.h"
#include "base/print.h"
#include "base/temporary_folder.h"
#include "harness/cli/views/nearest_published.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/experiment/store/run_folder.h"
#include "plots/draw/draw.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

// Any pass but the forward one is graded like both.
Passes passes_of(const CsvTable& cases) {
  const bool forward =
      !cases.has("pass") || cases.size() == 0 || cases.text(0, "pass") == "forward";
  return forward ? Passes::forward : Passes::both;
}

// A path as a link of the page names it.
std::string address_from(const std::string& page, const fs::path& path) {
  return fs::relative(path, fs::absolute(page).parent_path()).generic_string();
}

}  // namespace

PlottedRun run_to_plot(const std::string& folder) {
  PlottedRun run = read_plotted_run(folder);
  complete_older_rows(run.cases, folder + "/cases.csv");
  run.model_error = [passes = passes_of(run.cases)] {
    const Library library = read_library();
    const std::vector<AnsweredPaper> papers = answer_all(library, RunsAndModel({}));
    return scheme_grade(graded_rows(papers), passes).median;
  };
  return run;
}

namespace {

// Adds links from `page` to the files of the pictures in `directory`, of those formats that exist
// there and that the page does not hold itself.
void link_files(std::vector<Report::Picture>& pictures, const std::string& directory,
                const std::string& page, std::initializer_list<std::string> formats) {
  for (Report::Picture& picture : pictures)
    for (const std::string& format : formats) {
      std::string extension = format;
      for (char& letter : extension)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      const fs::path file = fs::path(directory) / (picture.name + '.' + extension);
      const bool held = std::ranges::count(picture.files, format, &Report::Link::text) > 0;
      if (!held && fs::exists(file)) picture.files.push_back({format, address_from(page, file)});
    }
}

}  // namespace

ExitCode publish_run(const std::string& folder, const std::string& directory,
                     const std::string& page) {
  const PlottedRun run = run_to_plot(folder);
  if (!run.has_cases())
    throw UsageError(fmt::format("{}: a report needs cases.csv; `qb plot {}` draws its figures",
                                 folder, folder));
  ExitCode code = ExitCode::ok;
  std::vector<Report::Picture> figures;
  std::vector<std::string> missing;
  try {
    const auto draw = [&](const std::string& into) {
      figures = draw_for_report(figures_of_run(run, {}), into, missing);
    };
    directory.empty() ? in_temporary_folder(draw) : draw(directory);
  } catch (const EnvironmentError& error) {
    missing.push_back(fmt::format("The figures are missing: {}.", error.what()));
    code = ExitCode::environment;
  }
  for (const std::string& sentence : missing) print_note("qb: {}\n", sentence);
  link_files(figures, folder + "/figures", page, {"CSV", "PDF"});
  std::vector<Report::Section> change;
  if (auto section = change_section(folder)) change.push_back(std::move(*section));
  write_file_atomically(page, report_html(run_report(run, std::move(figures), missing, change)));
  print_answer("{}\n", page);
  return code;
}

}  // namespace qb
