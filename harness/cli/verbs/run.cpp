// SPDX-License-Identifier: Apache-2.0
// `qb run`: runs one or more specs, each into its run folder; also the hidden verb that runs one
// case.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <set>

#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/dry_run.h"
#include "harness/cli/views/publish.h"
#include "harness/experiment/process/flash_turns.h"
#include "harness/experiment/process/mpi_case.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/machine.h"
#include "harness/experiment/sweep/shards.h"
#include "harness/experiment/sweep/sweep_runner.h"
#include "harness/forecast/device_model.h"
#include "harness/run/transport/mpi_world.h"
#include "harness/workload/case.h"
#include "harness/workload/recipe_file.h"

namespace qb {
namespace {

constexpr const char* kRunFooter = R"(Examples:
  qb run experiments/smoke.yaml
  qb run experiments/smoke.yaml --dry-run
  qb run experiments/smoke.yaml --set measure.max_repeats=9 --filter algorithm=cqs
  qb run experiments/smoke.yaml --retry          runs only what failed or stayed disturbed
  qb run experiments/mine.yaml --run-id a --only workers=4    runs these now, the others later
  qb run experiments/mine.yaml --run-id a --shard 2/4         runs the second of four shards

Results go to OUT/<experiment>/<run_id>/. The same command again continues an unfinished run; a
finished one is followed by a new one. Ctrl-C kills the running case and stops; a second Ctrl-C
stops at once. Neither loses more than that case. With measure.memory_timeline each case also leaves
traces/NAME.trace.json (its memory) and traces/NAME.schedule.json (what each worker computes, sends and
receives) for https://ui.perfetto.dev and traces/NAME.pickle for https://pytorch.org/memory_viz; NAME is
such as cqs_w7_n4096_1a2b3c.

Exit codes: 0 every case ended as ok, oom, oom_skipped, infeasible or unsupported, and at least one
is ok; 1 some case is incorrect, timeout, crashed or error, or none is ok; 2 bad spec, nothing ran;
3 environment (no such device, full disk, another run writes there); 130 interrupted.)";

struct RunWords {
  std::vector<std::string> specs;
  Spec::Options spec;
  std::vector<std::string> only;
  RunOptions run;
  std::string shard;
  bool dry_run = false;
  bool yes = false;
};

// Gives the words that started this program, without the folder of the program itself.
std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string argument; std::getline(file, argument, '\0');) words.push_back(argument);
  if (!words.empty()) words.front() = std::filesystem::path(words.front()).filename();
  return words;
}

// A spec, and the cases to run of it now as they run on this machine: all of them without --only.
struct Task {
  Spec spec;
  std::vector<Case> cases;
};

Task load_task(const std::string& path, const RunWords& words) {
  Spec::Options options = words.spec;
  if (words.yes) options.max_cases = std::numeric_limits<std::size_t>::max();
  Task task{load_spec(path, options), {}};
  task.cases = resolved_cases(cases_kept(task.spec.cases, words.only, "--only"));
  return task;
}

// The shard's part of the run, as it was dealt.
RunOptions::Part part_of(const Spec& spec, const RunWords& words, const Shard& shard) {
  const std::vector<Case> cases = resolved_cases(spec.cases);
  const std::string& out = words.run.out;
  const Deal deal =
      find_deal(deal_path(out, spec.name, words.run.run_id), hash_spec(spec.resolved_yaml),
                shard.of, words.dry_run, [&] {
                  const EarlierTimes earlier = EarlierTimes::read(out, device_fingerprint());
                  return deal_cases(spec, cases, predicted_seconds(cases, earlier), shard.of);
                });
  std::set<std::string> here;
  for (const Case& c : cases) here.insert(case_id(c));
  const Deal::Part& dealt = deal.parts[static_cast<std::size_t>(shard.index - 1)];
  for (const std::string& id : dealt.case_ids)
    if (!here.contains(id))
      throw UsageError(
          "the cases were dealt where `device: auto` is another device than here; choose another "
          "--run-id, and --set device=cuda or device=cpu");
  ShardNote note{words.run.run_id, shard.index, shard.of, host_name(), {}, dealt.predicted_s, {}};
  return {std::move(note), {dealt.case_ids.begin(), dealt.case_ids.end()}, deal.calibration};
}

