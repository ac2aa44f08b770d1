// SPDX-License-Identifier: Apache-2.0
// Runs a whole spec in seeded random order, each case in its own process, into a run folder that
// can be resumed after any interruption. Running the same spec again resumes its newest unfinished
// run, or starts a new run if there is none.
#pragma once

#include <ctime>
#include <map>
#include <set>

#include "base/csv.h"
#include "base/status.h"
#include "base/words.h"
#include "harness/experiment/process/supervisor.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/experiment/sweep/progress.h"
#include "harness/workload/case.h"

namespace qb {

// In which order the rows of a finished run stand in its tables: that of measuring, which is
// random, or that of the spec. While a run is unfinished it is always that of measuring.
enum class RowOrder { measured, spec };

QB_WORDS(RowOrder, "order", measured, spec);

struct RunOptions {
  std::string out = "results";  // run folders are out/<experiment>/<run_id>
  std::string run_id;           // empty: made from the time and the spec
  bool retry = false;  // run the cases of the newest run again that are not ok or stayed disturbed
  bool wait = false;   // for another run that writes the folder, in place of an error
  bool quiet = false;  // no progress, only failures
  RowOrder order = RowOrder::measured;
  bool noise_floor = false;       // measures one case again once all are done
  std::vector<std::string> argv;  // written to the manifest
  // Starts the child of a case, which reads and answers as the verb `__case` does; a program that
  // is not qb names a qb here.
  std::vector<std::string> child = ProcessLauncher::own_command();
  // Ids of the cases to run now (none: all); the run is unfinished until the others have run.
  std::optional<std::set<std::string>> only;
  // The run is a shard (shards.h), and has only these cases.
  struct Part {
    ShardNote note;
    std::set<std::string> case_ids;
    std::string calibration;  // a case id; empty: none
  };
  std::optional<Part> part;
};

struct RunOutcome {
  std::string folder;
  std::map<Status, std::size_t> counts;  // over the rows of the run
  std::size_t n_cases = 0;
  bool interrupted = false;
  CsvTable cases;                    // cases.csv
  std::vector<Case> cases_in_order;  // resolved on this machine, in spec order
};

// ok, oom, oom_skipped, infeasible and unsupported are outcomes that a sweep allows.
[[nodiscard]] bool is_allowed(Status status);

// 130 if interrupted, 1 for a status that is not allowed or without an ok row, otherwise 0.
[[nodiscard]] ExitCode exit_code(const RunOutcome& outcome);

// What a sweep needs from outside; tests use fakes.
struct SweepWorld {
  Launcher& launcher;
  std::function<double()> clock_s;
  std::function<std::time_t()> utc;
  std::function<bool()> stop_requested;
  std::string environment;  // a JSON object with device_fingerprint
  Progress& progress;
  std::function<void(const Case&)> require = require_device;  // throws where its device is missing
};

// Throws UsageError (nothing to run, a run id of another spec) and EnvironmentError (no such
// device, not writable, full disk, another writer) and keeps the rows so far; ExitError
// (interrupted) where it was stopped while it waited for another writer.
[[nodiscard]] RunOutcome run_spec(const Spec& spec, const RunOptions& options, SweepWorld& world);

// The cases of a spec as they run on this machine. Throws UsageError where one cannot be resolved.
[[nodiscard]] std::vector<Case> resolved_cases(std::vector<Case> cases);

// The same with child processes, stderr and Ctrl-C.
[[nodiscard]] RunOutcome run_spec(const Spec& spec, const RunOptions& options);

// A table of the rows, in spec order, and a list of the rows that are not ok, each message once.
// The table leaves out what is unsupported, of which only the message says something.
[[nodiscard]] std::string outcome_table(const RunOutcome& outcome);
[[nodiscard]] std::string failure_list(const RunOutcome& outcome);

}  // namespace qb
