// Runs a whole spec: in seeded random order, each case in its own process, into a run folder that
// can go on after any interruption.
//
// The same spec again goes on with its newest unfinished run; when there is none, a new run starts.
#pragma once

#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/status.h"
#include "harness/experiment/process/device.h"
#include "harness/experiment/process/supervisor.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/sweep/progress.h"

namespace qb {

struct RunOptions {
  std::string out = "results";    // run folders are out/<experiment>/<run_id>
  std::string run_id;             // empty: from the time and the spec
  bool retry = false;             // run the cases of the newest run again that are not ok
  bool quiet = false;             // no progress, only failures
  std::vector<std::string> argv;  // for the manifest
  // Ids of the cases to run now: the others stay to be run, and the run is unfinished until they
  // have. None: all.
  std::optional<std::set<std::string>> only;
};

struct RunOutcome {
  std::string folder;
  std::map<Status, std::size_t> counts;  // of the rows of the run
  std::size_t n_cases = 0;
  bool interrupted = false;
  CsvTable cases;                    // cases.csv
  std::vector<Case> cases_in_order;  // as resolved on this machine, in spec order
};

// ok, oom, oom_skipped, infeasible and unsupported are outcomes that a sweep allows.
[[nodiscard]] bool is_allowed(Status status);

// interrupted: 130; a status that is not allowed, or no ok row at all: 1; else 0.
[[nodiscard]] ExitCode exit_code(const RunOutcome& outcome);

// What a sweep takes from the world; fakes in tests.
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
// device, not writable, full disk, another writer) with the rows so far kept.
[[nodiscard]] RunOutcome run_spec(const Spec& spec, const RunOptions& options, SweepWorld& world);

// The ids of a spec's cases as they run on this machine.
[[nodiscard]] std::set<std::string> case_ids(const Spec& spec);

// In the real world: child processes, stderr, Ctrl-C.
[[nodiscard]] RunOutcome run_spec(const Spec& spec, const RunOptions& options);

// The rows for people, in spec order; and every row that is not ok, with its message.
[[nodiscard]] std::string outcome_table(const RunOutcome& outcome);
[[nodiscard]] std::string failure_list(const RunOutcome& outcome);

}  // namespace qb