// Says why `auto` chose the CPU if there could have been a GPU.
void note_device(const Spec& spec) {
  const bool open =
      std::ranges::any_of(spec.cases, [](const Case& c) { return c.device == Device::automatic; });
  if (open && build_info().cuda && !why_no_gpu().empty())
    print_note("device auto is the CPU: {}\n", why_no_gpu());
}

ExitCode run_tasks(const std::vector<Task>& tasks, const RunWords& words) {
  ExitCode worst = ExitCode::ok;
  for (const auto& [spec, cases] : tasks) {
    if (!words.run.quiet) print_cautions(cases);
    RunOptions options = words.run;
    options.argv = command_line();
    if (!words.only.empty()) {
      options.only.emplace();
      for (const Case& c : cases) options.only->insert(case_id(c));
    }
    if (!words.shard.empty()) {
      const Shard shard = parse_shard(words.shard);
      options.part = part_of(spec, words, shard);
      options.run_id = shard_run_id(words.run.run_id, shard);
    }
    if (words.dry_run) {
      std::vector<Case> shown = cases;
      if (options.part)
        std::erase_if(shown,
                      [&](const Case& c) { return !options.part->case_ids.contains(case_id(c)); });
      print_answer(
          "{}", dry_run_text(spec.name, shown,
                             EarlierTimes::read(options.out, device_fingerprint()), options.out));
      continue;
    }
    if (!options.quiet) note_device(spec);
    const RunOutcome outcome = run_spec(spec, options);
    print_answer(outcome_table(outcome));
    print_note("{}", failure_list(outcome));
    print_answer("{}\n", outcome.folder);
    const ExitCode code = exit_code(outcome);
    if (code == ExitCode::interrupted) return code;
    worst = std::max(worst, code);
    if (spec.figures.empty() || options.part || outcome.cases.size() < outcome.n_cases) continue;
    const ExitCode drawn =
        publish_run(outcome.folder, outcome.folder + "/figures", outcome.folder + "/report.html");
    if (worst == ExitCode::ok) worst = drawn;
  }
  return worst;
}

// Rank 0 runs the sweep and the others serve it. A rank that no longer answers is killed.
ExitCode run_over_mpi(const std::vector<Task>& tasks, const RunWords& words) {
  const std::unique_ptr<MpiWorld> joined = MpiWorld::join();
  MpiWorld& world = *joined;
  if (world.rank() != 0) {
    const InterruptGuard outlasts_rank_0;  // rank 0 sees from the ranks that are gone who died
    serve_mpi_cases();
    return ExitCode::ok;
  }
  try {
    const ExitCode code = run_tasks(tasks, words);
    if (world.is_broken()) world.abort(static_cast<int>(code));
    end_mpi_cases();
    return code;
  } catch (const std::exception& problem) {
    print_note("qb: {}\n", problem.what());
    const auto* const known = dynamic_cast<const ExitError*>(&problem);
    world.abort(static_cast<int>(known != nullptr ? known->code() : ExitCode::environment));
    return ExitCode::environment;  // not reached
  }
}

bool any_over_mpi(const std::vector<Task>& tasks) {
  return std::ranges::any_of(tasks, [](const Task& task) {
    return std::ranges::any_of(task.cases, is_of_many_processes);
  });
}

// Gives a UsageError of `read` the key of the parameter that names the file.
void require_file(const char* key, const auto& read) try {
  (void)read();
} catch (const UsageError& problem) {
  throw UsageError(fmt::format("{}: {}", key, problem.what()));
}

