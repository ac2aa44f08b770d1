// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "base/numbers.h"
#include "base/status.h"
#include "harness/papers/expression_node.h"

namespace qb {
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

}  // namespace

std::unique_ptr<Expression::Node> parse_formula(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace qb
