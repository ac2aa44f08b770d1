// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/run.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/schema/run_tables.h"
#include "base/schema/strategies.h"
#include "base/status.h"
#include "plots/frame/frame.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string text_at(const Json& json, const char* pointer) {
  const Json::json_pointer path(pointer);
  return json.contains(path) && !json.at(path).is_null() ? text_of(json.at(path)) : std::string();
}

double number_at(const Json& json, const char* pointer) {
  const Json::json_pointer path(pointer);
  if (!json.contains(path) || !json.at(path).is_number()) return kNaN;
  return json.at(path).get<double>();
}

std::vector<std::string> list_at(const Json& json, const char* key) {
  std::vector<std::string> out;
  if (json.contains(key) && json.at(key).is_array())
    for (const Json& item : json.at(key)) out.push_back(text_of(item));
  return out;
}

std::string command_of(std::vector<std::string> argv) {
  if (!argv.empty()) argv.front() = std::filesystem::path(argv.front()).filename().string();
  std::ranges::transform(argv, argv.begin(), shell_quote);
  return fmt::format("{}", fmt::join(argv, " "));
}

Json origin(const Provenance& provenance) {
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  Json json = {{"command", text(provenance.command)},
               {"experiment", text(provenance.experiment)},
               {"run_id", text(provenance.run_id)},
               {"spec_hash", text(provenance.spec_hash)},
               {"qb_version", text(provenance.version)},
               {"commit", text(provenance.commit)},
               {"sources_modified", provenance.sources_modified},
               {"machine", text(provenance.machine)},
               {"started_at", text(provenance.started_at)}};
  if (!provenance.peer.empty()) json["peer"] = provenance.peer;
  if (!provenance.unfinished.empty()) json["unfinished"] = provenance.unfinished;
  return json;
}

// Columns that are younger than the run are empty. Throws UsageError for a table that another
// version of qb wrote.
CsvTable read_cases(const std::filesystem::path& path) {
  CsvTable cases = read_run_table(path.string());
  fit_columns(cases);
  const auto require = [&](const auto& fields) {
    for (const Field& field : fields)
      if (!cases.has(field.column))
        throw UsageError(
            fmt::format("{} has no column {}: another version of qb wrote it, and "
                        "this one draws schema {}",
                        path.string(), field.column, kSchemaVersion));
  };
  require(kIdentityFields);
  require(kParameterFields);
  require(kResultFields);
  for (std::size_t row = 0; row < cases.size(); ++row)
    cases.set(row, "algorithm", std::string(algorithm_name(cases.text(row, "algorithm"))));
  return cases;
}

std::optional<CsvTable> read_if_there(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return read_run_table(path.string());
}

}  // namespace

Provenance read_provenance(std::string_view manifest_json, std::string_view name) {
  const Json json = parse_json(manifest_json, name, false);
  if (!json.is_object()) throw UsageError(fmt::format("{} is not a manifest of a run", name));
  Provenance out;
  out.command = command_of(list_at(json, "argv"));
  out.experiment = text_at(json, "/experiment");
  out.description = text_at(json, "/description");
  out.run_id = text_at(json, "/run_id");
  out.spec_hash = text_at(json, "/spec_hash");
  out.started_at = text_at(json, "/started_at");
  try {
    if (const auto floor = read_noise_floor(json)) out.noise_floor = floor->text();
  } catch (const Json::exception&) {
    // A damaged one is left out.
  }
  out.figures = list_at(json, "figures");
  out.version = text_at(json, "/environment/build/version");
  const std::string peer = text_at(json, "/environment/peer/name");
  if (!peer.empty()) out.peer = peer + ' ' + text_at(json, "/environment/peer/version");
  out.commit = text_at(json, "/environment/build/commit");
  out.sources_modified = text_at(json, "/environment/build/sources_modified") == "true";
  out.machine = text_at(json, "/environment/device_fingerprint");
  if (json.contains("shards")) {
    std::set<std::string> machines;
    for (const Json& shard : json.at("shards")) {
      machines.insert(text_at(shard, "/machine"));
      out.shards.push_back({text_at(shard, "/index"), text_at(shard, "/node"),
                            text_at(shard, "/machine"),
                            fmt::format("{:.3g}", number_at(shard, "/predicted_s")),
                            fmt::format("{:.3g}", number_at(shard, "/calibration_s"))});
    }
    out.machine = listed({machines.begin(), machines.end()}, " and ");
  }
  const Json::json_pointer usable("/environment/cpu/usable_processors");
  if (json.contains(usable)) out.cores = static_cast<int>(json.at(usable).size());
  const double machine = number_at(json, "/environment/memory/total_bytes");
  const double container = number_at(json, "/environment/memory/container_limit_bytes");
  out.memory_bytes = container < machine ? container : machine;
  if (json.contains("environment")) out.facts = facts_of(json.at("environment"));
  return out;
}

