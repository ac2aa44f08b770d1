// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers.h"
#include "base/schema/row.h"
#include "base/status.h"
#include "base/verdict.h"
#include "harness/papers/quantities.h"

namespace qb {
namespace {

// Not a label such as `8k` or `7B`.
bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
         parse_real(text).has_value();
}

// Whether a cell's text is this value.
bool equals(const std::string& text, const FormulaValue& value) {
  if (value.text) return text == *value.text;
  if (value.numbers.size() != 1) throw UsageError("a key is compared with one value");
  const double wanted = value.numbers[0].value;
  if (!is_number(text)) return text.empty() && std::isnan(wanted);
  const double number = *parse_real(text);
  // A key that was calculated may differ by the rounding of a double.
  return std::abs(number - wanted) <= 1e-9 * std::abs(number);
}

bool matches(const CsvTable& cells, std::size_t row,
             std::span<const CellReference::Binding> bindings) {
  return std::ranges::all_of(bindings, [&](const CellReference::Binding& binding) {
    return !binding.value || equals(cells.text(row, binding.key), *binding.value);
  });
}

const CellReference::Binding* binding_of(const CellReference& reference, std::string_view key) {
  const auto found = std::ranges::find(reference.bindings, key, &CellReference::Binding::key);
  return found == reference.bindings.end() ? nullptr : &*found;
}

// The median of our repeats with its interval, if it has one, and kBetweenRuns; a model has
// neither.
Interval measured_cell(const CsvTable& cells, std::size_t row, const std::string& column) {
  const double value = cells.number(row, column);
  const std::size_t at = column.find("_median_");
  const bool modelled = cells.has("ranks") && Row{&cells, row}.text("ranks") == "model";
  if (at == std::string::npos || modelled) return exactly(value);
  const auto end = [&](std::string_view name) {
    std::string other = column;
    other.replace(at, std::string_view("_median_").size(), name);
    const double found = cells.has(other) ? cells.number(row, other) : kNoNumber;
    return std::isnan(found) ? value : found;  // there is none of a single repeat
  };
  return {end("_low95_") * (1.0 - kBetweenRuns), value, end("_high95_") * (1.0 + kBetweenRuns)};
}

// The table of a CSV's name without `.csv`; nullptr where no paper has it.
const PublishedTable* find_table(const Library& library, std::string_view stem) {
  for (const Paper& paper : library)
    for (const PublishedTable& table : paper.tables)
      if (table.stem() == stem) return &table;
  return nullptr;
}

}  // namespace

FormulaValue cell_value(const PublishedTable& table, std::size_t row, std::string_view column) {
  const std::string& text = table.cells.text(row, column);
  if (!text.empty() && !is_number(text)) return text;
  const ColumnRole role = table.column(column).role;
  if ((role == ColumnRole::key || role == ColumnRole::count) && !text.empty())
    return exactly(*parse_real(text));
  return as_printed(text);
}

Interval RowScope::evaluate(const Expression& formula) const {
  try {
    return formula.evaluate(*this);
  } catch (const UsageError& problem) {
    throw UsageError(fmt::format("data/papers/{}.yaml: {}, line {}: formula '{}': {}", paper_.name,
                                 table_.file, row_ + 2, formula.text(), problem.what()));
  }
}

bool RowScope::holds(const Expression& formula) const {
  const Interval value = evaluate(formula);
  return value.known() && value.value != 0.0;
}

std::string RowScope::take_disturbance() const { return std::exchange(disturbance_, {}); }

std::vector<CellReference::Binding> RowScope::take_parameters() const {
  return std::exchange(parameters_, {});
}

bool RowScope::has_name(std::string_view name) const {
  return table_.cells.has(name) || paper_.constants.contains(name);
}

FormulaValue RowScope::cells(const CellReference& reference) const {
  if (reference.source == "ours") return measured(reference);
  if (reference.source == "model") return predicted(reference);
  if (!reference.source.empty()) {
    const PublishedTable* const other = find_table(library_, reference.source);
    if (other == nullptr)
      throw UsageError(
          fmt::format("'{}' is neither ours, model nor a published table", reference.source));
    return published(*other, reference);
  }
  if (reference.selects) return published(table_, reference);
  const auto constant = paper_.constants.find(reference.column);
  if (constant != paper_.constants.end()) return exactly(constant->second);
  return cell_value(table_, row_, reference.column);
}

FormulaValue RowScope::published(const PublishedTable& table,
                                 const CellReference& reference) const {
  std::vector<CellReference::Binding> bindings = reference.bindings;
  for (const std::string& key : table.keys())
    if (binding_of(reference, key) == nullptr && table_.cells.has(key))
      bindings.push_back({key, cell_value(table_, row_, key)});
  FormulaValue selected;
  for (std::size_t row = 0; row < table.cells.size(); ++row)
    if (matches(table.cells, row, bindings)) {
      const FormulaValue value = cell_value(table, row, reference.column);
      if (value.text) return value;
      selected.numbers.push_back(value.numbers.at(0));
    }
  return selected;
}

std::vector<CellReference::Binding> RowScope::with_match(const CellReference& reference) const {
  std::vector<CellReference::Binding> bindings = reference.bindings;
  if (claim_ == nullptr) return bindings;
  for (const auto& [key, formula] : claim_->match)
    if (binding_of(reference, key) == nullptr) bindings.push_back({key, formula.value(*this)});
  return bindings;
}

FormulaValue RowScope::measured(const CellReference& reference) const {
  const CsvTable* const run = claim_ == nullptr ? nullptr : measurements_.run(claim_->run);
  if (run == nullptr) return {};
  const auto bindings = with_match(reference);
  // What disturbs repeats changes their times, not errors and counts.
  const Field* const field = find_field(reference.column);
  const bool timed = run->has("disturbed_by") && (field == nullptr || !field->is_exact());
  FormulaValue selected;
  for (std::size_t row = 0; row < run->size(); ++row)
    if (Row{run, row}.text("status") == "ok" && matches(*run, row, bindings)) {
      selected.numbers.push_back(measured_cell(*run, row, reference.column));
      if (timed)
        if (const std::string& by = Row{run, row}.text("disturbed_by"); !by.empty())
          disturbance_ = by;
    }
  return selected;
}

FormulaValue RowScope::predicted(const CellReference& reference) const {
  const auto parameters = with_match(reference);
  parameters_ = parameters;
  return exactly(
      measurements_.model(claim_ == nullptr ? "" : claim_->device, reference.column, parameters));
}

Interval RowScope::call(std::string_view function, std::span<const FormulaValue> arguments) const {
  if (function != "tokens" && function != "si") return exactly(quantity(function, arguments));
  if (arguments.size() != 1) throw UsageError(fmt::format("{}(label) takes one label", function));
  const FormulaValue& label = arguments[0];
  if (label.text && function == "tokens") return exactly(tokens_of_label(*label.text));
  if (label.text) return exactly(parse_real(*label.text).value_or(kNoNumber));
  return label.numbers.empty() ? exactly(kNoNumber) : exactly(label.numbers[0].value);
}

}  // namespace qb
