// SPDX-License-Identifier: Apache-2.0
// What the names in a claim's formulas mean, for one row of one table.
#pragma once

#include <string>

#include "harness/papers/answer.h"

namespace qb {

class RowScope final : public FormulaScope {
 public:
  RowScope(const Library& library, const Paper& paper, const PublishedTable& table,
           const Measurements& measurements)
      : library_(library), paper_(paper), table_(table), measurements_(measurements) {}

  void go_to(std::size_t row) { row_ = row; }
  // Sets what `ours.` and `model.` read. The claim must outlive this.
  void set_claim(const Claim& claim) { claim_ = &claim; }
  // The value of a formula in this row. Throws UsageError that names table, line and formula.
  [[nodiscard]] Interval evaluate(const Expression& formula) const;
  [[nodiscard]] bool holds(const Expression& formula) const;
  // What disturbed the runs that were read since the last call; empty if nothing did.
  [[nodiscard]] std::string take_disturbance() const;
  // The parameters of the case that the model was asked for last since the last call.
  [[nodiscard]] std::vector<CellReference::Binding> take_parameters() const;

  [[nodiscard]] FormulaValue cells(const CellReference& reference) const override;
  [[nodiscard]] bool has_name(std::string_view name) const override;
  [[nodiscard]] Interval call(std::string_view function,
                              std::span<const FormulaValue> arguments) const override;

 private:
  [[nodiscard]] std::vector<CellReference::Binding> with_match(
      const CellReference& reference) const;
  [[nodiscard]] FormulaValue published(const PublishedTable& table,
                                       const CellReference& reference) const;
  [[nodiscard]] FormulaValue measured(const CellReference& reference) const;
  [[nodiscard]] FormulaValue predicted(const CellReference& reference) const;

  const Library& library_;
  const Paper& paper_;
  const PublishedTable& table_;
  const Measurements& measurements_;
  const Claim* claim_ = nullptr;
  std::size_t row_ = 0;
  mutable std::string disturbance_;
  mutable std::vector<CellReference::Binding> parameters_;
};

// The value of a cell: a key is exact, another number stands for what rounds to it.
[[nodiscard]] FormulaValue cell_value(const PublishedTable& table, std::size_t row,
                                      std::string_view column);

}  // namespace qb
