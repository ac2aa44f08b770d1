// SPDX-License-Identifier: Apache-2.0
// Formulas of the index of published tables. They can only calculate:
//
//   iteration_time_s[method=megatron_lm] / iteration_time_s
//   sum(dds_us, softmax_us, sdd_us)
//   ours.wall_time_median_s[workers=1, n_tokens=n_tokens / 10]
//
// + - * / ^, comparisons and `and`, `or`, `not` (1 is true), functions (kFunctions and what the
// scope adds), numbers as specs write them (`64Ki`, `312e12`), 'texts', columns and constants by
// name, and cells of other rows: `column[key=value, …]` are those of the rows that have these
// values and, in every other key, those of the current row; `key=*` takes all of a key. A source
// before the column reads another table.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/papers/interval.h"

namespace qb {

// A text, or numbers: one, or as many as rows were selected.
struct FormulaValue {
  std::optional<std::string> text{};
  std::vector<Interval> numbers{};

  FormulaValue() = default;
  FormulaValue(Interval number) : numbers{number} {}         // NOLINT: a number is a value
  FormulaValue(std::string word) : text(std::move(word)) {}  // NOLINT: so is a text
};

struct CellReference {
  struct Binding {
    std::string key;
    std::optional<FormulaValue> value;  // absent: any
  };
  std::string source{};  // empty: the current table
  std::string column{};
  bool selects = false;  // has brackets; without them it is the current row or a constant
  std::vector<Binding> bindings{};
};

// What names mean. Each throws UsageError for a name that it does not know.
class FormulaScope {
 public:
  virtual ~FormulaScope() = default;
  [[nodiscard]] virtual FormulaValue cells(const CellReference& reference) const = 0;
  [[nodiscard]] virtual bool has_name(std::string_view name) const = 0;
  // Calls a function that is none of kFunctions.
  [[nodiscard]] virtual Interval call(std::string_view function,
                                      std::span<const FormulaValue> arguments) const = 0;
};

inline constexpr std::string_view kFunctions[] = {
    "abs",  "ceil",   "count", "floor", "if", "log2", "log10", "max",
    "mean", "median", "min",   "round", "si", "sqrt", "sum",   "tokens"};

class Expression {
 public:
  // Throws UsageError that shows where the text stops being a formula.
  explicit Expression(std::string_view text);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  [[nodiscard]] const std::string& text() const { return text_; }
  // Without a value where a cell that it needs is empty. Throws UsageError where a name is unknown
  // or a text stands for a number.
  [[nodiscard]] Interval evaluate(const FormulaScope& scope) const;
  // The same for what may be a text; a word that is not a name stands for itself.
  [[nodiscard]] FormulaValue value(const FormulaScope& scope) const;

  // All references, those within brackets too, with only the names of their bindings.
  [[nodiscard]] std::vector<CellReference> references() const;
  // The names of the functions that it calls.
  [[nodiscard]] std::vector<std::string> functions() const;
  // Whether it is nothing but a word, which may be a name or a text.
  [[nodiscard]] bool is_word() const;

  struct Node;

 private:
  std::string text_;
  std::unique_ptr<Node> root_;
};

}  // namespace qb
