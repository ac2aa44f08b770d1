// SPDX-License-Identifier: Apache-2.0
// Runs and predictions that a test writes itself.
#pragma once

#include <map>
#include <string>

#include "harness/papers/answer.h"

namespace qb::testing_support {

class FakeMeasurements final : public Measurements {
 public:
  std::map<std::string, CsvTable> runs;
  double predicted = 0.0;

  const CsvTable* run(const std::string& experiment) const override {
    const auto found = runs.find(experiment);
    return found == runs.end() ? nullptr : &found->second;
  }
  bool has_device(const std::string& device) const override { return device != "missing"; }
  double model(const std::string& device, const std::string&,
               std::span<const CellReference::Binding>) const override {
    if (device == "impossible") throw Unsupported("33 heads do not divide among 8 workers");
    return predicted;
  }
};

// A paper of one table, `t.csv`, from its columns, what follows them in the index, and its cells.
inline Paper paper_of(const std::string& columns, const std::string& rest, const std::string& csv) {
  const std::string yaml =
      "title: A paper\ncite: Somebody\ntables:\n  - file: t.csv\n    title: T\n"
      "    columns: " +
      columns + "\n" + rest;
  return read_paper(yaml, "paper.yaml",
                    [&](const std::string& file) { return CsvTable::parse(csv, file); });
}

}  // namespace qb::testing_support
