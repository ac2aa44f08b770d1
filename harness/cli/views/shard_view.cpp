// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/shard_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers.h"
#include "base/text_table.h"
#include "harness/experiment/sweep/job_file.h"

namespace qb {
namespace {

// `job`: the last that was submitted for the run, if there was one.
std::string state_text(const ShardState& shard, const std::string& job) {
  if (!shard.writer.empty()) return fmt::format("running (pid {})", shard.writer);
  if (shard.is_done()) return "finished";
  return fmt::format("{}{}", shard.manifest ? "unfinished" : "not begun",
                     job.empty() ? "" : fmt::format(", waits for job {}", job));
}

// The largest over the mean.
double spread(const std::vector<ShardState>& shards, double ShardState::*seconds) {
  double sum = 0.0;
  double most = 0.0;
  for (const ShardState& shard : shards) {
    sum += shard.*seconds;
    most = std::max(most, shard.*seconds);
  }
  return sum > 0.0 ? most / (sum / static_cast<double>(shards.size())) : 1.0;
}

}  // namespace

std::string shard_table(const std::string& run, const std::vector<ShardState>& shards) {
  const std::vector<Submission> submissions = submissions_of(run + ".sbatch");
  const std::string job = submissions.empty() ? "" : submissions.back().job;
  TextTable table({"shard", "state", "node", "cases", "predicted", "took", "calibration"});
  for (const ShardState& shard : shards) {
    const std::optional<ShardNote> note =
        shard.manifest ? shard.manifest->shard : std::optional<ShardNote>();
    table.add({fmt::format("{}/{}", shard.shard.index, shard.shard.of), state_text(shard, job),
               note ? note->node : "",
               fmt::format("{} of {}", shard.cases - shard.left.size(), shard.cases),
               format_duration(shard.predicted_s), format_duration(shard.measured_s),
               note && note->calibration_s > 0.0 ? format_seconds(note->calibration_s) : ""});
  }
  return fmt::format(
      "{}Largest over mean: {:.2f} predicted, {:.2f} measured.\n{}", table.terminal(),
      spread(shards, &ShardState::predicted_s), spread(shards, &ShardState::measured_s),
      is_uncertain(submissions)
          ? fmt::format("It is not known whether Slurm has the job of {}.\n", submissions.back().at)
          : "");
}

}  // namespace qb
