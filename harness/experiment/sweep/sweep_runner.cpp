// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/sweep_runner.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/schema/column_fields.h"
#include "harness/experiment/schema/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <thread>

#include "harness/experiment/process/mpi_case.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/machine.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/experiment/store/store.h"
#include "harness/experiment/sweep/case_order.h"
#include "harness/experiment/sweep/interrupt.h"
#include "harness/experiment/sweep/noise_floor.h"
#include "harness/run/transport/mpi_world.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

// The cases of a spec as they run here, with their ids. Those that `auto` makes the same run once.
struct Entries {
  std::vector<Case> cases;
  std::vector<std::string> ids;
};

Entries entries_of(const Spec& spec, const RunOptions& options, const SweepWorld& world) {
  Entries entries;
  std::set<std::string> seen;
  for (const Case& c : resolved_cases(spec.cases)) {
    const std::string id = case_id(c);
    if (options.part && !options.part->case_ids.contains(id)) continue;
    world.require(c);
    if (!seen.insert(id).second) continue;
    entries.cases.push_back(c);
    entries.ids.push_back(id);
  }
  if (seen.empty()) throw UsageError(fmt::format("{}: no case to run", spec.name));
  return entries;
}

class Sweep {
 public:
  Sweep(const Entries& entries, const RunOptions& options, RunStore& store, SweepWorld& world)
      : cases_(entries.cases), ids_(entries.ids), options_(options), store_(store), world_(world) {
    varying_ = varying_parameters(cases_);
    note_what_stands();
  }

  // Returns false when the user stopped it.
  bool run() {
    for (std::size_t at : seeded_order(ids_.size(), store_.manifest().order_seed)) {
      if (store_.has(ids_[at]) || !is_chosen(ids_[at])) continue;
      if (world_.stop_requested() || !run_one(cases_[at], ids_[at])) return false;
    }
    return true;
  }

  // Measures a case again that takes a small part of the run's time, in a process of its own.
  [[nodiscard]] std::optional<NoiseFloor> noise_floor() {
    const std::optional<std::size_t> at = row_to_repeat(store_.cases());
    if (!at) return std::nullopt;
    const Row first{&store_.cases(), *at};
    const auto id = std::ranges::find(ids_, first.text("case_id"));
    if (id == ids_.end()) return std::nullopt;
    const Case& again = cases_[static_cast<std::size_t>(id - ids_.begin())];
    const std::optional<RowValues> second = measure_again(again, *id + "-again");
    if (!second) return std::nullopt;
    const NoiseFloor floor = noise_floor_of(case_label(again, varying_), first, *second);
    if (!std::isfinite(floor.low) || !std::isfinite(floor.high)) return std::nullopt;
    world_.progress.note(floor.text());
    return floor;
  }

  // Measures the case of which every shard of the run has a time, unless it is among its own.
  void calibrate(const Case& c, ShardNote& note) {
    note.calibration = case_label(c, {});
    const std::string id = case_id(c);
    double median_s = std::numeric_limits<double>::quiet_NaN();
    for (const Row& row : all_rows(store_.cases()))
      if (row.text("case_id") == id) median_s = row.number("wall_time_median_s");
    if (!store_.has(id))
      if (const std::optional<RowValues> values = measure_again(c, id + "-calibration"))
        median_s = values->number("wall_time_median_s");
    if (std::isfinite(median_s)) note.calibration_s = median_s;
  }

 private:
  // Without verifying it; none where it did not end well.
  [[nodiscard]] std::optional<RowValues> measure_again(Case c, const std::string& log) {
    c.measure.verify_rows = 0;
    CaseResult result = world_.launcher.launch(c, {store_.log_path(log), ""});
    if (result.status != Status::ok) return std::nullopt;
    return std::move(result.values);
  }
  [[nodiscard]] bool is_chosen(const std::string& id) const {
    return !options_.only || options_.only->contains(id);
  }

