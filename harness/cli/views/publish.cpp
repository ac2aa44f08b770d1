// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/publish.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/print.h"
#include "base/schema/value_names.h"
#include "harness/cli/views/model_error.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/experiment/spec/sweep.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

// Adds links from `page` to the CSV and PDF files of the pictures in `directory` that exist there
// and that the page does not hold itself.
void link_files(std::vector<Report::Picture>& pictures, const std::string& directory,
                const std::string& page) {
  for (Report::Picture& picture : pictures)
    for (const auto& [format, extension] : {std::pair{"CSV", ".csv"}, {"PDF", ".pdf"}}) {
      const fs::path file = fs::path(directory) / (picture.name + extension);
      const bool held = std::ranges::count(picture.files, format, &Report::Link::text) > 0;
      if (!held && fs::exists(file))
        picture.files.push_back(
            {format, fs::relative(file, fs::absolute(page).parent_path()).generic_string()});
    }
}

}  // namespace

PlottedRun run_to_plot(const std::string& folder) {
  PlottedRun run = read_plotted_run(folder);
  std::optional<ModelGrade> known;  // several figures ask
  if (std::ranges::none_of(all_rows(run.cases), modelled)) known.emplace();
  run.model_grade = [known]() mutable {
    if (known) return *known;
    const Library library = read_library();
    const std::vector<AnsweredPaper> papers = answer_all(library, RunsAndModel({}));
    const std::vector<GradedRow> rows = graded_rows(papers);
    std::map<std::string, std::vector<GradedRow>> schemes;
    for (const GradedRow& row : rows)
      schemes[case_of(*row.answer->predicted).algorithm].push_back(row);
    const auto errors = [&](Passes passes) {
      ModelGrade::Errors of{scheme_grade(rows, passes).value_or(1.0)};
      for (const auto& [scheme, own] : schemes)
        if (const auto grade = scheme_grade(own, passes)) of.schemes[scheme] = *grade;
      return of;
    };
    known = ModelGrade{errors(Passes::forward), errors(Passes::both)};
    return *known;
  };
  run.modelled_peak = [](const Row& row) {
    const double workers = row.number("workers");
    try {
      const DeviceModel device = load_device_model(row.text("model_device"));
      const double flop_per_s = row.is("dtype", "f32") ? 0.0 : device.product_flop_per_s.value;
      const double devices = device.cores.value > 0.0 ? device.cores.value : workers;
      return flop_per_s > 0.0 ? flop_per_s * std::min(devices, workers) : kNaN;
    } catch (const UsageError&) {
      return kNaN;  // it was measured on the run's machine, or stands in a file that is not here
    }
  };
  return run;
}

std::vector<bool> rows_kept(const CsvTable& cases, const std::vector<std::string>& filters) {
  return kept_by(filters, "--filter", cases.size(),
                 [&](std::size_t row, const Parameter& parameter) {
                   return cases.text(row, parameter.column);
                 });
}

std::pair<std::string, std::string> base_parameter(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw UsageError(fmt::format("--base {}: write KEY=VALUE, as in algorithm=dense", text));
  return {text.substr(0, at), text.substr(at + 1)};
}

std::string value_list(bool with_x) {
  std::string shown =
      "A value is a column of cases.csv (`qb columns`), with its unit or without (critical_path),\n"
      "or one of these:\n";
  std::string on_x = "\nThese are for --x alone:\n";
  for (const DerivedValue& derived : kDerivedValues)
    (derived.on_x ? on_x : shown) += fmt::format("  {:<17} {}\n", derived.name, derived.meaning);
  return with_x ? shown + on_x : shown;
}

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
  link_files(figures, folder + "/figures", page);
  write_file_atomically(page, report_html(run_report(run, std::move(figures), missing)));
  print_answer("{}\n", page);
  return code;
}

}  // namespace qb
