// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <tuple>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/schema/run_tables.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

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

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '.' && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

std::string another_build(const Manifest& manifest, const RunRequest& request) {
  const auto named = [](const std::string& commit) { return commit.empty() ? "unknown" : commit; };
  return fmt::format("another build (commit {}, this is {})", named(manifest.commit),
                     named(request.commit));
}

void require_same(const RunRequest& request, const Manifest& manifest) {
  if (manifest.spec_hash != request.spec_hash)
    throw UsageError(
        fmt::format("run {} has another spec than this one (or other --set and --filter); choose "
                    "another --run-id",
                    request.run_id));
  if (manifest.device_fingerprint != request.device_fingerprint)
    throw UsageError(
        fmt::format("run {} was measured on another machine ({}); choose another "
                    "--run-id",
                    request.run_id, manifest.device_fingerprint));
  if (manifest.commit != request.commit)
    throw UsageError(fmt::format("run {} was measured by {}; choose another --run-id",
                                 request.run_id, another_build(manifest, request)));
}

RunPlace named_run(const RunRequest& request, const std::string& folder) {
  if (!is_name(request.run_id))
    throw UsageError(
        fmt::format("--run-id {}: use letters, digits, '_', '-' and '.'", request.run_id));
  RunPlace place{folder + "/" + request.run_id, request.run_id};
  place.exists = std::filesystem::exists(place.path + "/manifest.json");
  if (!place.exists && request.retry)
    throw UsageError(fmt::format("--retry: there is no run {}", place.path));
  if (place.exists) require_same(request, read_manifest(place.path));
  return place;
}

RunPlace new_run(const RunRequest& request, const std::string& folder, std::time_t now) {
  // The low digits of the hash mix best.
  const std::string name = fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::gmtime(now),
                                       request.spec_hash.substr(request.spec_hash.size() - 6));
  RunPlace place{folder + "/" + name, name};
  for (int copy = 2; std::filesystem::exists(place.path + "/manifest.json"); ++copy) {
    place.run_id = fmt::format("{}-{}", name, copy);
    place.path = folder + "/" + place.run_id;
  }
  return place;
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

// Visits what the file has as it is, in the file's order.
void for_each_fact(auto& m, const auto& visit) {
  visit("schema_version", m.schema_version);
  visit("experiment", m.experiment);
  visit("description", m.description);
  visit("figures", m.figures);
  visit("run_id", m.run_id);
  visit("spec_hash", m.spec_hash);
  visit("order_seed", m.order_seed);
  visit("n_cases", m.n_cases);
  visit("argv", m.argv);
  visit("started_at", m.started_at);
  visit("resumed_at", m.resumed_at);
}

}  // namespace

std::string fingerprint_of(std::string_view environment) {
  return Json::parse(environment).value("device_fingerprint", "");
}

std::string commit_of(std::string_view environment) {
  const Json build = Json::parse(environment).value("build", Json::object());
  // Programs that are not a git checkout have null.
  const Json commit = build.value("commit", Json());
  const bool changed = build.value("sources_modified", Json()) == true;
  return (commit.is_string() ? commit.get<std::string>().substr(0, 10) : "") + (changed ? "+" : "");
}