  void note_what_stands() {
    std::map<std::string, std::string> status;
    for (const Row& row : all_rows(store_.cases()))
      status[row.text("case_id")] = row.text("status");
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (!store_.has(ids_[i])) {
        if (is_chosen(ids_[i])) remaining_.add(case_weight(cases_[i]));
        continue;
      }
      ++number_;
      if (status[ids_[i]] == word(Status::oom)) out_of_memory_.note(cases_[i]);
    }
  }

  bool run_one(const Case& c, const std::string& id) {
    const std::string started_at = utc_text(world_.utc());
    world_.progress.started(++number_, ids_.size(), case_label(c, varying_));
    const double start_s = world_.clock_s();
    CaseResult result;
    if (const auto smaller = out_of_memory_.smaller_that_ran_out(c)) {
      result.status = Status::oom_skipped;
      result.message =
          fmt::format("n_tokens {} of this series already ran out of memory", *smaller);
      remaining_.dropped(case_weight(c));
    } else {
      const bool traces = c.measure.memory_timeline;
      peaks_.read(store_.cases());
      Case told = c;
      told.gpu_peak_flop_per_s = peaks_.of(told);
      result = world_.launcher.launch(
          told, {store_.log_path(id), traces ? store_.trace_directory() : ""});
      if (result.status == Status::interrupted) return false;
      // Only a case that computed to its end, or to the timeout, predicts how long others take.
      if (result.status == Status::ok || result.status == Status::timeout)
        remaining_.done(case_weight(c), world_.clock_s() - start_s);
      else
        remaining_.dropped(case_weight(c));
    }
    if (result.status == Status::oom) out_of_memory_.note(c);
    store_.commit(make_record(c, result, started_at, world_.clock_s() - start_s));
    world_.progress.finished(result, remaining_.seconds(), c);
    return true;
  }

  const std::vector<Case>& cases_;
  const std::vector<std::string>& ids_;
  const RunOptions& options_;
  RunStore& store_;
  SweepWorld& world_;
  std::vector<std::string> varying_;
  OutOfMemoryRecord out_of_memory_;
  GpuPeaks peaks_;
  RemainingTime remaining_;
  std::size_t number_ = 0;
};

Manifest new_manifest(const Spec& spec, const RunOptions& options, const RunRequest& request,
                      const RunPlace& place, const SweepWorld& world, std::size_t n_cases) {
  Manifest manifest;
  manifest.schema_version = kSchemaVersion;
  manifest.experiment = spec.name;
  manifest.description = spec.description;
  manifest.figures = spec.figures;
  manifest.run_id = place.run_id;
  manifest.spec_hash = request.spec_hash;
  manifest.order_seed = fnv1a(spec.name);  // the same on every machine
  manifest.n_cases = n_cases;
  manifest.argv = options.argv;
  manifest.started_at = utc_text(world.utc());
  manifest.environment = world.environment;
  if (options.part) manifest.shard = options.part->note;
  return manifest;
}

RunStore open_store(const Spec& spec, const RunOptions& options, SweepWorld& world,
                    std::size_t n_cases) {
  const RunRequest request{options.out,
                           spec.name,
                           options.run_id,
                           hash_spec(spec.resolved_yaml),
                           fingerprint_of(world.environment),
                           commit_of(world.environment),
                           options.retry};
  const RunPlace place = find_run(request, world.utc());
  if (!place.exists) {
    RunStore store =
        RunStore::create(place.path, new_manifest(spec, options, request, place, world, n_cases),
                         spec.resolved_yaml);
    if (!place.left_alone.empty())
      world.progress.note(fmt::format("{}: {} and stays unfinished", spec.name, place.left_alone));
    world.progress.note(fmt::format("{}: {} cases into {}", spec.name, n_cases, place.path));
    return store;
  }
  RunStore store = RunStore::open(place.path);
  if (options.retry) store.drop_for_retry();
  if (store.cases().size() < n_cases) {
    world.progress.note(fmt::format("{}: going on with {}, {} of {} cases are done", spec.name,
                                    place.path, store.cases().size(), n_cases));
    if (options.part) store.shard().node = options.part->note.node;
    store.note_resume(utc_text(world.utc()));
  } else {
    world.progress.note(
        fmt::format("{}: nothing to do, {} holds all {} cases", spec.name, place.path, n_cases));
  }
  return store;
}