std::string provenance_line(const Provenance& provenance) {
  const std::string& version = provenance.version;
  return listed(
      {provenance.unfinished, provenance.machine, provenance.peer,
       version.empty() ? "" : "qb " + version,
       provenance.commit.empty() ? ""
                                 : fmt::format("commit {}{}", provenance.commit.substr(0, 12),
                                               provenance.sources_modified ? " with changes" : ""),
       provenance.started_at.substr(0, 10)},
      "; ");
}

std::string write_provenance(const Provenance& provenance, const std::string& directory,
                             std::span<const Provenance> beside) {
  ensure_directory(directory);
  const std::string path = (std::filesystem::path(directory) / "provenance.json").string();
  Json json = origin(provenance);
  for (const Provenance& other : beside) json["beside"].push_back(origin(other));
  write_file_atomically(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  return path;
}

PlottedRun read_plotted_run(const std::string& path) {
  const std::filesystem::path folder(path);
  if (!std::filesystem::is_directory(folder))
    throw UsageError(fmt::format("{}: there is no such run folder", path));
  const std::filesystem::path manifest = folder / "manifest.json";
  if (!std::filesystem::exists(manifest))
    throw UsageError(fmt::format("{} is not a run folder: it has no manifest.json", path));
  PlottedRun run;
  run.path = path;
  const std::string manifest_json = read_text(manifest.string());
  run.provenance = read_provenance(manifest_json, manifest.string());
  run.microbench = read_if_there(folder / "microbench.csv");
  // A folder of microbenchmarks alone has no cases; any other must have them.
  if (!run.microbench || std::filesystem::exists(folder / "cases.csv"))
    run.cases = read_cases(folder / "cases.csv");
  const Json json = parse_json(manifest_json, manifest.string(), false);
  if (number_at(json, "/rewritten/from_schema") < kMarkedSince)
    mark_oversubscribed(run.cases, run.provenance.cores);
  const double planned = number_at(json, "/n_cases");
  // A torn last line counts as a case that is not there.
  if (run.has_cases() && static_cast<double>(run.cases.size()) < planned)
    run.provenance.unfinished =
        fmt::format("{} of {} cases: the run is not finished", run.cases.size(), planned);
  run.timeline = read_if_there(folder / "memory_timeline.csv");
  run.samples = read_if_there(folder / "samples.csv");
  run.steps = read_if_there(folder / "steps.csv");
  if (run.steps) add_later_fields(*run.steps, kStepFields);
  run.parts = read_if_there(folder / "parts.csv");
  return run;
}

std::vector<std::string> run_names(const PlottedRun& run) {
  std::vector<const PlottedRun*> runs = {&run};
  for (const PlottedRun& other : run.beside) runs.push_back(&other);
  std::map<std::string, int> uses;
  for (const PlottedRun* one : runs) ++uses[one->provenance.run_id];
  std::vector<std::string> names;
  for (const PlottedRun* one : runs) {
    const std::string& id = one->provenance.run_id;
    names.push_back(id.empty() || uses[id] > 1 ? one->path : id);
  }
  return names;
}

CsvTable joined_cases(const PlottedRun& run) {
  const std::vector<std::string> names = run_names(run);
  std::vector<std::string> header = run.cases.header();
  header.emplace_back("run");
  CsvTable joined(header);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const CsvTable& cases = i == 0 ? run.cases : run.beside[i - 1].cases;
    for (std::size_t row = 0; row < cases.size(); ++row) {
      std::vector<std::string> fields;
      for (const std::string& column : run.cases.header())
        fields.push_back((column == "case_id" ? names[i] + " " : "") + cases.text(row, column));
      fields.push_back(names[i]);
      joined.append(std::move(fields));
    }
  }
  return joined;
}

}  // namespace qb
