// SPDX-License-Identifier: Apache-2.0
// `qb join`: makes one run of the shards of a sweep, or says what is left of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/publish.h"
#include "harness/cli/views/shard_view.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/sweep/join.h"
#include "harness/experiment/sweep/sweep_runner.h"

namespace qb {
namespace {

constexpr const char* kJoinFooter = R"(Examples:
  qb join results/mine/a             of `qb run experiments/mine.yaml --run-id a --shard 2/4`
  qb join results/mine/a --mixed     of nodes that are not alike; each row then says its node

The run goes to results/mine/a, beside its shards, which stay. A shard of another build or spec is
refused. Where cases are left, the table says of which shards, a list names them, and the last line
is the command that runs them.

Exit codes: 0 the run is joined, 1 cases are left, 2 usage, or shards that do not fit together.)";

struct JoinWords {
  std::string run;
  bool mixed = false;
};

auto a_shard_that_began(const std::vector<ShardState>& shards) {
  return std::ranges::find_if(shards, [](const ShardState& s) { return s.manifest.has_value(); });
}

// What runs the cases that are left: the job array that `qb slurm` wrote beside the run, or else
// commands.
std::string remedy(const std::string& run, const std::vector<ShardState>& shards) {
  std::vector<int> left;
  for (const ShardState& shard : shards)
    if (!shard.is_done() && shard.writer.empty()) left.push_back(shard.shard.index);
  if (left.empty()) return "All that is left is running; the same command again joins it.\n";
  const std::string job = run + ".sbatch";
  if (std::filesystem::exists(job))
    return fmt::format("Run them: sbatch --array={} {}\n", fmt::join(left, ","), job);
  const auto begun = a_shard_that_began(shards);
  if (begun == shards.end()) return "No shard has begun: begin them as you meant to.\n";
  std::vector<std::string> words = begun->manifest->argv;
  const auto shard = std::ranges::find(words, "--shard");
  std::string text = "Run them:\n";
  for (const int index : left) {
    if (words.end() - shard > 1) shard[1] = fmt::format("{}/{}", index, shards.size());
    text += fmt::format("  {}\n", fmt::join(words, " "));
  }
  return text;
}

// The cases that are left, by the names of the resolved spec, which any shard that began has.
std::string left_list(const std::vector<ShardState>& shards) {
  const auto begun = a_shard_that_began(shards);
  if (begun == shards.end()) return "";
  const std::string path = begun->folder + "/spec.resolved.yaml";
  const std::string yaml = read_text(path);
  const std::vector<Case> cases =
      resolved_cases(parse_spec(yaml, path, {.max_cases = yaml.size()}).cases);
  const std::vector<std::string> varying = varying_parameters(cases);
  std::map<std::string, std::string> labels;
  for (const Case& c : cases) labels.emplace(case_id(c), case_label(c, varying));
  std::string text;
  for (const ShardState& shard : shards)
    for (const std::string& id : shard.left)
      text += fmt::format("  {}/{}  {}\n", shard.shard.index, shard.shard.of,
                          labels.contains(id) ? labels.at(id) : id);
  return text;
}

ExitCode join_run(const JoinWords& words) {
  std::string run = std::filesystem::path(words.run).lexically_normal().string();
  if (run.ends_with('/')) run.pop_back();
  const std::vector<ShardState> shards = shard_states(run);
  print_answer("{}", shard_table(run, shards));
  std::size_t left = 0;
  for (const ShardState& shard : shards) left += shard.left.size();
  const bool done = std::ranges::all_of(shards, &ShardState::is_done);
  if (!done) {
    print_answer("{} cases are left:\n{}{}", left, left_list(shards), remedy(run, shards));
    return ExitCode::case_failed;
  }
  join_shards(run, shards, words.mixed);
  print_answer("{}\n", run);
  if (read_manifest(run).figures.empty()) return ExitCode::ok;
  return publish_run(run, run + "/figures", run + "/report.html");
}

}  // namespace

void add_join(Verb app) {
  auto [verb, words] = add_verb<JoinWords>(app, "join", "Makes one run of the shards of a sweep.",
                                           join_run, kJoinFooter);
  verb.add_option("RUN", words.run, "Names the run, OUT/EXPERIMENT/RUN_ID, that has shards.")
      .required();
  verb.add_flag("--mixed", words.mixed,
                "Joins shards of machines that differ, and puts the node into each row.");
}

}  // namespace qb
