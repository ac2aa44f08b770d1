// SPDX-License-Identifier: Apache-2.0
// `qb slurm`: writes the batch scripts of a sweep, and hands them to Slurm.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/integers.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/dry_run.h"
#include "harness/experiment/process/mpi_case.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/sweep/job_file.h"
#include "harness/experiment/sweep/shards.h"
#include "harness/experiment/sweep/sweep_runner.h"

namespace qb {
namespace {

constexpr const char* kSlurmFooter = R"(Examples:
  qb slurm experiments/mine.yaml --run-id a --nodes 4 --array            writes results/mine/a.sbatch
  qb slurm experiments/mine.yaml --run-id a --nodes 4 --array --submit   hands it to sbatch too
  qb slurm experiments/mpi_link.yaml --run-id b --nodes 2                a script for each worker count

With --array the cases are dealt to as many shards as there are nodes, by predicted seconds; `qb join
results/mine/a` then makes one run of them. Cases of `ranks: mpi` take a job for each worker count,
with a rank for each task. The limit of a job is three times what is predicted and ten minutes, at
most --max-minutes; what is left then runs in the next of --links jobs, which begins where one fails.
Beside a script, NAME.sbatch.jobs.csv has its submissions: `intent` is written before one, so that a
last `intent` alone means that it is not known whether Slurm has the job.

Exit codes: 0 written (and submitted), 2 usage, 3 sbatch does not take the job, or the last submission
is uncertain.)";

struct SlurmWords {
  std::string spec;
  Spec::Options options;
  std::string out = "results";
  std::string run_id;
  int nodes = 1;
  bool array = false;
  int cpus_per_task = 0;
  int max_minutes = 24 * 60;
  int links = 3;
  std::vector<std::string> sbatch;
  bool submit = false;
  bool dry_run = false;
  std::string submit_next;
};

// What the cases of a job take.
struct Needs {
  double seconds = 0.0;
  double memory_bytes = 0.0;
};

double predicted_bytes(const Case& c) {
  try {
    const double bytes = predicted_values(c).number("predicted_active_peak_bytes");
    return std::isnan(bytes) ? 0.0 : bytes;
  } catch (const CaseError&) {
    return 0.0;  // it will not run
  }
}

JobFile job_of(const SlurmWords& words, const Spec& spec, const Needs& needs) {
  constexpr double kMib = 1048576.0;
  const double minutes = std::ceil(3.0 * needs.seconds / 60.0) + 10.0;
  JobFile job{
      .run_id = words.run_id,
      .path = fmt::format("{}/{}/{}.sbatch", words.out, spec.name, words.run_id),
      .command = fmt::format("qb slurm {} --run-id {} --nodes {}{}", words.spec, words.run_id,
                             words.nodes, words.array ? " --array" : ""),
      .run = {"run", words.spec, "--out", words.out, "--run-id", words.run_id},
      .cpus_per_task = words.cpus_per_task,
      .minutes = static_cast<int>(std::min(minutes, static_cast<double>(words.max_minutes))),
      .links = words.links,
      .options = words.sbatch,
      .qb = std::filesystem::canonical("/proc/self/exe").string()};
  // What is predicted are tensors; a process has a GiB besides.
  if (needs.memory_bytes > 0.0)
    job.memory_mib = static_cast<int>(std::ceil(1.2 * needs.memory_bytes / kMib)) + 1024;
  for (const std::string& set : words.options.set) job.run.insert(job.run.end(), {"--set", set});
  for (const std::string& filter : words.options.filter)
    job.run.insert(job.run.end(), {"--filter", filter});
  return job;
}

std::vector<JobFile> jobs_of(const SlurmWords& words) {
  const Spec spec = load_spec(words.spec, words.options);
  const std::vector<Case> cases = resolved_cases(spec.cases);
  const EarlierTimes earlier = EarlierTimes::read(words.out, device_fingerprint());
  const std::vector<double> seconds = predicted_seconds(cases, earlier);
  std::map<int, Needs> by_tasks;  // 1: without MPI
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Needs& needs = by_tasks[is_of_many_processes(cases[i]) ? cases[i].workers : 1];
    needs.seconds += seconds[i];
    needs.memory_bytes = std::max(needs.memory_bytes, predicted_bytes(cases[i]));
  }
  std::vector<JobFile> jobs;
  if (words.array) {
    if (by_tasks.size() > 1 || !by_tasks.contains(1))
      throw UsageError(
          "--array deals cases to nodes, and cases of ranks: mpi take several; leave "
          "--array out, which writes a job for each worker count");
    const Deal deal = find_deal(deal_path(words.out, spec.name, words.run_id),
                                hash_spec(spec.resolved_yaml), words.nodes, words.dry_run,
                                [&] { return deal_cases(spec, cases, seconds, words.nodes); });
    Needs needs = by_tasks.at(1);
    needs.seconds = std::ranges::max(deal.parts, {}, &Deal::Part::predicted_s).predicted_s;
    jobs.push_back(job_of(words, spec, needs));
    jobs.back().shards = words.nodes;
    return jobs;
  }
  for (const auto& [tasks, needs] : by_tasks) {
    JobFile& job = jobs.emplace_back(job_of(words, spec, needs));
    job.tasks = tasks;
    job.nodes = tasks == 1 ? 1 : std::min(words.nodes, tasks);
    if (by_tasks.size() == 1) continue;
    job.path = fmt::format("{}/{}/{}.w{}.sbatch", words.out, spec.name, words.run_id, tasks);
    job.run.insert(job.run.end(), {"--only", fmt::format("workers={}", tasks)});
    job.options.push_back("--dependency=singleton");  // one at a time writes the run
  }
  return jobs;
}

