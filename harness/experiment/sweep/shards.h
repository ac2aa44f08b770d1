// SPDX-License-Identifier: Apache-2.0
// A sweep in shards: each runs some of the cases of a spec into a run folder of its own, so that no
// two write one folder, and join.h makes one run of them. Which case is whose is dealt once, by
// predicted seconds: the shard that comes first writes the deal beside the run folders, and all
// others read it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/experiment/spec/spec.h"

namespace qb {

// One of `of`, from 1 on.
struct Shard {
  int index = 1;
  int of = 1;
};

// Reads `2/4`, or `auto`, which is SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT: the tasks of a
// whole array from 1 on. Throws UsageError.
[[nodiscard]] Shard parse_shard(std::string_view text);

// The run that a shard of it writes: `ID.2of4`.
[[nodiscard]] std::string shard_run_id(const std::string& run_id, const Shard& shard);

// Which shard runs which cases, by id.
struct Deal {
  struct Part {
    double predicted_s = 0.0;
    std::vector<std::string> case_ids{};
    NLOHMANN_DEFINE_TYPE_INTRUSIVE(Part, predicted_s, case_ids)
  };
  std::string spec_hash{};
  std::string calibration{};  // what every shard measures, to compare their nodes; empty: nothing
  std::vector<Part> parts{};  // by shard
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Deal, spec_hash, calibration, parts)
};

// Deals the longest first, each to the shard that has least. Cases that a speed-up divides stay
// together, with what it divides by: dense attention on one worker, and the base of a declared
// figure. `seconds` are predicted, by case. Throws UsageError where there are more shards
// than cases.
[[nodiscard]] Deal deal_cases(const Spec& spec, const std::vector<Case>& cases,
                              const std::vector<double>& seconds, int shards);

// The file of a run's deal.
[[nodiscard]] std::string deal_path(const std::string& out, const std::string& experiment,
                                    const std::string& run_id);
// Reads the deal, or makes it where nobody has, and writes it unless `dry`. Throws UsageError where
// it is of another spec or of another number of shards.
[[nodiscard]] Deal find_deal(const std::string& path, const std::string& spec_hash, int shards,
                             bool dry, const std::function<Deal()>& make);
// Throws UsageError where the file is no deal.
[[nodiscard]] Deal read_deal(const std::string& path);

}  // namespace qb
