// SPDX-License-Identifier: Apache-2.0
#include "harness/papers/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>

#include "base/numbers.h"
#include "base/status.h"
#include "base/words.h"

namespace qb {

// The tree of a formula.
struct Expression::Node {
  enum Kind { number, text, cells, call, operation };
  Kind kind = number;
  double value = 0.0;
  std::string name{};  // the text, the function or the operation
  std::vector<std::unique_ptr<Node>> children{};
  CellReference reference{};                      // its bindings have keys only …
  std::vector<std::unique_ptr<Node>> bindings{};  // … and these are the values; nullptr: any
};

namespace {

using Node = Expression::Node;
using NodePtr = std::unique_ptr<Node>;

NodePtr operation(std::string name, NodePtr a, NodePtr b = nullptr) {
  auto node = std::make_unique<Node>();
  node->kind = Node::operation;
  node->name = std::move(name);
  node->children.push_back(std::move(a));
  if (b) node->children.push_back(std::move(b));
  return node;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  NodePtr parse() {
    NodePtr root = disjunction();
    skip_blanks();
    if (at_ != text_.size()) fail("an operator is missing before this");
    return root;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw UsageError(fmt::format("formula '{}', character {}: {}", text_, at_ + 1, what));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  // Takes the sign or the word if it comes next.
  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    const std::size_t end = at_ + token.size();
    if (is_word(token.back()) && end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(fmt::format("'{}' is missing", token));
  }

  // Takes operands with any of these signs between them, from left to right.
  NodePtr chain(NodePtr (Parser::*operand)(), std::initializer_list<std::string_view> signs) {
    NodePtr left = (this->*operand)();
    for (;;) {
      const auto sign =
          std::ranges::find_if(signs, [&](std::string_view one) { return take(one); });
      if (sign == signs.end()) return left;
      left = operation(std::string(*sign), std::move(left), (this->*operand)());
    }
  }
  NodePtr disjunction() { return chain(&Parser::conjunction, {"or"}); }
  NodePtr conjunction() { return chain(&Parser::negation, {"and"}); }
  NodePtr negation() { return take("not") ? operation("not", negation()) : comparison(); }
  NodePtr comparison() {
    NodePtr left = sum();
    for (const std::string_view sign : {"<=", ">=", "!=", "=", "<", ">"})
      if (take(sign)) return operation(std::string(sign), std::move(left), sum());
    return left;
  }
  NodePtr sum() { return chain(&Parser::product, {"+", "-"}); }
  NodePtr product() { return chain(&Parser::signed_power, {"*", "/"}); }
  NodePtr signed_power() {
    if (take("-")) return operation("negative", signed_power());
    NodePtr base = primary();
    return take("^") ? operation("^", std::move(base), signed_power()) : std::move(base);
  }

  NodePtr primary() {
    skip_blanks();
    if (at_ == text_.size()) fail("the formula ends too early");
    if (take("(")) {
      NodePtr inner = disjunction();
      expect(")");
      return inner;
    }
    if (text_[at_] == '\'') return quoted();
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return literal();
    return named();
  }

  NodePtr quoted() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) fail("this quote is not closed");
    auto node = std::make_unique<Node>();
    node->kind = Node::text;
    node->name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return node;
  }

  NodePtr literal() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_word(text_[at_]) || text_[at_] == '.' ||
            ((text_[at_] == '-' || text_[at_] == '+') && (text_[at_ - 1] == 'e'))))
      ++at_;
    const auto value = parse_real(text_.substr(begin, at_ - begin));
    if (!value) {
      at_ = begin;
      fail("this is not a number");
    }
    auto node = std::make_unique<Node>();
    node->value = *value;
    return node;
  }

  std::string word_here() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (begin == at_) fail("a number or a name is missing");
    return std::string(text_.substr(begin, at_ - begin));
  }

  NodePtr named() {
    auto node = std::make_unique<Node>();
    std::string name = word_here();
    if (take("(")) {
      node->kind = Node::call;
      node->name = std::move(name);
      do node->children.push_back(disjunction());
      while (take(","));
      expect(")");
      return node;
    }
    node->kind = Node::cells;
    if (take(".")) {
      node->reference.source = std::move(name);
      name = word_here();
    }
    node->reference.column = std::move(name);
    if (take("[")) {
      node->reference.selects = true;
      do {
        node->reference.bindings.push_back({word_here(), {}});
        expect("=");
        node->bindings.push_back(take("*") ? nullptr : sum());
      } while (take(","));
      expect("]");
    }
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

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

Expression::Expression(std::string_view text) : text_(text), root_(Parser(text_).parse()) {}
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
