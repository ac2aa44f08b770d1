// SPDX-License-Identifier: Apache-2.0
// What answers published rows: their own table, another one, our runs, or the cost model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/verdict.h"
#include "harness/papers/paper.h"

namespace qb {

// What claims read beside published tables.
class Measurements {
 public:
  virtual ~Measurements() = default;
  // cases.csv of the newest run of an experiment, finished or not; nullptr where there is none.
  [[nodiscard]] virtual const CsvTable* run(const std::string& experiment) const = 0;
  // Whether there is a file of this device for the model.
  [[nodiscard]] virtual bool has_device(const std::string& device) const = 0;
  // A predicted column of a case with these parameters, on the device of that file; the plan's
  // own columns need no device. Throws CaseError where there is no such case.
  [[nodiscard]] virtual double model(const std::string& device, const std::string& column,
                                     std::span<const CellReference::Binding> parameters) const = 0;
};

// The case that a prediction is of.
struct PredictedCase {
  std::string device;  // a file of data/devices
  std::vector<CellReference::Binding> parameters{};
  bool is_time = true;  // more of what is predicted is slower; otherwise a rate or a speed-up
};

struct PublishedAnswer {
  const PublishedTable* table = nullptr;
  std::size_t row = 0;
  std::string claim;     // its name, or the word of a rule
  std::string column{};  // of a rule
  ClaimKind kind = ClaimKind::self;
  bool headline = false;  // of what the paper measured; otherwise a side claim
  bool fitted = false;    // with a constant that is from the same table
  bool remark = false;    // it contradicts, and the index has a reason not to hold that against it
  Interval published{};
  Interval ours{};
  Verdict verdict{};
  std::string why{};      // in plain words
  std::string formula{};  // what a rule reads, if it is one
  std::vector<Need> needs{};
  std::optional<PredictedCase> predicted{};  // where the model of one case answers

  [[nodiscard]] double ratio() const { return ours.value / published.value; }
};

// All papers, so that one table's claims can read another's cells.
using Library = std::vector<Paper>;

// The answers of all claims and rules to the rows of a table, by row.
[[nodiscard]] std::vector<PublishedAnswer> answers_to(const Library& library, const Paper& paper,
                                                      const PublishedTable& table,
                                                      const Measurements& measurements);

// How ours, or what follows from other cells, answers a published number. Equal to the printed
// digit agrees; one more unit of the last digit, or the factor of the tolerance, is `within` it.
[[nodiscard]] Verdict judge_cell(const Interval& ours, const Interval& published,
                                 const Tolerance& tolerance);

}  // namespace qb
