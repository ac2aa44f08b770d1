#include "harness/experiment/store/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/files.h"

namespace qb {
namespace {

void require_run_folder(const std::string& path) {
  if (!std::filesystem::is_directory(path))
    throw UsageError(
        fmt::format("{}: no such folder; give a run folder, results/NAME/RUN_ID", path));
  for (const char* name : {"manifest.json", "cases.csv", "samples.csv"})
    if (!std::filesystem::is_regular_file(path + "/" + name))
      throw UsageError(fmt::format(
          "{} is not a run folder: it has no {}; give one that `qb run` wrote, results/NAME/RUN_ID",
          path, name));
}

CsvTable read_table(const std::string& path) { return CsvTable::parse(read_file(path), path); }

}  // namespace
using Json = nlohmann::ordered_json;

std::string fingerprint_of(std::string_view environment) {
  return Json::parse(environment).value("device_fingerprint", "");
}

std::string manifest_to_json(const Manifest& m) {
  const Json json = {
      {"schema_version", m.schema_version},
      {"experiment", m.experiment},
      {"description", m.description},
      {"figures", m.figures},
      {"run_id", m.run_id},
      {"spec_hash", m.spec_hash},
      {"order_seed", m.order_seed},
      {"n_cases", m.n_cases},
      {"argv", m.argv},
      {"started_at", m.started_at},
      {"resumed_at", m.resumed_at},
      {"finished_at", m.finished_at.empty() ? Json() : Json(m.finished_at)},
      {"environment", Json::parse(m.environment)},
  };
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Manifest manifest_from_json(std::string_view text, std::string_view name) {
  try {
    const Json json = Json::parse(text);
    Manifest m;
    json.at("schema_version").get_to(m.schema_version);
    json.at("experiment").get_to(m.experiment);
    json.at("description").get_to(m.description);
    json.at("figures").get_to(m.figures);
    json.at("run_id").get_to(m.run_id);
    json.at("spec_hash").get_to(m.spec_hash);
    json.at("order_seed").get_to(m.order_seed);
    json.at("n_cases").get_to(m.n_cases);
    json.at("argv").get_to(m.argv);
    json.at("started_at").get_to(m.started_at);
    json.at("resumed_at").get_to(m.resumed_at);
    if (!json.at("finished_at").is_null()) json.at("finished_at").get_to(m.finished_at);
    m.environment = json.at("environment").dump();
    m.device_fingerprint = fingerprint_of(m.environment);
    return m;
  } catch (const Json::exception& problem) {
    throw UsageError(fmt::format("{}: no manifest of a run: {}", name, problem.what()));
  }
}

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

Manifest read_manifest(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  Manifest manifest = manifest_from_json(read_file(path), path);
  manifest.folder = folder;
  return manifest;
}

std::vector<Manifest> list_runs(const std::string& experiment_folder) {
  std::vector<Manifest> runs;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(experiment_folder, missing)) {
    if (entry.is_symlink(missing)) continue;  // `latest`
    try {
      runs.push_back(read_manifest(entry.path()));
    } catch (const UsageError&) {
      continue;  // its manifest is missing, malformed or of another version
    }
  }
  std::ranges::sort(runs, std::greater(), [](const Manifest& manifest) {
    return std::tie(manifest.started_at, manifest.folder);
  });
  return runs;
}

RunFolder read_run_folder(const std::string& path) {
  require_run_folder(path);
  return {path, read_manifest(path), read_table(path + "/cases.csv"),
          read_table(path + "/samples.csv")};
}

Status row_status(const RunFolder& run, std::size_t row) {
  const std::string& text = run.cases.text(row, "status");
  if (const auto status = parse_word<Status>(text)) return *status;
  throw UsageError(fmt::format("{}/cases.csv: record {}: {}", run.path, row + 1,
                               unknown_word("status", text, all_words<Status>())));
}

}  // namespace qb
