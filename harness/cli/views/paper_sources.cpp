// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/paper_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/files.h"
#include "base/numbers.h"
#include "base/schema/run_tables.h"
#include "base/source_root.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_ending_with(const std::string& folder, std::string_view ending) {
  std::vector<std::string> names;
  for (const fs::path& path : paths_in(folder))
    if (const std::string name = path.filename().string(); name.ends_with(ending))
      names.push_back(name);
  return names;
}

CsvTable published_csv(const std::string& file) {
  const std::string path = source_path("data/published/" + file);
  if (!fs::exists(path)) throw UsageError(fmt::format("data/published has no {}", file));
  return CsvTable::parse(read_text(path), file);
}

void require_each_table_once(const Library& library) {
  std::map<std::string, std::string> owners;
  for (const Paper& paper : library)
    for (const PublishedTable& table : paper.tables)
      if (const auto [owner, first] = owners.emplace(table.file, paper.name); !first)
        throw UsageError(fmt::format("data/papers: {} is in {} and in {}", table.file,
                                     owner->second, paper.name));
  for (const std::string& file : files_ending_with(source_path("data/published"), ".csv"))
    if (!owners.contains(file))
      throw UsageError(fmt::format("data/papers: no paper has the table {}", file));
}

// A value as a spec writes it.
std::string spec_value(const FormulaValue& value) {
  if (value.text) return *value.text;
  if (value.numbers.size() != 1 || !value.numbers[0].known())
    throw UsageError("a parameter of the model needs one value");
  const double number = value.numbers[0].value;
  return number == std::floor(number) && std::abs(number) < 1e18
             ? to_text(static_cast<std::int64_t>(number))
             : to_text(number);
}

std::string_view key_of_column(const std::string& column) {
  const auto found = std::ranges::find(parameters(), column, &Parameter::column);
  if (found == parameters().end() || found->key.empty())
    throw UsageError(fmt::format("the model has no parameter '{}'", column));
  return found->key;
}

}  // namespace

Library read_library() {
  Library library;
  for (const std::string& name : files_ending_with(source_path("data/papers"), ".yaml")) {
    const std::string path = "data/papers/" + name;
    // read_paper() keeps views of the text in no place that outlives it.
    library.push_back(read_paper(read_text(source_path(path)), path, published_csv));
  }
  require_each_table_once(library);
  return library;
}

const CsvTable* RunsAndModel::run(const std::string& experiment) const {
  auto [found, first] = runs_.try_emplace(experiment);
  if (first)
    for (const std::string& folder : folders_) {
      // A committed run has no run id of its own; results/ has one below the experiment.
      for (const std::string& place :
           {folder + "/" + experiment + "/latest", folder + "/" + experiment})
        if (!found->second && fs::exists(place + "/cases.csv")) {
          found->second = Run{place, read_run_table(place + "/cases.csv")};
          fit_columns(found->second->cases);
        }
    }
  return found->second ? &found->second->cases : nullptr;
}

std::string RunsAndModel::folder_of(const std::string& experiment) const {
  return run(experiment) == nullptr ? "" : runs_.at(experiment)->folder;
}

namespace {

std::string device_file(const std::string& device) {
  return source_path("data/devices/" + device + ".csv");
}

// A spec of one case; without a device it is a plan that nothing times.
std::string spec_of(const std::string& device, std::span<const CellReference::Binding> parameters) {
  std::string spec = "experiment: published_row\n";
  for (const CellReference::Binding& parameter : parameters)
    if (parameter.value)
      spec += fmt::format("{}: {}\n", key_of_column(parameter.key), spec_value(*parameter.value));
  if (!device.empty()) spec += fmt::format("ranks: model\nmodel.device: {}\n", device_file(device));
  return spec;
}

Case case_of_spec(const std::string& spec) {
  return resolve_case(parse_spec(spec, "a claim's model", {}).cases.at(0));
}

RowValues predicted_row(const std::string& spec, bool timed) {
  const Case c = case_of_spec(spec);
  if (!timed) return predicted_values(c);
  CaseResult result = run_case(c, "");
  if (result.status != Status::ok) throw CaseError(result.status, result.message);
  result.values.set("critical_path_median_s", result.samples.at(0).critical_path_s);
  return result.values;
}

}  // namespace

bool RunsAndModel::has_device(const std::string& device) const {
  return fs::exists(device_file(device));
}

double RunsAndModel::model(const std::string& device, const std::string& column,
                           std::span<const CellReference::Binding> parameters) const {
  const std::string spec = spec_of(device, parameters);
  auto predicted = predicted_.find(spec);
  if (predicted == predicted_.end())
    predicted = predicted_.emplace(spec, predicted_row(spec, !device.empty())).first;
  return parse_real(predicted->second.at(column))
      .value_or(std::numeric_limits<double>::quiet_NaN());
}

Case case_of(const PredictedCase& predicted) {
  return case_of_spec(spec_of(predicted.device, predicted.parameters));
}

std::vector<std::string> with_subfolders(const std::string& folder) {
  std::vector<std::string> folders = {folder};
  if (!fs::is_directory(folder)) throw UsageError(fmt::format("--from {}: no such folder", folder));
  for (const fs::path& path : paths_in(folder))
    if (fs::is_directory(path)) folders.push_back(path.string());
  return folders;
}

std::vector<std::string> committed_runs() { return with_subfolders(source_path("data/measured")); }

}  // namespace qb
