// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/job_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>

#include "base/csv.h"
#include "base/files.h"
#include "base/status.h"
#include "harness/experiment/process/child_process.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {
namespace {

const std::vector<std::string> kColumns = {"at", "state", "job", "detail"};

std::string log_of(const std::string& script) { return script + ".jobs.csv"; }

// In single quotes where a shell would take it apart.
std::string quoted(const std::string& word) {
  const bool plain = std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain && !word.empty()) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void note(const std::string& script, const std::string& state, const std::string& job,
          const std::string& detail) {
  const std::string log = log_of(script);
  if (!std::filesystem::exists(log)) write_file_atomically(log, csv_record(kColumns));
  const std::vector<std::string> row = {utc_text(std::time(nullptr)), state, job, detail};
  append_and_flush(log, csv_record(row));
}

}  // namespace

std::string job_script(const JobFile& job) {
  const bool array = job.shards > 1;
  const bool mpi = job.tasks > 1;
  std::string text = "#!/usr/bin/env bash\n";
  const auto line = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    text += fmt::format(format, std::forward<Args>(args)...) + '\n';
  };
  line("# {}: {}", job.run_id, job.command);
  line("# The same job again runs what is left; qb join says what that is.");
  line("#SBATCH --job-name=qb-{}", job.run_id);
  if (array) line("#SBATCH --array=1-{}", job.shards);
  line("#SBATCH --nodes={}", job.nodes);
  line("#SBATCH --ntasks={}", job.tasks);
  if (job.cpus_per_task > 0)
    line("#SBATCH --cpus-per-task={}", job.cpus_per_task);
  else
    line("#SBATCH --exclusive");
  line("#SBATCH --time={}", job.minutes);
  if (job.memory_mib > 0) line("#SBATCH --mem={}M", job.memory_mib);
  line("#SBATCH --output={}.{}.log", job.path, array ? "%A_%a" : "%j");
  line(
      "#SBATCH --requeue --open-mode=append  # a job that loses its node begins again, with its "
      "log");
  line("#SBATCH --signal={}INT@{}  # qb ends in order before the time is over",
       mpi ? "" : "B:", std::min(120, 15 * job.minutes));
  for (const std::string& option : job.options) line("#SBATCH {}", option);
  line("set -euo pipefail\ncd \"$SLURM_SUBMIT_DIR\"");
  if (job.links > 1) {
    line("# The next job begins where this one fails, {} in a row at most.", job.links);
    line("if ((${{QB_LINK:-1}} < {} && ${{SLURM_RESTART_COUNT:-0}} == 0{})); then", job.links,
         array ? " && SLURM_ARRAY_TASK_ID == SLURM_ARRAY_TASK_MIN" : "");
    line("  QB_LINK=$((${{QB_LINK:-1}} + 1)) {} slurm --submit-next {} || true", quoted(job.qb),
         quoted(job.path));
    line("fi");
  }
  if (mpi && job.nodes > 1)
    line(
        "# No step may have the number of one that ended with its node (experiments/mpi.md).\n"
        "for ((i = 0; i < ${{SLURM_RESTART_COUNT:-0}}; ++i)); do srun --mpi=none --nodes=1 "
        "--ntasks=1 true; done");
  std::string run;
  for (const std::string& word : job.run) run += ' ' + quoted(word);
  if (array) run += fmt::format(" --shard \"$SLURM_ARRAY_TASK_ID/{}\"", job.shards);
  line("exec {}{}{} --wait", mpi ? "srun --mpi=pmix --cpu-bind=cores " : "", quoted(job.qb), run);
  return text;
}

std::vector<Submission> submissions_of(const std::string& script) {
  const std::string log = log_of(script);
  std::vector<Submission> all;
  if (!std::filesystem::exists(log)) return all;
  const CsvTable table = CsvTable::parse(read_text(log), log);
  for (std::size_t row = 0; row < table.size(); ++row)
    all.push_back({table.text(row, "at"), table.text(row, "state"), table.text(row, "job"),
                   table.text(row, "detail")});
  return all;
}

bool is_uncertain(const std::vector<Submission>& submissions) {
  return !submissions.empty() && submissions.back().state == "intent";
}

std::string submit_job(const std::string& script, const std::vector<std::string>& options) {
  note(script, "intent", "", fmt::format("{}", fmt::join(options, " ")));
  std::string said;
  ChildEnd end;
  in_temporary_folder([&](const std::string& folder) {
    std::vector<std::string> command = {"/usr/bin/env", "sbatch", "--parsable"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(script);
    end = run_child({.command = command, .log_path = folder + "/log", .timeout_s = 60.0});
    said = read_file(folder + "/log");
  });
  said = said.substr(0, said.find('\n'));
  const bool taken = end.cause == ChildEnd::Cause::exited && end.code == 0;
  // Slurm may have taken a job whose sbatch did not answer in time.
  if (end.cause == ChildEnd::Cause::timed_out)
    throw EnvironmentError(
        "sbatch did not answer in a minute; whether the job is there is not "
        "known: look with squeue before another submission");
  note(script, taken ? "submitted" : "failed", taken ? said.substr(0, said.find(';')) : "",
       taken ? "" : said);
  if (!taken)
    throw EnvironmentError(
        fmt::format("sbatch {}: {}", how_it_ended(end), said.empty() ? "it said nothing" : said));
  return said.substr(0, said.find(';'));
}

}  // namespace qb
