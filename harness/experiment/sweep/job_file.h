// SPDX-License-Identifier: Apache-2.0
// The batch script of a sweep for Slurm, and what is known of its submissions. An intent is written
// before a submission and its result after it, so that a program killed between the two leaves one
// that is uncertain, and none that is forgotten.
#pragma once

#include <string>
#include <vector>

namespace qb {

struct JobFile {
  std::string run_id;
  std::string path;              // of the script
  std::string command;           // that writes it
  std::vector<std::string> run;  // words of `qb run`, with its path
  int shards = 1;                // above 1 it is a job array
  int nodes = 1;
  int tasks = 1;          // MPI ranks
  int cpus_per_task = 0;  // 0: whole nodes
  int minutes = 60;
  int memory_mib = 0;                // of a node; 0: not known
  int links = 1;                     // jobs in a row, each of which ends what the one before left
  std::vector<std::string> options;  // further ones of sbatch
  std::string qb;                    // the program
};

[[nodiscard]] std::string job_script(const JobFile& job);

// A submission of a script.
struct Submission {
  std::string at;      // UTC
  std::string state;   // intent, submitted, failed
  std::string job;     // its number, where it was submitted
  std::string detail;  // the dependency, or why it failed
};
[[nodiscard]] std::vector<Submission> submissions_of(const std::string& script);
// Nothing says what became of the last intent.
[[nodiscard]] bool is_uncertain(const std::vector<Submission>& submissions);

// Hands the script to sbatch and returns the job's number. Throws EnvironmentError where sbatch
// does not take it, which the file beside the script then says.
std::string submit_job(const std::string& script, const std::vector<std::string>& options);

}  // namespace qb
