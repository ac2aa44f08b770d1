// SPDX-License-Identifier: Apache-2.0
// What the index of published tables reads on this machine: data/papers, data/published, finished
// runs and the cost model.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/schema/row.h"
#include "harness/papers/answer.h"
#include "harness/workload/case.h"

namespace qb {

// The papers of data/papers by name, each with its tables. Throws UsageError where an index is
// wrong, and where a table of data/published is in none or in two.
[[nodiscard]] Library read_library();

// Runs in the first of these folders that has one, and predictions for single cases.
class RunsAndModel final : public Measurements {
 public:
  // Each folder holds run folders by the name of their experiment, as results/ and
  // data/measured/MACHINE/ do.
  explicit RunsAndModel(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  [[nodiscard]] const CsvTable* run(const std::string& experiment) const override;
  [[nodiscard]] bool has_device(const std::string& device) const override;
  [[nodiscard]] double model(const std::string& device, const std::string& column,
                             std::span<const CellReference::Binding> parameters) const override;
  // The folder of a run that run() returns.
  [[nodiscard]] std::string folder_of(const std::string& experiment) const;

 private:
  struct Run {
    std::string folder;
    CsvTable cases;
  };

  std::vector<std::string> folders_;
  mutable std::map<std::string, std::optional<Run>> runs_;
  mutable std::map<std::string, RowValues> predicted_;
};

// The case that a prediction was made of. Throws UsageError where there is no such case.
[[nodiscard]] Case case_of(const PredictedCase& predicted);

// Returns a folder, and those in it: a folder of machines holds one of runs for each. Throws
// UsageError where it is not there.
[[nodiscard]] std::vector<std::string> with_subfolders(const std::string& folder);
// The folders of the committed runs: data/measured, and in it one for each machine.
[[nodiscard]] std::vector<std::string> committed_runs();

}  // namespace qb
