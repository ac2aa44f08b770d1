// SPDX-License-Identifier: Apache-2.0
// Run folders: manifest.json, the tables that compare, verify, plot and report read, and which
// folder a run of a spec takes.
#pragma once

#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/csv.h"
#include "base/statistics.h"
#include "base/status.h"

namespace qb {

// A shard of a run (sweep/shards.h), as its own manifest and that of the joined run have it.
struct ShardNote {
  std::string run_id;  // of the whole run
  int index = 1;
  int of = 1;
  std::string node;     // the host of the process that wrote it last
  std::string machine;  // the device fingerprint, in the manifest of the joined run
  double predicted_s = 0.0;
  std::string calibration;     // what all shards measure, a label; empty: nothing
  double calibration_s = 0.0;  // median; 0: not known
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ShardNote, run_id, index, of, node, machine, predicted_s,
                                   calibration, calibration_s)

struct Manifest {
  int schema_version = 0;
  // The schema of a run that was rewritten when the versions began again with 1: what its program
  // measured and predicted is as it was.
  std::optional<int> rewritten_from;
  std::string experiment;
  std::string description;
  std::vector<std::string> figures;
  std::string run_id;
  std::string spec_hash;  // hash of spec.resolved.yaml; runs of the same spec share it
  std::uint64_t order_seed = 0;
  std::size_t n_cases = 0;
  std::vector<std::string> argv;
  std::string started_at;                 // UTC, ISO 8601, like every time here
  std::vector<std::string> resumed_at;    // one entry for each time that the run resumed
  std::string finished_at;                // empty: cases are missing
  std::string environment;                // a JSON object, as environment_json() gives it
  std::optional<NoiseFloor> noise_floor;  // measured as the run finished
  std::optional<ShardNote> shard;         // the run is one
  std::vector<ShardNote> shards;          // that the run was joined from

  // The environment's commit of the sources, shortened, with a `+` if they had been changed.
  std::string commit;
  std::string device_fingerprint;  // the environment's; runs resume only where it is the same
  double load_average = 0.0;       // over the minute before it began; 0 where it is not known
  std::size_t processors = 0;      // that the run could use; 0 where it is not known

  std::string folder;  // where read_manifest() found it; the file does not have it
};

[[nodiscard]] std::string manifest_to_json(const Manifest& manifest);

// Throws UsageError `name: …` where the text is not a manifest.
[[nodiscard]] Manifest manifest_from_json(std::string_view text, std::string_view name);

// The device_fingerprint of an environment_json(); empty where it has none.
[[nodiscard]] std::string fingerprint_of(std::string_view environment);

// Its commit, as a Manifest has it.
[[nodiscard]] std::string commit_of(std::string_view environment);

[[nodiscard]] std::string utc_text(std::time_t time);  // `2025-01-31T12:00:00Z`

// Throws UsageError where FOLDER/manifest.json cannot be read.
[[nodiscard]] Manifest read_manifest(const std::string& folder);

// The runs under `experiment_folder` that have a manifest of this program, newest first. Throws as
// read_file() does where one cannot be read.
[[nodiscard]] std::vector<Manifest> list_runs(const std::string& experiment_folder);

struct RunFolder {
  std::string path;
  Manifest manifest;
  CsvTable cases;
  CsvTable samples;
};

// A torn last line (the writer was killed) is left out; CsvTable::torn() reports it. Throws
// UsageError, which names the file: no such folder, no run folder, a missing or malformed file.
// Columns that are younger than the run are there (base/schema/run_tables.h).
[[nodiscard]] RunFolder read_run_folder(const std::string& path);

// Throws UsageError, which names run and row, for a word that is not a status.
[[nodiscard]] Status row_status(const RunFolder& run, std::size_t row);

struct RunRequest {
  std::string out;
  std::string experiment;
  std::string run_id;  // empty: choose
  std::string spec_hash;
  std::string device_fingerprint;
  std::string commit;
  bool retry = false;
};

struct RunPlace {
  std::string path;
  std::string run_id;
  bool exists = false;
  std::string left_alone{};  // which unfinished run is of another build; empty: none
};

// 16 hex digits over the resolved spec.
[[nodiscard]] std::string hash_spec(std::string_view resolved_yaml);

// A run id chooses that run; if it exists, its spec, machine and build must be the same, since a
// row does not say which build measured it. No run id chooses the newest unfinished run of this
// spec by this build on this machine (retry: the newest, finished or not), or else a new run named
// YYYYMMDD-HHMMSS-<6 hex of the hash>, in UTC. Throws UsageError.
[[nodiscard]] RunPlace find_run(const RunRequest& request, std::time_t now);

}  // namespace qb