// Of the job that this program runs in: its successor, of which it was told in QB_LINK.
ExitCode submit_next(const std::string& script) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string array = variable("SLURM_ARRAY_JOB_ID");
  const std::string own = array.empty() ? variable("SLURM_JOB_ID") : array;
  if (own.empty()) throw UsageError("--submit-next is for jobs of Slurm; write --submit");
  print_answer("next job: {}\n",
               submit_job(script, {"--dependency=afternotok:" + own, "--kill-on-invalid-dep=yes",
                                   "--export=ALL,QB_LINK=" + variable("QB_LINK")}));
  return ExitCode::ok;
}

ExitCode slurm(const SlurmWords& words) {
  if (!words.submit_next.empty()) return submit_next(words.submit_next);
  if (words.spec.empty() || words.run_id.empty())
    throw UsageError("qb slurm needs a SPEC and --run-id, a name for the run");
  if (words.nodes < 1 || words.links < 1 || words.max_minutes < 1 || words.cpus_per_task < 0)
    throw UsageError("--nodes, --links and --max-minutes must be at least 1");
  for (const JobFile& job : jobs_of(words)) {
    const std::string script = job_script(job);
    if (words.dry_run) {
      print_answer("# {}\n{}", job.path, script);
      continue;
    }
    if (words.submit && is_uncertain(submissions_of(job.path)))
      throw EnvironmentError(fmt::format(
          "it is not known whether the last submission of {} reached Slurm; look with `squeue "
          "--name qb-{}`, then remove the last line of {}.jobs.csv",
          job.path, words.run_id, job.path));
    ensure_directory(std::filesystem::path(job.path).parent_path());
    write_file_atomically(job.path, script);
    print_answer("{}\n", job.path);
    if (words.submit) print_answer("job {}\n", submit_job(job.path, {}));
  }
  return ExitCode::ok;
}

}  // namespace

void add_slurm(Verb app) {
  auto [verb, words] = add_verb<SlurmWords>(
      app, "slurm", "Writes the batch scripts of a sweep for Slurm.", slurm, kSlurmFooter);
  verb.add_option("SPEC", words.spec, "Names the spec, a YAML file.");
  verb.add_option("--run-id", words.run_id, "Names the run.");
  verb.add_option("--nodes", words.nodes, "Takes so many nodes.").show_default();
  verb.add_flag("--array", words.array,
                "Deals the cases to the nodes: a shard and a task for each.");
  verb.add_option("--cpus", words.cpus_per_task, "Takes so many CPUs a task; 0 takes whole nodes.")
      .show_default();
  verb.add_option("--max-minutes", words.max_minutes, "Sets the longest time of a job.")
      .show_default();
  verb.add_option("--links", words.links, "Allows so many jobs in a row.").show_default();
  verb.add_repeated("--sbatch", words.sbatch,
                    "Adds an option of sbatch, such as --partition=long.");
  verb.add_flag("--submit", words.submit, "Hands the scripts to sbatch.");
  verb.add_flag("--dry-run", words.dry_run, "Shows the scripts and writes nothing.");
  verb.add_option("-o,--out", words.out, "Writes the run folders into this folder.").show_default();
  verb.add_repeated("--set", words.options.set, "Overrides an entry of the spec, KEY.PATH=VALUE.");
  verb.add_repeated("--filter", words.options.filter,
                    "Keeps only cases with KEY=VALUE (also !=, <, <=, >, >=); all must hold.");
  verb.add_option("--submit-next", words.submit_next,
                  "Submits the script again, in a job of it, to begin where the job fails.");
}

}  // namespace qb
