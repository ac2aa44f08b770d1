// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "base/words.h"
#include "harness/papers/expression_node.h"

namespace qb {

namespace {

using Node = Expression::Node;
using NodePtr = std::unique_ptr<Node>;

FormulaValue value_of(const Node& node, const FormulaScope& scope);

Interval number_of(const FormulaValue& value, std::string_view what) {
  if (value.text)
    throw UsageError(fmt::format("'{}' is a text, and a number is needed", *value.text));
  if (value.numbers.empty()) return exactly(kNoNumber);
  if (value.numbers.size() > 1)
    throw UsageError(
        fmt::format("{} selects {} rows, and one number is needed; name more keys, or "
                    "take their sum, mean, min or max",
                    what, value.numbers.size()));
  return value.numbers[0];
}

std::string name_of(const Node& node) {
  return node.kind == Node::cells ? fmt::format("'{}'", node.reference.column)
                                  : fmt::format("'{}'", node.name);
}

Interval number_of(const Node& node, const FormulaScope& scope) {
  return number_of(value_of(node, scope), name_of(node));
}

bool is_bare_word(const Node& node) {
  return node.kind == Node::cells && !node.reference.selects && node.reference.source.empty();
}

// A word that is not a name is itself, so that `method=ring` needs no quotes.
FormulaValue value_or_word(const Node& node, const FormulaScope& scope) {
  if (is_bare_word(node) && !scope.has_name(node.reference.column)) return node.reference.column;
  return value_of(node, scope);
}

FormulaValue cells_of(const Node& node, const FormulaScope& scope) {
  CellReference reference = node.reference;
  for (std::size_t i = 0; i < node.bindings.size(); ++i)
    if (node.bindings[i] != nullptr)
      reference.bindings[i].value = value_or_word(*node.bindings[i], scope);
  return scope.cells(reference);
}

bool is_true(const Interval& value) { return value.known() && value.value != 0.0; }

Interval truth(bool holds) { return exactly(holds ? 1.0 : 0.0); }

Interval compare(std::string_view sign, const FormulaValue& a, const FormulaValue& b) {
  const auto is_empty = [](const FormulaValue& value) {
    return !value.text && value.numbers.size() == 1 && !value.numbers[0].known();
  };
  if ((a.text && is_empty(b)) || (b.text && is_empty(a))) return truth(sign == "!=");
  if (a.text || b.text) {
    if (!a.text || !b.text || (sign != "=" && sign != "!="))
      throw UsageError("a text can only be equal or unequal to another text");
    return truth((*a.text == *b.text) == (sign == "="));
  }
  const double left = number_of(a, "the left side").value;
  const double right = number_of(b, "the right side").value;
  if (std::isnan(left) || std::isnan(right)) return exactly(kNoNumber);
  if (sign == "=") return truth(left == right);
  if (sign == "!=") return truth(left != right);
  if (sign == "<") return truth(left < right);
  if (sign == "<=") return truth(left <= right);
  if (sign == ">") return truth(left > right);
  return truth(left >= right);
}

Interval operate(const Node& node, const FormulaScope& scope) {
  const std::string& sign = node.name;
  const Node& a = *node.children[0];
  if (sign == "not") return truth(!is_true(number_of(a, scope)));
  if (sign == "negative") return -number_of(a, scope);
  const Node& b = *node.children[1];
  if (sign == "and") return truth(is_true(number_of(a, scope)) && is_true(number_of(b, scope)));
  if (sign == "or") return truth(is_true(number_of(a, scope)) || is_true(number_of(b, scope)));
  if (sign == "+") return number_of(a, scope) + number_of(b, scope);
  if (sign == "-") return number_of(a, scope) - number_of(b, scope);
  if (sign == "*") return number_of(a, scope) * number_of(b, scope);
  if (sign == "/") return number_of(a, scope) / number_of(b, scope);
  if (sign == "^") return combined(number_of(a, scope), number_of(b, scope), std::pow);
  return compare(sign, value_of(a, scope), value_of(b, scope));
}

// The known numbers of all arguments.
std::vector<Interval> flat(std::span<const FormulaValue> arguments) {
  std::vector<Interval> numbers;
  for (const FormulaValue& argument : arguments) {
    if (argument.text)
      throw UsageError(fmt::format("'{}' is a text, and numbers are needed", *argument.text));
    std::ranges::copy_if(argument.numbers, std::back_inserter(numbers), &Interval::known);
  }
  return numbers;
}

Interval sum_of(std::span<const Interval> numbers) {
  Interval sum = exactly(0.0);
  for (const Interval& number : numbers) sum = sum + number;
  return sum;
}

Interval aggregate(std::string_view function, std::span<const Interval> numbers) {
  if (function == "count") return exactly(static_cast<double>(numbers.size()));
  if (numbers.empty()) return exactly(kNoNumber);
  if (function == "sum") return sum_of(numbers);
  if (function == "median") {
    std::vector<Interval> sorted(numbers.begin(), numbers.end());
    std::ranges::sort(sorted, {}, &Interval::value);
    const Interval& upper = sorted[sorted.size() / 2];
    return sorted.size() % 2 == 1 ? upper : (sorted[sorted.size() / 2 - 1] + upper) / exactly(2.0);
  }
  if (function == "mean") return sum_of(numbers) / exactly(static_cast<double>(numbers.size()));
  Interval best = numbers[0];
  for (const Interval& number : numbers) {
    const auto choose = [&](double a, double b) {
      return function == "min" ? std::min(a, b) : std::max(a, b);
    };
    best = {choose(best.low, number.low), choose(best.value, number.value),
            choose(best.high, number.high)};
  }
  return best;
}

Interval call(const Node& node, const FormulaScope& scope) {
  const std::string& function = node.name;
  if (function == "if") {
    if (node.children.size() != 3)
      throw UsageError("if(condition, then, otherwise) takes three values");
    return number_of(*node.children[is_true(number_of(*node.children[0], scope)) ? 1 : 2], scope);
  }
  std::vector<FormulaValue> arguments;
  for (const NodePtr& child : node.children) arguments.push_back(value_of(*child, scope));
  for (const std::string_view many : {"count", "max", "mean", "median", "min", "sum"})
    if (function == many) return aggregate(function, flat(arguments));
  if (function == "abs" && arguments.size() == 1) {
    const Interval x = number_of(arguments[0], "abs()");
    if (x.low < 0.0 && x.high > 0.0) return {0.0, std::abs(x.value), std::max(-x.low, x.high)};
    return x.high <= 0.0 ? -x : x;
  }
  struct Plain {
    std::string_view name;
    double (*function)(double);
  };
  static constexpr Plain kPlain[] = {{"ceil", [](double x) { return std::ceil(x); }},
                                     {"floor", [](double x) { return std::floor(x); }},
                                     {"log2", [](double x) { return std::log2(x); }},
                                     {"log10", [](double x) { return std::log10(x); }},
                                     {"round", [](double x) { return std::round(x); }},
                                     {"sqrt", [](double x) { return std::sqrt(x); }}};
  for (const Plain& plain : kPlain)
    if (function == plain.name) {
      if (arguments.size() != 1) throw UsageError(fmt::format("{}(x) takes one value", function));
      return monotone(number_of(arguments[0], fmt::format("{}()", function)), plain.function);
    }
  return scope.call(function, arguments);
}

FormulaValue value_of(const Node& node, const FormulaScope& scope) {
  switch (node.kind) {
    case Node::number:
      return exactly(node.value);
    case Node::text:
      return node.name;
    case Node::cells:
      return cells_of(node, scope);
    case Node::call:
      return call(node, scope);
    case Node::operation:
      return operate(node, scope);
  }
  return {};
}

// Gathers that member of all nodes of a kind.
template <class T>
std::vector<T> collected(const Node& node, Node::Kind kind, T Node::*member) {
  std::vector<T> found;
  if (node.kind == kind) found.push_back(node.*member);
  const auto add = [&](const Node& below) {
    std::ranges::move(collected(below, kind, member), std::back_inserter(found));
  };
  for (const NodePtr& child : node.children) add(*child);
  for (const NodePtr& binding : node.bindings)
    // A bare word may be a text, so it may not be a reference.
    if (binding != nullptr && !is_bare_word(*binding)) add(*binding);
  return found;
}

}  // namespace

Expression::Expression(std::string_view text) : text_(text), root_(parse_formula(text_)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Interval Expression::evaluate(const FormulaScope& scope) const { return number_of(*root_, scope); }

FormulaValue Expression::value(const FormulaScope& scope) const {
  return value_or_word(*root_, scope);
}

std::vector<CellReference> Expression::references() const {
  return collected(*root_, Node::cells, &Node::reference);
}

std::vector<std::string> Expression::functions() const {
  return collected(*root_, Node::call, &Node::name);
}

bool Expression::is_word() const { return is_bare_word(*root_); }

}  // namespace qb
