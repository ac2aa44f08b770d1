// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/shards.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/schema/declared_figure.h"
#include "base/status.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/store/machine.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {
namespace {

Shard shard_of_array() {
  const auto number = [](const char* name) {
    const char* const text = std::getenv(name);
    const auto value = text == nullptr ? std::nullopt : parse_integer(text);
    if (!value)
      throw UsageError(
          fmt::format("--shard auto needs {}, which tasks of a job array have (sbatch --array); "
                      "elsewhere write "
                      "--shard 1/4",
                      name));
    return static_cast<int>(*value);
  };
  const Shard shard{number("SLURM_ARRAY_TASK_ID"), number("SLURM_ARRAY_TASK_COUNT")};
  if (number("SLURM_ARRAY_TASK_MIN") != 1 || number("SLURM_ARRAY_TASK_MAX") != shard.of)
    throw UsageError(
        fmt::format("--shard auto needs a whole array, --array=1-{}; for some of its tasks write "
                    "--shard $SLURM_ARRAY_TASK_ID/N with the N of the whole",
                    shard.of));
  return shard;
}

// Sets of cases that have to be together.
class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // The least of a set stands for it.
  void join(std::size_t a, std::size_t b) {
    a = of(a);
    b = of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

using BaseOf = std::function<Case(const Case&)>;

// What the speed-ups of a spec divide by.
std::vector<BaseOf> bases_of(const Spec& spec) {
  std::vector<BaseOf> bases = {base_of};
  for (const std::string& figure : spec.figures) {
    if (!figure.starts_with('{')) continue;
    const auto base = read_declared_figure(figure).base;
    if (!base.empty())
      bases.emplace_back([base](Case c) {
        for (const auto& [column, value] : base) {
          const auto& parameter = *std::ranges::find(parameters(), column, &Parameter::column);
          parameter.set(c, parameter, value);
        }
        return with_needs_met(std::move(c));
      });
  }
  return bases;
}

Groups groups_of(const Spec& spec, const std::vector<Case>& cases) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < cases.size(); ++i) places.emplace(case_id(cases[i]), i);
  Groups groups(cases.size());
  for (const BaseOf& base : bases_of(spec))
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (const auto at = places.find(case_id(base(cases[i]))); at != places.end())
        groups.join(i, at->second);
  return groups;
}

// The case that is nearest to a second: a clock reads it well, and it costs little.
std::string calibration_of(const std::vector<Case>& cases, const std::vector<double>& seconds) {
  std::string nearest;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double off = std::abs(std::log(seconds[i]));
    if (cases[i].ranks == Ranks::model || !(off < least)) continue;
    least = off;
    nearest = case_id(cases[i]);
  }
  return nearest;
}

// Writes the file where there is none; of several that do so at once one wins.
void write_first(const std::string& path, const std::string& text) {
  static std::atomic<int> next = 0;
  const std::string own = fmt::format("{}.{}-{}-{}", path, host_name(), ::getpid(), ++next);
  write_file_atomically(own, text);
  std::error_code problem;
  std::filesystem::create_hard_link(own, path, problem);
  std::error_code ignored;
  std::filesystem::remove(own, ignored);
  if (problem && !std::filesystem::exists(path))
    throw EnvironmentError(fmt::format("cannot write {}: {}", path, problem.message()));
}

}  // namespace

Shard parse_shard(std::string_view text) {
  if (text == "auto") return shard_of_array();
  const std::size_t slash = text.find('/');
  const auto index = parse_integer(text.substr(0, slash));
  const auto of =
      slash == std::string_view::npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  if (!index || !of || *of < 1 || *of > 9'999 || *index < 1 || *index > *of)
    throw UsageError(
        fmt::format("--shard {}: write I/N with I from 1 to N, such as 2/4, or auto", text));
  return {static_cast<int>(*index), static_cast<int>(*of)};
}

std::string shard_run_id(const std::string& run_id, const Shard& shard) {
  return fmt::format("{}.{}of{}", run_id, shard.index, shard.of);
}

Deal deal_cases(const Spec& spec, const std::vector<Case>& cases,
                const std::vector<double>& seconds, int shards) {
  Groups groups = groups_of(spec, cases);
  std::map<std::size_t, std::vector<std::size_t>> members;
  std::set<std::string> seen;  // two of a spec may be one
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (seen.insert(case_id(cases[i])).second) members[groups.of(i)].push_back(i);
  if (std::ssize(members) < shards)
    throw UsageError(fmt::format(
        "{} shards are more than the {} groups of cases that stay together; take {} or fewer",
        shards, members.size(), members.size()));
  std::vector<std::pair<double, std::vector<std::size_t>>> longest;
  for (const auto& [first, group] : members) {
    double sum_s = 0.0;
    for (const std::size_t i : group) sum_s += seconds[i];
    longest.emplace_back(sum_s, group);
  }
  std::ranges::stable_sort(longest, std::greater(), &decltype(longest)::value_type::first);
  Deal deal{hash_spec(spec.resolved_yaml), calibration_of(cases, seconds), {}};
  deal.parts.resize(static_cast<std::size_t>(shards));
  for (const auto& [group_s, group] : longest) {
    Deal::Part& least = *std::ranges::min_element(deal.parts, {}, [](const Deal::Part& part) {
      return std::pair(part.predicted_s, part.case_ids.size());
    });
    least.predicted_s += group_s;
    for (const std::size_t i : group) least.case_ids.push_back(case_id(cases[i]));
  }
  return deal;
}

std::string deal_path(const std::string& out, const std::string& experiment,
                      const std::string& run_id) {
  return fmt::format("{}/{}/{}.shards.json", out, experiment, run_id);
}

Deal read_deal(const std::string& path) {
  try {
    return nlohmann::json(parse_json(read_text(path), path)).get<Deal>();
  } catch (const nlohmann::json::exception& problem) {
    throw UsageError(
        fmt::format("{} does not say which shard runs what: {}", path, problem.what()));
  }
}

Deal find_deal(const std::string& path, const std::string& spec_hash, int shards, bool dry,
               const std::function<Deal()>& make) {
  if (!std::filesystem::exists(path)) {
    if (dry) return make();
    ensure_directory(std::filesystem::path(path).parent_path());
    write_first(path, nlohmann::json(make()).dump(2) + '\n');
  }
  Deal deal = read_deal(path);
  if (deal.spec_hash != spec_hash)
    throw UsageError(fmt::format(
        "{} deals the cases of another spec (or other --set and --filter); choose another --run-id",
        path));
  if (std::ssize(deal.parts) != shards)
    throw UsageError(
        fmt::format("{} deals the cases to {} shards and not to {}; choose another "
                    "--run-id",
                    path, deal.parts.size(), shards));
  return deal;
}

}  // namespace qb
