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
// Its headline is the last column, unless it is named.
inline Paper paper_of(const std::string& columns, const std::string& rest, const std::string& csv,
                      std::string headline = "") {
  if (headline.empty()) {
    headline = csv.substr(0, csv.find('\n'));
    headline = headline.substr(headline.find_last_of(',') + 1);
  }
  const std::string yaml =
      "title: A paper\ncite: Somebody\ntables:\n  - file: t.csv\n    title: T\n"
      "    headline: " +
      headline + "\n    columns: " + columns + "\n" + rest;
  return read_paper(yaml, "paper.yaml",
                    [&](const std::string& file) { return CsvTable::parse(csv, file); });
}

}  // namespace qb::testing_support