// Throws UsageError where a recipe or a device file of the cost model is missing or malformed.
void require_named_files(std::span<const Case> cases) {
  std::set<std::pair<std::string, int>> recipes;
  for (const Case& c : cases)
    if (is_recipe_file(c.algorithm) && recipes.emplace(c.algorithm, c.workers).second)
      require_file("algorithm", [&] { return read_recipe(c.algorithm, c.workers); });
  std::set<std::string> models;
  for (const Case& c : cases)
    if (c.model_device && *c.model_device != "here" && models.insert(*c.model_device).second)
      require_file("model.device", [&] { return load_device_model(*c.model_device); });
}

ExitCode run_all(const RunWords& words) {
  if (!words.shard.empty() && words.run.run_id.empty())
    throw UsageError("--shard needs --run-id, the same name for all shards");
  // All specs are read before any runs, so a mistake in the last one, or a missing device, costs
  // nothing.
  std::vector<Task> tasks;
  for (const std::string& path : words.specs) tasks.push_back(load_task(path, words));
  for (const Task& task : tasks)
    for (const Case& c : task.cases)
      if (!words.dry_run) require_device(c);
  for (const Task& task : tasks) require_named_files(task.cases);
  if (launched_by_mpi() && any_over_mpi(tasks) && !words.dry_run) return run_over_mpi(tasks, words);
  // Other ranks have nothing to do if no case needs them.
  return launched_rank() == 0 ? run_tasks(tasks, words) : ExitCode::ok;
}

}  // namespace

void add_run(Verb app) {
  auto [verb, words] = add_verb<RunWords>(
      app, "run",
      "Runs the cases of a spec, checks them against a float64 reference and writes CSV.", run_all,
      kRunFooter);
  verb.add_option("SPEC", words.specs, "Names the specs, which are YAML files.").required();
  verb.add_repeated("--set", words.spec.set, "Overrides an entry of the spec, KEY.PATH=VALUE.");
  add_clock(verb, words.spec.set);
  verb.add_repeated("--filter", words.spec.filter,
                    "Keeps only cases with KEY=VALUE (also !=, <, <=, >, >=); all must hold.");
  verb.add_repeated("--only", words.only,
                    "Runs only cases with KEY=VALUE now; the others stay to be run.");
  verb.add_flag("--dry-run", words.dry_run,
                "Lists the cases with predicted cost, says what all of them take, and writes "
                "nothing.");
  verb.add_flag("--yes", words.yes, "Runs however many cases there are.");
  verb.add_option("-o,--out", words.run.out, "Writes the run folders into this folder.")
      .show_default();
  add_word(verb, "--order", words.run.order,
           "Puts the rows of the finished run into the order in which they were measured, which is "
           "random, or into that of the spec");
  verb.add_option("--run-id", words.run.run_id, "Names the run to start or to go on with.");
  verb.add_option("--shard", words.shard,
                  "Runs shard I of N, written I/N, into a run folder of its own; `auto` takes both "
                  "from a Slurm job array. `qb join` makes one run of them.");
  verb.add_flag("--retry", words.run.retry,
                "Runs those cases of the newest run again that are not ok or stayed disturbed.");
  verb.add_flag("--wait", words.run.wait,
                "Waits while another run writes the same folder, and goes on with what is left, in "
                "place of exit code 3.");
  verb.add_flag("--quiet", words.run.quiet, "Shows no progress, only failures and the table.");

  // Programs use these two verbs, and --help does not list them: see supervisor.h and flash_turns.h
  // of harness/experiment/process/.
  auto [child, traces] = add_verb<std::string>(app, "__case", "", answer_case, "");
  child.hide();
  child.add_option("--traces", traces, "");
  const Verb turns = app.add_verb("__flash", "", "");
  turns.hide();
  turns.act([] {
    answer_flash_turns(std::cin, std::cout);
    return ExitCode::ok;
  });
}

}  // namespace qb