std::string manifest_to_json(const Manifest& m) {
  Json json;
  for_each_fact(m, [&](const char* key, const auto& value) { json[key] = value; });
  json["finished_at"] = m.finished_at.empty() ? Json() : Json(m.finished_at);
  json["environment"] = Json::parse(m.environment);
  if (m.noise_floor)
    json["noise_floor"] = {{"case", m.noise_floor->case_label},
                           {"ratio", m.noise_floor->ratio},
                           {"low", m.noise_floor->low},
                           {"high", m.noise_floor->high}};
  if (m.shard) json["shard"] = nlohmann::json(*m.shard);
  if (!m.shards.empty()) json["shards"] = nlohmann::json(m.shards);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Manifest manifest_from_json(std::string_view text, std::string_view name) {
  try {
    const Json json = parse_json(text, name);
    Manifest m;
    for_each_fact(m, [&](const char* key, auto& value) { json.at(key).get_to(value); });
    if (json.contains("rewritten")) m.rewritten_from = json.at("rewritten").at("from_schema");
    if (!json.at("finished_at").is_null()) json.at("finished_at").get_to(m.finished_at);
    m.environment = json.at("environment").dump();
    m.device_fingerprint = fingerprint_of(m.environment);
    const Json& environment = json.at("environment");
    m.processors =
        environment.value(Json::json_pointer("/cpu/usable_processors"), Json::array()).size();
    if (const Json load = environment.value(Json::json_pointer("/system/load_average"), Json());
        load.is_string())
      m.load_average = parse_real(first_word(load.get<std::string>())).value_or(0.0);
    m.commit = commit_of(m.environment);
    m.noise_floor = read_noise_floor(json);
    if (json.contains("shard")) m.shard = nlohmann::json(json.at("shard")).get<ShardNote>();
    if (json.contains("shards"))
      m.shards = nlohmann::json(json.at("shards")).get<std::vector<ShardNote>>();
    return m;
  } catch (const Json::exception& problem) {
    throw UsageError(fmt::format("{} is not a manifest of a run: {}", name, problem.what()));
  }
}

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

Manifest read_manifest(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  Manifest manifest = manifest_from_json(read_text(path), path);
  manifest.folder = folder;
  return manifest;
}

std::vector<Manifest> list_runs(const std::string& experiment_folder) {
  std::vector<Manifest> runs;
  for (const std::filesystem::path& path : paths_in(experiment_folder)) {
    std::error_code missing;
    if (std::filesystem::is_symlink(path, missing)) continue;  // `latest`
    const std::string manifest = (path / "manifest.json").string();
    if (!std::filesystem::exists(manifest)) continue;
    const std::string text = read_file(manifest);
    try {
      runs.push_back(manifest_from_json(text, manifest));
      runs.back().folder = path.string();
    } catch (const UsageError&) {
      continue;  // it is malformed or of another version
    }
  }
  std::ranges::sort(runs, std::greater(), [](const Manifest& manifest) {
    return std::tie(manifest.started_at, manifest.folder);
  });
  return runs;
}

RunFolder read_run_folder(const std::string& path) {
  require_run_folder(path);
  RunFolder run{path, read_manifest(path), read_run_table(path + "/cases.csv"),
                read_run_table(path + "/samples.csv")};
  fit_columns(run.cases);
  add_later_fields(run.samples, kSampleKeys, kSampleFields);
  return run;
}

Status row_status(const RunFolder& run, std::size_t row) {
  const std::string& text = Row{&run.cases, row}.text("status");
  if (const auto status = parse_word<Status>(text)) return *status;
  throw UsageError(fmt::format("{}/cases.csv: record {}: {}", run.path, row + 1,
                               unknown_word("status", text, all_words<Status>())));
}

std::string hash_spec(std::string_view resolved_yaml) {
  return fmt::format("{:016x}", fnv1a(resolved_yaml));
}

RunPlace find_run(const RunRequest& request, std::time_t now) {
  const std::string folder = request.out + "/" + request.experiment;
  if (!request.run_id.empty()) return named_run(request, folder);
  std::string left_alone;
  for (const Manifest& run : list_runs(folder)) {
    if (run.shard || run.spec_hash != request.spec_hash ||
        run.device_fingerprint != request.device_fingerprint ||
        (!request.retry && !run.finished_at.empty()))
      continue;
    if (run.commit == request.commit) return {run.folder, run.run_id, true};
    if (left_alone.empty())
      left_alone = fmt::format("{} was measured by {}", run.folder, another_build(run, request));
  }
  if (request.retry)
    throw UsageError(left_alone.empty()
                         ? fmt::format("--retry: there is no run of this spec in {}", folder)
                         : fmt::format("--retry: {}; run the spec without --retry", left_alone));
  RunPlace place = new_run(request, folder, now);
  place.left_alone = left_alone;
  return place;
}

}  // namespace qb
