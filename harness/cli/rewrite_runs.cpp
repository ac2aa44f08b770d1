// SPDX-License-Identifier: Apache-2.0
// Rewrites run folders to schema 1, once: qb __rewrite COMMIT FOLDER... All columns of today, ids
// that leave out standard values, marks of cases that had too few cores, and a manifest that names
// the old schema and the commit of this program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/schema/figure_names.h"
#include "base/schema/older_runs.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {
namespace {

Case case_of(const CsvTable& cases, std::size_t row, const Measure& measure) {
  Case c;
  for (const Parameter& parameter : parameters())
    parameter.set(c, parameter, cases.text(row, parameter.column));
  c.measure = measure;
  return c;
}

std::string new_id(const Case& c) {
  const Case standard;
  std::string key;
  for (const Parameter& parameter : parameters())
    if (const std::string value = parameter.get(c, parameter);
        value != parameter.get(standard, parameter))
      key += fmt::format("{}={}\n", parameter.column, value);
  if (c.shape.value_dim != c.shape.head_dim)
    key += fmt::format("value_dim={}\n", c.shape.value_dim);
  const nlohmann::json all = nlohmann::json::parse(case_to_json(c)).at("measure");
  const nlohmann::json usual = nlohmann::json::parse(case_to_json(standard)).at("measure");
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : all.items())
    if (value != usual.at(name)) json[name] = value;
  key += json.dump();
  const std::uint64_t hash = fnv1a(key);
  return id_of(hash ^ (hash >> 48));
}

void write_table(const std::string& path, CsvTable& table, const RunTable& now,
                 const std::map<std::string, std::string>& ids) {
  CsvTable written(now.columns);
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::vector<std::string> fields;
    for (const std::string& column : now.columns) {
      std::string text = table.has(column) ? table.text(row, column) : std::string();
      if (column == "schema_version") text = "1";
      if (column.ends_with("case_id"))
        if (const auto found = ids.find(text); found != ids.end()) text = found->second;
      fields.push_back(text);
    }
    written.append(fields);
  }
  write_file_atomically(path, written.to_string());
}

bool is_figure(const std::string& name) {
  return std::ranges::find(kFigureNames, name) != std::end(kFigureNames);
}

void rewrite(const std::string& folder, const std::string& commit) {
  namespace fs = std::filesystem;
  nlohmann::ordered_json manifest =
      nlohmann::ordered_json::parse(read_file(folder + "/manifest.json"));
  const int schema = manifest.at("schema_version");
  std::map<std::string, std::string> ids;
  std::set<std::string> taken;
  std::size_t unknown = 0;
  if (fs::exists(folder + "/cases.csv")) {
    RunFolder run;
    if (fs::exists(folder + "/samples.csv")) {
      run = read_run_folder(folder);
    } else {  // a figure's run without its samples
      run.manifest = read_manifest(folder);
      run.cases = read_run_table(folder + "/cases.csv");
      fit_columns(run.cases);
      complete_older_rows(run.cases, folder + "/cases.csv");
    }
    Measure measure;
    if (fs::exists(folder + "/spec.resolved.yaml")) {
      Spec spec = load_spec(folder + "/spec.resolved.yaml", {.max_cases = 1'000'000});
      std::erase_if(spec.figures, [](const std::string& name) { return !is_figure(name); });
      if (!spec.cases.empty()) measure = spec.cases.front().measure;
      for (Case& c : spec.cases) c = with_needs_met(c);
      const std::string resolved = write_resolved(spec);
      write_file_atomically(folder + "/spec.resolved.yaml", resolved);
      manifest["spec_hash"] = hash_spec(resolved);
    }
    for (std::size_t row = 0; row < run.cases.size(); ++row) {
      const Row at{&run.cases, row};
      if (oversubscribed(at, static_cast<int>(run.manifest.processors)) &&
          at.text("disturbed_by").empty())
        run.cases.set(row, "disturbed_by", std::string(word(Disturbance::oversubscribed)));
      const std::string id = at.text("case_id");
      if (!fs::exists(folder + "/spec.resolved.yaml")) continue;  // of another program
      const Case then = case_of(run.cases, row, measure);
      const Case c = with_needs_met(then);
      for (const Parameter& parameter : parameters())
        run.cases.set(row, parameter.column, parameter.get(c, parameter));
      if (case_id(then) != id)
        ++unknown;
      else if (const std::string now = new_id(c); !taken.insert(now).second)
        print_answer("{}: {} is there twice\n", folder, now);
      else
        ids[id] = now;
    }
    for (const RunTable& table : run_tables()) {
      const std::string path = folder + "/" + std::string(table.file);
      if (!fs::exists(path)) continue;
      CsvTable old = table.file == case_table().file     ? run.cases
                     : table.file == sample_table().file ? run.samples
                                                         : read_run_table(path);
      write_table(path, old, table, ids);
    }
  }
  nlohmann::ordered_json figures = nlohmann::ordered_json::array();
  for (const auto& name : manifest.at("figures"))
    if (is_figure(name)) figures.push_back(name);
  manifest["figures"] = figures;
  manifest["schema_version"] = 1;
  manifest["rewritten"] = {{"from_schema", schema}, {"by_commit", commit}};
  write_file_atomically(folder + "/manifest.json", manifest.dump(2) + '\n');
  print_answer("{}: schema {}, {} ids, {} unknown\n", folder, schema, ids.size(), unknown);
}

}  // namespace

void rewrite_runs(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) rewrite(words[i], words[0]);
}

}  // namespace qb
