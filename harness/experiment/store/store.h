// SPDX-License-Identifier: Apache-2.0
// The run folder that a sweep writes, case by case.
//
//   spec.resolved.yaml  manifest.json  cases.csv  samples.csv  memory_timeline.csv  steps.csv
//   parts.csv  logs/  traces/
//
// A row of cases.csv is the commit of its case: the rows of the other files are written and flushed
// before it. Opening the folder again cuts torn last lines and drops the rows of cases that were
// not committed, so that a killed writer loses at most the running case.
#pragma once

#include <set>

#include "base/csv.h"
#include "harness/experiment/process/child_process.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/workload/case.h"
#include "harness/workload/result.h"

namespace qb {

// Another process writes the run folder, which `busy` says.
class FolderBusy : public EnvironmentError {
 public:
  explicit FolderBusy(const std::string& said)
      : EnvironmentError(said + "; wait for it (qb run --wait), or choose another --run-id"),
        busy(said) {}
  std::string busy;
};

// Takes an exclusive flock on FOLDER/.lock, which holds while the descriptor is open; the kernel
// releases it whenever the process dies. Children do not inherit it (close-on-exec). Throws
// FolderBusy if another run, named by its process and host, writes FOLDER, and EnvironmentError
// where the file system refuses to write or lock.
[[nodiscard]] Fd lock_folder(const std::string& folder);

class RunStore {
 public:
  // A finished case as rows of the five files.
  struct Record {
    std::string case_id;
    RowValues row;
    std::vector<RowValues> samples;
    std::vector<RowValues> steps;
    std::vector<RowValues> parts;
    std::vector<RowValues> timeline;
  };

  // Makes the folder (and its parents), locks it and points `latest` beside it at it. Throws
  // EnvironmentError (not writable, full disk) and FolderBusy, also where another has made the run
  // meanwhile.
  [[nodiscard]] static RunStore create(const std::string& path, const Manifest& manifest,
                                       const std::string& resolved_yaml);
  // Locks and repairs an existing run. Throws UsageError where its files do not fit this version.
  [[nodiscard]] static RunStore open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] bool has(const std::string& case_id) const { return done_.contains(case_id); }
  [[nodiscard]] const CsvTable& cases() const { return cases_; }  // in order of commit
  [[nodiscard]] std::string log_path(const std::string& case_id) const;
  [[nodiscard]] std::string trace_directory() const;  // the first call creates it

  // Appends and flushes. Throws EnvironmentError: only earlier rows are then committed. Throws
  // std::logic_error, and writes nothing, where a row has a value that its table has no column for.
  void commit(const Record& record);
  // Drops every case that is not ok or stayed disturbed, so that it runs again. One with more
  // threads than cores would stay so.
  void drop_for_retry();
  // Puts the rows of all tables into the order of these cases; the rows of one case stay in theirs.
  void sort_rows(const std::vector<std::string>& case_ids);
  void note_resume(const std::string& utc);
  void finish(const std::string& utc, const std::optional<NoiseFloor>& noise_floor = {});
  // Of a run that is a shard. Nothing is written before the next change of the manifest.
  [[nodiscard]] ShardNote& shard() { return *manifest_.shard; }

 private:
  explicit RunStore(std::string path);  // locks it
  void write_manifest();
  void load_cases();
  void repair();  // keeps whole rows of committed cases only
  [[nodiscard]] std::string file(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }

  std::string path_;
  Fd lock_;
  Manifest manifest_;
  CsvTable cases_;
  std::set<std::string> done_;
};

// Keeps times and samples only where the status is ok. Line ends in texts become spaces.
[[nodiscard]] RunStore::Record make_record(const Case& c, const CaseResult& result,
                                           const std::string& started_at, double duration_s);

// `PID on HOST` of the process that writes the folder; empty where nobody writes.
[[nodiscard]] std::string writer_of(const std::string& folder);

}  // namespace qb
