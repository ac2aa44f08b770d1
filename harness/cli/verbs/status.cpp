// SPDX-License-Identifier: Apache-2.0
// `qb status`: how far a run is, and what went wrong in it.
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "base/print.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/views/shard_view.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/experiment/store/store.h"
#include "harness/experiment/sweep/reasons.h"

namespace qb {
namespace {

constexpr const char* kStatusFooter = R"(Examples:
  qb status results/smoke/20250131-120000-abcdef
  qb status results/smoke          shows every run of an experiment
  qb status results/smoke/a        shows the shards of a run (qb run --shard)

The exit code is 0, or 2 if there is no run.)";

std::string state_of(const std::string& path, const Manifest& manifest, std::size_t n_rows) {
  const std::string writer = writer_of(path);
  const std::string done = fmt::format("{} of {} cases", n_rows, manifest.n_cases);
  if (!writer.empty()) return fmt::format("running (pid {}), {}", writer, done);
  if (!manifest.finished_at.empty())
    return fmt::format("finished {}, {}", manifest.finished_at, done);
  return fmt::format("unfinished, {}; the same `qb run` continues it", done);
}

void print_run(const std::string& path) {
  const RunFolder run = read_run_folder(path);
  std::map<Status, std::size_t> counts;
  std::size_t failed = 0;
  Reasons unsupported;  // these need no row each
  TextTable failures({"case", "status", "algorithm", "workers", "n_tokens", "kernel", "message"});
  for (std::size_t row = 0; row < run.cases.size(); ++row) {
    const Status status = row_status(run, row);
    ++counts[status];
    if (status == Status::ok) continue;
    const auto text = [&](const char* column) { return run.cases.text(row, column); };
    if (status == Status::unsupported) {
      unsupported.add(strategy_name(text("algorithm"), text("workers")), text("case_id"),
                      word(status), text("message"));
      continue;
    }
    ++failed;
    failures.add({text("case_id"), text("status"), text("algorithm"), text("workers"),
                  text("n_tokens"), text("kernel"), text("message")});
  }
  print_answer("{}\n{}\n", path, state_of(path, run.manifest, run.cases.size()));
  for (const auto& [status, count] : counts) print_answer("{:>8}  {}\n", count, word(status));
  if (failed > 0) print_answer("\n{}", failures.terminal());
  for (const std::string& line : unsupported.lines()) print_answer("{}\n", line);
}

void print_status(const std::string& path) {
  if (std::filesystem::exists(path + ".shards.json"))
    return print_answer("{}\n{}", path, shard_table(path, shard_states(path)));
  const bool is_run = std::filesystem::exists(path + "/manifest.json");
  const auto runs = is_run ? std::vector<Manifest>() : list_runs(path);
  for (const Manifest& run : runs) print_run(run.folder);
  if (runs.empty()) print_run(path);
}

}  // namespace

void add_status(Verb app) {
  auto [verb, path] =
      add_verb<std::string>(app, "status", "Shows how far a run is and what went wrong in it.",
                            print_status, kStatusFooter);
  verb.add_option("RUN", path, "Names a run folder, or the folder of an experiment.").required();
}

}  // namespace qb
