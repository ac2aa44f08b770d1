// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/schema/row.h"
#include "base/status.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/store/store.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

ShardState state_of(const std::string& run, const Deal& deal, int index) {
  const Deal::Part& part = deal.parts[static_cast<std::size_t>(index - 1)];
  ShardState state;
  state.shard = {index, static_cast<int>(deal.parts.size())};
  state.cases = part.case_ids.size();
  state.predicted_s = part.predicted_s;
  state.folder = shard_run_id(run, state.shard);
  state.left = part.case_ids;
  if (!fs::exists(state.folder + "/manifest.json")) return state;
  state.writer = writer_of(state.folder);
  const RunFolder folder = read_run_folder(state.folder);
  std::set<std::string> done;
  for (const Row& row : all_rows(folder.cases)) {
    done.insert(row.text("case_id"));
    state.measured_s += row.number("duration_s");
  }
  std::erase_if(state.left, [&](const std::string& id) { return done.contains(id); });
  state.manifest = folder.manifest;
  return state;
}

// Throws UsageError where a shard is of another build or spec, or, unless `mixed`, machine.
void require_alike(const std::vector<ShardState>& shards, bool mixed) {
  const Manifest& first = *shards.front().manifest;
  for (const ShardState& other : shards) {
    const auto refuse = [&](std::string_view what, const std::string& of_first,
                            const std::string& of_other, std::string_view remedy) {
      if (of_first != of_other)
        throw UsageError(fmt::format("{} is of another {} ({}) than {} ({}); {}", other.folder,
                                     what, of_other, shards.front().folder, of_first, remedy));
    };
    refuse("spec", first.spec_hash, other.manifest->spec_hash, "run it again with this spec");
    refuse("build", first.commit, other.manifest->commit, "run it again with this build");
    if (!mixed)
      refuse("machine", first.device_fingerprint, other.manifest->device_fingerprint,
             "--mixed joins them and says the node of each row");
  }
}

// The rows of a table of all shards; those of cases.csv say their node where machines are mixed.
CsvTable joined_table(const RunTable& table, const std::vector<ShardState>& shards, bool mixed) {
  CsvTable all(table.columns);
  for (const ShardState& shard : shards) {
    const std::string path = fmt::format("{}/{}", shard.folder, table.file);
    const CsvTable rows = CsvTable::parse(read_text(path), path);
    if (rows.header() != table.columns)
      throw UsageError(path + " has the columns of another version of qb; run the shard again");
    for (std::size_t row = 0; row < rows.size(); ++row) {
      all.append(rows.row(row));
      if (mixed && all.has("node")) all.set(all.size() - 1, "node", shard.manifest->shard->node);
    }
  }
  return all;
}

Manifest joined_manifest(const std::vector<ShardState>& shards) {
  Manifest manifest = *shards.front().manifest;
  manifest.run_id = manifest.shard->run_id;
  manifest.shard.reset();
  manifest.noise_floor.reset();
  manifest.n_cases = 0;
  for (const ShardState& shard : shards) {
    const Manifest& own = *shard.manifest;
    manifest.n_cases += own.n_cases;
    manifest.started_at = std::min(manifest.started_at, own.started_at);
    manifest.finished_at = std::max(manifest.finished_at, own.finished_at);
    if (own.noise_floor &&
        (!manifest.noise_floor || own.noise_floor->high > manifest.noise_floor->high))
      manifest.noise_floor = own.noise_floor;
    manifest.shards.push_back(*own.shard);
    manifest.shards.back().machine = own.device_fingerprint;
  }
  return manifest;
}

}  // namespace

std::vector<ShardState> shard_states(const std::string& run) {
  const std::string path = run + ".shards.json";
  if (!fs::exists(path))
    throw UsageError(fmt::format(
        "{}: no shards; name OUT/EXPERIMENT/RUN_ID of a run that `qb run --shard I/N` began", run));
  const Deal deal = read_deal(path);
  std::vector<ShardState> shards;
  for (int index = 1; index <= std::ssize(deal.parts); ++index)
    shards.push_back(state_of(run, deal, index));
  return shards;
}

void join_shards(const std::string& run, const std::vector<ShardState>& shards, bool mixed) {
  for (const ShardState& shard : shards)
    if (!shard.is_done())
      throw UsageError(fmt::format("{} is not finished: {} of {} cases are left", shard.folder,
                                   shard.left.size(), shard.cases));
  require_alike(shards, mixed);
  if (fs::exists(run) && (!fs::exists(run + "/manifest.json") || read_manifest(run).shards.empty()))
    throw UsageError(run + " is there and was not joined; move it away");
  const std::string made = run + ".part";
  fs::remove_all(made);
  ensure_directory(made);
  for (const RunTable& table : run_tables())
    write_file_atomically(fmt::format("{}/{}", made, table.file),
                          joined_table(table, shards, mixed).to_string());
  const fs::path first = shards.front().folder;
  fs::copy_file(first / "spec.resolved.yaml", made + "/spec.resolved.yaml");
  for (const ShardState& shard : shards)
    for (const char* const side : {"logs", "traces"})
      if (const fs::path from = fs::path(shard.folder) / side; fs::exists(from))
        fs::copy(from, fs::path(made) / side,
                 fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  write_file_atomically(made + "/manifest.json", manifest_to_json(joined_manifest(shards)));
  fs::remove_all(run);
  fs::rename(made, run);
}

}  // namespace qb