// Meanwhile the other run may have made the folder, or all that is to do.
RunStore open_store_in_turn(const Spec& spec, const RunOptions& options, SweepWorld& world,
                            std::size_t n_cases) {
  for (std::string said;;) {
    try {
      return open_store(spec, options, world, n_cases);
    } catch (const FolderBusy& other) {
      if (!options.wait) throw;
      if (world.stop_requested())
        throw ExitError(ExitCode::interrupted, "interrupted: " + other.busy);
      if (said.empty()) world.progress.note(said = other.busy + "; waiting for it");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

RunOutcome outcome_of(const RunStore& store, const std::vector<Case>& cases, bool interrupted) {
  std::map<Status, std::size_t> counts;
  for (const Row& row : all_rows(store.cases()))
    ++counts[parse_word<Status>(row.text("status")).value_or(Status::error)];
  return {store.path(), counts, cases.size(), interrupted, store.cases(), cases};
}

}  // namespace

bool is_allowed(Status status) {
  using enum Status;
  return status == ok || status == oom || status == oom_skipped || status == infeasible ||
         status == unsupported;
}

ExitCode exit_code(const RunOutcome& outcome) {
  if (outcome.interrupted) return ExitCode::interrupted;
  for (const auto& [status, count] : outcome.counts)
    if (!is_allowed(status) && count > 0) return ExitCode::case_failed;
  return outcome.counts.contains(Status::ok) ? ExitCode::ok : ExitCode::case_failed;
}

RunOutcome run_spec(const Spec& spec, const RunOptions& options, SweepWorld& world) {
  const Entries entries = entries_of(spec, options, world);
  const std::size_t n_cases = entries.ids.size();
  RunStore store = open_store_in_turn(spec, options, world, n_cases);
  try {
    Sweep sweep(entries, options, store, world);
    const bool whole = sweep.run();
    const std::size_t left = n_cases - std::min(n_cases, store.cases().size());
    // Before the manifest says that the run is finished: a run killed in between does both again.
    if (left == 0 && options.order == RowOrder::spec) store.sort_rows(entries.ids);
    if (left == 0 && store.manifest().finished_at.empty()) {
      const std::optional<NoiseFloor> floor =
          options.noise_floor ? sweep.noise_floor() : std::nullopt;
      if (options.part)
        for (const Case& c : resolved_cases(spec.cases))
          if (case_id(c) == options.part->calibration) sweep.calibrate(c, store.shard());
      store.finish(utc_text(world.utc()), floor);
    }
    world.progress.end_line();
    if (!whole)
      world.progress.note(fmt::format(
          "interrupted: {} of {} cases are done; the same command again goes on with {}",
          store.cases().size(), n_cases, store.path()));
    else if (left > 0)
      world.progress.note(
          fmt::format("{} of {} cases are left to be run, in {}", left, n_cases, store.path()));
    return outcome_of(store, entries.cases, !whole);
  } catch (const EnvironmentError& problem) {
    world.progress.end_line();
    throw EnvironmentError(
        fmt::format("{}; {} of {} cases are kept in {}, the same command goes on from there",
                    problem.what(), store.cases().size(), n_cases, store.path()));
  }
}

std::vector<Case> resolved_cases(std::vector<Case> cases) {
  for (Case& c : cases) c = resolve_case(std::move(c));
  return cases;
}

RunOutcome run_spec(const Spec& spec, const RunOptions& options) {
  const InterruptGuard interrupt;
  ProcessLauncher processes(options.child, interrupt);
  const std::unique_ptr<Launcher> ranks = mpi_launcher(processes, interrupt);
  Launcher& launcher = MpiWorld::current() != nullptr ? *ranks : processes;
  Progress progress(stderr_style(options.quiet), [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  });
  if (const std::string busy = busy_note(load_average(), available_cores()); !busy.empty())
    progress.note(busy);
  RunOptions with_floor = options;
  with_floor.noise_floor = true;
  SweepWorld world{launcher,
                   now_s,
                   [] { return std::time(nullptr); },
                   [&] { return interrupt.requested(); },
                   environment_json(),
                   progress};
  return run_spec(spec, with_floor, world);
}

}  // namespace qb
